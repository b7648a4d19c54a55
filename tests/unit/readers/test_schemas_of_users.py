"""The schema of the user, with which the search path of PostgreSQL begins."""

from __future__ import annotations

import pytest
from support.query_logs import make_row

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.folding import PartReader
from lineage.readers.query_logs.importing import read_rows
from lineage.readers.query_logs.rows import Kind
from lineage.readers.query_logs.stored_rows import load_row
from lineage.readers.report import ImportReport
from lineage.readers.server_names import ServerNames
from lineage.sql.catalogs import Catalog

SERVER = "postgres://db:5432"


def outputs_of(text: str, user: str) -> dict[str, set[str]]:
    """Return what a statement of a user wrote, and from what, by a catalog of three schemas."""
    names = [("etl", "private"), ("public", "orders"), ("core", "customers")]
    catalog = Catalog(columns={("sales", *name): ("x",) for name in names})
    source = LogSource(SERVER, "postgres", "public")
    row = make_row(1, text, kind=Kind.STATEMENT, user=user)
    rows = map(load_row, read_rows(source, [("row", row)], ImportReport()))
    reader = PartReader(ServerNames(SERVER), catalog)
    [run] = reader.fold_rows("session 60", rows, has_ended=True)
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
