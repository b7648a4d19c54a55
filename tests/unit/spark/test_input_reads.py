"""The facet ``lineage_reads``: inputs whose rows a query combines with each other."""

from __future__ import annotations

import pytest
from support.events.plan_documents import Json, Plans, ended, execution_end, facet, table

from lineage.spark.conversion.input_reads import MAX_READS


def write(plans: Plans, query: int) -> Json:
    facts = {"outputPath": "file:/wh/mart.db/t", "catalogTable": table("t", "mart")}
    plans.node("InsertIntoHadoopFsRelationCommand", query, out=[], mode="Append", **facts)
    return plans.build()


def reads_of(plan: Json) -> dict[str, Json]:
    """Return the facet of each input of the run, by the last part of its name."""
    event = ended(execution_end(plan))
    return {
        item["name"].rpartition("/")[2]: {
            key: value
            for key, value in facet(item, "lineage_reads").items()
            if not key.startswith("_")
        }
        for item in event["inputs"]
    }


def test_an_input_that_is_read_once_has_no_facet() -> None:
    plans = Plans()
    joined = plans.node("Join", plans.table("orders"), plans.table("customers"))
    assert reads_of(write(plans, joined)) == {"orders": {}, "customers": {}}


def test_text_has_the_names_of_the_options_of_its_reader() -> None:
    plans = Plans()
    csv, json = plans.files("/lake/a", form="csv"), plans.files("/lake/b", form="json")
    options = {"ignoreLeadingWhiteSpace": "true", "header": "true"}
    plans.nodes[csv]["args"]["relation"]["files"]["options"] = options
    assert reads_of(write(plans, plans.node("Join", csv, json))) == {
        "a": {"count": 1, "operators": [], "options": ["header", "ignoreleadingwhitespace"]},
        "b": {"count": 1, "operators": [], "options": []},
    }


def test_a_self_join_reads_twice() -> None:
    plans = Plans()
    left, right = plans.table("orders"), plans.table("orders")
    joined = plans.node("Join", plans.node("Join", left, right), plans.table("customers"))
    assert reads_of(write(plans, joined)) == {
        "orders": {"count": 2, "operators": []},
        "customers": {},
    }


@pytest.mark.parametrize("operator", ["Window", "WindowGroupLimit"])
def test_an_operator_that_combines_rows_is_named_for_the_inputs_below_it(operator: str) -> None:
    plans = Plans()
    window = plans.node(operator, plans.node("Filter", plans.table("orders")))
    joined = plans.node("Join", window, plans.table("customers"))
    assert reads_of(write(plans, joined)) == {
        "orders": {"count": 1, "operators": [operator]},
        "customers": {},
    }


def test_a_recursion_combines_the_rows_of_its_inputs() -> None:
    plans = Plans()
    loop = plans.node("UnionLoop", plans.table("parts"), plans.table("uses"), id=3)
    assert reads_of(write(plans, loop)) == {
        "parts": {"count": 1, "operators": ["UnionLoop"]},
        "uses": {"count": 1, "operators": ["UnionLoop"]},
    }


def test_a_definition_counts_for_each_reference() -> None:
    plans = Plans()
    definition = plans.node("CTERelationDef", plans.table("orders"), id=5)
    references = [plans.node("CTERelationRef", cteId=5) for _ in range(3)]
    joined = plans.node("Join", plans.node("Join", *references[:2]), references[2])
    query = plans.node("WithCTE", definition, joined)
    assert reads_of(write(plans, query)) == {"orders": {"count": 3, "operators": []}}


def test_reads_are_counted_up_to_a_limit() -> None:
    plans = Plans()
    query = plans.table("orders")
    for _ in range(40):
        query = plans.node("Union", query, query)
    assert reads_of(write(plans, query)) == {"orders": {"count": MAX_READS, "operators": []}}
