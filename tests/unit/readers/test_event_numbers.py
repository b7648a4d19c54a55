"""Gaps in the numbers of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main

from lineage.readers.query_logs.event_numbers import EventNumbers

if TYPE_CHECKING:
    from pathlib import Path


def time_of(number: int) -> str:
    return f"2026-01-31T01:00:{number:02}.000000Z"


@given(st.lists(st.integers(0, 40), max_size=60))
def test_gaps_are_the_numbers_that_are_missing(numbers: list[int]) -> None:
    seen = EventNumbers()
    for number in numbers:
        seen.add_number(number, time_of(number))
    missing = set(range(min(numbers, default=0), max(numbers, default=0))) - set(numbers)
    gaps = list(seen.find_gaps())
    assert [n for gap in gaps for n in range(gap.first, gap.last + 1)] == sorted(missing)
    for gap in gaps:
        assert (gap.after, gap.before) == (time_of(gap.first - 1), time_of(gap.last + 1))


def test_numbers_that_begin_again_are_no_gap() -> None:
    """A server that starts again counts from 1, at a later time."""
    seen = EventNumbers()
    for number, time in ((500, "T1"), (501, "T2"), (1, "T3"), (2, "T4")):
        seen.add_number(number, time)
    assert list(seen.find_gaps()) == []


def test_an_import_reports_gaps_and_reads_the_rest(tmp_path: Path) -> None:
    file = tmp_path / "events.csv"
    header = "name,timestamp,batch_text,client_app_name,session_id,database_name,event_sequence\n"
    rows = [
        f"sql_batch_completed,{time_of(n)},INSERT INTO dbo.t{n} SELECT 1,{app},60,shop,{n}\n"
        for n, app in ((5, "python_task::load"), (6, "other"), (9, "python_task::load"))
    ]
    file.write_text(header + "".join(rows))
    arguments = ["import", "xevents", str(file), "--server", "sql1", "--events"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert "; 1 gap in the numbers of events (--unread lists them);" in result.stderr
    result = CliRunner().invoke(main, [*arguments, "--unread"])
    assert f"no events 7 to 8 between {time_of(6)} and {time_of(9)}.\n" in result.stderr
