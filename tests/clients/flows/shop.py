"""A foreach over regions and a join. Variables of the environment make regions fail or hang."""

import os
import time
from pathlib import Path

from metaflow import Parameter, Step, current, step

import lineage
from lineage.metaflow import LineageFlow


class ShopFlow(LineageFlow):
    """Count the orders of each region."""

    rate = Parameter("rate", default=2, type=int)

    @step
    def start(self):
        self.regions = ["eu", "us", "ap"]
        self.currency = "EUR"
        self.lineage.reads("s3://lake/raw/orders")
        self.next(self.fetch, foreach="regions")

    @step
    def fetch(self):
        self.count = len(self.input) * self.rate
        self.label = self.currency + self.input
        if os.environ.get("HANGING") == self.input:
            lineage.get_emitter().flush(60)
            Path("hanging").touch()
            time.sleep(300)
        if os.environ.get("FAILING") == self.input:
            wait_for_sibling("eu")
            raise ValueError("password=hunter2")
        self.next(self.merge)

    @step
    def merge(self, inputs):
        self.total = sum(each.count for each in inputs)
        self.merge_artifacts(inputs, include=["currency"])
        self.next(self.end)

    @step
    def end(self):
        self.lineage.writes("s3://lake/gold/totals", rows=self.total)


def wait_for_sibling(region):
    """Wait until the task of one region has ended and that of another one hangs."""
    tasks = Step(f"ShopFlow/{current.run_id}/fetch")
    while not (
        Path("hanging").exists()
        and any(task.successful and task.data.label.endswith(region) for task in tasks)
    ):
        time.sleep(0.2)


if __name__ == "__main__":
    ShopFlow()
