"""The version of Spark of the tests, for behaviour that differs between versions."""

from __future__ import annotations

from importlib.metadata import version

# Major and minor version, such as (4, 3).
SPARK = tuple(int(number) for number in version("pyspark").split(".")[:2])
