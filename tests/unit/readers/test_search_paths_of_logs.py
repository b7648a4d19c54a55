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


def test_a_new_table_is_of_the_schema_of_the_user_if_there_is_one() -> None:
    """The default path begins with "$user", which is the first schema that exists."""
    text = "CREATE TABLE other AS SELECT * FROM orders"
    assert outputs_of(text, "other") == {"sales.public.other": {"sales.public.orders"}}
    assert outputs_of(text, "etl") == {"sales.etl.other": {"sales.public.orders"}}


SWAP = (
    "CREATE TABLE customers_new AS SELECT * FROM orders",
    "DROP TABLE customers",
    "ALTER TABLE customers_new RENAME TO customers",
)
LOAD = "INSERT INTO customers SELECT * FROM orders"
CORE = {"sales.core.customers": {"sales.public.orders"}}


def follow_path(path: str, *statements: str, catalog: Catalog | None = None) -> dict[str, set[str]]:
    names = [("public", "orders"), ("core", "customers"), ("etl", "private")]
    catalog = catalog or Catalog(columns={("sales", *name): ("x",) for name in names})
    texts = [f"SET search_path TO {path}", *statements]
    fields = {"kind": Kind.STATEMENT, "schema": "public"}
    rows = [make_row(number, text, **fields) for number, text in enumerate(texts)]
    return fold_by_catalog(catalog, *rows)


def test_a_swapped_table_has_the_sources_of_the_new_one() -> None:
    outputs = follow_path("core, public", *SWAP)
    new = outputs.pop("sales.core.customers_new")
    assert outputs == {"sales.core.customers": {"sales.core.customers_new"}}
    assert new == {"sales.public.orders"}


@pytest.mark.parametrize(
    ("path", "statements", "expected"),
    [
        # The session knows the table that it created.
        (
            "core, public",
            ["CREATE TABLE n AS SELECT * FROM orders", "INSERT INTO customers SELECT * FROM n"],
            {
                "sales.core.n": {"sales.public.orders"},
                "sales.core.customers": {"sales.core.n"},
            },
        ),
        # It hides the table of a later schema, until it is dropped or rolled back.
        (
            "core, public",
            ["CREATE TABLE orders (x int)", LOAD],
            {"sales.core.orders": set(), "sales.core.customers": {"sales.core.orders"}},
        ),
        (
            "core, public",
            ["CREATE TABLE orders (x int)", "DROP TABLE orders", LOAD],
            {"sales.core.orders": set(), **CORE},
        ),
        (
            "core, public",
            ["BEGIN", "CREATE TABLE orders (x int)", "ROLLBACK", LOAD],
            CORE,
        ),
        # A table of a later schema is hidden by one of an earlier schema, which the catalog shows.
        (
            "core, public",
            ["CREATE TABLE public.n AS SELECT * FROM orders", "INSERT INTO customers TABLE n"],
            {"sales.public.n": {"sales.public.orders"}, "sales.core.customers": {"sales.public.n"}},
        ),
        (
            "core, public",
            ["CREATE TABLE public.customers (x int)", LOAD],
            {"sales.public.customers": set(), **CORE},
        ),
        (
            "other, public",
            ["CREATE TABLE public.n AS SELECT * FROM orders", "INSERT INTO core.customers TABLE n"],
            {"sales.public.n": {"sales.public.orders"}, "sales.core.customers": set()},
        ),
        # Whether a schema exists that the catalog does not have is not known.
        ("other, public", ["CREATE TABLE n AS SELECT * FROM orders"], {}),
        ('"$user", core, public', ["CREATE TABLE n AS SELECT * FROM orders"], {}),
        ('"$user", core, public', [LOAD], CORE),
        # A table is renamed in its schema.
        (
            "core, public",
            ["ALTER TABLE etl.private RENAME TO secret"],
            {"sales.etl.secret": {"sales.etl.private"}},
        ),
        (
            "core, public",
            ["ALTER TABLE orders RENAME TO customers"],
            {"sales.public.customers": {"sales.public.orders"}},
        ),
    ],
)
def test_a_table_is_created_in_the_first_schema_of_the_path(
    path: str, statements: list[str], expected: dict[str, set[str]]
) -> None:
    assert follow_path(path, *statements) == expected


def test_the_same_text_creates_and_reads_the_tables_of_each_path() -> None:
    """The effects of statements are remembered for all sessions of a server."""
    names = [("public", "s"), ("a", "t"), ("b", "t")]
    catalog = Catalog(columns={("sales", *name): ("x",) for name in names})
    create, insert = "CREATE TABLE n AS SELECT * FROM s", "INSERT INTO t SELECT * FROM n"
    for schema in "abab":
        outputs = follow_path(f"{schema}, public", create, insert, catalog=catalog)
        assert outputs == {
            f"sales.{schema}.n": {"sales.public.s"},
            f"sales.{schema}.t": {f"sales.{schema}.n"},
        }
    assert follow_path("a, public", insert, catalog=catalog) == {"sales.a.t": set()}


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
