"""Branches that are joined, and a step that one of two steps follows."""

from metaflow import step

from lineage.metaflow import LineageFlow


class ChoiceFlow(LineageFlow):
    """Choose a step by a value."""

    @step
    def start(self):
        self.amount = 5
        self.next(self.left, self.right)

    @step
    def left(self):
        self.left_amount = self.amount
        self.next(self.merge)

    @step
    def right(self):
        self.next(self.merge)

    @step
    def merge(self, inputs):
        self.size = "large" if inputs.left.left_amount > 3 else "small"
        self.next(self.choose)

    @step
    def choose(self):
        self.next({"large": self.large, "small": self.small}, condition="size")

    @step
    def large(self):
        self.lineage.writes("s3://lake/large")
        self.next(self.end)

    @step
    def small(self):
        self.lineage.writes("s3://lake/small")
        self.next(self.end)

    @step
    def end(self):
        pass


if __name__ == "__main__":
    ChoiceFlow()
