"""A flow that does not know of lineage."""

from metaflow import FlowSpec, step


class PlainFlow(FlowSpec):
    """Hand on a number."""

    @step
    def start(self):
        self.number = 1
        self.next(self.end)

    @step
    def end(self):
        assert self.number == 1


if __name__ == "__main__":
    PlainFlow()
