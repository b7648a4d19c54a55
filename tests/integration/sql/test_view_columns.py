"""PostgreSQL as the judge of views: information_schema has the tables and columns that each uses.

Each view is read twice: as it was written, and as pg_get_viewdef() prints it, which is what
catalogs have.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import psycopg
import pytest
from support.cases.tpch.queries import QUERIES
from support.cases.tpch.tables import SCHEMAS

from lineage.columns import algebra
from lineage.sql.catalogs import Catalog
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements
from lineage.sql.written_columns import decode_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.database import Server

    from lineage.sql.effects import Effect
    from lineage.sql.records import Name

TABLES, _, LISTED = Path(__file__).with_name("views.sql").read_text().partition("\n-- A view")
VIEWS: dict[str, str] = dict(re.findall(r"^CREATE VIEW (\w+) AS (.*);$", LISTED, re.MULTILINE))
# PostgreSQL reports all columns of EXISTS (SELECT * …), which uses none of them.
STAR = re.compile(r"(?i)(EXISTS\s*\(\s*SELECT\s+)\*")
VIEWS |= {query.name: STAR.sub(r"\g<1>1", query.text) for query in QUERIES if not query.before}
COLUMNS = """
SELECT table_catalog, table_schema, table_name,
       array_agg(column_name::text ORDER BY ordinal_position)
FROM information_schema.columns WHERE table_schema = 'public' GROUP BY 1, 2, 3
"""
USED_TABLES = """
SELECT table_catalog, table_schema, table_name FROM information_schema.view_table_usage
WHERE view_schema = 'public' AND view_name = %s
"""
USED_COLUMNS = """
SELECT table_catalog, table_schema, table_name, column_name
FROM information_schema.view_column_usage WHERE view_schema = 'public' AND view_name = %s
"""
DEFINITION = "SELECT pg_get_viewdef(to_regclass(%s))"


class ViewServer(NamedTuple):
    """A connection to the database of the views, and the columns of its tables and views."""

    conn: psycopg.Connection[Any]
    columns: dict[Name, list[str]]

    def read_view(self, name: str, text: str) -> Effect:
        """Return the effect of CREATE VIEW on a session with the catalog of the database."""
        session = Session("postgres", self.conn.info.dbname, "public", Catalog(self.columns))
        [statement] = read_statements(f"CREATE VIEW {name} AS {text}", "postgres")
        return session.apply_statement(statement)


@pytest.fixture(scope="module")
def views(server: Server) -> Iterator[ViewServer]:
    name = server.create("template0")
    with psycopg.connect(server.dsn(name), autocommit=True) as conn:
        conn.execute(TABLES.encode())
        for table, schema in SCHEMAS.items():
            conn.execute(f"CREATE TABLE {table} ({schema})".encode())
        for view, text in VIEWS.items():
            conn.execute(f"CREATE VIEW {view} AS {text}".encode())
        yield ViewServer(conn, {row[:-1]: row[-1] for row in conn.execute(COLUMNS)})
    server.drop(name)


@pytest.mark.parametrize("form", ["as written", "as printed"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_uses_the_tables_and_columns_that_postgresql_reports(
    view: str, form: str, views: ViewServer
) -> None:
    text = VIEWS[view]
    if form == "as printed":
        [(text,)] = views.conn.execute(DEFINITION, (view,)).fetchall()
    effect = views.read_view(view, text)
    assert (effect.unresolved, effect.columns_unresolved) == ((), ())
    [flow] = effect.flows
    assert set(flow.sources) == set(views.conn.execute(USED_TABLES, (view,)))
    assert flow.columns is not None
    assert [*flow.columns.fields] == views.columns[flow.target]
    deps = algebra.merge_deps([*flow.columns.fields.values(), flow.columns.rows])
    used = {(*decode_table(each.dataset), each.column) for each in algebra.fields_of(deps)}
    assert used == set(views.conn.execute(USED_COLUMNS, (view,)))
