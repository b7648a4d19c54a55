"""The inputs of a run: the files that its scans selected, or versions of tables."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.connection import resolve_target
from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, DatabaseUnavailable, NotFound
from lineage.naming import DatasetName
from lineage.query.names import resolve_dataset
from lineage.query.session import Session
from lineage.records.names import match_end
from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import parse_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class InputManifestRow(NamedTuple):
    """An input of a run that wrote the dataset ``target``, as the graph has it."""

    target: str
    run: str
    ended_at: str | None
    overwrites_partitions: bool
    is_complete: bool
    namespace: str
    name: str
    type: str | None
    version: str | None
    manifest: dict[str, Any] | None


_SQL = StatementFile(__file__)
_SELECT_INPUTS = _SQL.statement("select_input_manifests", InputManifestRow)


@dataclass(frozen=True)
class FileSet:
    """The files that a scan selected.

    ``newest`` is their last modification in milliseconds since the epoch, None without files.
    ``digest`` is that of their paths, sizes and times.
    """

    files: int
    bytes: int
    newest: int | None
    digest: str


@dataclass(frozen=True)
class InputManifest:
    """An input of a run. ``dataset``: its full name.

    ``version``: that of a table of Delta Lake or Iceberg. ``scans``: the different sets of files
    that the scans of the input selected. ``omitted``: why sets are missing. ``is_view``: whether it
    has no rows of its own.
    """

    dataset: str
    version: str | None = None
    scans: frozenset[FileSet] = frozenset()
    omitted: tuple[str, ...] = ()
    is_view: bool = False

    @property
    def is_known(self) -> bool:
        """Whether a difference from another state of the input would be noticed."""
        return self.version is not None or bool(self.scans and not self.omitted)


@dataclass(frozen=True)
class RunInputs:
    """The inputs of the run ``run_id``, which ended at ``ended_at`` (ISO 8601).

    ``overwrites_partitions``: whether it may have replaced rows of earlier runs. ``is_complete``:
    whether all runs whose rows the table may have are known, of which this is one.
    """

    run_id: str
    ended_at: str | None
    inputs: tuple[InputManifest, ...]
    overwrites_partitions: bool = False
    is_complete: bool = True


@dataclass(frozen=True)
class StoredInputs:
    """The inputs of the runs that wrote a table, and of those that wrote its inputs.

    ``by_dataset``: the runs of each table that precedes it, by its full name.
    """

    runs: tuple[RunInputs, ...] = ()
    by_dataset: Mapping[str, tuple[RunInputs, ...]] = field(default_factory=dict)

    def runs_of(self, target: str, depth: int) -> tuple[RunInputs, ...]:
        """Return the runs of the table if ``depth`` is 1, else those of the dataset ``target``."""
        if depth == 1:
            return self.runs
        return next((runs for name, runs in self.by_dataset.items() if match_end(name, target)), ())

    @property
    def as_json(self) -> dict[str, list[dict[str, Any]]]:
        """The sets of files and the versions of all inputs, as the listener's jar reads them.

        The target of a version is the dataset that its run wrote, None for the table itself.
        """
        runs: list[tuple[str | None, RunInputs]] = [(None, run) for run in self.runs]
        runs += [(name, run) for name, each in self.by_dataset.items() for run in each]
        sets = {files for _, run in runs for each in run.inputs for files in each.scans}
        versions = [
            {"target": target, "dataset": each.dataset, "version": each.version}
            for target, run in runs
            for each in run.inputs
            if each.version is not None
        ]
        files = [vars(files) for files in sorted(sets, key=lambda files: files.digest)]
        return {"files": files, "versions": versions}


def input_manifests(session: Session, table: str) -> tuple[RunInputs, ...]:
    """Return the inputs of the runs that completed writing a dataset from others.

    These are the runs since the dataset was overwritten, whose rows it may have: the newest first,
    at most 100. Raises NotFound, Ambiguous and DatabaseError.
    """
    name = resolve_dataset(session, table).full_name
    return _read_manifests(session, [name])[name]


def _read_manifests(session: Session, names: Sequence[str]) -> dict[str, tuple[RunInputs, ...]]:
    """Return the runs of each dataset, by its full name."""
    runs: dict[str, list[RunInputs]] = {name: [] for name in names}
    rows = session.fetch(_SELECT_INPUTS, datasets=names)
    for (target, _), inputs in groupby(rows, key=lambda row: (row.target, row.run)):
        runs[target].append(_read_run(list(inputs)))
    return {name: tuple(each) for name, each in runs.items()}


def read_stored_inputs(target: Session | str | None, table: str, depth: int = 1) -> StoredInputs:
    """Read the inputs of the runs that wrote a table, and those of tables up to ``depth`` writes.

    ``target``: a session, a DSN, or None for LINEAGE_DSN or the private server. The result is empty
    if there is no database, or if no dataset or several have the name. Raises DatabaseError.
    """
    if isinstance(target, Session):
        return _read_levels(target, table, depth)
    try:
        resolve_target(target)
    except DatabaseUnavailable:
        return StoredInputs()
    with Session(target) as session:
        return _read_levels(session, table, depth)


def _read_levels(session: Session, table: str, depth: int) -> StoredInputs:
    try:
        first = input_manifests(session, table)
    except (NotFound, Ambiguous):
        return StoredInputs()
    by_dataset: dict[str, tuple[RunInputs, ...]] = {}
    level = first
    for _ in range(1, depth):
        names = {each.dataset for run in level for each in run.inputs} - by_dataset.keys()
        read = _read_manifests(session, sorted(names))
        by_dataset |= read
        level = tuple(run for runs in read.values() for run in runs)
    return StoredInputs(first, by_dataset)


def manifests_of_document(text: str) -> tuple[InputManifest, ...]:
    """Return the inputs of an execution from its plan document, by the names of its events."""
    from openlineage.client.serde import Serde

    event = Serde.to_dict(convert_document(parse_document(text))[-1])
    return tuple(map(_read_input, event.get("inputs") or ()))


def _read_run(rows: list[InputManifestRow]) -> RunInputs:
    first = rows[0]
    return RunInputs(
        first.run,
        first.ended_at,
        tuple(map(_read_row, rows)),
        overwrites_partitions=first.overwrites_partitions,
        is_complete=first.is_complete,
    )


def _read_row(row: InputManifestRow) -> InputManifest:
    return InputManifest(
        DatasetName(row.namespace, row.name).full_name,
        row.version,
        is_view=row.type == "VIEW",
        **_read_facet(row.manifest),
    )


def _read_input(dataset: Mapping[str, Any]) -> InputManifest:
    facets = dataset.get("facets") or {}
    kind = facets.get("datasetType", {}).get("datasetType")
    return InputManifest(
        DatasetName(dataset["namespace"], dataset["name"]).full_name,
        facets.get("version", {}).get("datasetVersion"),
        is_view=kind == "VIEW",
        **_read_facet((dataset.get("inputFacets") or {}).get("lineage_manifest")),
    )


def _read_facet(facet: Mapping[str, Any] | None) -> dict[str, Any]:
    """Read the facet ``lineage_manifest``; sets of files that lack a field are left out."""
    if not isinstance(facet, dict):
        return {}
    scans, reasons = facet.get("scans"), facet.get("omitted")
    read = [_read_files(scan) for scan in scans] if isinstance(scans, list) else [None]
    omitted = [str(reason) for reason in reasons] if isinstance(reasons, list) else []
    if None in read:
        omitted.append("a set of files that cannot be read")
    return {"scans": frozenset(scan for scan in read if scan), "omitted": tuple(omitted)}


def _read_files(scan: Any) -> FileSet | None:
    if not isinstance(scan, dict):
        return None
    files, size, newest, digest = map(scan.get, ("files", "bytes", "newest", "digest"))
    if not (isinstance(files, int) and isinstance(size, int) and isinstance(digest, str)):
        return None
    return FileSet(files, size, newest if isinstance(newest, int) else None, digest)
