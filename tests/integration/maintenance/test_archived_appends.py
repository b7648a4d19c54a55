"""Archived runs that may have appended to a table: diffs and root causes name the archive."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
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
