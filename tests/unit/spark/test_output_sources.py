"""The sources of each output of a run with several outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import Json, Plans, ended, execution_end, facet

if TYPE_CHECKING:
    from collections.abc import Callable


def insert(plans: Plans, query: int, path: str) -> int:
    return plans.node(
        "InsertIntoHadoopFsRelationCommand", query, out=[], outputPath=path, mode="Append"
    )


def sources(event: Json) -> dict[str, list[str]]:
    """Return the names of the sources of each output that has a ``lineage`` facet."""
    assert_valid(event)
    return {
        output["name"]: [item.get("name", item["type"]) for item in told["inputs"]]
        for output in event["outputs"]
        if (told := facet(output, "lineage"))
    }


def two_inserts(other: Callable[[Plans], int], **settings: str) -> Json:
    """Return the event of two inserts: ``/a`` from ``/in``, and ``/b`` from it and another."""
    plans = Plans()
    scan = plans.files("file:/in")
    first = insert(plans, scan, "file:/a")
    join = plans.node("Join", scan, other(plans), joinType="Inner", hint={})
    second = insert(plans, join, "file:/b")
    plans.node("Union", first, second, out=[], byName=False, allowMissingCol=False)
    document = execution_end(plans.build())
    document["app"]["settings"] = settings
    return ended(document)


def test_an_output_has_the_sources_of_its_own_write() -> None:
    event = two_inserts(lambda plans: plans.files("file:/other"))
    assert sources(event) == {"/a": ["/in"]}  # /b comes from all inputs


def test_outputs_with_the_same_sources_need_no_facet() -> None:
    assert sources(two_inserts(lambda plans: plans.files("file:/in"))) == {}


def test_an_output_of_unknown_rows_may_have_any_source() -> None:
    held = {"rdd": {"id": 3, "class": "MapPartitionsRDD"}}
    event = two_inserts(lambda plans: plans.node("LogicalRDD", out=[], rdd=held))
    assert sources(event) == {}


def test_a_source_that_the_lists_exclude_is_not_named() -> None:
    event = two_inserts(
        lambda plans: plans.files("file:/other", "file:/more"),
        **{"spark.lineage.datasets.deny": "file:/other"},
    )
    assert sources(event) == {"/a": ["/in"]}
    assert [item["name"] for item in event["inputs"]] == ["/in", "/more"]


def test_a_common_table_expression_is_read_where_it_is_used() -> None:
    plans = Plans()
    definition = plans.node("CTERelationDef", plans.files("file:/c"), id=5)
    first = insert(plans, plans.files("file:/in"), "file:/a")
    used = plans.node("CTERelationRef", out=[plans.attribute("id")], cteId=5)
    second = insert(plans, used, "file:/b")
    both = plans.node("Union", first, second, out=[], byName=False, allowMissingCol=False)
    plans.node("WithCTE", definition, both, out=[])
    event = ended(execution_end(plans.build()))
    assert sources(event) == {"/a": ["/in"], "/b": ["/c"]}
