"""Parsing of events by fragments: the result or error of parsing the whole event."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lineage.errors import InvalidEvent
from lineage.openlineage import RunEvent
from lineage.openlineage.fragments import MARK
from lineage.openlineage.parser import in_pieces, in_whole, parse_event

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.openlineage import Event

    Place: TypeAlias = Callable[[str], tuple[str, str]]

PARENT = '{"run": {"runId": "p"}, "job": {"namespace": "n", "name": "x"}}'
RUN = f'{{"runId": "r", "facets": {{"parent": {PARENT}}}}}'
JOB = '{"namespace": "etl", "name": "load", "facets": {"sql": {"query": "SELECT 1"}}}'
RAW = '{"namespace": "s3", "name": "raw", "facets": {"a": [1, {}]}}'
SIDE = f'[{RAW}, {{"namespace": "s3", "name": "b"}}]'
MEMBERS = [
    ("eventTime", '"2026-03-29T01:30:00Z"'),
    ("eventType", '"START"'),
    ("run", RUN),
    ("job", JOB),
    ("inputs", SIDE),
    ("outputs", SIDE),
    ("producer", '"https://here"'),
    ("schemaURL", '"https://there"'),
]
SPACED, COMPACT = (", ", ": "), (",", ":")

# Members in another spelling than that of producers, which must not match.
OF_ANOTHER_KIND = '"job" :"a", "inputs" :"b", "outputs" :"c"'


def event(members: list[tuple[str, str]], style: tuple[str, str] = SPACED) -> bytes:
    comma, colon = style
    return (
        f"{{{comma.join(f'{json.dumps(key)}{colon}{value}' for key, value in members)}}}".encode()
    )


def outcome(read: Callable[[bytes], Event], text: bytes) -> Event | str:
    try:
        return read(text)
    except InvalidEvent as error:
        return error.message


@pytest.mark.parametrize("style", [SPACED, COMPACT])
@pytest.mark.parametrize(
    "members", [MEMBERS, sorted(MEMBERS), MEMBERS[:-2]], ids=["as specified", "sorted", "short"]
)
def test_what_producers_write_is_read_in_pieces(
    members: list[tuple[str, str]], style: tuple[str, str]
) -> None:
    text = event(members, style)
    found, again, whole = (
        in_pieces(text),
        parse_event(text.replace(b"START", b"ABORT")),
        in_whole(text),
    )
    assert isinstance(found, RunEvent)
    assert isinstance(again, RunEvent)
    assert found == whole
    assert found.job is again.job
    assert found.inputs is again.inputs
    assert found.outputs is again.outputs


def test_one_of_the_pieces_may_be_new() -> None:
    known, other = event(MEMBERS), event(MEMBERS).replace(b'"outputs": [', b'"outputs": [ ')
    found, again = in_pieces(known), in_pieces(other)
    assert found is not None
    assert again is not None
    assert found.inputs is again.inputs
    assert found.outputs == again.outputs
    assert all(a is b for a, b in zip(found.outputs, again.outputs, strict=True))


@pytest.mark.parametrize("also", ["", event(MEMBERS[3:6])[1:-1].decode(), OF_ANOTHER_KIND])
@pytest.mark.parametrize("text", ["{{{within}, {rest}, {also}}}", "{{{rest}, {also}, {within}}}"])
def test_pieces_of_something_else_are_not_those_of_the_event(text: str, also: str) -> None:
    inner = [("a", "1"), *((key, value.replace("etl", "other")) for key, value in MEMBERS[3:7])]
    within = f'"something": {event(inner).decode()}'
    rest = event(MEMBERS[:3])[1:-1].decode()
    given = text.format(within=within, rest=rest, also=also or '"b": 1').encode()
    assert outcome(parse_event, given) == outcome(in_whole, given)


@pytest.mark.parametrize("key", ["job", "inputs", "outputs"])
def test_of_duplicate_members_the_last_one_applies(key: str) -> None:
    other = {"job": JOB.replace("etl", "other")}.get(key, SIDE.replace("raw", "other"))
    for members in ([*MEMBERS, (key, other)], [(key, other), *MEMBERS]):
        for text in (event(members), event(sorted(members)), event(members[::-1])):
            assert parse_event(text) == in_whole(text)


def deep(levels: int, opened: str = "[", closed: str = "]") -> str:
    return opened * levels + "0" + closed * levels


ODD = [
    *("0", "-1.50E+3", "1e-300", "true", "{}", '"a"', "[1, {}]", '"\\\\u0000"', '"\u0142"'),
    *(r'"\u0000"', r'{"\ud800": [" "]}', r'"\ud83e\ude91"', r'{"a\u0000": "\udc00"}', r'"\u"'),
    *("1e99999", "1E-0016384", "9" * 4_000, "9" * 140_000, '"' + "7" * 9_000 + '"', '"1e99999"'),
    *(deep(n) for n in (300, 640, 1_300, 2_490, 2_600)),
    *(deep(n, '{"a":', "}") for n in (300, 640, 1_300)),
    *(f'"{bracket * n}"' for bracket in "[{]" for n in (620, 1_300, 2_600)),
    "[" + ", ".join(["[{}]"] * 1_300) + "]",
    *('", "', '", \\"inputs\\": ["', "NaN", "[1,]", "'", ""),
    f'"{MARK}"',
]  # fmt: skip
odd = st.sampled_from(ODD)
PLACES: dict[str, Place] = {
    "run": lambda odd: ("run", f'{{"runId": "r", "facets": {{"a": {odd}}}}}'),
    "job": lambda odd: ("job", f'{{"namespace": "n", "name": "a", "facets": {{"a": {odd}}}}}'),
    "an input": lambda odd: ("inputs", f'[{RAW}, {{"namespace": "n", "name": "a", "b": {odd}}}]'),
    "an output": lambda odd: ("outputs", f'[{{"namespace": "n", "name": "a", "b": {odd}}}, {RAW}]'),
    "the producer": lambda odd: ("producer", odd),
}


@pytest.mark.parametrize("members", [MEMBERS, sorted(MEMBERS)], ids=["as specified", "sorted"])
@pytest.mark.parametrize("style", [SPACED, COMPACT], ids=["spaced", "compact"])
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES.keys())
def test_what_is_odd_is_so_in_each_piece(
    place: Place, style: tuple[str, str], members: list[tuple[str, str]]
) -> None:
    for each in ODD:
        text = event(list({**dict(members), **dict([place(each)])}.items()), style)
        assert outcome(parse_event, text) == outcome(in_whole, text) == outcome(parse_event, text)


def test_what_is_odd_in_all_pieces_is_so_in_the_event() -> None:
    for each in ODD:
        odd = [PLACES[place](each) for place in ("run", "job", "an input", "an output")]
        text = event([MEMBERS[0], *odd])
        assert outcome(parse_event, text) == outcome(in_whole, text)


texts = st.sampled_from(["etl", "load", "x" * 3_000, "", "\u0142"]).map(json.dumps)


@st.composite
def named(draw: st.DrawFn) -> str:
    facets = draw(st.lists(st.tuples(st.sampled_from(["sql", "symlinks", "own"]), odd), max_size=2))
    also = [("facets", event(facets).decode())] if facets else []
    key = [("namespace", '"s"'), ("name", draw(texts))]
    given = draw(st.permutations([*key, *also]))
    return draw(odd) if draw(st.integers(0, 9)) == 9 else event(given).decode()


sides = st.lists(named(), max_size=2).map(lambda each: f"[{', '.join(each)}]") | odd
runs = st.tuples(texts, odd).map(
    lambda pair: f'{{"runId": {pair[0]}, "facets": {{"a": {pair[1]}}}}}'
)
times = st.sampled_from(['"2026-03-29T01:30:00Z"', '"2026-02-30T01:30:00Z"', "1"])


@st.composite
def members(draw: st.DrawFn) -> list[tuple[str, str]]:
    """Draw the members of an event in any order; some are invalid, missing or repeated."""
    drawn = {"run": runs, "job": named(), "inputs": sides, "outputs": sides}
    changed = draw(st.sets(st.sampled_from(sorted(drawn)), max_size=2))
    found = [(key, draw(drawn[key]) if key in changed else value) for key, value in MEMBERS]
    if draw(st.integers(0, 3)) == 0:
        found[0] = ("eventTime", draw(times))
        # A second job that is the mark would be taken for the first: no event can contain it.
        values = odd.filter(lambda value: MARK not in value)
        found += draw(st.lists(st.tuples(st.sampled_from(["more", *drawn]), values), max_size=2))
        del found[draw(st.integers(0, len(found) - 1))]
    order = draw(st.integers(0, 4))
    return draw(st.permutations(found)) if order == 0 else sorted(found) if order < 3 else found


@settings(max_examples=200)
@given(members(), st.sampled_from([SPACED, COMPACT, (" , ", " : "), (",\n", ":")]))
def test_an_event_parsed_by_fragments_equals_the_whole(
    given: list[tuple[str, str]], style: tuple[str, str]
) -> None:
    text = event(given, style)
    first = outcome(parse_event, text)
    assert first == outcome(in_whole, text) == outcome(parse_event, text)
