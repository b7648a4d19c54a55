"""Schemas at a time of which events have left the log: known, or reported as not known."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, dataset_event, run_event, schema

from lineage.ingest.writer import write_events
from lineage.maintenance.archive import archive_months
from lineage.query import Graph

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from lineage.query.dataset_diff_records import SchemaChange

    Connection = psycopg.Connection[Any]


def at_month(month: int, event: str) -> str:
    return json.dumps({**json.loads(event), "eventTime": f"2025-{month:02}-10T00:00:00Z"})


def wrote(month: int, run: str | None = None, state: str = "COMPLETE", **columns: str) -> str:
    """Return an event of a run that wrote "s" with these columns, or with none reported."""
    facets = {"schema": schema(**columns)} if columns else {}
    output = dataset("s", **facets)
    return at_month(month, run_event(run or f"run {month}", state, 1, "w", ("raw",), (output,)))


def archive(conn: Connection, lake: Path, before: int) -> None:
    for _ in archive_months(conn, f"2025-{before:02}", str(lake)):
        pass


def fold(conn: Connection, lake: Path, texts: list[str]) -> None:
    """Bring events into the graph as a fold does: from files of a lake, and not into the log."""
    write_events(conn, texts)
    archive(conn, lake, 12)
    conn.execute("DELETE FROM lineage.retention")


def schema_changes(conn: Connection, start: int, end: int) -> list[Any]:
    """Return what differs between the middle of two months: column changes, or what is known."""
    found = Graph.over(conn).dataset_diff("s", f"2025-{start:02}-15", f"2025-{end:02}-15")
    return [_changes_of(change) for change in found.schemas]


def _changes_of(change: SchemaChange) -> Any:
    known = change.before_known, change.after_known
    if known != (True, True):
        return known
    return {(each.name, each.before, each.after) for each in change.columns}


MONTHS = [
    wrote(1, a="int", b="int"),
    wrote(2, a="int", c="int"),
    wrote(3, a="string", c="int"),
    wrote(4, a="string", c="int", d="int"),
    wrote(5, a="string", c="int", d="int"),
]


@pytest.mark.parametrize(
    ("start", "end", "changes"),
    [
        (1, 2, [(False, False)]),
        (1, 4, [(False, True)]),
        (2, 6, [(False, True)]),
        (4, 6, []),
        (5, 6, []),
    ],
)
@pytest.mark.parametrize("way", ["archived", "folded"])
def test_a_schema_whose_event_left_the_log_is_not_known(
    conn: Connection, tmp_path: Path, way: str, start: int, end: int, changes: list[Any]
) -> None:
    if way == "folded":
        fold(conn, tmp_path, MONTHS[:3])
        write_events(conn, MONTHS[3:])
    else:
        write_events(conn, MONTHS)
        archive(conn, tmp_path, 4)
    assert schema_changes(conn, start, end) == changes


def test_an_older_event_of_the_log_does_not_stand_for_a_newer_one_that_left_it(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, MONTHS[:3])
    archive(conn, tmp_path, 4)
    write_events(conn, [at_month(1, wrote(1, "other", x="int")), MONTHS[3]])
    assert schema_changes(conn, 2, 4) == [(False, True)]


def test_events_of_the_log_that_are_newer_than_those_that_left_it_are_used(
    conn: Connection, tmp_path: Path
) -> None:
    fold(conn, tmp_path, [MONTHS[0], wrote(6, "unrelated")])
    write_events(conn, MONTHS[1:4])
    assert schema_changes(conn, 2, 3) == [{("a", "int", "string")}]
    assert schema_changes(conn, 1, 3) == [(False, True)]


@pytest.mark.parametrize(
    ("logged", "known"),
    [(wrote(3, "long", state="RUNNING"), False), (wrote(3, "long", a="int"), True)],
)
def test_of_a_run_that_began_before_the_log_the_logged_events_count(
    conn: Connection, tmp_path: Path, logged: str, known: bool
) -> None:
    write_events(conn, [wrote(1, "long", "START", a="int", b="int")])
    archive(conn, tmp_path, 3)
    write_events(conn, [logged, wrote(5, z="int")])
    assert schema_changes(conn, 4, 5)[0] == (
        {("a", "int", None), ("z", None, "int")} if known else (False, True)
    )


def test_a_schema_of_an_event_without_a_run_is_not_known_when_it_left_the_log(
    conn: Connection, tmp_path: Path
) -> None:
    described = [
        at_month(month, dataset_event(1, dataset("s", schema=schema(**{f"c{month}": "int"}))))
        for month in (1, 2, 3)
    ]
    fold(conn, tmp_path, described)
    assert schema_changes(conn, 1, 2) == [(False, False)]


def test_the_command_reports_a_schema_that_is_not_known_and_why(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    fold(conn, tmp_path, MONTHS[:3])
    words = ["diff", "dataset", "s", "--start", "2025-01-15", "--end", "2025-02-15", "--dsn", dsn]
    lines = CliRunner().invoke(main, words).stdout.splitlines()
    assert lines[-3:-1] == [
        "  ? s3://lake/s  columns at the earlier time and the later time not known",
        "The log has all events from 2025-04-01 00:00:00Z on; earlier schemas may not be known.",
    ]
