"""Archived runs: summaries and answers about later times stay as they were."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main
from support.events.builders import dataset, derived, fed, run_event
from support.events.months import by_its_second, first_of
from support.events.views import VIEW
from support.properties import examples_in_one_database
from support.reference.graph import clear, expected, stored

from lineage.errors import LakeError, NotFound, QueryError, UsageError
from lineage.eventlog.run_files import AccessFilter, RunFile, read_accesses
from lineage.ingest.writer import write_events
from lineage.maintenance.archive import archive_months
from lineage.maintenance.archive_runs import archive_runs
from lineage.maintenance.status import ArchiveStatus, read_status
from lineage.projection import archived_runs
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph
from lineage.query.archive import RunArchive

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg
    from click.testing import Result

    Connection = psycopg.Connection[Any]

OVERWRITE = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
LATER = "2025-07-01"
# Vertices and edges that do not belong to single runs.
SUMMARIES = ("Dataset", "Job", "Field", "HAS_FIELD", "FEEDS", "DERIVES")


@pytest.fixture(autouse=True)
def _no_previous_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Archive runs that later ones are compared with, too: the jobs of these tests have few."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)


def run(run_id: str, month: int, *args: Any, state: str = "COMPLETE", **facets: Any) -> str:
    return by_its_second(run_event(run_id, state, month - 1, *args, **facets))


def archive(conn: Connection, lake: Path, before: str = LATER) -> list[RunFile]:
    return list(archive_runs(conn, before, str(lake)))


def runs_in_graph(conn: Connection) -> set[str]:
    rows = conn.execute("SELECT run_id FROM lineage.run WHERE last_seen IS NOT NULL")
    return {run_id for (run_id,) in rows}


def summaries(conn: Connection) -> dict[Any, Any]:
    return {key: value for key, value in stored(conn).items() if key[0] in SUMMARIES}


def traces(conn: Connection) -> list[Any]:
    """Return all traces of datasets, columns and jobs."""
    graph = Graph.over(conn)
    found: list[Any] = []
    for each in graph.datasets(limit=None):
        found.append(graph.dataset_lineage(each.full_name, "both"))
        found += [graph.job_lineage(each.full_name, to) for to in ("upstream", "downstream")]
        found += [
            graph.column_lineage(each.full_name, column.name)
            for column in graph.dataset_columns(each.full_name, limit=None).columns
        ]
    for job in graph.jobs(limit=None):
        found += [graph.job_lineage(job.full_name, to) for to in ("upstream", "downstream")]
    return found


def links_of_runs(conn: Connection) -> set[tuple[Any, ...]]:
    """Return the writes that each read of a run saw, and those visible in each later month."""
    return {
        *conn.execute(
            "SELECT r.run_id, d.name, l.version, w.run_id, l.exact FROM lineage.run r"
            " CROSS JOIN lineage.run_dependencies(r.id, 1) AS l"
            " JOIN lineage.dataset d ON d.id = l.dataset LEFT JOIN lineage.run w ON w.id = l.writer"
        ),
        *conn.execute(
            "SELECT at::text, d.name, NULL, w.run_id, l.exact FROM generate_series(7, 12) AS m"
            " CROSS JOIN make_timestamptz(2025, m, 2, 0, 0, 0, 'UTC') AS at"
            " JOIN lineage.dataset d ON d.id = d.canonical"
            " CROSS JOIN lineage.dependencies_at(d.id, at, 1) AS l"
            " JOIN lineage.run w ON w.id = l.writer"
        ),
    }


DAILY = [
    *(run(f"load {m}", m, "load", ("raw",), (dataset("day", outputFacets={}, **OVERWRITE),))
      for m in range(1, 9)),
    *(run(f"sum {m}", m, "sum", ("day",),
          (dataset("total", columnLineage=derived(("x", "day", "x"))),)) for m in range(1, 9)),
]  # fmt: skip


def test_summaries_and_traces_stay_and_old_runs_go(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    before, answers = summaries(conn), traces(conn)
    files = archive(conn, tmp_path)
    assert [(file.month, file.runs, file.accesses) for file in files] == [
        (f"2025-0{m}", 2, 4) for m in range(1, 6)
    ]
    assert runs_in_graph(conn) == {f"{job} {m}" for job in ("load", "sum") for m in (6, 7, 8)}
    assert summaries(conn) == before
    assert traces(conn) == answers
    assert archive(conn, tmp_path) == []


def test_archived_runs_are_read_from_the_lake(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    found = read_accesses(str(tmp_path), AccessFilter(dataset="day", since=first_of(4)))
    assert [(row.run_id, row.is_output, row.state) for row in found] == [
        ("sum 5", False, "COMPLETE"), ("load 5", True, "COMPLETE"),
        ("sum 4", False, "COMPLETE"), ("load 4", True, "COMPLETE"),
    ]  # fmt: skip
    assert json.loads(found[1].facets or "")["lifecycleStateChange"] == {
        "lifecycleStateChange": "OVERWRITE"
    }
    [read, write] = read_accesses(str(tmp_path), AccessFilter(run_id="sum 2"))
    assert {read.dataset, write.dataset} == {"s3://lake/day", "s3://lake/total"}
    for until, run_ids in {
        "2025-01-31T23:59:59.999999Z": ["load 1"], first_of(2): ["load 2", "load 1"]
    }.items():  # fmt: skip
        found = read_accesses(str(tmp_path), AccessFilter(job="etl/load", until=until))
        assert list(dict.fromkeys(row.run_id for row in found)) == run_ids
    assert read_accesses(str(tmp_path), AccessFilter(since="2025-05-01T00:00:00.000001Z")) == []
    assert read_accesses(str(tmp_path), AccessFilter(run_id="sum 9")) == []


def test_reads_and_writes_before_a_time_are_listed_of_runs_that_ended_in_a_later_month(
    conn: Connection, tmp_path: Path
) -> None:
    """The run has another job name in its second event, as runs of openlineage-spark have."""
    for month in (1, 4):
        write_events(conn, [
            run(f"r{month}", month, "begun", ("x",), ("y",), state="RUNNING"),
            run(f"r{month}", month + 1, "ended", ("x",), ("z",)),
        ])  # fmt: skip
    archive(conn, tmp_path)
    found = read_accesses(str(tmp_path), AccessFilter(until="2025-01-31T00:00:00.000000Z"))
    assert {(row.run_id, row.job, row.dataset) for row in found} == {
        ("r1", "etl/begun", "s3://lake/x"), ("r1", "etl/begun", "s3://lake/y"),
    }  # fmt: skip


def test_a_file_that_an_interrupted_command_left_has_no_archived_runs(tmp_path: Path) -> None:
    directory = tmp_path / "runs" / "month=2025-01"
    directory.mkdir(parents=True)
    (directory / "_unfinished-8.parquet").touch()
    assert read_accesses(str(tmp_path), AccessFilter()) == []


def test_a_lake_without_archived_runs_has_none_and_a_missing_lake_is_an_error(
    tmp_path: Path,
) -> None:
    assert read_accesses(str(tmp_path), AccessFilter()) == []
    (tmp_path / "file").touch()
    for name in ("file", "none"):
        with pytest.raises(LakeError, match="There is no lake"):
            read_accesses(str(tmp_path / name), AccessFilter())


def test_the_commands_move_list_and_name_archived_runs(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    def invoke(*words: str) -> Result:
        return CliRunner().invoke(main, list(words))

    write_events(conn, DAILY)
    done = invoke("archive-runs", "--before", LATER, "--to", str(tmp_path), "--dsn", dsn)
    assert done.stdout.startswith("2025-01: 2 runs with 4 reads and writes in ")
    assert done.stderr == "10 runs were archived.\n"
    listed = invoke("lake", "runs", str(tmp_path), "--dataset", "day", "--since", "2025-05-01")
    assert [line.split() for line in listed.stdout.splitlines()[2:]] == [
        ["2025-05-01", "00:00:00Z", "COMPLETE", "read", "s3://lake/day", "etl/sum", "sum", "5"],
        ["2025-05-01", "00:00:00Z", "COMPLETE", "write", "s3://lake/day", "etl/load", "load", "5"],
    ]
    # The write that was visible at the time which the refused query asked for is listed first.
    refused = invoke("query", "at", "day", "2025-04-01T00:00:00.5Z", "--dsn", dsn).stderr
    command = refused.rpartition("List them: lineage ")[2].split()
    assert command == ["lake", "runs", str(tmp_path), "--until", "2025-04-01T00:00:00.500000Z"]
    listed = invoke(*command, "--dataset", "day", "--limit", "2", "--format", "jsonl")
    assert [json.loads(line)["run_id"] for line in listed.stdout.splitlines()] == [
        "sum 4", "load 4",
    ]  # fmt: skip
    wrong = invoke("lake", "runs", str(tmp_path), "--since", "2025-04")
    assert wrong.exit_code == 2
    assert 'The time "2025-04" ' in wrong.stderr
    assert "archive    10 runs from before 2025-07-01\n" in invoke("status", "--dsn", dsn).stdout
    shown = invoke("show", "sum 2", "--dsn", dsn)
    assert "Run sum 2 is archived." in shown.stderr
    assert f"Show it: lineage lake runs {tmp_path} --run 'sum 2'" in shown.stderr
    answer = invoke("query", "at", "total", f"{LATER}T00:00:00Z", "--dsn", dsn)
    assert answer.stderr == (
        f"Runs from before {LATER} are archived. Show them: lineage lake runs {tmp_path}\n"
    )


def test_a_list_of_runs_that_reaches_the_archive_names_it(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    def stderr(*words: str) -> str:
        return CliRunner().invoke(main, ["runs", *words, "--dsn", dsn]).stderr

    write_events(conn, DAILY)
    assert stderr("day") == ""
    archive(conn, tmp_path)
    note = f"Runs from before {LATER} are archived. Show them: lineage lake runs {tmp_path}\n"
    assert stderr() == stderr("day") == stderr("load") == stderr("--since", "2025-03-01") == note
    assert stderr("load", "--since", LATER) == ""
    assert stderr("load", "--limit", "2") == ""  # the third is not archived


def test_counts_name_the_archive_if_its_runs_would_count(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    write_events(conn, DAILY)
    graph = Graph.over(conn)
    assert graph.impact("raw").archive is graph.stats().archive is None
    archive(conn, tmp_path)
    known = RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),))
    assert graph.stats().archive == known
    assert graph.impact("raw", window_days=60).archive == known  # the newest event is of August
    assert graph.impact("raw", window_days=30).archive is None
    note = f"Runs from before {LATER} are archived. Show them: lineage lake runs {tmp_path}\n"
    for words in (["stats"], ["impact", "raw", "--window-days", "60"]):
        assert CliRunner().invoke(main, [*words, "--dsn", dsn]).stderr == note


def test_a_timeline_names_the_archive_if_it_begins_before(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    graph = Graph.over(conn)
    assert graph.timeline(["day", "total"]).archive is None
    archive(conn, tmp_path)
    whole = graph.timeline(["day", "total"], "2025-01-01", bins=1)
    assert whole.archive == RunArchive(f"{LATER}T00:00:00.000000Z", (str(tmp_path),))
    assert [(each.writes, each.failed) for each in whole.bins] == [(6, 0)]
    assert graph.timeline(["day", "total"], LATER).archive is None


def test_an_answer_about_an_earlier_time_is_rejected(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    graph = Graph.over(conn)
    refused = "is too early: runs from before 2025-07-01 are archived"
    for ask in (
        lambda: graph.dataset_lineage_at("total", "2025-03-01T00:00:00Z"),
        lambda: graph.dataset_steps_at("total", "2025-06-30T00:00:00Z"),
        lambda: graph.dataset_diff("total", "2025-03-01T00:00:00Z", "2025-08-01T00:00:00Z"),
        lambda: graph.neighbours("total", time="2025-03-01T00:00:00Z"),
        lambda: graph.subgraph(["total", "day"], time="2025-03-01T00:00:00Z"),
    ):
        with pytest.raises(UsageError, match=refused) as error:
            ask()
        assert f"lineage lake runs {tmp_path}" in str(error.value.hint)
    with pytest.raises(UsageError, match="Run sum 6 ended before 2025-07-01") as error:
        graph.run_lineage("sum 6")
    assert str(error.value.hint).endswith(f"{tmp_path} --until 2025-06-01T00:00:00Z")
    with pytest.raises(NotFound, match="Run sum 2 is archived") as missing:
        graph.run_lineage("sum 2")
    assert str(missing.value.hint) == f"Show it: lineage lake runs {tmp_path} --run 'sum 2'"
    answer = graph.dataset_lineage_at("total", "2025-07-01T00:00:00Z")
    assert [link.writer and link.writer.run_id for link in answer.dependencies] == [
        "sum 7", "load 7", None,
    ]  # fmt: skip
    assert answer.archive is not None
    assert answer.archive.lakes == (str(tmp_path),)


def test_the_last_overwrite_before_the_time_hides_earlier_writes(
    conn: Connection, tmp_path: Path
) -> None:
    """The job that overwrote "t" in March has only appended to it since."""
    added = dataset("t", lifecycleStateChange={"lifecycleStateChange": "APPEND"})
    write_events(conn, [
        run("added", 1, "add", ("raw",), (added,)),
        run("replaced 1", 2, "replace", ("raw",), (dataset("t", **OVERWRITE),)),
        run("replaced 2", 3, "replace", ("raw",), (dataset("t", **OVERWRITE),)),
        run("appended", 4, "replace", ("raw",), (added,)),
        run("late", 8, "replace", ("raw",), (added,)),
        run("read", 9, "read", ("t",), ("out",)),
    ])  # fmt: skip
    [file] = archive(conn, tmp_path)
    assert (file.month, file.runs) == ("2025-02", 1)
    seen = Graph.over(conn).run_lineage("read", depth=1)
    assert {link.writer and link.writer.run_id for link in seen.dependencies} == {
        "replaced 2", "appended", "late",
    }  # fmt: skip


def test_a_read_of_an_archived_version_has_no_other_writer(
    conn: Connection, tmp_path: Path
) -> None:
    def version(number: int) -> dict[str, Any]:
        return dataset("t", version={"datasetVersion": str(number)}, **OVERWRITE)

    write_events(conn, [
        *(run(f"write {n}", n, "write", ("raw",), (version(n),)) for n in range(1, 9)),
        run("old", 9, "read", (version(2),), ("out",)),
        run("new", 10, "read", (version(6),), ("out",)),
    ])  # fmt: skip
    archive(conn, tmp_path)
    graph = Graph.over(conn)
    [link] = graph.run_lineage("old", depth=1).dependencies
    assert link.writer is None
    [link] = graph.run_lineage("new", depth=1).dependencies
    assert link.writer is not None
    assert (link.writer.run_id, link.exact) == ("write 6", True)


def test_the_last_checks_and_the_last_metrics_of_a_job_stay(
    conn: Connection, tmp_path: Path
) -> None:
    """The job has measured each month, and has checked until February only."""
    failed = {"assertions": [{"assertion": "unique", "column": "id", "success": False}]}

    def profiled(month: int) -> str:
        facets = {"dataQualityMetrics": {"rowCount": month, "columnMetrics": {}}}
        if month < 3:
            facets["dataQualityAssertions"] = failed
        return run(f"profile {month}", month, "profile", (dataset("day", inputFacets=facets),))

    write_events(conn, [profiled(month) for month in range(1, 9)])
    archive(conn, tmp_path)
    assert runs_in_graph(conn) == {f"profile {m}" for m in (2, 6, 7, 8)}
    quality = Graph.over(conn).quality("day")
    assert (quality.passed, quality.failed) == (0, 1)


def test_late_events_wait_for_a_rebuild(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    before = summaries(conn)
    late = run("load 2", 3, "load", ("raw",), ("day",), state="OTHER", more={"later": True})
    write_events(conn, [late])
    write_events(conn, [run("load 9", 9, "load", ("raw",), ("day",))])
    assert read_status(conn).archive == ArchiveStatus("2025-07-01T00:00:00.000000Z", 10, 1)
    assert summaries(conn).keys() == before.keys()
    assert "load 2" not in runs_in_graph(conn)
    rebuild_graph(conn)
    assert "load 2" in runs_in_graph(conn)
    assert not runs_in_graph(conn) & {"load 1", "load 3", "sum 2"}
    texts = [*DAILY, late, run("load 9", 9, "load", ("raw",), ("day",))]
    assert summaries(conn) == {k: v for k, v in expected(texts).items() if k[0] in SUMMARIES}
    status = read_status(conn).archive
    assert status is not None
    assert status.late_events == 0
    assert [file.runs for file in archive(conn, tmp_path)] == [1]
    found = read_accesses(str(tmp_path), AccessFilter(run_id="load 2"))
    assert [(row.last_event, json.loads(row.run_facets)) for row in found] == [
        ("2025-03-01T00:00:00.000000Z", {"more": {"later": True}})
    ] * 2
    # Not as it was when it was in the earlier month.
    assert read_accesses(str(tmp_path), AccessFilter(run_id="load 2", until=first_of(2))) == []


def test_the_status_counts_events_of_archived_runs_that_arrive_late_or_again(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    list(archive_months(conn, LATER, str(tmp_path)))
    write_events(conn, [DAILY[0]])
    assert (
        "archive    10 runs from before 2025-07-01; 1 of their events arrived late or again:"
        " lineage rebuild\n"
    ) in CliRunner().invoke(main, ["status", "--dsn", dsn]).stdout


def test_parents_of_runs_that_remain_stay(conn: Connection, tmp_path: Path) -> None:
    def child(name: str, month: int, of: str) -> str:
        return run(name, month, "task", ("a",), ("b",), (of, "dag"))

    write_events(conn, [
        *(run(f"dag {n}", n, "dag") for n in range(1, 5)),
        *(child(f"task {n}", n, f"dag {n}") for n in range(1, 4)),
        child("task 8", 8, "dag 1"),
        child("alone 1", 1, "unreported 1"), child("alone 8", 8, "unreported 8"),
    ])  # fmt: skip
    conn.execute("SET search_path = public")  # a database restored without its settings
    archive(conn, tmp_path)
    conn.execute("RESET search_path")
    assert runs_in_graph(conn) == {"dag 1", "dag 3", "dag 4", "task 3", "task 8", "alone 8"}
    rows = conn.execute("SELECT run_id FROM lineage.run WHERE last_seen IS NULL").fetchall()
    assert rows == [("unreported 8",)]
    [access] = [
        row for row in read_accesses(str(tmp_path), AccessFilter(run_id="task 2")) if row.is_output
    ]
    assert access.parent_run_id == "dag 2"


def test_what_goes_on_is_not_archived(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, [
        run("unended", 1, "a", ("x",), ("y",), state="RUNNING"),
        run("begun", 6, "b", ("x",), ("y",), state="START"),
        run("begun", 7, "b", ("x",), ("y",)),
    ])  # fmt: skip
    assert archive(conn, tmp_path) == []
    assert runs_in_graph(conn) == {"unended", "begun"}


def test_a_lake_that_cannot_be_written_leaves_the_runs(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    graph = graph_fingerprint(conn)
    (tmp_path / "lake").write_text("")
    with pytest.raises(LakeError, match="cannot be written"):
        archive(conn, tmp_path / "lake")
    assert graph_fingerprint(conn) == graph
    assert sum(file.runs for file in archive(conn, tmp_path)) == 10


def test_a_first_month_that_cannot_be_written_leaves_no_mark(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, DAILY)
    (tmp_path / "lake").write_text("")
    with pytest.raises(LakeError):
        archive(conn, tmp_path / "lake")
    assert read_status(conn).archive is None
    links = Graph.over(conn).dataset_lineage_at("total", "2025-03-02T00:00:00Z").dependencies
    assert {link.writer and link.writer.run_id for link in links} >= {"sum 3", "load 3"}
    write_events(conn, [run("load 2", 3, "load", ("raw",), ("day",), state="OTHER", more={})])
    assert conn.execute("SELECT FROM lineage.late_run").fetchall() == []


def test_a_later_month_that_cannot_be_written_is_moved_by_the_next_command(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, DAILY)
    obstacle = tmp_path / "runs" / "month=2025-03"
    obstacle.parent.mkdir()
    obstacle.write_text("")
    with pytest.raises(LakeError):
        archive(conn, tmp_path)
    assert "sum 2" not in runs_in_graph(conn)
    with pytest.raises(UsageError, match="runs from before 2025-07-01 are archived"):
        Graph.over(conn).dataset_lineage_at("total", "2025-03-02T00:00:00Z")
    obstacle.unlink()
    assert [file.month for file in archive(conn, tmp_path)] == ["2025-03", "2025-04", "2025-05"]


def test_a_command_that_moves_no_run_leaves_no_mark(conn: Connection, tmp_path: Path) -> None:
    write_events(conn, DAILY)
    assert archive(conn, tmp_path, "2025-02-01") == []
    assert read_status(conn).archive is None


def test_runs_in_several_lakes_are_named_with_their_lake(
    conn: Connection, dsn: str, tmp_path: Path
) -> None:
    write_events(conn, DAILY)
    first, second = tmp_path / "a", tmp_path / "b"
    archive(conn, first, "2025-03-01")
    archive(conn, second)
    graph = Graph.over(conn)
    for run_id, lake in (("sum 1", first), ("sum 2", second)):
        with pytest.raises(NotFound) as missing:
            graph.run_lineage(run_id)
        assert str(missing.value.hint) == f"Show it: lineage lake runs {lake} --run '{run_id}'"
    with pytest.raises(UsageError) as refused:
        graph.dataset_lineage_at("total", "2025-03-01T00:00:00Z")
    assert str(refused.value.hint) == "List them: " + "; ".join(
        f"lineage lake runs {lake} --until 2025-03-01T00:00:00Z" for lake in (first, second)
    )
    known = RunArchive(f"{LATER}T00:00:00.000000Z", (str(first), str(second)))
    assert graph.stats().archive == known


def test_a_month_of_the_future_is_not_archived(conn: Connection, tmp_path: Path) -> None:
    with pytest.raises(QueryError, match="is in the future"):
        archive(conn, tmp_path, "2999-01-01")


def assert_graph_of_all(conn: Connection, texts: list[str]) -> None:
    assert summaries(conn) == {k: v for k, v in expected(texts).items() if k[0] in SUMMARIES}


def test_archived_runs_follow_their_datasets_to_another_name(
    conn: Connection, tmp_path: Path
) -> None:
    """The runs read "day" and wrote "total": both names are assigned to others afterwards."""
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    renamed = [
        run("r1", 9, "other", (dataset("table", ("day",)),)),
        run("r2", 9, "other", (dataset("report", ("total",)),)),
    ]
    for number, text in enumerate(renamed, start=1):
        write_events(conn, [text])
        assert_graph_of_all(conn, [*DAILY, *renamed[:number]])
    assert graph_fingerprint(conn) == rebuilt(conn)


def rebuilt(conn: Connection) -> str:
    rebuild_graph(conn)
    return graph_fingerprint(conn)


def test_an_edge_keeps_the_times_of_archived_runs(conn: Connection, tmp_path: Path) -> None:
    """The newest run fails late, so that the bounds of its edges are computed again."""
    write_events(conn, DAILY)
    archive(conn, tmp_path)
    failed = [
        run("sum 8", 9, "sum", state="FAIL"),
        run("load 7", 9, "load", state="FAIL"),
        run("load 8", 9, "load", state="ABORT"),
    ]
    write_events(conn, failed)
    assert_graph_of_all(conn, [*DAILY, *failed])


def test_a_lineage_facet_still_replaces_the_inputs(conn: Connection, tmp_path: Path) -> None:
    texts = [
        run(f"r{n}", n, "job", ("a", "b"), (dataset("c", lineage=fed("x")), "d"))
        for n in range(1, 5)
    ]
    write_events(conn, texts)
    assert sum(file.runs for file in archive(conn, tmp_path)) == 3
    renamed = run("other", 9, "other", (dataset("y", ("x",)),))
    write_events(conn, [renamed])
    assert_graph_of_all(conn, [*texts, renamed])


# Few names, jobs and modes, so that most runs are followed by another with the same accesses.
_MAPPED = {"columnLineage": derived(("x", "a", "x"), ("y", "b", "x"))}
_facets = st.sampled_from(
    [
        *[OVERWRITE] * 3,
        {"datasetType": VIEW, **OVERWRITE},
        {"datasetType": VIEW},
        *[{}] * 3,
        {"lifecycleStateChange": {"lifecycleStateChange": "APPEND"}},
        {"version": {"datasetVersion": "1"}},
        {"version": {"datasetVersion": "1"}, **OVERWRITE},
        {"version": {"datasetVersion": "2"}, **OVERWRITE},
        {"lineage": fed("b")},
        _MAPPED,
        {**_MAPPED, **OVERWRITE},
    ]
)
_aliases = st.sampled_from([*[()] * 12, ("a",), ("b",), ("d",)])
_dataset = st.builds(
    lambda name, also, facets: dataset(name, also, **facets),
    st.sampled_from("abcd"), _aliases, _facets,
)  # fmt: skip
_few = st.lists(_dataset, max_size=2).map(tuple)


@st.composite
def _runs(draw: st.DrawFn, first: int, last: int) -> list[str]:
    """Return the events of some runs, most of them in one month, with a last event."""
    texts = []
    for number in range(first, last):
        month = draw(st.integers(1, 6) | st.integers(1, 9))
        job, reads, writes = draw(st.sampled_from(["j1", "j1", "j2"])), draw(_few), draw(_few)
        parent = draw(st.sampled_from([None, None, None, ("r1", "j1"), ("p", "app")]))
        end = draw(st.sampled_from([*["COMPLETE"] * 6, "FAIL", "RUNNING"]))
        texts.append(run(f"r{number}", month, job, reads, writes, parent, state=end))
        if draw(st.integers(0, 5)) == 0:
            later = min(month + draw(st.integers(0, 3)), 9)
            texts.append(run(f"r{number}", later, job, draw(_few), draw(_few), state="OTHER"))
    return texts


_archiving = examples_in_one_database(40)


@_archiving
@given(texts=_runs(1, 16))
def test_any_runs_leave_the_same_answers(
    conn: Connection, tmp_path: Path, texts: list[str]
) -> None:
    clear(conn)
    write_events(conn, texts)
    before, answers, links = summaries(conn), traces(conn), links_of_runs(conn)
    archive(conn, tmp_path)
    assert summaries(conn) == before
    assert traces(conn) == answers
    remaining = runs_in_graph(conn)
    after = links_of_runs(conn)
    assert {link for link in after if link[3]} <= links, "no run has another source than before"
    lost = {link for link in links - after if link[3] in remaining}
    old = {
        run_id
        for (run_id,) in conn.execute(
            "SELECT run_id FROM lineage.run r WHERE r.first_seen < %s"
            " OR EXISTS (SELECT FROM lineage.access a WHERE a.run = r.id AND a.facets ? 'version')",
            (f"{LATER}T00:00:00Z",),
        )
    }
    assert {link for link in lost if link[0] in remaining - old or "-" in link[0]} == set()
    graph = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == graph


@_archiving
@given(first=_runs(1, 12), second=_runs(10, 16))
def test_any_later_events_give_the_graph_of_all(
    conn: Connection, tmp_path: Path, first: list[str], second: list[str]
) -> None:
    """Names that are assigned to another dataset take the archived runs with them."""
    clear(conn)
    write_events(conn, first)
    archive(conn, tmp_path)
    write_events(conn, second)
    is_late = conn.execute("SELECT EXISTS (SELECT FROM lineage.late_run)").fetchall()[0][0]
    if not is_late:
        assert_graph_of_all(conn, [*first, *second])
    archive(conn, tmp_path)
    rebuild_graph(conn)
    assert_graph_of_all(conn, [*first, *second])
