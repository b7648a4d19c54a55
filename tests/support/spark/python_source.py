"""A data source in Python that reads and writes lines of JSON: Spark 4.0 and newer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import (
    DataSource,
    DataSourceReader,
    DataSourceWriter,
    WriterCommitMessage,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Row
    from pyspark.sql.types import StructType


class Customers(DataSource):
    """``spark.read.format("crm").load(FILE)``, and the same to write."""

    @classmethod
    def name(cls) -> str:
        return "crm"

    def schema(self) -> str:
        return "id BIGINT, person BIGINT, amount BIGINT"

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(self.options["path"])

    def writer(self, schema: StructType, overwrite: bool) -> DataSourceWriter:
        return _Writer(self.options["path"])


class _Reader(DataSourceReader):
    def __init__(self, path: str) -> None:
        self.path = path

    def read(self, partition: object) -> Iterator[tuple[Any, ...]]:
        for line in Path(self.path).read_text().splitlines():
            yield tuple(json.loads(line))


class _Writer(DataSourceWriter):
    def __init__(self, path: str) -> None:
        self.path = path

    def write(self, iterator: Iterator[Row]) -> WriterCommitMessage:
        with Path(self.path).open("a") as file:
            file.writelines(f"{json.dumps(list(row))}\n" for row in iterator)
        return WriterCommitMessage()
