"""Values that jsonb cannot store: they are replaced or rejected; others are unchanged."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lineage.errors import InvalidEvent
from lineage.openlineage.jsonb import find_lost, replace_unstorable

TOO_LARGE = [
    "1e99999999999999999999",
    "-1.50E+000099999",
    "1e-16384",
    "0.1E-00099999",
    "9" * 200_000,
    f"0.{'3' * 20_000}",
]


@pytest.mark.parametrize("number", [*TOO_LARGE, "NaN", "Infinity", "-Infinity"], ids=str.__len__)
@pytest.mark.parametrize(
    ("text", "path"), [('{{"a": {}}}', "a"), ('{{"a": [1, {}]}}', "a[1]"), ('{{"a": {} }}', "a")]
)
def test_numbers_that_cannot_be_stored_are_null(text: str, path: str, number: str) -> None:
    given = text.format(number).encode()
    assert json.loads(replace_unstorable(given)) == json.loads(text.format("null"))
    assert find_lost(given, 9) == [path]


def test_words_that_look_like_such_numbers_stay() -> None:
    text = b'{"NaN": "Infinity", "a": 1}'
    assert replace_unstorable(text) == text
    assert find_lost(text, 9) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1e999, "b": -1.5E-300, "c": 1.5E+0000000000001}',
        '{"sha256": "0e000001", "id": "00e00000-0e00000a"}',
        '{"a": "' + "7" * 10_000 + '"}',
        json.dumps({"a": [[n] for n in range(5_000)]}),
    ],
)
def test_what_can_be_stored_stays_as_it_is(text: str) -> None:
    assert replace_unstorable(text.encode()) == text.encode()


def test_characters_are_replaced_and_all_else_keeps_its_value() -> None:
    text = r'{"a\u0000": ["\ud800x", "\ud83e\ude91", 123456789012345678901234567890, 0.10, true]}'
    assert replace_unstorable(text.encode()).decode() == (
        '{"a\ufffd":["\ufffdx","\U0001fa91",123456789012345678901234567890,0.10,true]}'
    )


@pytest.mark.parametrize("opened", ["[", '{"a":'])
def test_what_is_nested_too_deeply_is_rejected(opened: str) -> None:
    closed = "]" if opened == "[" else "}"
    with pytest.raises(InvalidEvent, match="nested too deeply"):
        replace_unstorable((opened * 3_000 + "1" + closed * 3_000).encode())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)  # fmt: skip


@example("\udc00")  # an unpaired low surrogate
@given(json_values)
def test_only_what_cannot_be_stored_changes(value: Any) -> None:
    assert json.loads(replace_unstorable(json.dumps(value).encode())) == _stored(value)


def _stored(value: Any) -> Any:
    if isinstance(value, str):
        return "".join("\ufffd" if c == "\0" or "\ud800" <= c <= "\udfff" else c for c in value)
    if isinstance(value, list):
        return [_stored(item) for item in value]
    if isinstance(value, dict):
        return {_stored(key): _stored(item) for key, item in value.items()}
    return value
