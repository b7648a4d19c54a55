"""The files of a dataset as they are now, compared with the sets of files that runs selected."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from lineage.errors import UsageError
from lineage.extras import install_hint
from lineage.naming import OBJECT_STORES
from lineage.records.input_changes import describe_difference
from lineage.records.manifests import FileSet

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineage.query.records import Dataset
    from lineage.records.manifests import InputManifest, RunInputs

_STORES = (*OBJECT_STORES.values(), "hdfs")
# Directories of table formats, whose files may be deleted rows or older versions.
_LOGS = {"_delta_log": "Delta Lake", "metadata": "Iceberg", ".hoodie": "Hudi"}
# Schemes by which Spark accesses S3; names of datasets have the first.
_S3 = ("s3", "s3a", "s3n")
# Up to so many directories, every choice of them is tried; of more, those that follow each other.
_MAX_CHOSEN_DIRECTORIES = 14
_MAX_DIRECTORIES = 1000


class Unreadable(Exception):
    """The files cannot be read; the message says why."""


class ListedFile(NamedTuple):
    """``path``: that of pyarrow. ``below``: the rest of it below the dataset.

    ``modified``: in milliseconds since the epoch.
    """

    path: str
    below: str
    size: int
    modified: int


@dataclass(frozen=True)
class FileListing:
    """The files of ``name``, on a file system of pyarrow, below ``path``."""

    name: str
    system: Any
    path: str
    files: tuple[ListedFile, ...]


@dataclass(frozen=True)
class ListingComparison:
    """Files compared with those of runs.

    ``files``: those to read, without ``left_out`` files that were added since. ``changes``:
    other differences, and ``run_id`` a run with these. ``doubtful``: differences from runs whose
    rows may have been replaced. ``unknown``: why it is not known whether they differ, None if it
    is.
    """

    files: tuple[ListedFile, ...]
    left_out: int = 0
    changes: tuple[str, ...] = ()
    unknown: str | None = None
    doubtful: tuple[str, ...] = ()
    run_id: str | None = None


def list_files(dataset: Dataset) -> FileListing:
    """Return the files that Spark reads of a dataset.

    Raises Unreadable, and UsageError if pyarrow is missing.
    """
    try:
        import pyarrow
    except ImportError as exc:
        raise UsageError("Reading files needs pyarrow.", install_hint("arrow")) from exc
    try:
        return _list_files(dataset)
    except (OSError, pyarrow.ArrowException) as exc:
        raise Unreadable(str(exc).splitlines()[0]) from exc


def _list_files(dataset: Dataset) -> FileListing:
    from pyarrow import fs

    system, path = _locate_files(dataset)
    _require_plain_files(system, path)
    kind = system.get_file_info(path).type
    if kind == fs.FileType.NotFound:
        raise Unreadable(f"{path} does not exist")
    if kind == fs.FileType.File:
        infos = [system.get_file_info(path)]
    else:
        infos = system.get_file_info(fs.FileSelector(path, recursive=True))
    listed = (
        ListedFile(each.path, each.path[len(path) :], each.size, each.mtime_ns // 1_000_000)
        for each in infos
        if each.is_file
    )
    files = tuple(sorted(each for each in listed if not _is_hidden(each.below)))
    if not files:
        raise Unreadable(f"{path} has no files")
    return FileListing(dataset.full_name, system, path, files)


def _locate_files(dataset: Dataset) -> tuple[Any, str]:
    from pyarrow import fs

    if dataset.namespace == "file":
        return fs.LocalFileSystem(), dataset.name
    if dataset.namespace.split(":", 1)[0] not in _STORES:
        raise Unreadable(f"{dataset} is not a dataset of files")
    return fs.FileSystem.from_uri(quote(dataset.full_name, safe=":/@"))  # type: ignore[no-any-return]


def _is_hidden(path: str) -> bool:
    """Return whether Spark ignores a path: its names may begin with ``_`` only in partitions."""
    parts = [part for part in path.split("/") if part]
    return any(part[0] == "." or (part[0] == "_" and "=" not in part) for part in parts)


def _require_plain_files(system: Any, path: str) -> None:
    """Raise Unreadable if the directory is a table with a log, which determines its files."""
    from pyarrow import fs

    for name, table in _LOGS.items():
        log = f"{path.rstrip('/')}/{name}"
        if system.get_file_info(log).type != fs.FileType.Directory:
            continue
        files = system.get_file_info(fs.FileSelector(log))
        if name != "metadata" or any(each.path.endswith(".metadata.json") for each in files):
            raise Unreadable(f"it is a table of {table}, whose files may be of older versions")


def compare_listing(listing: FileListing, runs: Sequence[RunInputs]) -> ListingComparison:
    """Compare the files of a dataset with those that each run selected which read it.

    ``runs``: those whose rows the table may have, the newest first. The runs selected some of the
    partitions, perhaps, which are found by the digest of their files.
    """
    reads = [(run, each) for run in runs for each in run.inputs if each.dataset == listing.name]
    if not reads or not all(each.scans and not each.omitted for _, each in reads):
        return ListingComparison(listing.files, unknown="no manifest")
    compared = {scan: _compare_scan(listing, scan) for _, each in reads for scan in each.scans}
    differing = _find_differences(runs, reads, compared)
    if changes := [each for each in differing if not each.is_replaceable]:
        texts = tuple(dict.fromkeys(each.change for each in changes))
        return ListingComparison(listing.files, changes=texts, run_id=changes[0].run_id)
    if differing:
        texts = tuple(dict.fromkeys(each.change for each in differing))
        return ListingComparison(listing.files, doubtful=texts)
    if unknown := next((each.unknown for each in compared.values() if each.unknown), None):
        return ListingComparison(listing.files, unknown=unknown)
    if not all(run.is_complete for run in runs):
        return ListingComparison(listing.files, unknown="no manifest of all runs")
    newest = max((scan.newest or 0 for scan in compared), default=0)
    files = tuple(file for file in listing.files if file.modified <= newest)
    return ListingComparison(files, len(listing.files) - len(files))


class _Difference(NamedTuple):
    """``is_replaceable``: whether a later run may have replaced the rows of the run."""

    run_id: str
    change: str
    is_replaceable: bool


def _find_differences(
    runs: Sequence[RunInputs],
    reads: Iterable[tuple[RunInputs, InputManifest]],
    compared: Mapping[FileSet, ListingComparison],
) -> list[_Difference]:
    """Return the changes by run, in the order of the runs."""
    partial = [number for number, run in enumerate(runs) if run.overwrites_partitions]
    replaceable = {run.run_id for run in runs[partial[0] + 1 :]} if partial else set()
    return [
        _Difference(run.run_id, change, run.run_id in replaceable)
        for run, each in reads
        for scan in sorted(each.scans, key=lambda scan: scan.digest)
        for change in compared[scan].changes
    ]


def _compare_scan(listing: FileListing, scan: FileSet) -> ListingComparison:
    older = [file for file in listing.files if file.modified <= (scan.newest or 0)]
    bases = [base for base in _base_paths(listing.name) if _has_set(base, older, scan)]
    if bases:
        return ListingComparison(())
    directories = {file.below.rpartition("/")[0] for file in older}
    if len(directories) > _MAX_CHOSEN_DIRECTORIES and len(older) >= scan.files:
        return ListingComparison((), unknown="no manifest of the partitions that were read")
    now = _describe_files(listing.name, listing.files)
    return ListingComparison((), changes=(f"{listing.name} has {describe_difference(scan, now)}",))


def _base_paths(name: str) -> Iterator[str]:
    """Return the paths by which Spark may have named the directory of a dataset."""
    scheme, colon, rest = name.partition(":")
    for each in _S3 if scheme in _S3 else (scheme,):
        yield f"{each}{colon}{rest}"


def _has_set(base: str, files: Sequence[ListedFile], scan: FileSet) -> bool:
    """Return whether the files of some directories are those of a scan."""
    groups: dict[str, list[ListedFile]] = {}
    for file in files:
        groups.setdefault(file.below.rpartition("/")[0], []).append(file)
    sums = [_sum_files(base, groups[directory]) for directory in sorted(groups)]
    required = (scan.files, scan.bytes, int(scan.digest, 16))
    if required == (0, 0, 0) or required == _add_sums(sums):
        return True
    if len(sums) <= _MAX_CHOSEN_DIRECTORIES:
        choices = (c for size in range(1, len(sums)) for c in combinations(sums, size))
        return any(_add_sums(choice) == required for choice in choices)
    return len(sums) <= _MAX_DIRECTORIES and _has_range(sums, required)


def _has_range(sums: Sequence[tuple[int, int, int]], required: tuple[int, int, int]) -> bool:
    """Return whether directories that follow each other have this sum."""
    prefixes = list(accumulate(sums, lambda one, other: _add_sums((one, other)), initial=(0, 0, 0)))
    seen = set()
    for files, size, digest in prefixes:
        missing = (files - required[0], size - required[1], (digest - required[2]) % 2**64)
        if missing in seen:
            return True
        seen.add((files, size, digest))
    return False


def _add_sums(sums: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    files, sizes, digests = (sum(part) for part in zip((0, 0, 0), *sums, strict=True))
    return files, sizes, digests % 2**64


def _sum_files(base: str, files: Iterable[ListedFile]) -> tuple[int, int, int]:
    """Return the number, the bytes and the digest of files, as the listener computes them."""
    return _add_sums((1, file.size, _hash_file(f"{base}{file.below}", file)) for file in files)


# Cached, because a file is in the sets of many runs.
@lru_cache(maxsize=1 << 16)
def _hash_file(path: str, file: ListedFile) -> int:
    line = f"{path}\n{file.size}\n{file.modified}"
    return int.from_bytes(hashlib.sha256(line.encode()).digest()[:8], "big")


def _describe_files(name: str, files: Sequence[ListedFile]) -> FileSet:
    count, size, digest = _sum_files(name, files)
    return FileSet(count, size, max(file.modified for file in files), f"{digest:016x}")
