"""Column lineage of handwritten plans, with operators that require a cluster or a library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from openlineage.client.serde import Serde
from support.calls import count_calls
from support.cases.columns import edges
from support.events.plan_documents import (
    Json,
    Plans,
    ended,
    events,
    execution_end,
    execution_start,
    facet,
    unresolved,
)

from lineage.spark.columns.functions import FUNCTIONS
from lineage.spark.columns.generators import GENERATES
from lineage.spark.columns.operators import RELATIONAL
from lineage.spark.columns.plan_walk import OPERATORS
from lineage.spark.conversion.convert import convert_document
from lineage.spark.document.parser import read_document

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.spark.document.document import Document


class Query(Plans):
    """A plan of relations with columns, and a write of the output of its last operator."""

    def relation(
        self, name: str, *columns: str, types: Mapping[str, str] | None = None
    ) -> tuple[int, list[int]]:
        """Add a table; return its operator and its attributes."""
        index = self.files(f"file:/{name}", columns=columns, types=types)
        return index, self.nodes[index]["out"]

    def alias(self, child: int, name: str) -> tuple[int, int]:
        """Add an alias; return the expression and its attribute."""
        attribute = self.attribute(name)
        return self.expr("Alias", child, {"id": attribute, "name": name, "type": 0}), attribute

    def written(self) -> Json:
        names = [self.exprs[index][2] for index in self._output(len(self.nodes) - 1)]
        self.node(
            "InsertIntoHadoopFsRelationCommand",
            len(self.nodes) - 1,
            out=[],
            outputPath="file:/out",
            outputColumnNames=names,
        )
        return ended(execution_end(self.build()))

    def _output(self, index: int) -> list[int]:
        node = self.nodes[index]
        return list(node["out"]) if "out" in node else self._output(node["in"][0])


def told(event: Json) -> Json:
    (output,) = event["outputs"]
    return facet(output, "columnLineage")


def columns(event: Json) -> dict[str, set[Any]]:
    return {name: _edges(field["inputFields"]) for name, field in told(event)["fields"].items()}


def rows(event: Json) -> set[Any]:
    return _edges(told(event)["dataset"])


def _edges(inputs: list[Json]) -> set[Any]:
    return {
        (
            f"{item['name'].strip('/').rsplit('/', 1)[-1]}.{item['field']}",
            how["subtype"],
            how["masking"],
        )
        for item in inputs
        for how in item["transformations"]
    }


def test_an_operator_nobody_foresaw_has_all_in_all_and_owns_up() -> None:
    query = Query()
    source, _ = query.relation("people", "id", "name")
    query.node("Crystallize", source, out=[query.attribute("x"), query.attribute("y")])
    event = query.written()
    everything = edges("f(people.id, people.name)")
    assert columns(event) == {"x": everything, "y": everything}
    assert rows(event) == edges("where(people.id, people.name)")
    assert unresolved(event) == ["Crystallize"]


def _wide(count: int, *, own: bool = False) -> Json:
    """Return the end of an unknown operator over many columns; ``own`` adds a literal column."""
    query = Query()
    source, _ = query.relation("wide", *(f"c{at}" for at in range(count)))
    made = [query.attribute(f"x{at}") for at in range(count)]
    query.node("Crystallize", source, out=made)
    if own:
        alias, own_column = query.alias(query.expr("Literal", {"type": 0}), "own")
        query.node("Project", 1, out=[*made, own_column], projectList=[*made, alias])
    return query.written()


def test_all_in_all_of_a_wide_table_is_reported_once() -> None:
    event = _wide(500)
    assert columns(event) == {}
    everything = ", ".join(f"wide.c{at}" for at in range(500))
    assert rows(event) == edges(f"f({everything}) where({everything})")
    assert unresolved(event) == ["Crystallize"]


def test_a_column_with_too_many_sources_is_unresolved() -> None:
    event = _wide(500, own=True)
    assert columns(event) == {}
    assert unresolved(event) == ["Crystallize", "InsertIntoHadoopFsRelationCommand"]


def test_below_the_limit_each_column_has_its_sources() -> None:
    event = _wide(100, own=True)
    assert set(columns(event)) == {f"x{at}" for at in range(100)}
    assert unresolved(event) == ["Crystallize"]


def test_a_nested_field_is_distinguished_from_a_column_with_a_dot_in_its_name() -> None:
    query = Query()
    source, (a, dotted) = query.relation("odd", "a", "a.b", types={"a": "struct<b:int>"})
    nested, x = query.alias(query.expr("GetStructField", a, {"ordinal": 0, "field": "b"}), "x")
    plain, y = query.alias(dotted, "y")
    query.node("Project", source, out=[x, y], projectList=[nested, plain])
    inputs = {
        name: [item["field"] for item in field["inputFields"]]
        for name, field in told(query.written())["fields"].items()
    }
    assert inputs == {"x": ["`a`.`b`"], "y": ["a.b"]}


def test_a_column_without_a_source_below_is_unresolved() -> None:
    query = Query()
    source, (age,) = query.relation("people", "age")
    stray, x = query.alias(query.attribute("stray"), "x")
    query.node("Project", source, out=[x, age], projectList=[stray, age])
    event = query.written()
    assert columns(event) == {"x": edges("f(people.age)"), "age": edges("people.age")}
    assert unresolved(event) == ["Project"]


@pytest.mark.parametrize("op", ["MapInPandas", "MapInArrow", "PythonMapInArrow", "MapPartitions"])
def test_a_function_over_rows_has_all_in_all(op: str) -> None:
    query = Query()
    source, (id, name) = query.relation("people", "id", "name")
    function = query.expr("PythonUDF", id, name, {"function": "f"})
    query.node(op, source, out=[query.attribute("x")], functionExpr=function)
    event = query.written()
    assert columns(event) == {"x": edges("f(people.id, people.name)")}
    assert rows(event) == edges("where(people.id, people.name)")
    assert unresolved(event) == []


def test_a_function_over_groups_aggregates() -> None:
    query = Query()
    source, (id, name) = query.relation("people", "id", "name")
    function = query.expr("PythonUDF", name, {"function": "f"})
    query.node(
        "FlatMapGroupsInPandas",
        source,
        out=[query.attribute("x")],
        functionExpr=function,
        groupingAttributes=[id],
    )
    event = query.written()
    assert columns(event) == {"x": edges("agg(people.name)")}
    assert rows(event) == edges("by(people.id) where(people.name)")


def test_cogroups_are_joined_by_their_keys() -> None:
    query = Query()
    left, (id, name) = query.relation("people", "id", "name")
    right, (person, page) = query.relation("visits", "person", "page")
    function = query.expr("PythonUDF", name, page, {"function": "f"})
    query.node(
        "FlatMapCoGroupsInPandas",
        left,
        right,
        out=[query.attribute("x")],
        functionExpr=function,
        leftGroupingLen={"value": 1},
        rightGroupingLen={"value": 1},
    )
    event = query.written()
    assert columns(event) == {"x": edges("agg(people.name, visits.page)")}
    assert rows(event) == edges("join(people.id, visits.person) where(people.name, visits.page)")
    assert (id, person) != (name, page)


@pytest.mark.parametrize("op", ["TransformWithStateInPySpark", "TransformWithStateInPandas"])
def test_a_stateful_function_groups_by_the_leading_columns_of_rows_and_initial_state(
    op: str,
) -> None:
    query = Query()
    left, (city, age) = query.relation("people", "city", "age")
    right, _ = query.relation("totals", "town", "total")
    function = query.expr("PythonUDF", city, age, {"function": "f"})
    query.node(
        op,
        left,
        right,
        out=[query.attribute("x")],
        functionExpr=function,
        groupingAttributesLen={"value": 1},
        hasInitialState=True,
        initialStateGroupingAttrsLen={"value": 1},
    )
    event = query.written()
    everything = "people.city, people.age, totals.town, totals.total"
    assert columns(event) == {"x": edges(f"agg({everything})")}
    assert rows(event) == edges(f"by(people.city, totals.town) where({everything})")
    assert unresolved(event) == []


@pytest.mark.parametrize(
    ("op", "keys"),
    [
        ("TransformWithState", "initialStateGroupingAttrs"),
        ("FlatMapGroupsWithState", "initialStateGroupAttrs"),
    ],
)
def test_a_typed_stateful_function_groups_by_the_keys_of_rows_and_initial_state(
    op: str, keys: str
) -> None:
    query = Query()
    left, (city, _) = query.relation("people", "city", "age")
    right, (town, _) = query.relation("totals", "town", "total")
    query.node(
        op,
        left,
        right,
        out=[query.attribute("x")],
        groupingAttributes=[city],
        **{keys: [town]},
    )
    assert edges("by(people.city, totals.town)") <= rows(query.written())


def test_a_typed_map_derives_from_the_columns_of_its_object() -> None:
    """``people.filter(f).map(g)``: the object derives from two columns, the result from it."""
    query = Query()
    source, (id, name, _) = query.relation("people", "id", "name", "city")
    made = query.expr("NewInstance", id, name)
    obj, mapped, value = (query.attribute(text) for text in ("obj", "obj2", "value"))
    kept = query.node("TypedFilter", source, deserializer=made)
    taken = query.node("DeserializeToObject", kept, out=[obj], deserializer=made)
    one = query.node("MapElements", taken, out=[mapped], outputObjAttr=mapped)
    given = query.expr(
        "Alias", query.expr("BoundReference"), {"id": value, "name": "value", "type": 0}
    )
    query.node("SerializeFromObject", one, out=[value], serializer=[given])
    event = query.written()
    assert columns(event) == {"value": edges("f(people.id, people.name)")}
    assert rows(event) == edges("where(people.id, people.name)")


def test_the_flag_of_an_existence_join_is_its_condition() -> None:
    query = Query()
    left, (id,) = query.relation("people", "id")
    right, (person,) = query.relation("visits", "person")
    exists = query.attribute("exists")
    query.node(
        "Join",
        left,
        right,
        out=[id, exists],
        joinType={"class": "ExistenceJoin", "args": {"exists": exists}},
        condition=query.expr("EqualTo", id, person),
    )
    event = query.written()
    assert columns(event)["exists"] == edges("join(people.id, visits.person)")


def test_an_as_of_join_is_decided_by_times_and_condition() -> None:
    query = Query()
    left, (id, at) = query.relation("people", "id", "at")
    right, (person, seen) = query.relation("visits", "person", "seen")
    query.node(
        "AsOfJoin",
        left,
        right,
        out=[id, seen],
        condition=query.expr("EqualTo", id, person),
        asOfCondition=query.expr("GreaterThanOrEqual", at, seen),
        orderExpression=query.expr("Subtract", at, seen),
    )
    event = query.written()
    assert columns(event) == {"id": edges("people.id"), "seen": edges("visits.seen")}
    assert rows(event) == edges("join(people.id, people.at, visits.person, visits.seen)")


def test_a_cached_plan_is_looked_into() -> None:
    query = Query()
    source, (id,) = query.relation("people", "id")
    seen = query.attribute("id")
    query.node("InMemoryRelation", out=[seen], inner=[source])
    assert id != seen
    assert columns(query.written()) == {"id": edges("people.id")}


def test_a_relation_over_several_paths_has_the_column_of_each() -> None:
    query = Query()
    query.files("file:/people", "file:/visits", columns=("id",))
    assert columns(query.written()) == {"id": edges("people.id visits.id")}


def test_metadata_of_files_are_no_columns_of_the_table() -> None:
    query = Query()
    source, (id, metadata) = query.relation("people", "id", "_metadata")
    query.nodes[source]["args"]["metadataColumns"] = [metadata]
    path = query.expr("GetStructField", metadata, {"ordinal": 0, "field": "file_path"})
    alias, x = query.alias(path, "x")
    kept = query.node("Filter", source, condition=query.expr("IsNotNull", path))
    query.node("Project", kept, out=[id, x], projectList=[id, alias])
    event = query.written()
    assert columns(event) == {"id": edges("people.id")}
    assert rows(event) == set()
    (people,) = event["inputs"]
    assert [field["name"] for field in facet(people, "schema")["fields"]] == ["id"]


@pytest.mark.parametrize(
    ("cls", "details"),
    [("UpdateFields", {}), ("ArraysZip", {}), ("ArraysZip", {"names": ["only"]}), ("Unknown", {})],
)
def test_fields_that_no_document_names_are_of_the_whole(cls: str, details: Json) -> None:
    query = Query()
    source, (id, name) = query.relation("people", "id", "name")
    made = query.expr(cls, id, name, details)
    field, x = query.alias(query.expr("GetStructField", made, {"ordinal": 0, "field": "id"}), "x")
    query.node("Project", source, out=[x], projectList=[field])
    assert columns(query.written()) == {"x": edges("f(people.id, people.name)")}


def test_a_lambda_function_of_a_function_nobody_foresaw_is_of_all_its_arguments() -> None:
    query = Query()
    source, (id, name) = query.relation("people", "id", "name")
    variable = query.expr("NamedLambdaVariable", {"id": 900, "name": "v", "type": 0})
    lambda_function = query.expr("LambdaFunction", query.expr("Add", variable, name), variable)
    alias, x = query.alias(query.expr("ArrayJuggle", id, lambda_function), "x")
    query.node("Project", source, out=[x], projectList=[alias])
    assert columns(query.written()) == {"x": edges("f(people.id, people.name)")}


def test_variables_of_nested_lambda_functions_are_distinguished() -> None:
    """``transform(a, x -> transform(b, y -> x.p + y.q))``, and with the arrays exchanged."""
    query = Query()
    kind = "array<struct<p:int,q:int>>"
    source, (a, b) = query.relation("people", "a", "b", types={"a": kind, "b": kind})
    outer, inner = (
        query.expr("NamedLambdaVariable", {"id": number, "name": "v", "type": 0})
        for number in (900, 901)
    )
    p = query.expr("GetStructField", outer, {"ordinal": 0, "field": "p"})
    q = query.expr("GetStructField", inner, {"ordinal": 0, "field": "q"})
    body = query.expr("LambdaFunction", query.expr("Add", p, q), inner)
    made = []
    for one, other in ((a, b), (b, a)):
        nested = query.expr("ArrayTransform", other, body)
        over = query.expr("LambdaFunction", nested, outer)
        made.append(query.alias(query.expr("ArrayTransform", one, over), f"of_{one}"))
    query.node("Project", source, out=[x for _, x in made], projectList=[of for of, _ in made])
    assert columns(query.written()) == {
        f"of_{a}": edges("f(people.a._element.p, people.b._element.q)"),
        f"of_{b}": edges("f(people.b._element.p, people.a._element.q)"),
    }


def test_a_subquery_in_a_subquery_reaches_the_outermost_query() -> None:
    query = Query()
    inner, (hits,) = query.relation("visits", "hits")
    middle, (amount,) = query.relation("orders", "amount")
    outer, (id,) = query.relation("people", "id")
    reference = query.expr("OuterReference", id, {"id": id, "name": "id"})
    deepest = query.node("Filter", inner, condition=query.expr("LessThan", hits, reference))
    exists = query.expr("Exists", {"plan": deepest, "outer": [id]})
    between = query.node("Filter", middle, inner=[deepest], condition=exists)
    scalar = query.expr("ScalarSubquery", {"plan": between, "outer": [id]})
    alias, x = query.alias(scalar, "x")
    query.node("Project", outer, out=[x], inner=[between], projectList=[alias])
    assert amount != x
    assert columns(query.written()) == {"x": edges("orders.amount where(visits.hits, people.id)")}


def test_generated_columns_derive_from_written_columns() -> None:
    """``made(id, twice AS id * 2, zip AS st.zip, given AS id, gone AS other)``."""
    query = Query()
    source, (n, st) = query.relation("people", "n", "st", types={"st": "struct<zip:string>"})
    id, x = query.alias(query.expr("Add", n, n), "ID")
    given, y = query.alias(n, "given")
    rows_to_write = query.node("Project", source, out=[x, st, y], projectList=[id, st, given])
    generated = {
        "twice": [["id"]],
        "zip": [["st", "zip"]],
        "given": [["id"]],
        "gone": [["other"]],
    }
    table = {"class": "d", "name": "t", "properties": {"location": "file:/made"}}
    target = query.node(
        "DataSourceV2Relation",
        out=[query.attribute(name) for name in ("id", "twice", "zip", "given", "gone", "st")],
        table={"v2": table | {"generated": generated}},
    )
    args = {"table": {"plan": target}, "query": {"plan": rows_to_write}}
    query.node("AppendData", rows_to_write, out=[], inner=[target], **args)
    assert columns(ended(execution_end(query.build()))) == {
        "ID": edges("f(people.n)"),
        "st": edges("people.st"),
        "given": edges("people.n"),
        "twice": edges("f(people.n)"),
        "zip": edges("f(people.st.zip)"),
    }


def merge(op: str, **args: Any) -> Json:
    """Return the assignments of a command on ``orders`` with the rows of ``people``."""
    query = Query()
    target = query.table("orders")
    (order,) = query.nodes[target]["out"]
    children = [target]
    names = {"order": order}
    if op == "MergeIntoTable":
        source, (id, name) = query.relation("people", "id", "name")
        children.append(source)
        names |= {"id": id, "name": name}
    actions = args.pop("actions")(query, names)
    query.node(op, *children, out=[], **actions)
    return ended(execution_end(query.build()))


def test_merge_assigns_and_inserts() -> None:
    def actions(query: Query, at: dict[str, int]) -> Json:
        upper = query.expr("Upper", at["name"])
        update = query.expr(
            "UpdateAction",
            query.expr("IsNotNull", at["name"]),
            query.expr("Assignment", at["order"], upper),
        )
        insert = query.expr("InsertAction", query.expr("Assignment", at["order"], at["id"]))
        condition = query.expr("EqualTo", at["order"], at["id"])
        return {
            "mergeCondition": condition,
            "matchedActions": [update],
            "notMatchedActions": [insert],
        }

    event = merge("MergeIntoTable", actions=actions)
    assert columns(event) == {"id": edges("f(people.name) people.id")}
    assert rows(event) == edges("join(orders.id, people.id) where(people.name)")


def test_update_assigns_where_its_condition_holds() -> None:
    def actions(query: Query, at: dict[str, int]) -> Json:
        grown = query.expr("Add", at["order"], query.expr("Literal", {"type": 0}))
        return {
            "assignments": [query.expr("Assignment", at["order"], grown)],
            "condition": query.expr("IsNotNull", at["order"]),
        }

    event = merge("UpdateTable", actions=actions)
    assert columns(event) == {"id": edges("f(orders.id)")}
    assert rows(event) == edges("where(orders.id)")


def test_delete_has_rows_and_no_columns() -> None:
    event = merge(
        "DeleteFromTable",
        actions=lambda query, at: {"condition": query.expr("IsNotNull", at["order"])},
    )
    assert (columns(event), rows(event)) == ({}, edges("where(orders.id)"))


def test_a_plan_without_expressions_says_nothing_of_columns() -> None:
    query = Query()
    query.relation("people", "id")
    query.node("InsertIntoHadoopFsRelationCommand", 0, out=[], outputPath="file:/out")
    plan = query.build() | {"truncated": {"bytes": 10, "lost": ["exprs"]}}
    assert told(ended(execution_end(plan))) == {}


def test_a_start_says_of_its_columns_what_the_end_says() -> None:
    query = Query()
    query.relation("people", "id")
    query.node("InsertIntoHadoopFsRelationCommand", 0, out=[], outputPath="file:/out")
    (start,) = events(execution_start(query.build()))
    assert told(start) == told(ended(execution_end(query.build())))


def wide_and_deep_plan(times: int) -> Document:
    """Return 500 columns through projections, each of which adds neighbours: sources accumulate."""
    query = Query()
    node, out = query.relation("wide", *(f"c{at}" for at in range(500)))
    for _ in range(times):
        pairs = zip(out, [*out[1:], out[0]], strict=True)
        made = [
            query.alias(query.expr("Add", one, two), f"c{at}")
            for at, (one, two) in enumerate(pairs)
        ]
        out = [attribute for _, attribute in made]
        node = query.node("Project", node, out=out, projectList=[alias for alias, _ in made])
    query.node("InsertIntoHadoopFsRelationCommand", node, out=[], outputPath="file:/out")
    return read_document(execution_end(query.build()))


def test_the_column_lineage_of_a_wide_and_deep_plan_is_complete() -> None:
    (event,) = convert_document(wide_and_deep_plan(20))
    assert len(columns(Serde.to_dict(event))["c0"]) == 21


@pytest.mark.parametrize("times", [5, 20])
def test_the_calls_of_a_conversion_for_each_column_do_not_grow_with_depth(times: int) -> None:
    """Calls, since a processor time depends on the machine; `benchmarks.conversion` measures it."""
    document = wide_and_deep_plan(times)
    assert count_calls(lambda: convert_document(document)) / (times * 500) < 100


def test_an_expression_of_great_depth_is_no_recursion() -> None:
    query = Query()
    source, (id,) = query.relation("people", "id")
    deep = id
    for _ in range(5_000):
        deep = query.expr("Add", deep, id)
    alias, x = query.alias(deep, "x")
    query.node("Project", source, out=[x], projectList=[alias])
    assert columns(query.written()) == {"x": edges("f(people.id)")}


def test_no_operator_has_two_rules() -> None:
    assert len(OPERATORS) == len(RELATIONAL) + len(FUNCTIONS) + len(GENERATES)


@pytest.mark.parametrize(
    ("check", "subtype"),
    [
        ("charTypeWriteSideCheck", "TRANSFORMATION"),
        ("readSidePadding", "IDENTITY"),
        ("varcharTypeWriteSideCheck", "IDENTITY"),
    ],
)
def test_a_value_that_is_padded_as_it_is_written_is_another_value(check: str, subtype: str) -> None:
    """CHAR(5) has ``'A    '`` for ``'A'``."""
    query = Query()
    source, (code,) = query.relation("raw", "code", types={"code": "string"})
    length = query.expr("Literal", {"value": "5", "type": 0})
    padded = query.expr("StaticInvoke", code, length, {"function": check, "type": 0})
    alias, written = query.alias(padded, "code")
    query.node("Project", source, out=[written], projectList=[alias])
    assert columns(query.written()) == {"code": {("raw.code", subtype, False)}}
