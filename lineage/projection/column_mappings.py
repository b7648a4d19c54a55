"""Columns of a batch: what its schemas and columnLineage facets name, and what its runs state."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database import binary_copy
from lineage.database.binary_arrays import numbers, texts, transposed
from lineage.projection import copy

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import psycopg

    from lineage.events.merge import Batch
    from lineage.openlineage.events import Name

    Connection = psycopg.Connection[Any]

_KNOWN = "SELECT digest, id FROM lineage.mapping WHERE digest = ANY (%b::bytea[])"

_ADD_MAPPINGS = """
INSERT INTO lineage.mapping (digest, target, unread)
SELECT digest, target, unread::jsonb
FROM unnest(%b::bytea[], %s::bigint[], %b::text[]) AS stated (digest, target, unread)
ON CONFLICT (digest) DO NOTHING
RETURNING digest, id
"""

_ADD_DERIVATIONS = """
INSERT INTO lineage.derivation
    (mapping, source, source_field, target_field, type, subtype, masking)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %b::text[], %b::text[], %b::text[], %b::text[],
                     %s::boolean[])
"""

_STATE = """
INSERT INTO lineage.run_mapping AS m (run, job, dataset, stamp, mapping)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[], %s::bigint[])
ON CONFLICT (run, job, dataset) DO UPDATE SET stamp = excluded.stamp, mapping = excluded.mapping
WHERE m.stamp < excluded.stamp
"""
_STATE_TYPES = (numbers, numbers, numbers, texts, numbers)

_STATED = """
SELECT r.run, r.job, r.dataset, r.stamp, m.digest, r.mapping
FROM lineage.run_mapping r
CROSS JOIN LATERAL (
    SELECT m.digest FROM lineage.mapping m WHERE m.id = r.mapping OFFSET 0) AS m
WHERE r.run = ANY (%s::bigint[])
"""

# Each column that a mapping names, with the name of its dataset that was stated.
_NAMED = """
SELECT source, source_field FROM lineage.derivation WHERE source = ANY (%(names)s::bigint[])
UNION
SELECT m.target, d.target_field FROM lineage.mapping m
CROSS JOIN LATERAL (
    SELECT d.target_field FROM lineage.derivation d
    WHERE d.mapping = m.id AND d.target_field <> '' OFFSET 0) AS d
WHERE m.target = ANY (%(names)s::bigint[])
"""

_ADD_NAMED = """
INSERT INTO lineage.field (id, dataset, name, nested)
SELECT lineage.new_id('Field'), dataset, name, lineage.is_path(name)
FROM (SELECT DISTINCT (SELECT d.canonical FROM lineage.dataset d WHERE d.id = stated.dataset), name
      FROM unnest(%s::bigint[], %b::text[]) AS stated (dataset, name)) AS named (dataset, name)
ON CONFLICT (dataset, name) DO NOTHING
RETURNING id
"""

_ADD_SCHEMAS = """
INSERT INTO lineage.field AS f (id, dataset, name, type, nested)
SELECT lineage.new_id('Field'), wanted.id, s.name, s.type, s.nested
FROM unnest(%s::bigint[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n
    WHERE n.canonical = wanted.id) AS n
CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s
ON CONFLICT (dataset, name) DO UPDATE SET type = excluded.type, nested = excluded.nested
WHERE (f.type, f.nested) IS DISTINCT FROM (excluded.type, excluded.nested)
RETURNING id
"""

# Columns that are not in the newest schema any more, and whether a mapping keeps them.
_DROPPED = """
SELECT f.id, f.type IS NOT NULL OR f.nested <> lineage.is_path(f.name),
       lineage.is_mapped(wanted.id, f.name)
FROM unnest(%s::bigint[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT array_agg(s.name) AS names
    FROM (SELECT lineage.merged_facets(n.facets) AS facets FROM lineage.dataset n
          WHERE n.canonical = wanted.id) AS n
    CROSS JOIN LATERAL lineage.schema_fields(n.facets) AS s) AS s
CROSS JOIN LATERAL (
    SELECT f.id, f.name, f.type, f.nested FROM lineage.field f
    WHERE f.dataset = wanted.id AND f.name <> ALL (coalesce(s.names, '{}')) OFFSET 0) AS f
"""

_SET_SCHEMAS = """
UPDATE lineage.dataset d SET schema = stated.digest
FROM unnest(%s::bigint[], %s::bigint[]) AS stated (vertex, digest)
WHERE d.id = stated.vertex
"""

_FORGET_TYPES = """
UPDATE lineage.field SET type = NULL, nested = lineage.is_path(name) WHERE id = ANY (%s::bigint[])
"""
_FORGET = "SELECT lineage.delete_fields(%s::bigint[])"

_DRAW = """
INSERT INTO provenance."Field" AS v (id, properties)
SELECT lineage.graphid(f.id), lineage.field_properties(f, d.namespace, d.name)
FROM lineage.field f
CROSS JOIN LATERAL (
    SELECT d.namespace, d.name FROM lineage.dataset d WHERE d.id = f.dataset OFFSET 0) AS d
WHERE f.id = ANY (%s::bigint[])
ON CONFLICT (id) DO UPDATE SET properties = excluded.properties
WHERE v.properties IS DISTINCT FROM excluded.properties
"""

_DRAW_HAS = """
INSERT INTO provenance."HAS_FIELD" (start_id, end_id)
SELECT lineage.graphid(f.dataset), lineage.graphid(f.id)
FROM lineage.field f WHERE f.id = ANY (%s::bigint[])
ON CONFLICT (start_id, end_id) DO NOTHING
"""


@dataclass(frozen=True, slots=True)
class Ids:
    """Ids of what a batch names."""

    datasets: Mapping[Name, int]
    jobs: Mapping[Name, int]
    runs: Mapping[str, int]


class Stated(NamedTuple):
    """A run, as work of a job, stated a mapping."""

    run: int
    job: int
    mapping: int


@dataclass(frozen=True, slots=True)
class Noted:
    """What was noted of runs before the batch: those that had stated a mapping.

    ``restating`` are those of them that now state another one in its place, ``steady`` those that
    now state nothing else, with their mappings.
    """

    runs: set[int]
    restating: set[int]
    steady: dict[int, list[Stated]]


def noted(conn: Connection, batch: Batch, ids: Ids, runs: Collection[int]) -> Noted:
    """Return what ``runs`` have stated."""
    rows = conn.execute(_STATED, (numbers(sorted(runs)),)).fetchall() if runs else []
    if not rows:
        return Noted(set(), set(), {})
    now = {
        (ids.runs[run], ids.jobs[job], ids.datasets[dataset]): (stamp, _digest(dataset, digest))
        for (run, job, dataset), (stamp, digest) in batch.mapped.items()
    }
    restating: set[int] = set()
    stated: dict[int, list[Stated]] = {}
    for run, job, dataset, stamp, digest, mapping in rows:
        stated.setdefault(run, []).append(Stated(run, job, mapping))
        newer = now.pop((run, job, dataset), None)
        if newer and newer[0] > stamp and newer[1] != digest:
            restating.add(run)
    changed = restating.union(run for run, _, _ in now)
    steady = {run: said for run, said in stated.items() if run not in changed}
    return Noted(set(stated), restating, steady)


def merge(
    conn: Connection, batch: Batch, ids: Ids, known: Collection[int]
) -> tuple[list[Stated], list[tuple[int, str]]]:
    """Note what the batch says of columns. Runs that are not ``known`` were not there before.

    Return which of its runs stated what, and (dataset, column) of each column that may be new.
    """
    if not batch.mappings:
        return [], []
    digests = {key: _digest(*key) for key in batch.mappings}
    mappings, added = _mappings(conn, batch, digests, ids.datasets)
    rows = sorted(
        (
            ids.runs[run],
            ids.jobs[job],
            ids.datasets[dataset],
            stamp,
            mappings[digests[dataset, digest]],
        )
        for (run, job, dataset), (stamp, digest) in batch.mapped.items()
    )
    new = [row for row in rows if row[0] not in known]
    if len(new) >= binary_copy.MANY:
        copy.run_mappings(conn, new)
        others = [row for row in rows if row[0] in known]
    else:
        others = rows
    if others:
        conn.execute(_STATE, transposed(_STATE_TYPES, others))
    return [Stated(run, job, mapping) for run, job, _, _, mapping in rows], added


def _mappings(
    conn: Connection,
    batch: Batch,
    digests: Mapping[tuple[Name, bytes], bytes],
    datasets: Mapping[Name, int],
) -> tuple[dict[bytes, int], list[tuple[int, str]]]:
    stated = {digests[key]: (key[0], said) for key, said in batch.mappings.items()}
    ids: dict[bytes, int] = dict(conn.execute(_KNOWN, (list(stated),)).fetchall())
    if not (missing := sorted(stated.keys() - ids)):
        return ids, []
    rows = [
        (digest, datasets[stated[digest][0]], json.dumps(stated[digest][1].unread))
        for digest in missing
    ]
    new: dict[bytes, int] = dict(conn.execute(_ADD_MAPPINGS, _columns(rows)).fetchall())
    # Another writer may have been quicker.
    ids |= new | dict(conn.execute(_KNOWN, (missing,)).fetchall())
    derived = [
        (id, datasets[d.source], *d[1:])
        for digest, id in sorted(new.items())
        for d in stated[digest][1].derivations
    ]
    if derived:
        conn.execute(_ADD_DERIVATIONS, _columns(derived))
    named = {(row[1], row[2]) for row in derived}
    named |= {
        (datasets[stated[digest][0]], d.target_field)
        for digest in new
        for d in stated[digest][1].derivations
        if d.target_field
    }
    return ids, sorted(named)


def ids_of(conn: Connection, keys: Collection[tuple[Name, bytes]]) -> dict[tuple[Name, bytes], int]:
    """Return the mappings, by target and digest, of what was merged."""
    digests = {key: _digest(*key) for key in keys}
    if not digests:
        return {}
    ids: dict[bytes, int] = dict(conn.execute(_KNOWN, (list(digests.values()),)).fetchall())
    return {key: ids[digest] for key, digest in digests.items()}


def named(conn: Connection, names: Collection[int]) -> list[tuple[int, str]]:
    """Return (dataset, column) of each column that mappings name under ``names``."""
    return conn.execute(_NAMED, {"names": sorted(names)}).fetchall()


def draw(
    conn: Connection,
    named: Sequence[tuple[int, str]],
    schemas: Mapping[int, int | None],
    moved: Collection[int],
) -> None:
    """Draw columns that are ``named``, and those of vertices with another schema or that moved.

    ``schemas`` has the digest of each schema that is not drawn yet, by vertex.
    """
    changed: set[int] = set()
    if named:
        changed.update(id for (id,) in conn.execute(_ADD_NAMED, _columns(named)))
    if vertices := sorted({*schemas, *moved}):
        changed.update(id for (id,) in conn.execute(_ADD_SCHEMAS, (vertices,)))
        changed.update(_drop(conn, vertices))
    if schemas:
        conn.execute(_SET_SCHEMAS, (list(schemas), list(schemas.values())))
    if changed:
        conn.execute(_DRAW, (sorted(changed),))
        conn.execute(_DRAW_HAS, (sorted(changed),))


def _drop(conn: Connection, vertices: list[int]) -> list[int]:
    """Take away columns that nothing names any more; return those that only lost their type."""
    dropped = conn.execute(_DROPPED, (vertices,)).fetchall()
    untyped = [id for id, typed, mapped in dropped if mapped and typed]
    if untyped:
        conn.execute(_FORGET_TYPES, (untyped,))
    if gone := [id for id, _, mapped in dropped if not mapped]:
        conn.execute(_FORGET, (gone,))
    return untyped


def _digest(target: Name, digest: bytes) -> bytes:
    return hashlib.sha256(json.dumps(target).encode() + digest).digest()


def _columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    return [list(column) for column in zip(*rows, strict=True)]
