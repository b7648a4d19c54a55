"""PostgreSQL as the judge of variables: rows of a target change with those of its sources only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from lineage.sql import Session, merge_effects, read_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.database import Server

SOURCES = ("s1", "s2")
DECLARED = "DECLARE x int; y int; l int[]; r record; c CURSOR FOR SELECT a FROM s2;"
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


@pytest.mark.parametrize("body", BODIES)
def test_the_sources_of_a_target_are_those_that_change_its_rows(
    body: str, conn: psycopg.Connection[Any]
) -> None:
    block = f"DO $b$ {DECLARED} BEGIN {body} END $b$"
    values = dict.fromkeys(SOURCES, 1)
    before = run_block(conn, block, values)
    changing = {name for name in SOURCES if run_block(conn, block, {**values, name: 9}) != before}
    session = Session("postgres", conn.info.dbname, "public")
    effect = merge_effects(map(session.apply_statement, read_statements(block, "postgres")))
    sources = {name[-1] for flow in effect.flows if flow.target[-1] == "t" for name in flow.sources}
    assert (sources, effect.unresolved) == (changing, ())
