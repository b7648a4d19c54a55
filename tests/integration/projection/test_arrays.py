"""Binary arrays: PostgreSQL returns the values of the list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.properties import ONE_DATABASE

from lineage.database import binary_arrays

if TYPE_CHECKING:
    import psycopg

MANY = settings(ONE_DATABASE, max_examples=50)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBER = st.integers(-(2**63), 2**63 - 1)
KINDS = {
    "text": (binary_arrays.text_array, TEXT | st.none()),
    "bytea": (binary_arrays.bytea_array, st.binary()),
    "bigint": (binary_arrays.bigint_array, NUMBER),
    "bigint or null": (binary_arrays.optional_numbers, NUMBER | st.none()),
    "boolean": (binary_arrays.boolean_array, st.booleans()),
}


@pytest.mark.parametrize("type", KINDS)
def test_an_array_comes_back_as_the_list_it_was(conn: psycopg.Connection[Any], type: str) -> None:
    kind, item = KINDS[type]

    @MANY
    @given(st.lists(item))
    def check(values: list[Any]) -> None:
        said = conn.execute(f"SELECT %s::{type.split()[0]}[]", (kind(values),)).fetchall()
        assert said == [(values,)]

    check()
