"""Which names are one dataset.

A symlinks facet is a claim: its dataset, the owner, is also called by the alias. An alias stands
for the owner of the newest claim on it, never for several. So what was stated under an alias lands
on one vertex whenever the claim is learnt, and owners that claimed the same alias stay apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.projection.rows import list_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    from lineage.openlineage.events import Name

    Claims = Mapping[tuple[Name, Name], str]

_MOVE = "SELECT lineage.move_names(%s::bigint[], %s::bigint[])"


class ReassignedRow(NamedTuple):
    """An alias, and the owner that it stands for from now on."""

    alias: int
    owner: int


class MovedRow(NamedTuple):
    """A name, and the canonical dataset that it has lost and that it gets."""

    name: int
    old: int
    new: int


_SQL = StatementFile(__file__)
_SELECT_MAY_CHANGE = _SQL.statement("select_may_change", bool)
_ADD_CLAIMS = _SQL.statement("add_claims")
_SELECT_REASSIGNED = _SQL.statement("select_reassigned", ReassignedRow)
_SET_OWNERS = _SQL.statement("set_owners")
_SELECT_MOVED = _SQL.statement("select_moved_names", MovedRow)
_SELECT_RUNS = _SQL.statement("select_runs_of_names", int)
_CLAIM = ("alias_namespaces", "alias_names", "owner_namespaces", "owner_names", "claimed")


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
    rows = [(*alias, *owner, time) for (alias, owner), time in claims.items()]
    params = dict(zip(_CLAIM, list_columns(rows), strict=True))
    return bool(_SELECT_MAY_CHANGE.fetch_one(conn, **params))


def claim(
    conn: psycopg.Connection[Any], claims: Claims, ids: Mapping[Name, int]
) -> list[ReassignedRow]:
    """Note ``claims``; return (alias, owner) for each alias that now has another newest owner."""
    if not claims:
        return []
    rows = sorted((ids[alias], ids[owner], time) for (alias, owner), time in claims.items())
    aliases, owners, times = list_columns(rows)
    _ADD_CLAIMS.execute(conn, aliases=aliases, owners=owners, claimed=times)
    return _SELECT_REASSIGNED.fetch(conn, aliases=sorted(set(aliases)))


def repoint(conn: psycopg.Connection[Any], repointed: list[ReassignedRow]) -> Moves:
    """Let aliases stand for their new owners; return which names thereby change their vertex."""
    aliases, owners = list_columns(repointed)
    _SET_OWNERS.execute(conn, aliases=aliases, owners=owners)
    moved = _SELECT_MOVED.fetch(conn, aliases=aliases)
    runs = _SELECT_RUNS.fetch(conn, names=[row.name for row in moved])
    return Moves(
        {row.name: row.old for row in moved}, {row.name: row.new for row in moved}, sorted(runs)
    )


def move(conn: psycopg.Connection[Any], moves: Moves) -> None:
    """Give the names their new vertex, and take away what was drawn at the old one."""
    conn.execute(_MOVE, (list(moves.new), moves.runs))
