"""Timestamps as parameters of queries."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from lineage.errors import UsageError
from lineage.query.time_arguments import parse_time, time_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def _in_kolkata(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # 5:30 ahead of UTC, without daylight saving time
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_in_kolkata")
@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("2026-01-31", "2026-01-30T18:30:00.000000Z"),
        ("2026-01-31 12:00:00", "2026-01-31T06:30:00.000000Z"),
        ("2026-01-31T12:00", "2026-01-31T06:30:00.000000Z"),
        ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00.000000Z"),
        ("2026-01-31T12:00:00+02:00", "2026-01-31T10:00:00.000000Z"),
        ("2026-01-31T12:00:00-0200", "2026-01-31T14:00:00.000000Z"),
        ("2026-01-31 12:00:00.5+02", "2026-01-31T10:00:00.500000Z"),
    ],
)
def test_without_an_offset_it_is_of_the_zone_of_the_machine(asked: str, meant: str) -> None:
    assert parse_time(asked) == meant


@pytest.mark.usefixtures("_in_kolkata")
@pytest.mark.parametrize(
    "asked",
    ["0001-01-01", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "0000-01-01",
     "10000-01-01", "2026-02-30", "yesterday", "", "2026-01-31T25:00:00", "infinity"],
)  # fmt: skip
def test_what_is_no_time_is_reported(asked: str) -> None:
    with pytest.raises(UsageError, match="The time"):
        time_of(asked)


@pytest.fixture
def _in_havana(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # Clocks go from 0:00 to 1:00 on 2026-03-08, and from 1:00 back to 0:00 on 2026-11-01. The
    # rules are explicit, because those of the system's time zones may change.
    monkeypatch.setenv("TZ", "CST5CDT,M3.2.0/0,M11.1.0/1")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("_in_havana")
def test_a_date_begins_where_midnight_is_skipped_or_comes_twice():
    assert parse_time("2026-03-08") == "2026-03-08T05:00:00.000000Z"
    assert parse_time("2026-11-01") == "2026-11-01T04:00:00.000000Z"


@pytest.mark.usefixtures("_in_havana")
def test_a_time_that_clocks_skip_or_show_twice_needs_an_offset():
    with pytest.raises(ValueError, match="is skipped by the clocks of this machine's time zone"):
        parse_time("2026-03-08T00:30")
    with pytest.raises(ValueError, match="occurs twice in this machine's time zone"):
        parse_time("2026-11-01 00:30:00")
    assert parse_time("2026-11-01T00:30:00-05:00") == "2026-11-01T05:30:00.000000Z"
    assert parse_time("2026-03-08T01:00") == "2026-03-08T05:00:00.000000Z"
    assert parse_time("2026-11-01T01:00") == "2026-11-01T06:00:00.000000Z"
