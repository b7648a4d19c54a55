"""Which names are one dataset.

A symlinks facet is a claim: its dataset, the owner, is also called by the alias. An alias stands
for the owner of the newest claim on it, never for several. So what was stated under an alias lands
on one vertex whenever the claim is learnt, and owners that claimed the same alias stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    from lineage.openlineage.events import Name

    Claims = Mapping[tuple[Name, Name], str]

_CHANGES = """
SELECT EXISTS (
    SELECT FROM unnest(%b::text[], %b::text[], %b::text[], %b::text[], %s::timestamptz[])
        AS claim (alias_namespace, alias_name, owner_namespace, owner_name, claimed)
    LEFT JOIN LATERAL (
        SELECT a.id, a.alias_of FROM lineage.dataset a
        WHERE a.namespace = alias_namespace AND a.name = alias_name OFFSET 0) AS a ON true
    WHERE a.alias_of IS NULL
       OR (a.alias_of IS DISTINCT FROM (SELECT o.id FROM lineage.dataset o
                                        WHERE o.namespace = owner_namespace AND o.name = owner_name)
           AND claim.claimed >= (SELECT h.claimed FROM lineage.alias h
                                 WHERE h.alias = a.id AND h.owner = a.alias_of)))
"""

_CLAIM = """
INSERT INTO lineage.alias AS a (alias, owner, claimed)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::timestamptz[])
ON CONFLICT (alias, owner) DO UPDATE SET claimed = greatest(a.claimed, excluded.claimed)
"""

_REPOINTED = """
SELECT d.id, newest.owner
FROM lineage.dataset d
CROSS JOIN LATERAL (
    SELECT a.owner FROM lineage.alias a
    CROSS JOIN LATERAL (
        SELECT o.namespace, o.name FROM lineage.dataset o WHERE o.id = a.owner OFFSET 0) AS o
    WHERE a.alias = d.id
    ORDER BY a.claimed DESC, o.namespace, o.name LIMIT 1) AS newest
WHERE d.id = ANY (%s::bigint[]) AND d.alias_of IS DISTINCT FROM newest.owner
"""

_POINT = """
UPDATE lineage.dataset d SET alias_of = stated.owner
FROM unnest(%s::bigint[], %s::bigint[]) AS stated (alias, owner)
WHERE d.id = stated.alias
"""

# Names that reach one of these by following what they stand for.
_MOVES = """
WITH RECURSIVE behind (id) AS (
    SELECT unnest(%s::bigint[])
    UNION
    SELECT d.id FROM behind b CROSS JOIN LATERAL (
        SELECT d.id FROM lineage.dataset d WHERE d.alias_of = b.id OFFSET 0) AS d
)
SELECT d.id, d.canonical, lineage.canonical(d.id)
FROM behind b CROSS JOIN LATERAL (
    SELECT d.id, d.canonical FROM lineage.dataset d WHERE d.id = b.id OFFSET 0) AS d
WHERE d.canonical <> lineage.canonical(d.id)
"""

# Facets that state lineage may name datasets that their run does not say it reads.
_RUNS = """
SELECT run FROM lineage.access WHERE dataset = ANY (%(names)s::bigint[])
UNION
SELECT run FROM lineage.explicit_source WHERE dataset = ANY (%(names)s::bigint[])
UNION
SELECT m.run FROM lineage.derivation d
CROSS JOIN LATERAL (
    SELECT m.run FROM lineage.run_mapping m WHERE m.mapping = d.mapping OFFSET 0) AS m
WHERE d.source = ANY (%(names)s::bigint[])
"""

_MOVE = "SELECT lineage.move_names(%s::bigint[], %s::bigint[])"


@dataclass(frozen=True, slots=True)
class Moves:
    """Names that get another vertex, the old and the new one by name, and the runs they are in."""

    old: Mapping[int, int]
    new: Mapping[int, int]
    runs: list[int]


NO_MOVES = Moves({}, {}, [])


def changes(conn: psycopg.Connection[Any], claims: Claims) -> bool:
    """Return whether ``claims`` may change what a name stands for. May say so once too often."""
    if not claims:
        return False
    columns = [[*key[0], *key[1], time] for key, time in claims.items()]
    row = conn.execute(_CHANGES, [list(column) for column in zip(*columns, strict=True)]).fetchone()
    return bool(row and row[0])


def claim(
    conn: psycopg.Connection[Any], claims: Claims, ids: Mapping[Name, int]
) -> list[tuple[int, int]]:
    """Note ``claims``; return (alias, owner) for each alias that now has another newest owner."""
    if not claims:
        return []
    rows = sorted((ids[alias], ids[owner], time) for (alias, owner), time in claims.items())
    aliases, owners, times = map(list, zip(*rows, strict=True))
    conn.execute(_CLAIM, (aliases, owners, times))
    return conn.execute(_REPOINTED, (sorted(set(aliases)),)).fetchall()


def repoint(conn: psycopg.Connection[Any], repointed: list[tuple[int, int]]) -> Moves:
    """Let aliases stand for their new owners; return which names thereby change their vertex."""
    aliases, owners = map(list, zip(*repointed, strict=True))
    conn.execute(_POINT, (aliases, owners))
    rows = conn.execute(_MOVES, (aliases,)).fetchall()
    runs = conn.execute(_RUNS, {"names": [name for name, _, _ in rows]}).fetchall()
    return Moves(
        {name: old for name, old, _ in rows},
        {name: new for name, _, new in rows},
        sorted(run for (run,) in runs),
    )


def move(conn: psycopg.Connection[Any], moves: Moves) -> None:
    """Give the names their new vertex, and take away what was drawn at the old one."""
    conn.execute(_MOVE, (list(moves.new), moves.runs))
