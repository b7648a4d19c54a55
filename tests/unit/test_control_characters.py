"""Escaping of control characters: visible text is unchanged."""

from __future__ import annotations

import json
import logging
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.control_characters import escape_controls, escape_json
from lineage.logs import EscapingFormatter

# Unicode's Bidi_Control (PropList.txt).
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def obeyed() -> str:
    """Return all control characters, line ends, surrogates, and bidirectional controls."""
    every = map(chr, range(sys.maxunicode + 1))
    return BIDI + "".join(c for c in every if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp"))


def test_each_control_character_is_escaped() -> None:
    for character in obeyed():
        shown = escape_controls(f"a{character}b")
        assert shown.isprintable(), repr(character)
        assert shown.startswith("a\\")
        assert shown.endswith("b")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("one\ntwo\r\tthree", "one\\ntwo\\r\\tthree"),
        ("\x9b2J", "\\x9b2J"),
        ("gold/\u202eeunever", "gold/\\u202eeunever"),
        ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_escapes(text: str, shown: str) -> None:
    assert escape_controls(text) == shown


@pytest.mark.parametrize(
    "text",
    ["s3://lake/gold", "Zürich/東京/🦆", "نوروز", "👩\u200d🔬", "a\u00a0b", "back\\slash", ""],
)
def test_readable_text_stays(text: str) -> None:
    assert escape_controls(text) == text
    assert escape_json(text) == text


def test_line_breaks_of_a_text_remain_on_request() -> None:
    assert escape_controls("a\n\tb\x1b", keep="\n\t") == "a\n\tb\\x1b"


@given(st.text())
def test_json_has_the_same_values(text: str) -> None:
    document = json.dumps({text: [text]}, ensure_ascii=False, indent=2)
    shown = escape_json(document)
    assert json.loads(shown) == json.loads(document)
    assert all(line.isascii() or escape_controls(line) == line for line in shown.split("\n"))


def test_json_shows_halves_of_pairs_and_tags() -> None:
    assert escape_json('"\ud800\U000e0041\x7f"') == '"\\ud800\\udb40\\udc41\\u007f"'


def test_a_message_is_one_record_of_a_log() -> None:
    try:
        raise ValueError("bad\n2026-01-01 INFO forged\x1b[2J")
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "", 1, "%s", ("a\nb\x1b",), sys.exc_info())
    lines = EscapingFormatter("%(levelname)s %(message)s").format(record).split("\n")
    assert lines[0] == "ERROR a\\nb\\x1b"
    assert all(line.startswith("  ") for line in lines[1:])
    assert lines[-1] == "  2026-01-01 INFO forged\\x1b[2J"
