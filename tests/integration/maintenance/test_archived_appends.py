"""Archived runs that may have appended to a table: diffs and root causes name the archive."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, run_event, wrote

from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.projection import archived_runs
from lineage.query import Graph
from lineage.query.archive import RunArchive

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

LATER = "2025-07-01"


@pytest.fixture(autouse=True)
def _no_previous_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Archive runs that later ones are compared with, too: the jobs of these tests have few."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)


def run(run_id: str, month: int, job: str, *args: Any, day: int = 1) -> str:
    event = json.loads(run_event(run_id, "COMPLETE", 0, job, *args))
    return json.dumps({**event, "eventTime": datetime(2025, month, day, tzinfo=UTC).isoformat()})


def version(number: int) -> dict[str, str]:
    return {"datasetVersion": str(number)}


def archive(conn: Connection, lake: Path) -> RunArchive:
    """Archive the runs from before July that no later answer needs."""
    assert list(archive_runs(conn, LATER, str(lake)))
    return RunArchive(f"{LATER}T00:00:00.000000Z", (str(lake),))


# A job of which runs are archived, and that has nothing to do with the others.
UNRELATED = [run(f"other-{m}", m, "other", (), (wrote("other"),)) for m in (1, 2)]


def versions_of_a_table(*loads: tuple[Any, ...], mode: str = "append") -> list[str]:
    """Return loads of a table, two of them before the archive, and two reads of its versions."""
    history, daily = loads or (("history",), ("daily",))
    return [
        *UNRELATED,
        run("history-3", 3, "load_history", history, (wrote("table", mode, version=version(4)),)),
        run("daily-6", 6, "load_daily", daily, (wrote("table", mode, version=version(5)),)),
        run("report-7", 7, "report", (dataset("table", version=version(5)),), (wrote("out"),)),
        run("daily-8", 8, "load_daily", daily, (wrote("table", mode, version=version(6)),)),
        run("report-9", 9, "report", (dataset("table", version=version(6)),), (wrote("out"),)),
    ]


def changes(conn: Connection, name: str, depth: int | None = None) -> tuple[set[str], Any]:
    """Return the changes of datasets and jobs from mid-July to October, and the archive."""
    diff = Graph.over(conn).dataset_diff(name, "2025-07-15", "2025-10-01", depth)
    datasets = {f"{each.change} {each.dataset.name}" for each in diff.datasets}
    return datasets | {f"{each.change} {each.job.name}" for each in diff.jobs}, diff.archive


@pytest.mark.parametrize("depth", [None, 2])
@pytest.mark.parametrize(("loads", "sources"), [
    ((("history",), ("daily",)), {"unknown history"}), (((), ()), set()),
])  # fmt: skip
def test_a_read_of_an_appended_version_may_have_seen_archived_writes(
    conn: Connection, tmp_path: Path, depth: int | None, loads: Any, sources: set[str]
) -> None:
    """Version 5 of the table also contained the history, which was appended before it."""
    write_events(conn, versions_of_a_table(*loads))
    assert changes(conn, "out", depth) == (set(), None)
    known = archive(conn, tmp_path)
    unknown = {"unknown load_history"} | (sources if depth is None else set())
    assert changes(conn, "out", depth) == (unknown, known)


def test_a_read_of_an_overwritten_version_saw_no_archived_writes(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, versions_of_a_table((), (), mode="overwrite"))
    assert changes(conn, "out") == (set(), None)
    archive(conn, tmp_path)
    assert changes(conn, "out") == (set(), None)


def appended(last: str) -> list[str]:
    """Return monthly appends until July without inputs, and a later write in the mode ``last``."""
    return [
        *(run(f"load-{m}", m, "load", (), (wrote("table", "append"),)) for m in range(1, 8)),
        run("reload", 8, "reload", (), (wrote("table", last),)),
    ]


def written(conn: Connection, name: str, depth: int | None = 1) -> tuple[set[str], int, Any]:
    """Return the changed writes from mid-July to October, the number of others, the archive."""
    diff = Graph.over(conn).dataset_diff(name, "2025-07-15", "2025-10-01", depth)
    writes = {f"{each.change} {each.write.run.run_id}" for each in diff.writes}
    return writes, diff.unchanged, diff.archive


@pytest.mark.parametrize("depth", [None, 1])
def test_a_diff_of_appended_writes_names_the_archive(
    conn: Connection, dsn: str, tmp_path: Path, depth: int | None
) -> None:
    write_events(conn, appended("overwrite"))
    removed = {f"removed load-{m}" for m in range(1, 8)}
    assert written(conn, "table", depth) == (removed | {"added reload"}, 0, None)
    known = archive(conn, tmp_path)
    remaining = {"removed load-6", "removed load-7", "added reload"}
    assert written(conn, "table", depth) == (remaining, 0, known)
    words = ("diff", "dataset", "table", "--start", "2025-07-15", "--end", "2025-10-01")
    stderr = CliRunner().invoke(main, [*words, "--depth", "1", "--dsn", dsn]).stderr
    assert stderr.startswith(f"Runs from before {LATER} are archived.")


def test_a_diff_that_counts_appended_writes_names_the_archive(
    conn: Connection, tmp_path: Path
) -> None:
    write_events(conn, appended("append"))
    assert written(conn, "table") == ({"added reload"}, 7, None)
    known = archive(conn, tmp_path)
    assert written(conn, "table") == ({"added reload"}, 2, known)


@pytest.mark.parametrize("mode", ["overwrite", None])
def test_a_diff_names_no_archive_if_archived_writes_were_replaced(
    conn: Connection, tmp_path: Path, mode: str | None
) -> None:
    """Without a mode, a write hides the earlier ones of its job; those are not visible anyway."""
    table = dataset("table") if mode is None else wrote("table", mode)
    write_events(conn, [run(f"load-{m}", m, "load", (), (table,)) for m in range(1, 10)])
    before = written(conn, "table")
    assert before == ({"removed load-7", "added load-9"}, 0, None)
    archive(conn, tmp_path)
    assert written(conn, "table") == before


def test_what_an_archived_append_may_have_read_is_not_added(
    conn: Connection, tmp_path: Path
) -> None:
    """In February, a load appended rows of b to the table. It last read b for another table."""
    table = (wrote("table", "append"),)
    write_events(conn, [
        run("load-2", 2, "load", ("b",), table), run("load-3", 3, "load", ("a",), table),
        run("load-5", 5, "load", ("b",), (wrote("second"),)),
        run("reload-8", 8, "reload", ("a", "b", "new"), (wrote("table"),)),
    ])  # fmt: skip
    both = {"added reload", "removed load", "added new"}
    assert changes(conn, "table") == (both, None)
    known = archive(conn, tmp_path)
    assert changes(conn, "table") == (both | {"unknown b"}, known)
