"""Binary arrays: PostgreSQL returns the values of the list."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.properties import examples_in_one_database

from lineage.database import binary_arrays

if TYPE_CHECKING:
    import psycopg

MANY = examples_in_one_database(50)
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
TIME = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30), timezones=st.just(timezone.utc))
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


@pytest.mark.parametrize("item", [TIME, TIME | st.none()], ids=["times", "times or nulls"])
def test_times_are_decoded_as_microseconds_since_2000(
    conn: psycopg.Connection[Any], item: st.SearchStrategy[datetime | None]
) -> None:
    since = datetime(2000, 1, 1, tzinfo=timezone.utc)

    @MANY
    @given(st.lists(item, min_size=1))
    def check(times: list[datetime | None]) -> None:
        statement = "SELECT array_send(%s::timestamptz[])"
        ((sent,),) = conn.execute(statement, (times,), binary=True).fetchall()
        expected = [time and (time - since) // timedelta(microseconds=1) for time in times]
        assert binary_arrays.decode_optional_times(sent) == expected
        if None not in times:
            assert binary_arrays.decode_times(sent) == expected

    check()
