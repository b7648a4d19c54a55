"""Search paths of PostgreSQL that no statement sets: of users, and of functions."""

from __future__ import annotations

import pytest
from support.query_logs import make_row

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.folding import PartReader
from lineage.readers.query_logs.importing import read_rows
from lineage.readers.query_logs.rows import Kind, Row
from lineage.readers.query_logs.stored_rows import load_row
from lineage.readers.report import ImportReport
from lineage.readers.server_names import ServerNames
from lineage.sql.catalogs import Catalog
from lineage.sql.statements import read_statements

SERVER = "postgres://db:5432"


def outputs_of(text: str, user: str) -> dict[str, set[str]]:
    """Return what a statement of a user wrote, and from what, by a catalog of three schemas."""
    names = [("etl", "private"), ("public", "orders"), ("core", "customers")]
    catalog = Catalog(columns={("sales", *name): ("x",) for name in names})
    return fold_by_catalog(catalog, make_row(1, text, kind=Kind.STATEMENT, user=user))


def fold_by_catalog(catalog: Catalog, *rows: Row) -> dict[str, set[str]]:
    source = LogSource(SERVER, "postgres", "public")
    placed = [(str(number), row) for number, row in enumerate(rows)]
    loaded = map(load_row, read_rows(source, placed, ImportReport()))
    reader = PartReader(ServerNames(SERVER), catalog)
    [run] = reader.fold_rows("session 60", loaded, has_ended=True)
    return {
        written.name: {source.name for source in output.sources}
        for written, output in run.outputs.items()
    }


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ("etl", {"sales.etl.private": {"sales.public.orders"}}),
        ("other", {}),
    ],
)
def test_a_table_of_the_schema_of_the_user_is_known_by_the_catalog(
    user: str, expected: dict[str, set[str]]
) -> None:
    assert outputs_of("INSERT INTO private SELECT * FROM orders", user) == expected


def test_a_new_table_is_of_no_certain_schema_if_the_user_has_one() -> None:
    text = "CREATE TABLE other AS SELECT * FROM orders"
    assert outputs_of(text, "other") == {"sales.public.other": {"sales.public.orders"}}
    assert outputs_of(text, "etl") == {}


@pytest.mark.parametrize("option", ["SET search_path = core", ""])
def test_a_function_with_a_search_path_has_the_tables_of_its_body(option: str) -> None:
    """Its statements are in the log without the path."""
    insert = "INSERT INTO t SELECT * FROM s"
    text = f"CREATE FUNCTION f() RETURNS void LANGUAGE sql {option} AS $$ {insert} $$"
    [create] = read_statements(text, "postgres")
    assert create.routine is not None
    catalog = Catalog(routines={("sales", "public", "f"): create.routine.statements})
    nested = make_row(1, insert, kind=Kind.PLAN, is_nested=True)
    call = make_row(2, "SELECT f()", kind=Kind.STATEMENT)
    schema = "core" if option else "public"
    assert fold_by_catalog(catalog, nested, call) == {f"sales.{schema}.t": {f"sales.{schema}.s"}}
