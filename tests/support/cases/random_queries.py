"""Random queries over the small tables, in the SQL that SQLite and Spark share.

Each relation has the columns k and v. A query is monotone if more rows never remove a row from its
result; only then a minimal set consists of rows that contribute.
"""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st


class Relation(NamedTuple):
    """A query with the columns k and v."""

    text: str
    is_monotone: bool = True


BASES = st.sampled_from([Relation("SELECT k, v FROM a"), Relation("SELECT k, w AS v FROM b")])
CONDITIONS = st.sampled_from(["v > 3", "k = 1", "k <> 2", "v IS NOT NULL", "k IS NULL OR v < 600"])

# Over one relation {r}: text, whether monotone rows stay monotone.
UNARY = st.sampled_from(
    [
        ("SELECT DISTINCT k, v FROM ({r})", True),
        ("SELECT k, max(v) AS v FROM ({r}) GROUP BY k", False),
        ("SELECT k, sum(v) AS v FROM ({r}) GROUP BY k", False),
        ("SELECT k, sum(v) OVER (PARTITION BY k) AS v FROM ({r})", False),
        ("SELECT k, sum(v) OVER (PARTITION BY k ORDER BY v) AS v FROM ({r})", False),
        ("SELECT k, count(*) OVER (PARTITION BY v) AS v FROM ({r})", False),
    ]
)
# Over two relations {r} and {s}.
BINARY = st.sampled_from(
    [
        ("SELECT l.k AS k, o.v AS v FROM ({r}) l JOIN ({s}) o ON l.k = o.k", True),
        ("SELECT l.k AS k, o.v AS v FROM ({r}) l JOIN ({s}) o ON l.k = o.k AND l.v < o.v", True),
        ("SELECT l.k AS k, o.v AS v FROM ({r}) l LEFT JOIN ({s}) o ON l.k = o.k", False),
        (
            (
                "SELECT coalesce(l.k, o.k) AS k, coalesce(l.v, o.v) AS v"
                " FROM ({r}) l FULL JOIN ({s}) o ON l.k = o.k AND l.v > o.v"
            ),
            False,
        ),
        ("SELECT k, v FROM ({r}) UNION ALL SELECT k, v FROM ({s})", True),
        ("SELECT k, v FROM ({r}) UNION SELECT k, v FROM ({s})", True),
        ("SELECT k, v FROM ({r}) INTERSECT SELECT k, v FROM ({s})", True),
        ("SELECT k, v FROM ({r}) EXCEPT SELECT k, v FROM ({s})", False),
        ("SELECT k, v FROM ({r}) l WHERE EXISTS (SELECT 1 FROM ({s}) o WHERE o.k = l.k)", True),
        (
            (
                "SELECT k, v FROM ({r}) l"
                " WHERE EXISTS (SELECT 1 FROM ({s}) o WHERE o.k = l.k AND o.v > l.v)"
            ),
            True,
        ),
        (
            "SELECT k, v FROM ({r}) l WHERE NOT EXISTS (SELECT 1 FROM ({s}) o WHERE o.k = l.k)",
            False,
        ),
        ("SELECT k, v FROM ({r}) l WHERE k IN (SELECT k FROM ({s}))", True),
        ("SELECT k, v FROM ({r}) l WHERE v <= (SELECT max(v) FROM ({s}))", False),
        (
            "SELECT k, (SELECT max(o.v) FROM ({s}) o WHERE o.k = l.k) AS v FROM ({r}) l",
            False,
        ),
    ]
)


def relations() -> st.SearchStrategy[Relation]:
    """Return a strategy of queries with at most three operators of two relations."""
    return st.recursive(BASES, _over, max_leaves=4)


def _over(inner: st.SearchStrategy[Relation]) -> st.SearchStrategy[Relation]:
    return st.one_of(
        st.builds(
            lambda r, where: Relation(f"SELECT k, v FROM ({r.text}) WHERE {where}", r.is_monotone),
            inner,
            CONDITIONS,
        ),
        st.builds(
            lambda r, over: Relation(over[0].format(r=r.text), over[1] and r.is_monotone),
            inner,
            UNARY,
        ),
        st.builds(
            lambda r, s, over: Relation(
                over[0].format(r=r.text, s=s.text), over[1] and r.is_monotone and s.is_monotone
            ),
            inner,
            inner,
            BINARY,
        ),
    )
