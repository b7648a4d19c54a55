"""Lines of files of events: plain, or compressed by gzip, bzip2 or Zstandard."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from lineage.errors import LakeError
from lineage.eventlog.lake_files import open_file
from lineage.lake import layout

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow
    from pyarrow import NativeFile
    from pyspark.sql import DataFrame, SparkSession

# Spark needs a native Hadoop library to read these; pyarrow does not.
_ZSTANDARD = (".zst", ".zstd")
_CHUNK_BYTES = 1 << 20
_LINES = 500


def read_lines(spark: SparkSession, sources: Sequence[str]) -> DataFrame:
    """Return the lines of files, directories and patterns in the column ``value``, as bytes.

    Directories are read with all directories below them. Raises LakeError if there is no file of a
    name or pattern.
    """
    paths = [layout.spark_path(source) for source in sources]
    for source, path in zip(sources, paths, strict=True):
        pattern, system = layout.open_path(spark, path)
        # Spark would log a stack trace before it raised an error.
        if not system.globStatus(pattern):
            raise LakeError(f"There is no file {source}.", "Check the path.")
    # By default, Spark reads a directory in another one only if its name is like month=2026-01.
    reader = spark.read.option("recursiveFileLookup", True)
    files = [row.path for row in reader.format("binaryFile").load(paths).select("path").collect()]
    packed = [path for path in files if path.endswith(_ZSTANDARD)]
    if not packed:
        return _read_plain(spark, paths)
    lines = _read_packed(spark, packed)
    if plain := [path for path in files if not path.endswith(_ZSTANDARD)]:
        lines = lines.union(_read_plain(spark, plain))
    return lines


def _read_plain(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    lines = spark.read.text([*paths], recursiveFileLookup=True)
    return lines.select(lines.value.cast("binary").alias("value"))


def _read_packed(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """Return the lines of files compressed by Zstandard, each of which is read by one task."""
    rows = [(layout.stored_location(path),) for path in paths]
    named = spark.createDataFrame(rows, "location string").repartition(len(rows))
    return named.mapInArrow(_unpack_files, "value binary")


def _unpack_files(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        for location in batch.column(0).to_pylist():
            with (
                open_file(location) as file,
                pyarrow.CompressedInputStream(file, "zstd") as stream,
            ):
                for lines in _group_lines(stream):
                    yield pyarrow.RecordBatch.from_pydict({"value": lines})


def _group_lines(stream: NativeFile) -> Iterator[list[bytes]]:
    """Yield the lines of a stream without its byte order mark, some at a time."""
    lines: list[bytes] = []
    unfinished: list[bytes] = []
    chunk = stream.read(_CHUNK_BYTES).removeprefix(BOM_UTF8)
    while chunk:
        first, *others = chunk.split(b"\n")
        unfinished.append(first)
        if others:
            lines += [b"".join(unfinished), *others[:-1]]
            unfinished = [others[-1]]
        if len(lines) >= _LINES:
            yield lines
            lines = []
        chunk = stream.read(_CHUNK_BYTES)
    yield [*lines, b"".join(unfinished)]
