"""Rows of a dataset of files that meet conditions, read with pyarrow."""

from __future__ import annotations

import functools
import operator
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.records.arrow_filters import admits_nan, filter_of
from lineage.records.listed_files import Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.records.identity_filters import IdentityCondition
    from lineage.records.listed_files import FileListing

TEXT_FORMATS = ("csv", "json")
FORMATS = ("parquet", *TEXT_FORMATS)
# Options of Spark's readers of text, in lower case, with which values are as pyarrow reads them.
PLAIN_OPTIONS = frozenset({
    "basepath", "columnnameofcorruptrecord", "enforceschema", "header", "inferschema",
    "mergeschema", "mode", "multiline", "path", "pathglobfilter", "paths", "recursivefilelookup",
    "samplingratio", "serialization.format",
})  # fmt: skip
# Types that Spark reads from text, as types of Arrow; other columns are read as text.
_TEXT_TYPES = {
    "tinyint": "int8", "smallint": "int16", "int": "int32", "bigint": "int64", "float": "float32",
    "double": "float64", "boolean": "bool", "date": "date32", "string": "string",
}  # fmt: skip
# A quote that neither begins nor ends a value of CSV, and Spark's escape.
_INNER_QUOTE = re.compile(rb'(?<=[^,])"(?=[^,])|\\')


class MatchingRows(NamedTuple):
    """``total``: number of rows that match. ``rows``: the first of them, with ``_file``.

    ``used``: texts of the comparisons that the files were filtered by; ``columns``: their columns.
    """

    total: int
    rows: list[dict[str, Any]]
    used: tuple[str, ...]
    columns: tuple[str, ...]


def read_matching(
    listing: FileListing,
    file_format: str | None,
    schema: Mapping[str, str],
    conditions: Sequence[IdentityCondition],
    limit: int,
) -> MatchingRows:
    """Count the rows of files that meet all conditions, and return up to ``limit`` of them.

    ``schema``: the reported types of its columns, by name. A condition that cannot be evaluated as
    Spark does is left out; if none is left, no row is read. Raises Unreadable.
    """
    import pyarrow

    try:
        files = _open_files(listing, file_format, schema)
        filters = {c: f for c in conditions if (f := filter_of(files.schema, c)) is not None}
        if not filters:
            return MatchingRows(0, [], (), ())
        matches = functools.reduce(operator.and_, filters.values())
        is_pruned = not any(admits_nan(files.schema, condition) for condition in filters)
        rows = _first_rows(files, matches, limit, is_pruned=is_pruned) if limit else []
        scan = files.scanner(filter=matches) if is_pruned else _read_whole(files, matches)
        count = scan.count_rows()
    except (OSError, pyarrow.ArrowException) as exc:
        raise Unreadable(str(exc).splitlines()[0]) from exc
    columns = sorted({column for condition in filters for column in condition.columns})
    used = dict.fromkeys(condition.comparison.text for condition in filters)
    return MatchingRows(count, rows, tuple(used), tuple(columns))


def _first_rows(files: Any, matches: Any, limit: int, *, is_pruned: bool) -> list[dict[str, Any]]:
    names = files.schema.names
    if is_pruned:
        table = files.head(limit, columns=[*names, "__filename"], filter=matches)
        table = table.rename_columns([*names, "_file"])
    else:
        table = _read_whole(files, matches).head(limit)
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows


def _read_whole(files: Any, matches: Any) -> Any:
    """Return a scan of the rows that match, for which no statistics of files are used."""
    import pyarrow
    from pyarrow import dataset as arrow

    scan = files.scanner(columns=[*files.schema.names, "__filename"])
    names = [*files.schema.names, "_file"]
    batches = (batch.rename_columns(names) for batch in scan.to_batches())
    schema = pyarrow.schema(
        field.with_name(name) for field, name in zip(scan.projected_schema, names, strict=True)
    )
    return arrow.Scanner.from_batches(batches, schema=schema, filter=matches)


def _open_files(listing: FileListing, file_format: str | None, schema: Mapping[str, str]) -> Any:
    """Return the files as a pyarrow dataset with the columns of all of them."""
    import pyarrow
    from pyarrow import dataset as arrow

    if file_format not in FORMATS:
        raise Unreadable(f"the format is {file_format or 'not reported'}")
    files = [file.path for file in listing.files]
    settings = arrow.FileSystemFactoryOptions(
        partition_base_dir=listing.path, partitioning=arrow.HivePartitioning.discover()
    )
    reader = _file_reader(file_format, listing.system, files, schema)
    factory = arrow.FileSystemDatasetFactory(listing.system, files, reader, settings)
    # DatasetFactory.inspect() has promote_options since pyarrow 21.
    first = factory.finish()
    schemas = [first.schema, *(fragment.physical_schema for fragment in first.get_fragments())]
    return factory.finish(pyarrow.unify_schemas(schemas, promote_options="permissive"))


def _file_reader(
    file_format: str, system: Any, files: Sequence[str], schema: Mapping[str, str]
) -> Any:
    from pyarrow import csv
    from pyarrow import dataset as arrow

    if file_format == "parquet":
        return arrow.ParquetFileFormat()
    if file_format == "json":
        return arrow.JsonFileFormat()
    _require_plain_values(system, files)
    names = _first_values(system, files[0])
    if len(names) != len(set(schema) - _partition_columns(files)):
        raise Unreadable("its lines do not have the reported columns, separated by commas")
    has_header = set(names) <= set(schema)
    columns = (
        names if has_header else [name for name in schema if name not in _partition_columns(files)]
    )
    return arrow.CsvFileFormat(
        read_options=csv.ReadOptions(column_names=None if has_header else columns),
        convert_options=csv.ConvertOptions(
            column_types={name: _TEXT_TYPES.get(schema[name], "string") for name in columns},
            null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False,
        ),
    )  # fmt: skip


def _require_plain_values(system: Any, files: Iterable[str]) -> None:
    """Raise Unreadable if Spark and pyarrow read a value differently."""
    import io

    for file in files:
        with system.open_input_stream(file, compression="detect") as stream:
            lines = (line.rstrip(b"\r\n") for line in io.BufferedReader(stream))
            if any(_INNER_QUOTE.search(line) for line in lines):
                raise Unreadable(f"{file} has a quote or a backslash inside a value")


def _first_values(system: Any, file: str) -> list[str]:
    """Return the values of the first line of a CSV file."""
    import csv
    import io

    with system.open_input_stream(file, compression="detect") as stream:
        first = io.TextIOWrapper(stream, encoding="utf-8").readline()
    return next(csv.reader([first.rstrip("\r\n")]), [])


def _partition_columns(files: Iterable[str]) -> set[str]:
    """Return the columns that the directories of files name."""
    parts = (part for file in files for part in file.split("/")[:-1])
    return {part.partition("=")[0] for part in parts if "=" in part}
