"""Files of archived runs: their reads and writes as Parquet, one directory for each month.

docs/reference/event-lake.md describes directories and columns.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.errors import LakeError
from lineage.eventlog.lake_files import (
    absolute_location,
    flush_file,
    open_filesystem,
    translate_lake_errors,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# The directory of archived runs in a lake.
_RUNS = "runs"
# Accesses of a row group.
_ROWS = 100_000
# A name may begin after one of these, as in queries of the graph.
_SEPARATORS = "/.:"


class ArchivedAccess(NamedTuple):
    """A read or write of an archived run. Times are ISO 8601, facets JSON without revisions.

    ``dataset``, ``is_output``, ``facets``: None for a run of a job without reads and writes.
    ``job``: None if no event names it. ``archived_at``: the newest one of a run is valid.
    """

    run_id: str
    job: str | None
    state: str | None
    started_at: str | None
    ended_at: str | None
    first_event: str | None
    last_event: str | None
    parent_run_id: str | None
    run_facets: str
    dataset: str | None
    is_output: bool | None
    facets: str | None
    archived_at: str


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file of archived runs. ``month``: as 2026-01, that of their last events."""

    location: str
    month: str
    runs: int
    accesses: int


@dataclass(frozen=True, slots=True)
class AccessFilter:
    """Accesses to read: of a dataset, a job or a run, with the last event in a period.

    Names are full names as in the events, or suffixes of these after ``/``, ``.`` or ``:``.
    ``since``, ``until``: first and last time, ISO 8601 in UTC with microseconds.
    """

    dataset: str | None = None
    job: str | None = None
    run_id: str | None = None
    since: str | None = None
    until: str | None = None


def write_file(
    lake: str, month: str, archived_at: str, accesses: Iterable[ArchivedAccess]
) -> RunFile:
    """Write accesses into a new file of a lake, and read its numbers back.

    Raises LakeError if the file cannot be written, UsageError if pyarrow is missing.
    """
    filesystem, root = open_filesystem(lake)
    from pyarrow import parquet

    directory = f"{root}/{_RUNS}/month={month}"
    name = f"part-{archived_at.translate(str.maketrans('', '', '-:.'))}.parquet"
    unfinished = f"{directory}/_unfinished-{uuid.uuid4().hex}.parquet"
    with translate_lake_errors(lake, "written"):
        filesystem.create_dir(directory, recursive=True)
        runs, rows, count = _write_accesses(filesystem, unfinished, accesses)
        with filesystem.open_input_file(unfinished) as source:
            written = parquet.ParquetFile(source).metadata.num_rows
        if written != rows:
            raise LakeError(
                f"{unfinished} has {written:,} rows of the {rows:,} that were written.",
                "Check the disk, and run the command again. Nothing was deleted.",
            )
        filesystem.move(unfinished, f"{directory}/{name}")
        flush_file(filesystem, f"{directory}/{name}")
    return RunFile(f"{absolute_location(lake)}/{_RUNS}/month={month}/{name}", month, runs, count)


def read_accesses(lake: str, filters: AccessFilter) -> list[ArchivedAccess]:
    """Read the accesses of archived runs of a lake, newest first.

    Raises LakeError if there is no lake, or if its files cannot be read.
    """
    filesystem, root = open_filesystem(lake)
    from pyarrow import dataset, fs

    with translate_lake_errors(lake, "read"):
        directory = f"{root}/{_RUNS}"
        if filesystem.get_file_info(directory).type == fs.FileType.NotFound:
            if filesystem.get_file_info(root).type != fs.FileType.Directory:
                hint = "Give the directory of lineage archive-runs --to."
                raise LakeError(f"There is no lake {lake}.", hint)
            return []
        files = dataset.dataset(
            directory, filesystem=filesystem, format="parquet", partitioning="hive"
        )
        if not files.files:  # an interrupted command left no file that has its final name
            return []
        table = files.to_table([*ArchivedAccess._fields], filter=_condition_of(filters))
        rows = [ArchivedAccess(**row) for row in table.to_pylist()]
        newest = _newest_archives(files, {row.run_id for row in rows})
    valid = [row for row in rows if row.archived_at == newest[row.run_id]]
    return sorted(valid, key=_order_of, reverse=True)


def _order_of(row: ArchivedAccess) -> tuple[str, ...]:
    return row.last_event or "", row.run_id, row.job or "", str(row.is_output), row.dataset or ""


def _newest_archives(files: Any, run_ids: Collection[str]) -> dict[str, str]:
    """Return the time of the newest archive that has each run.

    A late event may have moved an archived run to a later month, even to one that is filtered out.
    """
    import pyarrow
    from pyarrow import dataset

    known = pyarrow.array([*run_ids], pyarrow.string())
    rows = files.to_table(["run_id", "archived_at"], filter=dataset.field("run_id").isin(known))
    newest = rows.group_by("run_id").aggregate([("archived_at", "max")])
    columns = [newest[name].to_pylist() for name in ("run_id", "archived_at_max")]
    return dict(zip(*columns, strict=True))


def _condition_of(filters: AccessFilter) -> Any:
    """Return the condition of pyarrow on the rows; None for all rows."""
    from pyarrow import dataset

    # The month, which is a directory, limits the files that are read. It is that of the last event
    # of the run, of whose jobs another may have had its last event in an earlier month.
    month, last_event = dataset.field("month"), dataset.field("last_event")
    conditions = [
        _has_name(column, name)
        for column, name in (("dataset", filters.dataset), ("job", filters.job))
        if name is not None
    ]
    if filters.run_id is not None:
        conditions.append(dataset.field("run_id") == filters.run_id)
    if filters.since is not None:
        conditions += [month >= filters.since[:7], last_event >= filters.since]
    if filters.until is not None:
        conditions.append(last_event <= filters.until)
    condition = None
    for each in conditions:
        condition = each if condition is None else condition & each
    return condition


def _has_name(column: str, name: str) -> Any:
    from pyarrow import compute, dataset

    field = dataset.field(column)
    condition = field == name
    for separator in _SEPARATORS:
        condition = condition | compute.ends_with(field, separator + name)
    return condition


def _write_accesses(
    filesystem: Any, path: str, accesses: Iterable[ArchivedAccess]
) -> tuple[int, int, int]:
    """Write a file; return its numbers of runs, of rows and of accesses.

    The rows of a run follow each other.
    """
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema(
        [
            (name, pyarrow.bool_() if name == "is_output" else pyarrow.string())
            for name in ArchivedAccess._fields
        ]
    )
    remaining = iter(accesses)
    runs = written = count = 0
    last = None
    with parquet.ParquetWriter(path, schema, filesystem=filesystem, compression="zstd") as writer:
        while group := list(islice(remaining, _ROWS)):
            columns = [list(column) for column in zip(*group, strict=True)]
            writer.write_table(pyarrow.table(columns, schema=schema))
            written += len(group)
            for row in group:
                runs += row.run_id != last
                count += row.dataset is not None
                last = row.run_id
    return runs, written, count
