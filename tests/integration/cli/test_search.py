"""Output of ``lineage search``."""

from __future__ import annotations

import json

import pytest
from support.events.builders import dataset, run_event, schema
from support.services.command_line import graph_of, run

ORDERS = dataset(
    "silver/orders", ("shop.sales",), schema=schema(price="int"), tags={"tags": [{"key": "pii"}]}
)

_graph = graph_of([run_event("r", "COMPLETE", 1, "load_orders", (), (ORDERS,))])


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["ORDERS"], ["dataset  s3://lake/silver/orders", "job      etl/load_orders"]),
        (["price"], ["column   s3://lake/silver/orders.price"]),
        (["pii"], ['dataset  s3://lake/silver/orders  [tag: ["pii"]]']),
        (["sales"], ["dataset  s3://lake/silver/orders  [also called: s3://lake/shop.sales]"]),
        (["load", "orders"], ["job      etl/load_orders"]),
    ],
)
def test_each_hit_is_a_line(words: list[str], lines: list[str]):
    result = run("search", *words)
    assert (result.exit_code, result.stdout.splitlines()) == (0, lines)


def test_hits_are_rows_and_nothing_is_reported_by_the_exit_code():
    result = run("search", "orders", "--kind", "job", "--format", "json")
    assert [(r["name"], r["match"], r["match_field"]) for r in json.loads(result.stdout)] == [
        ("etl/load_orders", "word", "name")
    ]
    nothing = run("search", "qqqqzzzz")
    assert (nothing.exit_code, nothing.stdout) == (1, "No name matches or is similar.\n")
