"""Resolution of aliases to canonical datasets.

A symlinks facet is a claim that its dataset, the owner, is also known by an alias. An alias
resolves to the owner of the newest claim on it, and never to several owners. Facts reported by an
alias are therefore assigned to one vertex, whenever the claim arrives, and owners that claim the
same alias remain separate datasets. A deleted facet is a claim of its dataset on its own name: it
withdraws the claims of that dataset that are not newer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.projection.rows import Reassignment, list_columns

if TYPE_CHECKING:
    from collections.abc import Mapping

    import psycopg

    from lineage.events.merge import Batch
    from lineage.openlineage.events import Name
    from lineage.projection.rows import Ids

    Connection = psycopg.Connection[Any]
    Claims = Mapping[tuple[Name, Name], str]

_MOVE = "SELECT lineage.reassign_names(%s::bigint[], %s::bigint[])"


class ReassignedRow(NamedTuple):
    """An alias and its new owner, None if all claims on it are withdrawn."""

    alias: int
    owner: int | None


class MovedRow(NamedTuple):
    """A name with its old and its new canonical dataset."""

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


NOTHING_REASSIGNED = Reassignment({}, {}, ())


def may_change(conn: Connection, claims: Claims) -> bool:
    """Return whether ``claims`` may change a canonical dataset; false positives are harmless."""
    if not claims:
        return False
    rows = [(*alias, *owner, time) for (alias, owner), time in claims.items()]
    params = dict(zip(_CLAIM, list_columns(rows), strict=True))
    return bool(_SELECT_MAY_CHANGE.fetch_one(conn, **params))


def record_claims(conn: Connection, batch: Batch, ids: Ids) -> list[ReassignedRow]:
    """Write the claims of the batch; return the aliases whose newest owner has changed."""
    if not batch.aliases:
        return []
    datasets = ids.entities.datasets
    rows = sorted(
        (datasets[alias], datasets[owner], time) for (alias, owner), time in batch.aliases.items()
    )
    aliases, owners, times = list_columns(rows)
    _ADD_CLAIMS.execute(conn, aliases=aliases, owners=owners, claimed=times)
    return _SELECT_REASSIGNED.fetch(conn, aliases=sorted(set(aliases)))


def reassign_aliases(conn: Connection, claims: list[ReassignedRow]) -> Reassignment:
    """Assign aliases to their new owners; return the names whose canonical dataset changes."""
    if not claims:
        return NOTHING_REASSIGNED
    aliases, owners = list_columns(claims)
    _SET_OWNERS.execute(conn, aliases=aliases, owners=owners)
    moved = _SELECT_MOVED.fetch(conn, aliases=aliases)
    runs = _SELECT_RUNS.fetch(conn, names=[row.name for row in moved])
    return Reassignment(
        {row.name: row.old for row in moved}, {row.name: row.new for row in moved}, sorted(runs)
    )


def move_facts(conn: Connection, moved: Reassignment) -> None:
    """Set the canonical dataset of names, and delete the edges of runs at the old one."""
    if moved.new:
        conn.execute(_MOVE, (list(moved.new), moved.runs))
