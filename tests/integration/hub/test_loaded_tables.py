"""Tables that a program loads with rows of files: each has the files upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import lineage
from lineage.hub import RelationalIo, RelationalOperation
from lineage.query import Graph

if TYPE_CHECKING:
    from pathlib import Path

WAREHOUSE = "postgres://wh:5432"


@pytest.mark.parametrize(
    "statements",
    [
        ["INSERT INTO prices (sku, price) VALUES (%s, %s)"],
        ["COPY prices (sku, price) FROM STDIN WITH (FORMAT csv)"],
        ["SELECT sku FROM products", "INSERT INTO prices VALUES (%(sku)s, %(price)s)"],
    ],
)
def test_a_table_has_the_file_whose_rows_the_program_sent(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statements: list[str]
):
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = lineage.hub.configure(spool=tmp_path, sink_ids=("graph",))
    with lineage.run("load_prices", namespace="shop") as run:
        run.reads("/landing/prices.csv")
        for sql in statements:
            run.add_observation(
                RelationalIo(
                    RelationalOperation.EXEC, WAREHOUSE, sql=sql, catalog="wh", schema="public"
                )
            )
    assert hub.shutdown(30).sinks["graph"].sent == 2
    lineage.hub.configure({}, enabled=False)
    with Graph(dsn) as graph:
        upstream = {each.name for each in graph.upstream(f"{WAREHOUSE}/wh.public.prices").datasets}
    tables = {"wh.public.products"} if len(statements) == 2 else set()
    assert upstream == {"/landing/prices.csv", *tables}
