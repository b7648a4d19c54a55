"""CSV output: any parser returns the written values."""

from __future__ import annotations

import csv
import io
import json

from hypothesis import given
from hypothesis import strategies as st
from lineage_cli.output.render import csv_text

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ['a"b', "a,b", "a\r\nb", "a\nb", "=1+1", "+1", "-1", "@x", " a ", "", '"']
)


@given(st.lists(st.fixed_dictionaries({"a": texts, "b, c": texts}), max_size=5))
def test_texts_arrive_as_they_are(rows: list[dict[str, str]]) -> None:
    text = csv_text(rows, ["a", "b, c"])
    assert list(csv.DictReader(io.StringIO(text, newline=""))) == rows


def test_lines_end_as_rfc_4180_has_it() -> None:
    assert csv_text([{"a": 1}], ["a"]) == "a\r\n1\r\n"


def test_other_values_are_json_and_none_is_empty() -> None:
    row = {"a": None, "b": True, "c": ["x", 1], "d": {"ö": "y"}, "e": 1.5}
    [header, read] = csv.reader(io.StringIO(csv_text([row], []), newline=""))
    assert header == ["a", "b", "c", "d", "e"]
    assert read == ["", "true", json.dumps(["x", 1]), '{"ö": "y"}', "1.5"]


def test_without_rows_there_is_a_header() -> None:
    assert csv_text([], ["a", "b"]) == "a,b\r\n"
