"""Column mappings that runs of a batch report in columnLineage facets."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.binary_arrays import bigint_array, define_columns, execute_rows, text_array
from lineage.database.statements import StatementFile
from lineage.projection import copy
from lineage.projection.rows import MappingKey, WrittenMappings, list_columns

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import psycopg

    from lineage.events.merge import Batch
    from lineage.openlineage.events import Name
    from lineage.projection.rows import Ids, Reassignment

    Connection = psycopg.Connection[Any]
    Target = tuple[Name, bytes]

_SELECT_IDS = "SELECT digest, id FROM lineage.column_mapping WHERE digest = ANY (%b::bytea[])"


class MappingIdRow(NamedTuple):
    """A mapping, by the digest of its target and entries."""

    digest: bytes
    id: int


class ExistingMappingRow(NamedTuple):
    """A mapping that a run has reported for a dataset, in an execution of a job."""

    run: int
    job: int
    dataset: int
    revision: str
    digest: bytes
    mapping: int


class ColumnRow(NamedTuple):
    """A column that a mapping names, with its dataset as reported."""

    dataset: int
    name: str


_SQL = StatementFile(__file__)
_SELECT_COLUMNS = _SQL.statement("select_columns_of_names", ColumnRow)
_ADD = _SQL.statement("add_mappings", MappingIdRow)
_ADD_ENTRIES = _SQL.statement("add_entries")
_SET = _SQL.statement("set_run_mappings")
_SELECT_EXISTING = _SQL.tuples("select_run_mappings", ExistingMappingRow)
_MAPPING = ("digests", "targets", "unreadable")
_ENTRY = (
    "mappings", "sources", "source_fields", "target_fields", "types", "subtypes", "masking",
)  # fmt: skip
_RUN_MAPPING = define_columns(
    runs=bigint_array,
    jobs=bigint_array,
    datasets=bigint_array,
    revisions=text_array,
    mappings=bigint_array,
)


@dataclass(frozen=True, slots=True)
class ExistingMappings:
    """Runs that had reported column mappings before the batch.

    ``replacing``: those for which the batch reports another mapping in place of an existing one.
    ``unchanged``: mappings by run, of those for which it reports no other mapping.
    """

    runs: set[int]
    replacing: set[int]
    unchanged: dict[int, list[MappingKey]]


def read_existing_mappings(
    conn: Connection, batch: Batch, ids: Ids, runs: Collection[int]
) -> ExistingMappings:
    """Read the mappings that ``runs`` have reported, and compare them with the batch."""
    rows = _SELECT_EXISTING.fetch(conn, runs=bigint_array(sorted(runs))) if runs else []
    if not rows:
        return ExistingMappings(set(), set(), {})
    run_ids, jobs, datasets = ids.runs.ids, ids.entities.jobs, ids.entities.datasets
    now = {
        (run_ids[run], jobs[job], datasets[dataset]): (revision, _digest_of(dataset, digest))
        for (run, job, dataset), (revision, digest) in batch.mapped.items()
    }
    replacing: set[int] = set()
    existing: dict[int, list[MappingKey]] = {}
    for run, job, dataset, revision, digest, mapping in rows:
        existing.setdefault(run, []).append(MappingKey(run, job, mapping))
        newer = now.pop((run, job, dataset), None)
        if newer and newer[0] > revision and newer[1] != digest:
            replacing.add(run)
    changed = replacing.union(run for run, _, _ in now)
    unchanged = {run: mappings for run, mappings in existing.items() if run not in changed}
    return ExistingMappings(set(existing), replacing, unchanged)


def write_column_mappings(
    conn: Connection, batch: Batch, ids: Ids, moved: Reassignment
) -> WrittenMappings:
    """Write the mappings of the batch and their assignment to runs.

    The columns of reassigned names are returned as new, too.
    """
    reported, columns = _write_mappings(conn, batch, ids)
    if moved.new:
        columns += _SELECT_COLUMNS.fetch(conn, names=sorted(moved.new))
    return WrittenMappings(reported, columns)


def _write_mappings(
    conn: Connection, batch: Batch, ids: Ids
) -> tuple[list[MappingKey], list[tuple[int, str]]]:
    """Write the mappings; return those of runs, and the columns that new mappings name."""
    if not batch.mappings:
        return [], []
    run_ids, jobs, datasets = ids.runs.ids, ids.entities.jobs, ids.entities.datasets
    digests = {key: _digest_of(*key) for key in batch.mappings}
    mappings, columns = _resolve_mappings(conn, batch, digests, datasets)
    rows = sorted(
        (run_ids[run], jobs[job], datasets[dataset], revision, mappings[digests[dataset, digest]])
        for (run, job, dataset), (revision, digest) in batch.mapped.items()
    )
    new, others = copy.split_new(rows, ids.runs.existing)
    copy.run_mappings(conn, new)
    execute_rows(conn, _SET, _RUN_MAPPING, others)
    return [MappingKey(run, job, mapping) for run, job, _, _, mapping in rows], columns


def _resolve_mappings(
    conn: Connection,
    batch: Batch,
    digests: Mapping[Target, bytes],
    datasets: Mapping[Name, int],
) -> tuple[dict[bytes, int], list[tuple[int, str]]]:
    """Return the id of each mapping by its digest, and the columns that new mappings name."""
    reported = {digests[key]: (key[0], mapping) for key, mapping in batch.mappings.items()}
    ids: dict[bytes, int] = dict(conn.execute(_SELECT_IDS, (list(reported),)).fetchall())
    if not (missing := sorted(reported.keys() - ids)):
        return ids, []
    rows = []
    for digest in missing:
        target, mapping = reported[digest]
        rows.append((digest, datasets[target], json.dumps(mapping.unreadable)))
    new: dict[bytes, int] = dict(
        _ADD.fetch(conn, **dict(zip(_MAPPING, list_columns(rows), strict=True)))
    )
    # Another transaction may have inserted it first.
    ids |= new | dict(conn.execute(_SELECT_IDS, (missing,)).fetchall())
    entries, columns = [], set()
    for digest, id in sorted(new.items()):
        target, mapping = reported[digest]
        for entry in mapping.derivations:
            entries.append((id, datasets[entry.source], *entry[1:]))
            columns.add((datasets[entry.source], entry.source_field))
            if entry.target_field:
                columns.add((datasets[target], entry.target_field))
    if entries:
        _ADD_ENTRIES.execute(conn, **dict(zip(_ENTRY, list_columns(entries), strict=True)))
    return ids, sorted(columns)


def mapping_ids_of(conn: Connection, keys: Collection[Target]) -> dict[Target, int]:
    """Return the column mappings of written outputs, by target and digest."""
    digests = {key: _digest_of(*key) for key in keys}
    if not digests:
        return {}
    ids: dict[bytes, int] = dict(conn.execute(_SELECT_IDS, (list(digests.values()),)).fetchall())
    return {key: ids[digest] for key, digest in digests.items()}


def _digest_of(target: Name, digest: bytes) -> bytes:
    return hashlib.sha256(json.dumps(target).encode() + digest).digest()
