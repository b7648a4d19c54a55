"""The cache of parsed values, and its limit."""

from __future__ import annotations

import json
import re
import tracemalloc

import pytest
from support.events.builders import dataset, run_event

from lineage.errors import InvalidEvent
from lineage.openlineage import column_lineage, entities, parse_event
from lineage.openlineage.interning import InternedParser


def noting(max_bytes: int = 1 << 20) -> tuple[list[bytes], InternedParser[object]]:
    """Return a parser that records each text it parses, and the recorded texts."""
    notes: list[bytes] = []

    def read(text: bytes, path: str) -> object:
        notes.append(text)
        return object()

    return notes, InternedParser(read, max_bytes)


def test_a_text_is_read_once() -> None:
    read, repeated = noting()
    found = repeated[b"a"]
    assert repeated[b"a"] is repeated.parse_at(b"a", "job") is found
    assert read == [b"a"]


def test_errors_are_reported_with_their_place_and_not_remembered() -> None:
    def read(text: bytes, path: str) -> None:
        raise InvalidEvent(f"{path}: {text.decode()}")

    repeated = InternedParser(read)
    for path in ("job", "inputs[0]"):
        with pytest.raises(InvalidEvent, match=re.escape(f"{path}: x")):
            repeated.parse_at(b"x", path)
    assert not repeated


def test_what_was_not_met_lately_is_forgotten() -> None:
    read, repeated = noting(max_bytes=1_000)
    for n in range(500):
        repeated[b"%0100d" % n]
        repeated[b"often"]
        assert sum(map(len, repeated)) <= 1_200
    assert read.count(b"often") == 1
    assert len(read) == 501
    repeated[b"%0100d" % 0]
    assert len(read) == 502


def test_small_values_count_more_than_their_text() -> None:
    repeated = InternedParser(lambda text, _: [1] * len(text), 1_000, size_of=lambda _, found: 100)
    for n in range(100):
        repeated[b"%d" % n]
        assert len(repeated) <= 11


def test_what_is_large_is_not_remembered() -> None:
    read, repeated = noting(max_bytes=1_000)
    for text in (b"often", b"x" * 500, b"often", b"x" * 500):
        repeated[text]
    assert read == [b"often", b"x" * 500, b"x" * 500]


def symlinks(count: int) -> bytes:
    names = [{"namespace": "n", "name": str(n)} for n in range(count)]
    facets = {"symlinks": {"identifiers": names}}
    return json.dumps({"namespace": "n", "name": "a", "facets": facets}).encode()


def test_names_count_for_more_than_their_text() -> None:
    """A dataset of 100 KB with 4,000 names takes 800 KB; one with 10,000 names is not cached."""
    for count in (4_000, 10_000):
        text = symlinks(count)
        assert len(entities.INPUTS.parse_at(text, "").aliases) == count
        assert (text in entities.INPUTS) == (count == 4_000)


def test_large_parsed_facets_are_not_cached() -> None:
    sources = [{"namespace": "n", "name": "a", "field": str(n)} for n in range(10_000)]
    facets = [
        json.dumps({"fields": {"x": {"inputFields": sources[:count]}}}).encode()
        for count in (10, 10_000)
    ]
    small, large = ([column_lineage(facet) for _ in range(2)] for facet in facets)
    assert small[0] is small[1]
    assert large[0] == large[1]
    assert large[0] is not large[1]


@pytest.mark.parametrize("spaces", [None, 1])
def test_events_of_equal_datasets_do_not_keep_their_texts(spaces: int | None) -> None:
    """Neither if an event is parsed by its fragments, nor if it is indented and parsed whole."""
    wide = dataset("wide", note={"text": "x" * 30_000})
    texts = [
        json.dumps(
            json.loads(run_event(f"r{n}", "START", n, writes=(wide,), note={"number": n})),
            indent=spaces,
        ).encode()
        for n in range(50)
    ]
    tracemalloc.start()
    try:
        events = [parse_event(bytes(bytearray(text))) for text in texts]
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(events) == 50
    assert kept < 10 * 30_000
