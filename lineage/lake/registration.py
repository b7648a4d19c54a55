"""Register the files of a lake in the database, so that a rebuild reads them."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from lineage.database.errors import translate_errors
from lineage.errors import LakeError
from lineage.eventlog import archived
from lineage.eventlog.lake_files import LakeFile, add_digest, leading_bits
from lineage.lake import layout

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    import psycopg
    import pyarrow

    from lineage.lake.opening import Lake

_COUNTED = "location string, events bigint, digest_sum bigint"


def register_files(conn: psycopg.Connection[Any], lake: Lake, month: str) -> list[str]:
    """Register the new files of a month; return the locations of those not yet projected.

    Files that took the place of others, as after a compaction, are registered in their place.
    Raises LakeError if the lake lacks events of the others, or cannot be read.
    """
    with archived.lock_files(conn):  # another session may merge the listed files, and delete them
        locations = set(lake.list_files(month))
        known = archived.archived_files(conn)
        registered = {file.location for file in known}
        new = sorted(locations - registered)
        replaced = _replaced_files(known, lake, month, locations)
        if new or replaced:
            files = count_events(lake, new, month) if new else []
            _need_all_events(lake, month, replaced, files)
            register_in_place(conn, replaced, files)
    return [location for location in archived.unprojected_locations(conn) if location in locations]


def _replaced_files(
    known: Sequence[LakeFile], lake: Lake, month: str, locations: Collection[str]
) -> list[LakeFile]:
    """Return the registered files of a month of a table that the table no longer has."""
    if lake.table is None:
        return []
    files = [file for file in known if (file.table, file.month) == (lake.table, month)]
    return [file for file in files if file.location not in locations]


def _need_all_events(
    lake: Lake, month: str, replaced: Sequence[LakeFile], files: Sequence[LakeFile]
) -> None:
    """Raise LakeError if events of replaced files are not in the table any more.

    If these files were deleted, only the numbers of events can be compared.
    """
    before, after = sum_up(replaced), sum_up(files)
    if not replaced or before == after:
        return
    missing = max(before[0] - after[0], _count_missing(lake, month, replaced))
    if missing:
        raise LakeError(
            f"The table {lake.table} lacks {missing:,} events of {month} that are in the graph.",
            "Restore the table to an earlier snapshot, and run the command again.",
        )


def _count_missing(lake: Lake, month: str, replaced: Sequence[LakeFile]) -> int:
    paths = [layout.spark_path(file.location) for file in replaced]
    present = [path for path in paths if layout.has_path(lake.spark, path)]
    now = lake.read_months([month])
    if not present or now is None:
        return 0
    key = ["event_time", "sha256"]
    before = layout.read_parquet(lake.spark, present).select(key)
    return before.join(now.select(key), key, "left_anti").count()


def register_in_place(
    conn: psycopg.Connection[Any], replaced: Sequence[LakeFile], files: Sequence[LakeFile]
) -> None:
    """Register files and remove those that they replace, which are projected if these were."""
    before, after = sum_up(replaced), sum_up(files)
    locations = [file.location for file in replaced]
    with translate_errors(), conn.transaction():
        unprojected = set(archived.unprojected_locations(conn))
        is_projected = before == after and unprojected.isdisjoint(locations)
        archived.remove_files(conn, locations)
        for file in files:
            archived.register_file(conn, file, is_projected=is_projected)


def sum_up(files: Iterable[LakeFile]) -> tuple[int, int]:
    """Return the number of events of files and the sum of their digests."""
    events = digest_sum = 0
    for file in files:
        events += file.events
        digest_sum = add_digest(digest_sum, file.digest_sum)
    return events, digest_sum


def count_events(lake: Lake, locations: Sequence[str], month: str) -> list[LakeFile]:
    """Return files with the numbers of their events and the sums of their digests."""
    from pyspark.sql import functions as F

    paths = map(layout.spark_path, locations)
    events = layout.read_parquet(lake.spark, paths)
    counted = events.select(F.input_file_name().alias("location"), "sha256")
    totals: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
    for row in counted.mapInArrow(_sum_digests, _COUNTED).collect():
        number, total = totals[row.location]
        totals[row.location] = number + row.events, add_digest(total, row.digest_sum)
    return [
        LakeFile(layout.stored_location(unquote(path)), month, number, total, lake.table)
        for path, (number, total) in totals.items()
    ]


def _sum_digests(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        totals: dict[str, tuple[int, int]] = defaultdict(lambda: (0, 0))
        for location, sha256 in zip(*(c.to_pylist() for c in batch.columns), strict=True):
            number, total = totals[location]
            totals[location] = number + 1, add_digest(total, leading_bits(sha256))
        columns = [
            [*totals], [n for n, _ in totals.values()], [total for _, total in totals.values()]
        ]  # fmt: skip
        yield pyarrow.RecordBatch.from_arrays(
            [pyarrow.array(column) for column in columns], ["location", "events", "digest_sum"]
        )
