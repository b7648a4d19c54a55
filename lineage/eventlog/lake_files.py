"""Files of an event lake: events of the log as Parquet, one directory for each month.

docs/reference/event-lake.md describes directories and columns.
"""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import uuid
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from lineage.errors import LakeError, UsageError
from lineage.extras import install_hint
from lineage.failures import first_line
from lineage.sized_groups import group_by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Events of a row group at most: a reader holds one group in memory.
_ROWS = 5_000
# Bytes of bodies of a row group at least, unless it has _ROWS events.
_BYTES = 32 << 20
# A page is compressed as a whole. Bodies of one job repeat each other, so larger pages are smaller.
_PAGE_BYTES = 8 << 20
# Rows that are decoded at a time.
_READ_ROWS = 500
# The sums of digests are sums of this many bits, modulo two to that power.
_SUM_BITS = 60
# The lake of the commands of Spark may be a table of a catalog: table:prod.lineage.events.
TABLE_PREFIX = "table:"
_CHECK = "Check the path, the credentials and the free space, and run the command again."


class LakeEvent(NamedTuple):
    """An event of a lake. ``not_projected``: why it is not in the graph; None if it is."""

    sha256: bytes
    event_time: str
    run_id: str | None
    body: bytes
    document: bytes | None
    not_projected: str | None


@dataclass(frozen=True, slots=True)
class LakeFile:
    """A file of a lake. ``month``: as 2026-01.

    ``digest_sum``: the sum of the first 60 bits of all digests, modulo two to the 60. ``table``:
    the table of a catalog that the file belongs to; None if the lake is a directory.
    """

    location: str
    month: str
    events: int
    digest_sum: int
    table: str | None = None


def leading_bits(sha256: bytes) -> int:
    """Return the first 60 bits of a digest."""
    return int.from_bytes(sha256[:8], "big") >> (64 - _SUM_BITS)


def add_digest(total: int, bits: int) -> int:
    """Return the sum of two sums of leading bits, modulo two to the 60."""
    return (total + bits) % (1 << _SUM_BITS)


def absolute_location(location: str) -> str:
    """Return an absolute path without ``..``, or another URI as it is; of a local URI, its path.

    Spark has the same names for files. Raises UsageError for a table, and for a file of another
    machine.
    """
    if location.startswith(TABLE_PREFIX):
        raise UsageError(
            f"{location} is a table, and a directory or a URI is needed.",
            "Only lineage lake add, fold, stats and stream support tables, as the lake.",
        )
    if location.startswith("file:/"):
        match = re.fullmatch(r"file:(?://(?:localhost)?)?(?P<path>/(?!/).*)", location)
        if match is None:
            raise UsageError(
                f"{location} is not a file of this machine.",
                "Specify a path, or a URI of an object store.",
            )
        location = f"/{unquote(match['path']).lstrip('/')}"
    return location.rstrip("/") if "://" in location else os.path.abspath(location)


def write_file(lake: str, month: str, events: Iterable[LakeEvent]) -> LakeFile:
    """Write the events of a month into a new file of a lake, and read it back.

    ``lake``: a directory, or a URI that pyarrow supports, such as s3://bucket/lineage. The same
    events give a file of the same name. Raises LakeError if the file cannot be written, or if an
    event is not the one of its digest; UsageError if pyarrow is missing.
    """
    filesystem, root = open_filesystem(lake)
    directory = f"{root}/month={month}"
    unfinished = f"{directory}/_unfinished-{uuid.uuid4().hex}.parquet"
    with translate_lake_errors(lake, "written"):
        filesystem.create_dir(directory, recursive=True)
        count, total = _write_events(filesystem, unfinished, events)
        name = f"part-{count}-{total:015x}.parquet"
        filesystem.move(unfinished, f"{directory}/{name}")
        flush_file(filesystem, f"{directory}/{name}")
    written = LakeFile(f"{absolute_location(lake)}/month={month}/{name}", month, count, total)
    for _ in read_pages(written, _ROWS, _BYTES):
        pass
    return written


def read_pages(file: LakeFile, count: int, size: int) -> Iterator[list[tuple[bytes, bytes]]]:
    """Yield digest and body of the projected events, ``count`` events or ``size`` bytes at a time.

    Raises LakeError, at the latest after the last page, if the file does not contain the events
    that were written into it.
    """
    return group_by_size(_read_projected(file), size, count)


def _read_projected(file: LakeFile) -> Iterator[tuple[tuple[bytes, bytes], int]]:
    """Yield digest and body of each projected event, and the size of the body."""
    events = digest_sum = 0
    for sha256, body, not_projected in _read_rows(file):
        if hashlib.sha256(body).digest() != sha256:
            raise _damaged_file(file.location, f"event {sha256.hex()[:12]} was changed")
        events += 1
        digest_sum = add_digest(digest_sum, leading_bits(sha256))
        if not_projected is None:
            yield (sha256, body), len(body)
    if (events, digest_sum) != (file.events, file.digest_sum):
        raise _damaged_file(file.location, f"its events are not the {file.events:,} of the archive")


def open_file(location: str) -> Any:
    """Open a file that a path or URI names, for reading in one pass. Raises LakeError."""
    filesystem, path = open_filesystem(location)
    with translate_lake_errors(location, "read"):
        return filesystem.open_input_stream(path, compression=None)


def _read_rows(file: LakeFile) -> Iterator[tuple[bytes, bytes, str | None]]:
    filesystem, path = open_filesystem(file.location)
    from pyarrow import parquet

    hint = _CHECK
    if file.table is not None:
        hint = f"If the table was rewritten, run: lineage lake fold {TABLE_PREFIX}{file.table}"
    with (
        translate_lake_errors(file.location, "read", hint),
        filesystem.open_input_file(path) as source,
    ):
        batches = parquet.ParquetFile(source).iter_batches(
            _READ_ROWS, columns=["sha256", "body", "not_projected"]
        )
        for batch in batches:
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _write_events(filesystem: Any, path: str, events: Iterable[LakeEvent]) -> tuple[int, int]:
    """Write a file; return the number of events and the sum of their digests."""
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema(
        [
            pyarrow.field("sha256", pyarrow.binary(), nullable=False),
            pyarrow.field("event_time", pyarrow.string(), nullable=False),
            pyarrow.field("run_id", pyarrow.string()),
            pyarrow.field("body", pyarrow.binary(), nullable=False),
            pyarrow.field("document", pyarrow.binary()),
            pyarrow.field("not_projected", pyarrow.string()),
        ]
    )
    count = total = 0
    options = {"compression": "zstd", "use_dictionary": ["run_id"], "data_page_size": _PAGE_BYTES}
    with parquet.ParquetWriter(path, schema, filesystem=filesystem, **options) as writer:
        sized = ((event, len(event.body)) for event in events)
        for group in group_by_size(sized, _BYTES, _ROWS):
            columns = [list(column) for column in zip(*group, strict=True)]
            writer.write_table(pyarrow.table(columns, schema=schema))
            count += len(group)
            for event in group:
                total = add_digest(total, leading_bits(event.sha256))
    return count, total


def flush_file(filesystem: Any, path: str) -> None:
    """Make a local file and its name survive a loss of power. Object stores do so themselves."""
    if filesystem.type_name != "local":
        return
    for each in (path, posixpath.dirname(path)):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def open_filesystem(location: str) -> tuple[Any, str]:
    """Return the file system of a path or URI, and the path in it."""
    try:
        from pyarrow import fs
    except ImportError as exc:
        raise UsageError("An event lake needs pyarrow.", install_hint("arrow")) from exc
    with translate_lake_errors(location, "reached"):
        filesystem, path = fs.FileSystem.from_uri(absolute_location(location))
    return filesystem, path.rstrip("/")


@contextmanager
def translate_lake_errors(location: str, done: str, hint: str = _CHECK) -> Iterator[None]:
    """Raise errors of pyarrow and of the system as LakeError."""
    import pyarrow

    try:
        yield
    except (OSError, pyarrow.ArrowException) as exc:
        reason = first_line(str(exc)).rstrip(".")
        raise LakeError(f"{location} cannot be {done}: {reason}.", hint) from exc


def _damaged_file(location: str, reason: str) -> LakeError:
    return LakeError(
        f"{location} is damaged: {reason}.",
        "Restore the file from a backup. Nothing was changed.",
    )
