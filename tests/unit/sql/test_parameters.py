"""Parameters of texts, which drivers write with and without spaces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.sql import Session, merge_effects, read_statements
from lineage.sql.parameters import separate_parameters
from lineage.sql.query import read_query
from lineage.sql.trees import parse_tree

DOLLARS = ["postgres", "redshift", "duckdb"]


def read_tables(text: str, dialect: str) -> dict[str, set[str]]:
    """Return the names of the sources of each table; all statements are read."""
    session = Session(dialect, "db", "public")
    effect = merge_effects(map(session.apply_statement, read_statements(text, dialect)))
    assert effect.unresolved == ()
    return {flow.target[-1]: {name[-1] for name in flow.sources} for flow in effect.flows}


@pytest.mark.parametrize("dialect", DOLLARS)
@pytest.mark.parametrize(
    ("text", "tables"),
    [
        # as psycopg 3 sends them
        ("INSERT INTO t (a,b) VALUES ($1,$2)", {"t": set()}),
        ("UPDATE t SET a=$1,b=$2 WHERE c=$3", {"t": set()}),
        ("INSERT INTO t SELECT a FROM s WHERE b IN ($1,$2)", {"t": {"s"}}),
        ("INSERT INTO t SELECT a FROM s WHERE b=$1::int AND c=$2::text", {"t": {"s"}}),
        ('INSERT INTO "t" ("a","b") SELECT "a",$1 FROM "s" WHERE "b"=$2', {"t": {"s"}}),
        # as pg_stat_statements writes them
        ("INSERT INTO t VALUES ($1,$2),($3,$4)", {"t": set()}),
        ("INSERT INTO t SELECT a,$1 FROM s WHERE b IN ($2,$3) LIMIT $4", {"t": {"s"}}),
        ("INSERT INTO t SELECT a FROM s WHERE b IN ($1 /*, ... */)", {"t": {"s"}}),
        ("INSERT INTO t SELECT $1.a,$1.b FROM s", {"t": {"s"}}),
        (
            "INSERT INTO t SELECT a FROM s WHERE x IN ($1,$2) UNION ALL SELECT a FROM r WHERE x=$1",
            {"t": {"s", "r"}},
        ),
    ],
)
def test_parameters_without_spaces(dialect: str, text: str, tables: dict[str, set[str]]) -> None:
    assert read_tables(text, dialect) == tables


@pytest.mark.parametrize(
    "text",
    [
        "DO $a$ BEGIN EXECUTE 'INSERT INTO t SELECT a FROM s WHERE b IN($1,$2)' USING 1,2; END $a$",
        (
            "CREATE FUNCTION f(int,int) RETURNS void LANGUAGE sql AS $$INSERT INTO t SELECT a "
            "FROM s WHERE b IN ($1,$2)$$; SELECT f($1,$2)"
        ),
        (
            "CREATE PROCEDURE p(int,int) LANGUAGE plpgsql AS $a$ BEGIN INSERT INTO t SELECT a "
            "FROM s WHERE b IN ($1,$2); END $a$; CALL p($1,$2)"
        ),
        "PREPARE q AS INSERT INTO t SELECT a FROM s WHERE b IN ($1,$2); EXECUTE q(1,2)",
        "WITH x AS (SELECT a,$1::int,$2::int FROM s) INSERT INTO t SELECT a FROM x",
    ],
)
def test_parameters_in_bodies_and_literals(text: str) -> None:
    assert read_tables(text, "postgres") == {"t": {"s"}}


@pytest.mark.parametrize("dialect", ["sqlite", "duckdb"])
def test_numbered_question_marks(dialect: str) -> None:
    text = "INSERT INTO t SELECT a FROM s WHERE b IN (?1,?2) AND c <> '?3'"
    assert read_tables(text, dialect) == {"t": {"s"}}


def test_named_parameters_of_duckdb() -> None:
    assert read_tables("INSERT INTO t SELECT a FROM s WHERE b IN ($x,$y)", "duckdb") == {"t": {"s"}}


def test_a_query_of_a_connector() -> None:
    query = read_query("SELECT a FROM s WHERE b IN ($1,$2)", "postgres")
    assert query.tables == (("s",),)


LITERALS = ["'$1,$2'", "$a$ $1,$2 $a$", "$$$1,$2$$", '"$1,$2"', "a$1", "'it''s $1'", "E'\\'$1,$2'"]
PARTS = st.one_of(
    st.integers(1, 20).map("${}".format),
    st.integers(1, 20).map("${}::text".format),
    st.sampled_from(LITERALS),
)


@given(st.lists(PARTS, min_size=1, max_size=8))
def test_spaces_are_of_no_account(parts: list[str]) -> None:
    close = parse_tree(f"SELECT f({','.join(parts)})", "postgres")
    assert close == parse_tree(f"SELECT f( {' , '.join(parts)} )", "postgres")
    for part in parts:
        if part in LITERALS:
            assert separate_parameters(part, "postgres") == part
