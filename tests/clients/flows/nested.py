"""A foreach inside a foreach."""

from metaflow import step

from lineage.metaflow import LineageFlow


class NestedFlow(LineageFlow):
    """Add the digits of two numbers."""

    @step
    def start(self):
        self.numbers = ["12", "34"]
        self.next(self.split, foreach="numbers")

    @step
    def split(self):
        self.digits = list(self.input)
        self.next(self.read, foreach="digits")

    @step
    def read(self):
        self.value = int(self.input)
        self.next(self.add)

    @step
    def add(self, inputs):
        self.value = sum(each.value for each in inputs)
        self.next(self.total)

    @step
    def total(self, inputs):
        self.value = sum(each.value for each in inputs)
        self.next(self.end)

    @step
    def end(self):
        assert self.value == 10


if __name__ == "__main__":
    NestedFlow()
