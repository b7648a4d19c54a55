"""Plans as records: the output of an operator, and all nested plans."""

from __future__ import annotations

from support.events.plan_documents import Plans

from lineage.spark.document.arguments import Column, ExpressionRef, Identifier, PlanRef
from lineage.spark.document.json_fields import Fields
from lineage.spark.document.plan import Node, Plan, parse_plan


def parsed(plans: Plans, root: int | None = None) -> Plan:
    return parse_plan(Fields(plans.build(root), "plan"))


def reached(plan: Plan) -> list[str]:
    """Return the operators below the root, depth first."""

    def below(node: Node) -> list[str]:
        return [node.op, *(op for child in plan.child_nodes(node) for op in below(child))]

    assert plan.root is not None
    return below(plan.root)


def test_output_is_that_of_the_first_child_where_none_is_reported() -> None:
    plans = Plans()
    filtered = plans.node("Filter", plans.files("file:/d", columns=("id", "name")), condition=0)
    plan = parsed(plans)
    columns = plan.output_columns(plan.nodes[filtered])
    assert columns == (Column("id", "bigint"), Column("name", "bigint"))


def test_the_walk_finds_children_inner_plans_and_subqueries() -> None:
    plans = Plans()
    plans.attribute("id")
    scalar = plans.node("ScalarSource", out=[])
    nested = plans.node("NestedSource", out=[])
    inner = plans.expr("Exists", {"plan": nested})
    exists = plans.expr("Not", inner)
    deep = plans.node("Filter", scalar, condition=exists)
    subquery = plans.expr(
        "Alias", plans.expr("ScalarSubquery", {"plan": deep}), {"id": 9, "name": "m"}
    )
    cached = plans.node("CachedSource", out=[])
    source = plans.files("file:/d")
    plans.node("Project", source, projectList=[0, subquery], inner=[cached])
    assert reached(parsed(plans)) == [
        "Project",
        "LogicalRelation",
        "CachedSource",
        "Filter",
        "ScalarSource",
        "NestedSource",
    ]


def test_a_plan_in_two_arguments_is_one_child() -> None:
    plans = Plans()
    query = plans.node("Range", out=[])
    plans.node("SaveIntoDataSourceCommand", query={"plan": query}, inner=[query])
    assert reached(parsed(plans)) == ["SaveIntoDataSourceCommand", "Range"]


def test_arguments_are_typed() -> None:
    plans = Plans()
    query = plans.node("Range", out=[plans.attribute("id")])
    plans.node(
        "SomeCommand",
        query={"plan": query},
        keys=[0],
        name={"identifier": {"namespace": ["db"], "name": "t"}},
        overwrite=True,
        options={"map": {"Header": "true", "nothing": None}},
        mode="Append",
        columns=["a", "b"],
        storage={"class": "CatalogStorageFormat", "args": {"locationUri": "file:/x"}},
    )
    plan = parsed(plans)
    node = plan.nodes[1]
    assert node.get_argument("query", PlanRef) == PlanRef(query)
    assert node.args["keys"] == (ExpressionRef(0),)
    assert node.get_argument("name", Identifier) == Identifier(None, ("db",), "t")
    assert node.get_flag("overwrite")
    assert node.get_options() == {"header": "true"}
    assert node.get_text("mode") == "Append"
    assert node.get_texts("columns") == ("a", "b")
    assert node.get_argument("mode", Identifier) is None
    assert plan.written_query(node) is plan.nodes[query]


def test_expressions_keep_what_column_lineage_needs() -> None:
    plans = Plans()
    source = plans.attribute("person", "struct<name:string>")
    taken = plans.expr("GetStructField", source, {"ordinal": 0, "field": "name"})
    call = plans.expr("PythonUDF", taken, {"function": "clean"})
    plans.expr("Alias", call, {"id": 30, "name": "clean_name", "type": 0})
    plans.node("Range", out=[])
    exprs = parsed(plans).exprs
    assert exprs[source].is_attribute
    assert (exprs[taken].ordinal, exprs[taken].field) == (0, "name")
    assert exprs[call].function == "clean"
    alias = exprs[3]
    assert (alias.id, alias.name, alias.type) == (30, "clean_name", "struct<name:string>")
    assert alias.children == (call,)
