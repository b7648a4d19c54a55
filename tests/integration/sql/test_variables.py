"""PostgreSQL as the judge of variables: rows of a target change with those of its sources only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.sql import Session, merge_effects, read_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.database import Server

SOURCES = ("s1", "s2")
DECLARED = "DECLARE x int; y int; l int[]; r record; c CURSOR FOR SELECT a FROM s2;"
DECLARED += " d CURSOR (k int) FOR SELECT a FROM s1 WHERE a > k;"
BODIES = [
    "SELECT a INTO STRICT x FROM s1; INSERT INTO t VALUES (x);",
    "SELECT s1.a, s2.a INTO x, y FROM s1, s2; INSERT INTO t VALUES (y), (x);",
    "SELECT a FROM s1 LIMIT 1 INTO x; SELECT a FROM s2 INTO x; INSERT INTO t VALUES (x);",
    "FOR r IN SELECT a FROM s1 LOOP INSERT INTO t VALUES (r.a); END LOOP;",
    "FOR r IN c LOOP INSERT INTO t VALUES (r.a); END LOOP;",
    "FOR r IN EXECUTE 'SELECT a FROM s2' LOOP INSERT INTO t VALUES (r.a); END LOOP;",
    "EXECUTE 'SELECT a FROM s1 WHERE a > $1' INTO x USING 0; INSERT INTO t VALUES (x);",
    "EXECUTE $q$ INSERT INTO t SELECT a FROM s2 WHERE a > $1 $q$ USING 0;",
    "OPEN c; FETCH c INTO x; CLOSE c; INSERT INTO t VALUES (x);",
    "OPEN c; FETCH c INTO x; UPDATE s2 SET a = a WHERE CURRENT OF c; INSERT INTO t VALUES (x);",
    "l := ARRAY(SELECT a FROM s1); FOREACH x IN ARRAY l LOOP INSERT INTO t VALUES (x); END LOOP;",
    "x := (SELECT a FROM s1); y := x + 1; x := 0; INSERT INTO t VALUES (y);",
    "x := (SELECT a FROM s1); x := 0; INSERT INTO t VALUES (x);",
    "INSERT INTO t VALUES (x); x := (SELECT a FROM s1);",
    "SELECT a INTO x FROM s1; INSERT INTO t SELECT x.a FROM s2 x;",
    "DECLARE BEGIN INSERT INTO t SELECT a FROM s1; END;",
    (
        "SELECT a INTO x FROM s1; DECLARE x int; BEGIN x := (SELECT a FROM s2); END; "
        "INSERT INTO t VALUES (x);"
    ),
    "FOR r IN UPDATE s1 SET a = a RETURNING a LOOP INSERT INTO t VALUES (r.a); END LOOP;",
    "FOR r IN d(0) LOOP INSERT INTO t VALUES (r.a); END LOOP;",
    "SELECT a INTO x FROM s1; EXECUTE 'INSERT INTO t VALUES ($1)' USING x;",
    "x := a FROM s1 LIMIT 1; INSERT INTO t VALUES (x);",
    "SELECT (SELECT a FROM s1), (SELECT a FROM s2) INTO x, y; INSERT INTO t VALUES (y);",
    "WITH i AS (INSERT INTO t SELECT a FROM s1 RETURNING 1) SELECT count(*) INTO x FROM i;",
]


@pytest.fixture(scope="module")
def conn(server: Server) -> Iterator[psycopg.Connection[Any]]:
    name = server.create("template0")
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        for table in (*SOURCES, "t"):
            connection.execute(f"CREATE TABLE {table} (a int)".encode())
        yield connection
    server.drop(name)


def run_block(conn: psycopg.Connection[Any], block: str, values: dict[str, int]) -> list[Any]:
    """Return the rows of the target after a block, with one value in each source."""
    with conn.transaction(force_rollback=True):
        for table, value in values.items():
            conn.execute(f"INSERT INTO {table} VALUES ({value})".encode())
        conn.execute(block.encode())
        return conn.execute("SELECT a FROM t ORDER BY a").fetchall()


def sources_of(conn: psycopg.Connection[Any], block: str) -> set[str]:
    """Return the sources of the target; all statements are read."""
    session = Session("postgres", conn.info.dbname, "public")
    effect = merge_effects(map(session.apply_statement, read_statements(block, "postgres")))
    assert effect.unresolved == ()
    return {name[-1] for flow in effect.flows if flow.target[-1] == "t" for name in flow.sources}


@pytest.mark.parametrize("body", BODIES)
def test_the_sources_of_a_target_are_those_that_change_its_rows(
    body: str, conn: psycopg.Connection[Any]
) -> None:
    block = f"DO $b$ {DECLARED} BEGIN {body} END $b$"
    values = dict.fromkeys(SOURCES, 1)
    before = run_block(conn, block, values)
    changing = {name for name in SOURCES if run_block(conn, block, {**values, name: 9}) != before}
    assert sources_of(conn, block) == changing


# Each source has a bit, which all values that are made of it have.
BITS = {"s1": 1, "s2": 2}
sources, flags = st.sampled_from(SOURCES), st.booleans()
variables = st.sampled_from(("x", "y", "z"))
values = st.recursive(
    (variables | st.just("r.a")).map("coalesce({}, 0)".format)
    | sources.map("(SELECT max(a) FROM {})".format),
    lambda inner: st.builds("({} | {})".format, inner, inner),
    max_leaves=3,
)
statements = st.one_of(
    st.builds("{} := {};".format, variables, values),
    st.builds("SELECT max(a) INTO {} FROM {};".format, variables, sources),
    st.builds("INSERT INTO t VALUES ({});".format, values),
    st.builds("EXECUTE 'INSERT INTO t VALUES ($1)' USING {};".format, variables),
)


def in_blocks(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, min_size=1, max_size=3).map(" ".join)
    return st.builds("DECLARE {} int := {}; BEGIN {} END;".format, variables, values, body)


def in_branches(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    body = st.lists(inner, max_size=3).map(lambda each: " ".join(("NULL;", *each)))
    loop = "FOR r IN SELECT a FROM {} WHERE {} LOOP {} END LOOP;"
    block = "BEGIN {} PERFORM 1 / {}; EXCEPTION WHEN others THEN {} END;"
    return in_blocks(inner) | st.one_of(
        st.builds("IF {} THEN {} ELSE {} END IF;".format, flags, body, body),
        st.builds("IF {} THEN {} END IF;".format, flags, body),
        st.builds("CASE {} WHEN true THEN {} ELSE {} END CASE;".format, flags, body, body),
        st.builds(loop.format, sources, flags, body),
        st.builds(block.format, body, st.integers(0, 1), body),
    )


def blocks(around: Any) -> st.SearchStrategy[str]:
    body = st.lists(st.recursive(statements, around, max_leaves=6), min_size=2, max_size=8)
    header = "DO $b$ DECLARE x int; y int; z int; r s1%ROWTYPE; BEGIN"
    return body.map(lambda each: " ".join((header, *each, "END $b$")))


def executed_sources(conn: psycopg.Connection[Any], block: str) -> set[str]:
    rows = [value or 0 for (value,) in run_block(conn, block, BITS)]
    return {name for name, bit in BITS.items() if any(value & bit for value in rows)}


@settings(max_examples=50)
@given(block=blocks(in_blocks))
def test_sources_are_those_of_the_values(conn: psycopg.Connection[Any], block: str) -> None:
    assert sources_of(conn, block) == executed_sources(conn, block)


@settings(max_examples=50)
@given(block=blocks(in_branches))
def test_no_source_is_lost_after_branches(conn: psycopg.Connection[Any], block: str) -> None:
    assert sources_of(conn, block) >= executed_sources(conn, block)
