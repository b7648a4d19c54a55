"""Nested values of columns: steps neither add nor lose one, and their number is bounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from lineage.columns import algebra
from lineage.columns.algebra import (
    AGGREGATION,
    CONDITIONAL,
    IDENTITY,
    TRANSFORMATION,
    Field,
    How,
    Kind,
    Outer,
)
from lineage.columns.relation import (
    MAX_PAIRS,
    Column,
    Rows,
    anchor_length,
    either_column,
    nested_column,
    of_source,
    replace_placeholders,
)
from lineage.naming import DatasetName
from lineage.spark.columns.structs import cast_column

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps, Source

PEOPLE = DatasetName("file", "/people")


def source(name: str, *inside: str) -> Deps:
    return algebra.of_source(Field(PEOPLE, name, inside))


def column(name: str) -> Column:
    return of_source(Field(PEOPLE, name))


def struct(**members: Column) -> Column:
    deps = algebra.merge_deps(member.deps for member in members.values())
    return nested_column(members.items(), algebra.apply_step(TRANSFORMATION, deps))


def covers(deps: Deps, others: Deps) -> bool:
    """Return whether ``deps`` contains each of the others, or a column that contains it."""
    sources = {dep.source for dep in deps}
    return all(
        any(
            source._replace(inside=source.inside[:end]) in sources
            for end in range(len(source.inside) + 1)
        )
        for source, _ in others
    )


hows = st.builds(How, st.sampled_from(Kind), st.booleans())
plain = st.sampled_from("abcd").map(column)
columns = st.recursive(
    plain | plain.map(lambda known: Column(known.deps)),
    lambda inner: st.one_of(
        st.dictionaries(st.sampled_from("xyz"), inner, max_size=3).map(lambda of: struct(**of)),
        st.lists(inner, min_size=1, max_size=3).map(either_column),
        st.builds(Column.apply_step, inner, hows),
        st.builds(lambda value, more: value.with_extra(more.deps), inner, plain),
        st.builds(lambda value, more: anchor_length(value, more.deps, CONDITIONAL), inner, plain),
        st.builds(Column.nested_value, inner, st.sampled_from("xyz")),
    ),
    max_leaves=8,
)


@given(columns, st.sampled_from("xyz"))
def test_a_nested_value_has_no_source_that_the_whole_has_not(value: Column, name: str) -> None:
    assert algebra.base_columns(value.nested_value(name).deps) <= algebra.base_columns(value.deps)


@given(st.lists(columns, min_size=1, max_size=4), st.sampled_from("xyz"))
def test_one_of_several_has_all_that_each_has(values: list[Column], name: str) -> None:
    both = either_column(values)
    for value in values:
        assert value.deps <= both.deps
        assert covers(both.nested_value(name).deps, value.nested_value(name).deps)


@given(columns, hows, st.sampled_from("xyz"))
def test_a_step_of_the_whole_is_a_step_of_each_nested_value(
    value: Column, how: How, name: str
) -> None:
    stepped = value.apply_step(how)
    assert stepped.deps == algebra.apply_step(how, value.deps)
    assert stepped.nested_value(name).deps == algebra.apply_step(how, value.nested_value(name).deps)


@given(columns, plain, st.sampled_from("xyz"))
def test_what_decides_the_whole_decides_each_nested_value(
    value: Column, more: Column, name: str
) -> None:
    extra = algebra.apply_step(CONDITIONAL, more.deps)
    decided = value.with_extra(extra)
    assert decided.deps == value.deps | extra
    assert decided.nested_value(name).deps == value.nested_value(name).deps | extra


@given(columns, columns, st.sampled_from("xyz"))
def test_a_column_of_the_query_around_is_put_in_with_its_nested_values(
    value: Column, around: Column, name: str
) -> None:
    stand_in = of_source(Outer(7))

    def resolve(of: Source) -> Column | None:
        if not isinstance(of, Outer):
            return None
        found = around
        for step in of.inside:
            found = found.nested_value(step)
        return found

    (put_in,) = replace_placeholders(Rows((either_column([value, stand_in]),)), resolve).columns
    assert put_in.deps == value.deps | around.deps
    assert covers(put_in.nested_value(name).deps, around.nested_value(name).deps)
    (field,) = replace_placeholders(Rows((stand_in.nested_value(name),)), resolve).columns
    assert field.deps == around.nested_value(name).deps


def test_a_column_of_a_plain_type_holds_nothing() -> None:
    assert of_source(Field(PEOPLE, "age"), "int") == Column(source("age"))
    assert of_source(Field(PEOPLE, "st"), "struct<x:int>").nested_value("x").deps == source(
        "st", "x"
    )


def test_an_unknown_field_derives_from_the_whole_value() -> None:
    assert Column(source("doc")).nested_value("k") == Column(source("doc"))
    made = struct(x=column("a"), y=column("b"))
    assert made.nested_value("z").deps == made.deps


def test_fields_of_the_same_name_are_either_of_them() -> None:
    made = nested_column([("x", column("a")), ("x", column("b"))], source("a") | source("b"))
    assert made.nested_value("x").deps == source("a") | source("b")


def test_names_may_differ_in_case() -> None:
    both = either_column([struct(Sku=column("a")), struct(sku=column("b"))])
    assert (
        both.nested_value("sku").deps == both.nested_value("Sku").deps == source("a") | source("b")
    )


def test_the_element_of_an_array_as_a_whole_goes_by_the_name_of_the_array() -> None:
    element = column("items").nested_value("_element")
    assert element.deps == source("items")
    assert element.nested_value("_element").deps == source("items")
    assert element.nested_value("sku").deps == source("items", "_element", "sku")


def test_nested_values_above_the_limit_become_one_value() -> None:
    many = {f"c{at}": column(f"c{at}") for at in range(MAX_PAIRS)}
    wide = struct(**many)
    assert (
        wide.nested_value("c1").deps
        == wide.deps
        == algebra.apply_step(
            TRANSFORMATION, algebra.merge_deps(each.deps for each in many.values())
        )
    )
    deep, value = column("a"), column("b")
    for _ in range(1_000):
        deep = struct(x=deep, y=value)
    assert deep.nested_value("x").deps <= deep.deps
    doubled = column("a")
    for _ in range(64):
        doubled = struct(x=doubled, y=doubled)
    assert algebra.base_columns(doubled.nested_value("x").deps) == algebra.base_columns(source("a"))


def test_a_cast_goes_by_position_at_any_depth() -> None:
    before = "struct<x:int,d:struct<u:int,v:string>,l:array<struct<p:int>>>"
    after = "struct<a:bigint,b:struct<c:int,d:bigint>,e:array<struct<f:int>>>"
    cast = cast_column(column("s"), before, after)
    assert cast.nested_value("a").deps == algebra.apply_step(TRANSFORMATION, source("s", "x"))
    assert cast.nested_value("b").nested_value("c").deps == source("s", "d", "u")
    assert cast.nested_value("b").nested_value("d").deps == algebra.apply_step(
        TRANSFORMATION, source("s", "d", "v")
    )
    element = cast.nested_value("e").nested_value("_element")
    assert element.nested_value("f").deps == source("s", "l", "_element", "p")


def test_a_cast_of_an_unknown_type_is_of_the_whole() -> None:
    cast = cast_column(column("s"), None, "struct<a:int>")
    assert cast.nested_value("a").deps == algebra.apply_step(TRANSFORMATION, source("s"))
    text = cast_column(column("s"), "string", "struct<a:int>")
    assert text.nested_value("a").deps == algebra.apply_step(TRANSFORMATION, source("s"))
    made = cast_column(struct(x=column("a"), y=column("b")), None, "struct<p:int,q:int>")
    assert made.nested_value("q").deps == algebra.apply_step(TRANSFORMATION, source("b"))


def test_an_identity_step_returns_the_same_value() -> None:
    value = struct(x=column("a"))
    assert value.apply_step(IDENTITY) is value
    assert value.apply_step(AGGREGATION).nested_value("x").deps == algebra.apply_step(
        AGGREGATION, source("a")
    )
