"""Frames whose rows are traced twice: live, and by a dry run of the job that writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.cases.records import CASES, Tables
from support.cases.tpch.frames import create_views, frame_of
from support.cases.tpch.queries import QUERIES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pyspark.sql import DataFrame

# About two thirds of the rows of a frame.
WHERE = "pmod(hash(column0), 3) > 0"

SUITES = ("operators", "tpch")


def frames(suite: str, spark: Any, directory: Path) -> Iterator[tuple[str, DataFrame]]:
    """Return the frames of a suite with their names; their columns are ``column0`` and so on."""
    found = _operators(spark, directory) if suite == "operators" else _queries(spark, directory)
    for name, frame in found:
        yield name, frame.toDF(*(f"column{number}" for number in range(len(frame.columns))))


def _operators(spark: Any, directory: Path) -> Iterator[tuple[str, DataFrame]]:
    tables = Tables(spark, directory)
    for case in CASES:
        yield case.name, case.build(tables)


def _queries(spark: Any, directory: Path) -> Iterator[tuple[str, DataFrame]]:
    create_views(spark, directory)
    for query in QUERIES:
        yield query.name, frame_of(query, spark)
