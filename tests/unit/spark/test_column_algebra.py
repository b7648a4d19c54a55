"""The algebra of column lineage: composition of steps, and monotonicity in the sources."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.columns import algebra
from lineage.columns.algebra import (
    AGGREGATION,
    CONDITIONAL,
    FILTER,
    IDENTITY,
    JOIN,
    STRENGTH,
    TRANSFORMATION,
    WINDOW,
    Dependency,
    Field,
    How,
    Kind,
    Loop,
    Outer,
    Source,
)
from lineage.naming import DatasetName

PEOPLE = DatasetName("file", "/people")

hows = st.builds(How, st.sampled_from(Kind), st.booleans())
known = st.builds(Field, st.just(PEOPLE), st.sampled_from("abc"))
sources = known | st.builds(Outer, st.integers(0, 2)) | st.builds(Loop, st.just(0), st.just(1))
deps = st.frozensets(st.builds(Dependency, sources, hows), max_size=6)


@given(hows, hows, hows)
def test_composition_is_associative(first: How, second: How, third: How) -> None:
    assert first.composed_after(second).composed_after(third) == first.composed_after(
        second.composed_after(third)
    )


@given(hows)
def test_to_take_a_value_as_it_is_changes_nothing(how: How) -> None:
    assert how.composed_after(IDENTITY) == how == IDENTITY.composed_after(how)


@given(hows, hows)
def test_what_is_indirect_or_masked_stays_so(first: How, second: How) -> None:
    both = first.composed_after(second)
    assert both.kind.is_direct == (first.kind.is_direct and second.kind.is_direct)
    assert both.masking == (first.masking or second.masking)


@given(hows, hows)
def test_a_direct_step_never_weakens(first: How, second: How) -> None:
    both = first.composed_after(second)
    if both.kind.is_direct:
        assert STRENGTH[both.kind] == max(STRENGTH[first.kind], STRENGTH[second.kind])


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (TRANSFORMATION, AGGREGATION, AGGREGATION),
        (AGGREGATION, TRANSFORMATION, AGGREGATION),
        (TRANSFORMATION, FILTER, FILTER),
        (FILTER, AGGREGATION, FILTER),
        (FILTER, CONDITIONAL, FILTER),
        (FILTER, WINDOW, WINDOW),
        (JOIN, FILTER, JOIN),
    ],
)
def test_what_two_steps_are_together(outer: How, inner: How, expected: How) -> None:
    assert outer.composed_after(inner) == expected


@given(hows, deps, deps)
def test_more_sources_never_give_fewer(how: How, some: algebra.Deps, more: algebra.Deps) -> None:
    assert algebra.apply_step(how, some) <= algebra.apply_step(how, some | more)
    assert algebra.apply_step(how, some | more) == algebra.apply_step(
        how, some
    ) | algebra.apply_step(how, more)


@given(hows, hows, deps)
def test_to_apply_two_steps_is_to_apply_their_composition(
    outer: How, inner: How, some: algebra.Deps
) -> None:
    one_by_one = algebra.apply_step(outer, algebra.apply_step(inner, some))
    assert one_by_one == algebra.apply_step(outer.composed_after(inner), some)


@given(deps, deps, deps)
def test_to_substitute_keeps_what_is_not_meant(
    some: algebra.Deps, more: algebra.Deps, known: algebra.Deps
) -> None:
    table: dict[Source, algebra.Deps] = {Outer(0): known}
    rest = {dep for dep in some if dep.source != Outer(0)}
    both = algebra.substitute_sources(some | more, table.get)
    assert rest <= algebra.substitute_sources(some, table.get) <= both


@given(hows, deps)
def test_what_stood_for_a_column_gets_its_sources(how: How, known: algebra.Deps) -> None:
    placeholder = frozenset([Dependency(Outer(7), how)])
    table: dict[Source, algebra.Deps] = {Outer(7): known}
    assert algebra.substitute_sources(placeholder, table.get) == algebra.apply_step(how, known)


@given(deps)
def test_the_sources_of_a_facet_are_the_known_ones_each_once(some: algebra.Deps) -> None:
    told = algebra.fields_of(some)
    assert set(told) == {dep.source for dep in some if isinstance(dep.source, Field)}
    assert list(told) == sorted(told)
    assert all(len(hows) == len(set(hows)) for hows in told.values())


@given(hows)
def test_the_member_of_a_column_is_its_field_whatever_step_it_took(how: How) -> None:
    address = algebra.apply_step(how, algebra.of_source(Field(PEOPLE, "address")))
    zip_code = algebra.of_source(Field(PEOPLE, "address", ("zip",)))
    assert algebra.member_of(address, "zip") == algebra.apply_step(how, zip_code)


@pytest.mark.parametrize(
    ("parts", "is_ambiguous", "written"),
    [
        (("zip",), False, "zip"),
        (("a.b",), False, "a.b"),
        (("address", "zip"), False, "address.zip"),
        (("a.b", "c"), False, "`a.b`.c"),
        (("a", "b.c"), False, "a.`b.c`"),
        (("a", "b`c"), False, "a.`b``c`"),
        (("a", "b"), True, "`a`.`b`"),
        (("items", "_element", "price"), False, "items._element.price"),
    ],
)
def test_how_a_nested_field_is_written(
    parts: tuple[str, ...], is_ambiguous: bool, written: str
) -> None:
    assert algebra.column_path(parts, is_ambiguous=is_ambiguous) == written


def test_a_column_is_ambiguous_beside_one_whose_name_begins_like_a_path_in_it() -> None:
    assert algebra.ambiguous_names(["a", "a.b", "c", "cd"]) == {"a"}
