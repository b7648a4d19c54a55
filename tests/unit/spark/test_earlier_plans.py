"""Plans of earlier executions in a document, for variables, checkpoints and memory sinks."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    ended,
    execution_end,
    facet,
    read_by,
    unresolved,
    written_by,
)

Edges = set[tuple[str, str]]


def made(name: str = "sales", where: bool = False) -> Json:
    """Return ``SELECT id, id + 1 AS more FROM name``; ``where`` adds a filter by id."""
    plans = Plans()
    source = plans.table(name)
    identity = plans.expr("#", 0, "id", 0)
    if where:
        source = plans.node("Filter", source, condition=plans.expr("IsNotNull", identity))
    more = plans.expr("#", 71, "more", 0)
    added = plans.expr("Alias", plans.expr("Add", identity), {"id": 71, "name": "more", "type": 0})
    plans.node("Project", source, projectList=[identity, added], out=[identity, more])
    return plans.build()


def written(plans: Plans, query: int) -> Json:
    plans.node(
        "InsertIntoHadoopFsRelationCommand",
        query,
        out=[],
        outputPath="file:/out",
        mode="Overwrite",
        outputColumnNames=["a", "b"],
    )
    return plans.build()


def of_rows(op: str, earlier: list[Json], place: int | None = 0) -> Json:
    """Return a write of the rows of an operator over an earlier plan, with new ids."""
    plans = Plans()
    for id, name in ((171, "id"), (172, "more")):
        plans.types = ["bigint"]
        plans.exprs.append(["#", id, name, 0])
    root = {"class": "org.apache.spark.rdd.MapPartitionsRDD"}
    args: dict[str, Any] = {"rdd": {"rdd": {"id": 4, "class": "x", "roots": [root]}}}
    rows = plans.node(op, out=[0, 1], **(args if op == "LogicalRDD" else {}))
    if place is not None:
        plans.nodes[rows]["earlier"] = place
    return written(plans, rows) | {"earlier": earlier}


def columns(event: Json) -> dict[str, Edges]:
    fields = facet(event["outputs"][0], "columnLineage").get("fields", {})
    return {
        name: {
            (f"{item['name'].rsplit('/', 1)[1]}.{item['field']}", how["subtype"])
            for item in of["inputFields"]
            for how in item["transformations"]
        }
        for name, of in fields.items()
    }


def rows(event: Json) -> Edges:
    return {
        (f"{item['name'].rsplit('/', 1)[1]}.{item['field']}", how["subtype"])
        for item in facet(event["outputs"][0], "columnLineage").get("dataset", [])
        for how in item["transformations"]
    }


@pytest.mark.parametrize("op", ["LogicalRDD", "MemoryPlan"])
def test_rows_of_an_earlier_plan_are_followed_by_position(op: str) -> None:
    event = ended(execution_end(of_rows(op, [made(where=True)])))
    assert (read_by(event), unresolved(event)) == (["file /wh/sales"], [])
    assert columns(event) == {
        "a": {("sales.id", "IDENTITY")},
        "b": {("sales.id", "TRANSFORMATION")},
    }
    assert rows(event) == {("sales.id", "FILTER")}


def test_a_checkpoint_of_a_checkpoint_is_followed_to_the_first() -> None:
    second = of_rows("LogicalRDD", [made("orders")])
    second["nodes"].pop()
    second["root"] = 0
    event = ended(execution_end(of_rows("LogicalRDD", [made("other"), second], place=1)))
    assert read_by(event) == ["file /wh/orders"]
    assert columns(event)["b"] == {("orders.id", "TRANSFORMATION")}


def test_rows_without_an_earlier_plan_are_unresolved() -> None:
    assert unresolved(ended(execution_end(of_rows("LogicalRDD", [made()], place=None)))) == [
        "LogicalRDD"
    ]


def test_rows_of_a_memory_sink_derive_from_the_stream() -> None:
    stream = made()
    stream["nodes"].append({"op": "WriteToStream", "in": [1], "out": [], "args": {}})
    stream["root"] = 2
    event = ended(execution_end(of_rows("MemoryPlan", [stream])))
    assert (written_by(event), unresolved(event)) == (["file /out"], [])
    assert columns(event)["a"] == {("sales.id", "IDENTITY")}


def using(variable: Json, earlier: list[Json], at: str = "condition") -> Json:
    """Return a write of ``orders`` that filters by a variable or has it as second column."""
    plans = Plans()
    orders = plans.table("orders")
    reference = plans.expr("VariableReference", variable)
    if at == "condition":
        condition = plans.expr("LessThan", 0, reference)
        query = plans.node("Filter", orders, condition=condition)
    else:
        plans.expr("Alias", reference, {"id": 80, "name": "top", "type": 0})
        top = plans.expr("#", 80, "top", 0)
        query = plans.node("Project", orders, projectList=[0, 2], out=[0, top])
    return written(plans, query) | {"earlier": earlier}


SET = {"name": "session.top", "earlier": 0, "column": 1}


def test_what_filters_by_a_variable_reads_what_it_was_set_from() -> None:
    event = ended(execution_end(using(SET, [made()])))
    assert read_by(event) == ["file /wh/orders", "file /wh/sales"]
    assert unresolved(event) == []
    assert rows(event) == {("orders.id", "FILTER"), ("sales.id", "FILTER")}


def test_a_column_from_a_variable_derives_from_its_assignment() -> None:
    event = ended(execution_end(using(SET, [made(where=True)], at="column")))
    assert columns(event) == {
        "a": {("orders.id", "IDENTITY")},
        "b": {("sales.id", "TRANSFORMATION"), ("sales.id", "FILTER")},
    }


def test_a_variable_with_a_constant_has_no_source() -> None:
    event = ended(execution_end(using({"name": "session.top", "value": True}, [])))
    assert (read_by(event), unresolved(event)) == (["file /wh/orders"], [])


def test_a_variable_that_is_set_again_does_not_read_what_it_was_before() -> None:
    plans = Plans()
    orders = plans.table("orders")
    plans.node(
        "SetVariable", orders, targetVariables=[plans.expr("VariableReference", SET)], out=[]
    )
    event = ended(execution_end(plans.build() | {"earlier": [made()]}))
    assert read_by(event) == ["file /wh/orders"]


def values() -> Json:
    plans = Plans()
    plans.types = ["bigint"]
    literal = plans.expr("Literal", {"type": 0})
    alias = plans.expr("Alias", literal, {"id": 70, "name": "x", "type": 0})
    plans.node("Project", plans.node("OneRowRelation", out=[]), projectList=[alias], out=[alias])
    return plans.build()


@pytest.mark.parametrize(("scope", "expected"), [("session", []), ("r", ["VariableReference"])])
def test_a_value_in_a_script_may_be_of_the_rows_that_it_loops_over(
    scope: str, expected: list[str]
) -> None:
    variable = {"name": f"{scope}.id", "earlier": 0, "column": 0}
    assert unresolved(ended(execution_end(using(variable, [values()])))) == expected


def test_a_variable_set_from_an_unknown_variable_is_unresolved() -> None:
    inner = using({"name": "session.low"}, [])
    inner["nodes"].pop()
    inner["root"] -= 1
    event = ended(execution_end(using(SET | {"column": 0}, [inner])))
    assert unresolved(event) == ["VariableReference"]


def test_a_plan_that_names_an_earlier_one_that_is_not_there_is_rejected() -> None:
    from lineage.errors import InvalidEvent
    from lineage.spark.document.parser import read_document

    with pytest.raises(InvalidEvent, match="earlier"):
        read_document(execution_end(of_rows("LogicalRDD", [made()], place=3)))
