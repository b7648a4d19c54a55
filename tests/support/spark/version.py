"""The Spark that the tests run on, for what Spark itself does differently from line to line."""

from __future__ import annotations

from importlib.metadata import version

# Its line, such as (4, 3).
SPARK = tuple(int(number) for number in version("pyspark").split(".")[:2])
