"""What was read is remembered, up to a limit."""

from __future__ import annotations

import re

import pytest

from lineage.errors import InvalidEvent
from lineage.openlineage.repeated import Repeated


def noting(most_bytes: int = 1 << 20) -> tuple[list[bytes], Repeated[object]]:
    """What notes each text that it reads, and its notes."""
    notes: list[bytes] = []

    def read(text: bytes, path: str) -> object:
        notes.append(text)
        return object()

    return notes, Repeated(read, most_bytes)


def test_a_text_is_read_once() -> None:
    read, repeated = noting()
    found = repeated[b"a"]
    assert repeated[b"a"] is repeated.at(b"a", "job") is found
    assert read == [b"a"]


def test_errors_are_told_with_their_place_and_not_remembered() -> None:
    def read(text: bytes, path: str) -> None:
        raise InvalidEvent(f"{path}: {text.decode()}")

    repeated = Repeated(read)
    for path in ("job", "inputs[0]"):
        with pytest.raises(InvalidEvent, match=re.escape(f"{path}: x")):
            repeated.at(b"x", path)
    assert not repeated


def test_what_was_not_met_lately_is_forgotten() -> None:
    read, repeated = noting(most_bytes=1_000)
    for n in range(500):
        repeated[b"%0100d" % n]
        repeated[b"often"]
        assert sum(map(len, repeated)) <= 1_200
    assert read.count(b"often") == 1
    assert len(read) == 501
    repeated[b"%0100d" % 0]
    assert len(read) == 502
