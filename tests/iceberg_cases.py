"""Jobs on Apache Iceberg tables."""

from __future__ import annotations

from typing import Any

from connector_packages import ICEBERG as CONNECTOR
from lake_cases import Case, read_sql, sql

__all__ = ["CASES", "CONNECTOR", "prepare", "settings"]


def settings(directory: str) -> dict[str, str]:
    """A catalog of directories, and the extensions that give CALL, branches and tags."""
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    return {
        "spark.sql.extensions": extensions,
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": f"file:{directory}/lake",
    }


def prepare(spark: Any, directory: str) -> None:
    spark.sql("CREATE TABLE lake.db.people (id bigint, name string) USING iceberg")


CASES = [
    Case(
        "rows of the driver",
        sql("INSERT INTO lake.db.people VALUES (1, 'ann'), (2, 'bob')"),
        set(), {"lake/db/people"},
    ),
    Case("read", read_sql("SELECT name FROM lake.db.people"), {"lake/db/people"}),
]  # fmt: skip
