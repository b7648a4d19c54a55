"""Answers that lack archived runs name the archive."""

from __future__ import annotations

import contextlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main
from mcp import Client
from support.coroutines import run_coroutine
from support.events.builders import dataset, run_event

from lineage.database.read_pool import ReadPool
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.maintenance.status import read_status
from lineage.mcp.server import create_server
from lineage.projection import archived_runs
from lineage.projection.rebuild import rebuild_graph
from lineage.query import Graph
from lineage.query.archive import RunArchive

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import psycopg
    from click.testing import Result

    Connection = psycopg.Connection[Any]

LATER = "2025-07-01"
CHECKS = {"dataQualityAssertions": {"assertions": [{"assertion": "unique", "success": False}]}}


def run(run_id: str, month: int, job: str, *args: Any) -> str:
    event = json.loads(run_event(run_id, "COMPLETE", 0, job, *args))
    return json.dumps({**event, "eventTime": datetime(2025, month, 1, tzinfo=UTC).isoformat()})


# Of the checks of "day", that of month 1 is archived; its reader of month 2 remains.
EVENTS = [
    run("load-5", 5, "load", (), ("raw",)),
    *(run(f"check-{m}", m, "check", (dataset("day", inputFacets=CHECKS),)) for m in (5, 7)),
    run("first-check", 1, "check", (dataset("day", inputFacets=CHECKS),)),
    run("read-2", 2, "read", ("day",), ("total",)),
    run("app-2", 2, "app", ("raw",), ("day",)),
    run("task-2", 2, "task", ("raw",), ("x",), ("app-2", "app")),
    run("task-5", 5, "task", ("raw",), ("x",), ("app-2", "app")),
    run("read-7", 7, "other", ("day",), ("total",)),
]


@pytest.fixture
def known(conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunArchive:
    """Archive what no later answer needs, and return the archive."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, EVENTS)
    assert sum(file.runs for file in archive_runs(conn, LATER, str(tmp_path))) == 2
    return RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),))


def invoke(dsn: str, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--dsn", dsn])


def note_of(known: RunArchive) -> str:
    return f"Runs from before {LATER} are archived. Show them: {known.list_command()}\n"


def test_the_checks_of_a_run_from_before_the_time_name_the_archive(
    conn: Connection, dsn: str, known: RunArchive
) -> None:
    graph = Graph.over(conn)
    old = graph.run_quality("read-2")
    assert (old.passed, old.failed, old.archive) == (0, 0, known)
    new = graph.run_quality("read-7")
    assert (new.failed, new.archive) == (1, None)
    assert invoke(dsn, "quality", "run", "read-2").stderr == note_of(known)
    assert invoke(dsn, "quality", "run", "read-7").stderr == ""


def test_the_details_of_a_run_from_before_the_time_name_the_archive(
    conn: Connection, dsn: str, known: RunArchive
) -> None:
    graph = Graph.over(conn)
    assert (graph.run("app-2").children, graph.run("app-2").archive) == (("task-5",), known)
    assert graph.run("read-7").archive is None
    assert invoke(dsn, "show", "app-2").stderr == note_of(known)
    assert invoke(dsn, "show", "read-7").stderr == invoke(dsn, "show", "day").stderr == ""


def test_the_beginning_of_the_id_of_an_archived_run_names_the_run(
    conn: Connection, dsn: str, known: RunArchive
) -> None:
    for words in (["show", "first-"], ["show", "first-check"], ["query", "run", "first-"]):
        assert "Run first-check is archived." in invoke(dsn, *words).stderr
    assert "run         task-5\n" in invoke(dsn, "show", "task-").stdout  # the one in the graph
    graph = Graph.over(conn)
    with pytest.raises(NotFound, match="Run first-check is archived") as missing:
        graph.run("first-")
    assert str(missing.value.hint) == f"Show it: {known.list_command('--run', 'first-check')}"
    with pytest.raises(NotFound, match='No run has the id "nothing"'):
        graph.run("nothing")


def test_cypher_over_runs_names_the_archive(dsn: str, known: RunArchive) -> None:
    note = note_of(known)
    for words, reported in (
        (["cypher", "MATCH (r:Run) RETURN count(r) AS runs"], note),
        (["cypher", "MATCH ()-[e:INPUT_TO|OUTPUTS]->() RETURN count(e) AS accesses"], note),
        (["cypher", "MATCH (a)-[:FEEDS]->(b) WHERE a.name <> 'Run' RETURN b.name AS b"], ""),
        (["queries", "run", "last_runs"], note),
        (["queries", "run", "tagged", "tag=pii"], "No rows.\n"),
    ):
        done = invoke(dsn, *words)
        assert (done.exit_code, done.stderr) == (0, reported), words


def test_the_tools_name_the_archive(conn: Connection, dsn: str, known: RunArchive) -> None:
    calls: list[tuple[str, dict[str, Any], bool]] = [
        ("dataset_lineage_at", {"dataset": "total"}, True),
        ("run_lineage", {"run": "read-7"}, True),
        ("impact", {"dataset": "day"}, True),
        ("quality", {"run": "read-2"}, True),
        ("cypher", {"query": "MATCH (r:Run) RETURN count(r) AS runs"}, True),
        ("cypher", {"query": "MATCH (d:Dataset) RETURN count(d) AS datasets"}, False),
        ("quality", {"run": "read-7"}, False),
    ]

    async def ask() -> None:
        server = create_server(readers, remote=False)
        async with Client(server) as client:
            for tool, arguments, is_named in calls:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                before = result.structured_content.get("runs_archived_before")
                assert before == (known.before if is_named else None), tool

    with contextlib.closing(ReadPool(dsn)) as readers:
        run_coroutine(ask())


def overwritten(name: str) -> dict[str, Any]:
    return dataset(name, outputFacets={"lineage_write": {"mode": "overwrite"}})


def chained() -> Iterator[str]:
    """Yield the events of four tables, each made monthly of the previous version of another."""
    for month in range(1, 9):
        for table in (4, 3, 2, 1):
            names = (f"t{table - 1}",), (overwritten(f"t{table}"),)
            event = json.loads(run_event(f"{month}-{table}", "COMPLETE", 0, f"job{table}", *names))
            time = datetime(2025, month, 5 - table, tzinfo=UTC).isoformat()
            yield json.dumps({**event, "eventTime": time})


@pytest.fixture
def chain(conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunArchive:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, list(chained()))
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    return RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),))


def test_a_diff_does_not_add_what_archived_runs_may_have_shown(
    conn: Connection, dsn: str, chain: RunArchive
) -> None:
    diff = Graph.over(conn).dataset_diff("t4", "2025-07-01T12:00:00Z", "2025-08-15T00:00:00Z")
    assert [(each.change, each.dataset.name) for each in diff.datasets] == [("unknown", "t1")]
    assert [(each.change, each.job.name) for each in diff.jobs] == [("unknown", "job2")]
    assert diff.archive == chain
    words = ("diff", "dataset", "t4", "--start", diff.start, "--end", diff.end)
    result = invoke(dsn, *words)
    assert "? s3://lake/t1" in result.stdout
    assert result.stderr == note_of(chain)


def test_a_dataset_is_added_if_no_run_of_the_earlier_time_is_archived(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, [
        *(run(f"load-{m}", m, "load", (), (overwritten("new"),)) for m in (3, 4, 7)),
        *(run(f"clean-{m}", m, "clean", ("raw",), (overwritten("gold"),)) for m in (5, 7)),
        run("clean-9", 9, "clean", ("raw", "new"), (overwritten("gold"),)),
    ])  # fmt: skip
    assert list(archive_runs(conn, "2025-06-01", str(tmp_path)))
    diff = Graph.over(conn).dataset_diff("gold", "2025-08-01T00:00:00Z", "2025-10-01T00:00:00Z")
    assert [(each.change, each.dataset.name) for each in diff.datasets] == [("added", "new")]
    assert diff.archive is None


def test_the_diff_of_two_runs_and_the_order_of_jobs_name_the_archive(
    conn: Connection, dsn: str, chain: RunArchive
) -> None:
    assert Graph.over(conn).run_diff("7-4", "8-4").archive == chain
    assert invoke(dsn, "plan", "--since", "2025-01-01").stderr == note_of(chain)
    assert invoke(dsn, "plan", "--since", "2025-07-01").stderr == ""


@pytest.mark.parametrize("month", [5, 9])
def test_a_later_run_of_an_archived_parent_leaves_the_parent_archived(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, month: int
) -> None:
    """A task of an old run of a DAG is cleared, or its events are late. A rebuild has both."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, [
        event
        for m in range(1, 7)
        for event in (
            run(f"dag-{m}", m, "dag"),
            run(f"task-{m}", m, "dag.task", ("raw",), (overwritten("day"),), (f"dag-{m}", "dag")),
        )
    ])  # fmt: skip
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    graph = Graph.over(conn)
    again = ("again", month, "dag.task", ("raw",), (overwritten("day"),), ("dag-2", "dag"))
    write_events(conn, [run(*again)])
    with pytest.raises(NotFound, match="dag-2 is archived"):
        graph.run("dag-2")
    assert graph.run("again").parents == ()
    status = read_status(conn).archive
    assert status is not None
    assert status.late_events == 1
    rebuild_graph(conn)
    assert list(graph.run("again").parents) == ["dag-2"]
    assert graph.run("dag-2").run.state == "COMPLETE"


def versioned(name: str, version: int, **facets: Any) -> dict[str, Any]:
    return dataset(name, version={"datasetVersion": str(version)}, **facets)


def backtests(first: int, second: int) -> list[str]:
    """Return monthly versions of prices, whose source changes, and two reads of versions.

    The reads are of July and September. Of the versions, one was written in each month.
    """
    mode = {"lineage_write": {"mode": "overwrite"}}
    return [
        *(run(f"load-{m}", m, "load-v1" if m < 4 else "load-v2", ("v1" if m < 4 else "v2",),
              (versioned("prices", m, outputFacets=mode),)) for m in range(1, 7)),
        run("backtest-7", 7, "backtest", (versioned("prices", first),), (overwritten("result"),)),
        run("backtest-9", 9, "backtest", (versioned("prices", second),), (overwritten("result"),)),
    ]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "before", "after"), [
    # The last version before the archive stays in the graph.
    (2, 6, {"added": {"v2", "load-v2"}, "removed": {"v1", "load-v1"}}, {"v2", "load-v2"}),
    (6, 2, {"added": {"v1", "load-v1"}, "removed": {"v2", "load-v2"}}, {"v2", "load-v2"}),
])  # fmt: skip
def test_a_diff_of_reads_of_archived_versions_is_unknown(
    conn: Connection,
    dsn: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    first: int,
    second: int,
    before: dict[str, set[str]],
    after: set[str],
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, backtests(first, second))
    times = ("2025-08-01T00:00:00Z", "2025-10-01T00:00:00Z")
    assert changes_of(conn, *times) == before
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    assert changes_of(conn, *times) == {"unknown": after}
    result = invoke(dsn, "diff", "dataset", "result", "--start", times[0], "--end", times[1])
    assert result.stderr == note_of(RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),)))


def changes_of(conn: Connection, start: str, end: str) -> dict[str, set[str]]:
    """Return the names of the datasets and jobs with each kind of change of the result."""
    diff = Graph.over(conn).dataset_diff("result", start, end)
    changes: dict[str, set[str]] = {}
    for dataset_change in diff.datasets:
        changes.setdefault(dataset_change.change, set()).add(dataset_change.dataset.name)
    for job_change in diff.jobs:
        changes.setdefault(job_change.change, set()).add(job_change.job.name)
    return changes


def test_a_diff_of_rows_that_were_read_before_the_archive_is_unknown(
    conn: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An application that runs over the end of the month reads cached rows of the month before."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    cached = dataset("prices", inputFacets={"lineage_read_time": {"time": "2025-06-15T00:00:00Z"}})
    write_events(conn, [
        *(run(f"load-{m}", m, "load", ("raw",), (overwritten("prices"),)) for m in (5, 6, 8)),
        run("report-7", 7, "report", (cached,), (overwritten("result"),)),
        run("report-9", 9, "report", ("prices",), (overwritten("result"),)),
    ])  # fmt: skip
    times = ("2025-07-15T00:00:00Z", "2025-10-01T00:00:00Z")
    assert changes_of(conn, *times) == {}
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    assert changes_of(conn, *times) == {"unknown": {"raw", "load"}}


def test_a_diff_is_certain_of_what_does_not_feed_the_reads_of_archived_runs(
    conn: Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A static table was loaded before the archive; after it, the source of a mart changes.

    An archived run may have written what the load read, but nothing of that is a source.
    """
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    sources = {2: "v2", 3: "v2", 4: "v1", 5: "v1", 6: "v1", 7: "v1", 9: "v2"}
    write_events(conn, [
        run("load-1", 1, "load", ("countries",), (overwritten("static"),)),
        *(run(f"ingest-{m}", m, "ingest", (), (overwritten(s),)) for m, s in sources.items()),
        *(run(f"mart-{m}", m, "mart", (s, "static"), (overwritten("result"),))
          for m, s in sources.items()),
    ])  # fmt: skip
    times = ("2025-08-01T00:00:00Z", "2025-10-01T00:00:00Z")
    certain = {"added": {"v2"}, "removed": {"v1"}}
    assert changes_of(conn, *times) == certain
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    assert changes_of(conn, *times) == certain
    result = invoke(dsn, "diff", "dataset", "result", "--start", times[0], "--end", times[1])
    assert result.stderr == note_of(RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),)))


def test_causes_name_the_archive_if_a_run_read_an_archived_version(
    conn: Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, backtests(2, 6))
    assert list(archive_runs(conn, LATER, str(tmp_path)))
    graph = Graph.over(conn)
    known = RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),))
    assert graph.root_cause("backtest-7").archive == known
    assert invoke(dsn, "root-cause", "backtest-7").stderr == note_of(known)
    # Its previous runs are archived.
    assert graph.root_cause("backtest-9").archive == known
    assert graph.root_cause("backtest-7", 0).archive is None
