"""PostgreSQL as the judge of changes: pg_depend has the columns that a BEGIN ATOMIC body uses."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from lineage.columns import algebra
from lineage.sql.catalogs import Catalog
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements
from lineage.sql.written_columns import decode_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.database import Server

TABLES, _, LISTED = Path(__file__).with_name("changes.sql").read_text().partition("\n-- A state")
CHANGES = [line.partition(";")[::2] for line in LISTED.splitlines()[1:]]
COLUMNS = """
SELECT table_catalog, table_schema, table_name,
       array_agg(column_name::text ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1, 2, 3
"""
USED = """
SELECT c.relname::text, a.attname::text
FROM pg_depend d JOIN pg_class c ON c.oid = d.refobjid
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = nullif(d.refobjsubid, 0)
WHERE d.classid = 'pg_proc'::regclass AND d.objid = 'change'::regproc
  AND d.refclassid = 'pg_class'::regclass
"""


@pytest.fixture(scope="module")
def conn(server: Server) -> Iterator[psycopg.Connection[Any]]:
    name = server.create("template0")
    with psycopg.connect(server.dsn(name), autocommit=True) as connection:
        connection.execute(TABLES.encode())
        yield connection
    server.drop(name)


@pytest.mark.parametrize(("change", "comment"), CHANGES)
def test_a_change_uses_the_tables_and_columns_that_postgresql_records(
    change: str, comment: str, conn: psycopg.Connection[Any]
) -> None:
    body = f"CREATE OR REPLACE PROCEDURE change() BEGIN ATOMIC {change}; END"
    conn.execute(body.encode())
    used = set(conn.execute(USED))
    catalog = Catalog({row[:-1]: row[-1] for row in conn.execute(COLUMNS)})
    session = Session("postgres", conn.info.dbname, "public", catalog)
    [statement] = read_statements(change, "postgres")
    effect = session.apply_statement(statement)
    targets = {flow.target[-1] for flow in effect.flows}
    assert {name[-1] for name in effect.reads} | targets == {table for table, _ in used}
    assert effect.unresolved == ()
    assert effect.columns_unresolved == tuple(filter(None, [comment.removeprefix(" -- ")]))
    if effect.columns_unresolved or change.startswith("delete"):
        return
    flows = [each for each in effect.flows if each.mode != "delete"]
    lineages = [each.columns for each in flows if each.columns is not None]
    assert len(lineages) == len(flows)
    deps = algebra.merge_deps(
        each for lineage in lineages for each in (*lineage.fields.values(), lineage.rows)
    )
    sources = {(decode_table(each.dataset)[-1], each.column) for each in algebra.fields_of(deps)}
    # Of a target, PostgreSQL also records columns that are written or that a conflict names.
    targets = {each.target[-1] for each in flows}
    assert {each for each in sources if each[0] not in targets} == {
        (table, column) for table, column in used if column and table not in targets
    }
    assert sources <= used
