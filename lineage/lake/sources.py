"""Lines of files of events: plain, or compressed by gzip, bzip2 or Zstandard."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import TYPE_CHECKING

from lineage.errors import LakeError
from lineage.eventlog import lake_files
from lineage.lake import layout
from lineage.lake.spark_errors import translate_spark_errors

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
    name or pattern, or if Spark ignores a file because of its name.
    """
    patterns = [_find_pattern(spark, source) for source in sources]
    # By default, Spark reads a directory in another one only if its name is like month=2026-01.
    reader = spark.read.option("recursiveFileLookup", True)
    files = [
        row.path for row in reader.format("binaryFile").load(patterns).select("path").collect()
    ]
    read = frozenset(files)
    for source in sources:
        _check_not_ignored(spark, source, read)
    packed = [path for path in files if path.endswith(_ZSTANDARD)]
    if not packed:
        return _read_plain(spark, patterns)
    lines = _read_packed(spark, packed)
    if plain := [path for path in files if not path.endswith(_ZSTANDARD)]:
        lines = lines.union(_read_plain(spark, [*map(layout.exact_pattern, plain)]))
    return lines


def _find_pattern(spark: SparkSession, source: str) -> str:
    """Return the pattern by which Spark reads a source. The name of a file is no pattern."""
    path = layout.spark_path(source)
    with translate_spark_errors("file", source):
        if layout.has_path(spark, path):
            return layout.exact_pattern(path)
        pattern, system = layout.open_path(spark, path)
        # Spark would log a stack trace before it raised an error.
        if not system.globStatus(pattern):
            raise LakeError(f"There is no file {source}.", "Check the path.")
    return path


def _check_not_ignored(spark: SparkSession, source: str, files: frozenset[str]) -> None:
    """Raise LakeError if a source is a file that is not empty, and is not one of ``files``.

    Spark writes empty files such as _SUCCESS, which a shell lists with the others.
    """
    if not source.rpartition("/")[2].startswith(("_", ".")):
        return
    with translate_spark_errors("file", source):
        path, system = layout.open_path(spark, layout.spark_path(source))
        status = system.getFileStatus(path) if system.exists(path) else None
        if status is None or status.isDirectory() or not status.getLen():
            return
        if status.getPath().toString() not in files:
            raise LakeError(
                f"Spark ignores the file {source}, because a name that begins with _ or a dot is"
                " that of an unfinished file.",
                "Rename the file, and run the command again.",
            )


def _read_plain(spark: SparkSession, patterns: Sequence[str]) -> DataFrame:
    lines = spark.read.text([*patterns], recursiveFileLookup=True)
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
                lake_files.translate_lake_errors(
                    location, "read", "The file is damaged or no Zstandard file."
                ),
                lake_files.open_file(location) as file,
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
