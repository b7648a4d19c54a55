"""Splitting of arrays with invalid events into their items."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.errors import InvalidEvent
from lineage.openlineage import array_items
from lineage.openlineage.array_items import TooManyItems, split_array

GOOD = b'{"a":"]},{\\"[","b":[1,{}]}'
WRONG = {
    "a constant": b'{"a":NaN}',
    "NUL": b'{"a":"\x00"}',
    "no UTF-8": b'{"a":"\xff"}',
    "half of a pair": b'{"a":"\xed\xa0\x80"}',
    "too deep": b"[" * 5000 + b"]" * 5000,
    "no value": b'{"a":}',
    "nothing": b"",
    "words": b"not JSON",
    "another bracket": b'{"a":]}',
    "a bracket left open": b'{"a":[1}',
    "an escape of nothing": b'{"a":"\\q"}',
    "a quote that is escaped": b'{"a":NaN,"b":"\\"},{"}',
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_what_is_wrong_with_one_ends_with_it(wrong: bytes) -> None:
    for items in ([wrong, GOOD], [GOOD, wrong], [GOOD, wrong, GOOD, wrong]):
        assert split_array(b" [" + b" ,\n".join(items) + b"] ", 9) == items


@given(st.recursive(
    st.none() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
))  # fmt: skip
def test_both_implementations_return_equal_items(value: object) -> None:
    array = [value, {"a": value}, [value]]
    text = json.dumps(array, indent=1).encode()
    slow = array_items._Splitter(text, 3).split_items()  # the path without a JSON parser
    assert slow == split_array(text, 3)
    assert [json.loads(item) for item in slow] == array


@pytest.mark.parametrize("text", [b"[]", b" [\n] "])
def test_an_array_may_be_empty(text: bytes) -> None:
    assert split_array(text, 1) == array_items._Splitter(text, 1).split_items() == []


NO_ARRAYS = [b"", b"{}", b"[", b"]", b'["]', b"[{]", b"[1] 2", b'[{"a":1]', b"[" * 100_000]


@pytest.mark.parametrize("text", NO_ARRAYS, ids=repr)
def test_what_is_no_array_is_rejected(text: bytes) -> None:
    with pytest.raises(InvalidEvent):
        split_array(text, 9)


@pytest.mark.parametrize("count", [3, 1_000_000])
def test_too_many_items_raise_before_they_are_created(count: int) -> None:
    start = time.process_time()
    with pytest.raises(TooManyItems):
        split_array(b"[" + b"0," * count + b"0]", 3)
    assert time.process_time() - start < 1


@pytest.mark.parametrize("item", [b"[[],", b'["a",', b'["\\n\\n",', b'["', b"[[]", b"[}"])
def test_no_text_takes_long(item: bytes) -> None:
    """Deeply nested text and unmatched brackets: no step may scan all open brackets."""
    start = time.process_time()
    with pytest.raises(InvalidEvent):
        split_array(b"[" + b"[" * 100_000 + item * 50_000 + b"]", 3)
    assert time.process_time() - start < 5
