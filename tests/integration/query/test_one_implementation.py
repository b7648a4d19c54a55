"""Rules implemented in both Python and SQL: equal results."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from lineage.events.states import _RANK
from lineage.query.edges import is_stale
from lineage.query.filters import FilterMatcher

if TYPE_CHECKING:
    from psycopg import Connection

TIMES = [None, "2026-01-01T00:00:00.000000Z", "2026-01-02T00:00:00.000000Z"]


def test_states_have_one_order(conn: Connection) -> None:
    ranks = {
        state: conn.execute("SELECT lineage.run_state_rank(%s)", [state]).fetchone()[0]
        for state in _RANK
    }
    assert sorted(ranks, key=lambda state: ranks[state]) == sorted(_RANK, key=lambda s: _RANK[s])
    assert len(set(ranks.values())) == len(_RANK)


def test_an_edge_is_stale_by_one_rule(conn: Connection) -> None:
    for last_seen, last_write in product(TIMES[1:], TIMES):
        row = conn.execute(
            "SELECT lineage.is_stale(%s::timestamptz, %s::timestamptz)", [last_seen, last_write]
        ).fetchone()
        assert row == (is_stale(1, last_seen, last_write),)


def test_filters_match_by_one_rule(conn: Connection) -> None:
    namespaces, tags, types = [set(), {"a"}, {"a", "b"}], [set(), {"pii"}], [set(), {"query"}]
    entities = product(["a", "c"], [[], ["pii"], ["gold"]], [None, "QUERY", "dag"])
    for (of, having, typed), (namespace, own, type_) in product(
        product(namespaces, tags, types), list(entities)
    ):
        matcher = FilterMatcher(frozenset(of), frozenset(having), frozenset(typed), frozenset(), "")
        row = conn.execute(
            "SELECT lineage.matches_filters("
            "%s::text[], %s::text[], %s::text[], %s, %s::text[], %s)",
            [list(of), list(having), list(typed), namespace, own, type_],
        ).fetchone()
        expected = matcher.matches_entity(namespace, own) and matcher.matches_type(type_)
        assert row == (expected,), (of, having, typed, namespace, own, type_)
