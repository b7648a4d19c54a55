"""Fixtures of the oracles of record lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.cases.small_queries import COLUMNS, ROWS, SCHEMAS
from support.reference.record_lineage import SmallTables

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def small(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> SmallTables:
    """Return tables of twelve rows, which Spark has as views."""
    directory: Path = tmp_path_factory.mktemp("small")
    for name, rows in ROWS.items():
        path = str(directory / name)
        spark.createDataFrame(rows, SCHEMAS[name]).coalesce(1).write.parquet(path)
        spark.read.parquet(path).createOrReplaceTempView(name)
    return SmallTables(COLUMNS, ROWS)
