"""Archived runs and what later runs are compared with: durations, intervals, rows, columns."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, run_event, schema

from lineage.errors import UsageError
from lineage.ingest.writer import write_events
from lineage.maintenance.archive import archive_months
from lineage.maintenance.archive_runs import archive_runs
from lineage.orchestration.sources import rank_sources
from lineage.projection.rebuild import rebuild_graph
from lineage.query import Graph
from lineage.query.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

FIRST = datetime(2025, 1, 6, tzinfo=UTC)
WEEKS = 30
ARCHIVED = "2025-07-01"  # 26 weeks have ended


def weekly(week: int, *, rows: int = 100, minutes: int = 10, **columns: str) -> list[str]:
    """Return the events of the run of a week."""
    began = FIRST + timedelta(weeks=week)
    output = dataset(
        "out", outputFacets={"outputStatistics": {"rowCount": rows}}, schema=schema(**columns)
    )
    texts = [run_event(f"run {week}", state, 1, "weekly", ("raw",), (output,))
             for state in ("START", "COMPLETE")]  # fmt: skip
    times = began, began + timedelta(minutes=minutes)
    return [
        json.dumps({**json.loads(text), "eventTime": time.isoformat()})
        for text, time in zip(texts, times, strict=True)
    ]


@pytest.fixture
def texts() -> list[str]:
    normal = [text for week in range(WEEKS - 1) for text in weekly(week, a="int")]
    return [*normal, *weekly(WEEKS - 1, rows=3, minutes=200, a="string")]


def archive(conn: Connection, lake: Path) -> int:
    return sum(file.runs for file in archive_runs(conn, ARCHIVED, str(lake)))


def comparisons(conn: Connection) -> list[Any]:
    """Return what the last run is compared with, and the job that is overdue after it."""
    graph = Graph.over(conn)
    overdue = graph.overdue_jobs("2025-08-15")
    return [
        [(cause.kind, cause.reason) for cause in graph.root_cause(f"run {WEEKS - 1}").causes],
        [(each.job.name, each.expected_by, each.median, each.intervals) for each in overdue.jobs],
        [
            (each.run, each.expected, [(rows.rows, rows.expected) for rows in each.outputs])
            for each in graph.job_history("weekly", 4).runs
        ],
    ]


def test_the_runs_that_later_ones_are_compared_with_stay(
    conn: Connection, tmp_path: Path, texts: list[str]
) -> None:
    write_events(conn, texts)
    before = comparisons(conn)
    assert [kind for kind, _ in before[0]] == ["took long", "few rows", "other columns"]
    assert [(name, count) for name, _, _, count in before[1]] == [("weekly", 20)]
    assert archive(conn, tmp_path) == 5  # of 26, without the last 21
    assert comparisons(conn) == before
    rebuild_graph(conn)
    assert comparisons(conn) == before


def test_completed_runs_before_failed_ones_are_not_archived(
    conn: Connection, tmp_path: Path
) -> None:
    """The last 21 runs before the archived time have failed."""
    completed = [text for week in range(26) for text in weekly(week, a="int")]
    hours = [FIRST + timedelta(weeks=25, hours=hour) for hour in range(1, 22)]
    failed = [
        {**json.loads(run_event(f"failed {at}", "FAIL", 1, "weekly")), "eventTime": at.isoformat()}
        for at in hours
    ]
    late = weekly(28, rows=3, minutes=200, a="int")
    write_events(conn, [*completed, *map(json.dumps, failed), *late])
    causes = Graph.over(conn).root_cause("run 28").causes
    assert [cause.kind for cause in causes] == ["took long", "few rows"]
    assert archive(conn, tmp_path) == 5
    assert Graph.over(conn).root_cause("run 28").causes == causes


def test_answers_name_the_archive_if_compared_runs_may_be_in_it(
    conn: Connection, dsn: str, tmp_path: Path, texts: list[str]
) -> None:
    write_events(conn, texts)
    archive(conn, tmp_path)
    graph = Graph.over(conn)
    assert graph.root_cause(f"run {WEEKS - 1}").archive is None
    assert graph.job_history("weekly", 4).archive is None
    archives = [graph.root_cause("run 20").archive, graph.job_history("weekly", 5).archive]
    archives.append(graph.job_history("weekly", 100).archive)
    assert [each and each.lakes for each in archives] == [(str(tmp_path),)] * 3
    stderr = CliRunner().invoke(main, ["root-cause", "run 20", "--dsn", dsn]).stderr
    assert "Runs from before 2025-07-01 are archived." in stderr


def test_what_was_overdue_before_the_archived_time_is_rejected(
    conn: Connection, tmp_path: Path, texts: list[str]
) -> None:
    write_events(conn, texts)
    archive(conn, tmp_path)
    with pytest.raises(UsageError, match="runs from before 2025-07-01 are archived"):
        Graph.over(conn).overdue_jobs("2025-06-30")


def test_counted_reads_name_the_archive_if_its_runs_would_count(
    conn: Connection, dsn: str, tmp_path: Path, texts: list[str]
) -> None:
    write_events(conn, texts)
    archive(conn, tmp_path)
    with Session(dsn) as session:
        named = [rank_sources(session, since=since).archive for since in ("2025-01-01", ARCHIVED)]
    assert [each and each.lakes for each in named] == [(str(tmp_path),), None]
    stderr = CliRunner().invoke(main, ["sources", "--since", "2025-01-01", "--dsn", dsn]).stderr
    assert stderr.startswith("Runs from before 2025-07-01 are archived.")


def test_columns_that_are_not_compared_for_lack_of_events_are_reported(
    conn: Connection, dsn: str, tmp_path: Path, texts: list[str]
) -> None:
    write_events(conn, texts)
    assert Graph.over(conn).root_cause(f"run {WEEKS - 1}").unlogged == 0
    for _ in archive_months(conn, "2025-08", str(tmp_path)):
        pass
    assert Graph.over(conn).root_cause(f"run {WEEKS - 1}").unlogged == 1
    stderr = CliRunner().invoke(main, ["root-cause", f"run {WEEKS - 1}", "--dsn", dsn]).stderr
    assert stderr == (
        "The columns of 1 write are not compared: the log has no events of the runs.\n"
    )
