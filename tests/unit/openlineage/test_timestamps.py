"""Times as normalized text."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from lineage.openlineage.timestamps import current_time, normalize_time, of_datetime

BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (datetime(2026, 1, 31, 6, 5, 4, tzinfo=timezone.utc), "2026-01-31T06:05:04.000000Z"),
        (datetime(2026, 1, 31, 0, 30, 0, 7, tzinfo=BERLIN), "2026-01-30T23:30:00.000007Z"),
        (datetime(2026, 1, 31, 6, 5, 4, 120_000), "2026-01-31T06:05:04.120000Z"),
    ],
)
def test_a_time_is_formatted_in_utc(time: datetime, text: str):
    assert of_datetime(time) == text


def test_the_current_time_is_normalized():
    time = current_time()
    assert normalize_time(time) == time
