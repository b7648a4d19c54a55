"""The order of jobs that refresh materialized views, of which the log has only the name."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.orchestration import PlanOptions, plan_jobs
from lineage.orchestration.accesses import read_accesses
from lineage.query.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[Any]

LOAD = "INSERT INTO w.base SELECT id FROM w.src"
REFRESH = "REFRESH MATERIALIZED VIEW CONCURRENTLY w.mv"
REPORT = "INSERT INTO w.rep SELECT id FROM w.mv"
# As exported by the query for pg_matviews.
DEFINITION = (
    'table_catalog,table_schema,table_name,view_definition\ndw,w,mv,"SELECT id FROM w.base"\n'
)
COLUMNS = (
    "table_catalog,table_schema,table_name,column_name,ordinal_position,data_type\n"
    "dw,w,base,id,1,int\ndw,w,mv,id,1,int\n"
)


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def import_log(place: Path, *statements: tuple[str, str, str]) -> None:
    """Import a log: the job, the time and the text of each statement. All runs have ended."""
    rows = [
        {"time": time, "job": job, "database": "dw", "session": f"{job} {time[:10]}", "text": text}
        for job, time, text in (*statements, ("other", "2026-11-12T01:00:00Z", "SELECT 1"))
    ]
    (place / "log.jsonl").write_text("\n".join(map(json.dumps, rows)))
    run_import("queries", str(place / "log.jsonl"))


def run_import(*words: str) -> None:
    result = CliRunner().invoke(main, ["import", *words, "--namespace", "postgres://pg:5432"])
    assert result.exit_code == 0, result.output


def order(conn: Connection, *, stale: bool = False) -> list[list[str]]:
    plan = plan_jobs(Session.over(conn), options=PlanOptions(stale=stale))
    return [[each.job.name for each in level] for level in plan.jobs_by_level]


def test_a_refresh_reads_what_the_catalog_has_of_the_view(conn: Connection, tmp_path: Path) -> None:
    (tmp_path / "columns.csv").write_text(COLUMNS)
    (tmp_path / "views.csv").write_text(DEFINITION)
    run_import("catalog", str(tmp_path / "columns.csv"), str(tmp_path / "views.csv"))
    runs = [
        ("load", "2026-11-10T01:00:00Z", LOAD),
        ("refresh", "2026-11-10T02:00:00Z", REFRESH),
        ("report", "2026-11-10T03:00:00Z", REPORT),
    ]
    import_log(tmp_path, *runs)
    assert order(conn) == [["load"], ["refresh"], ["report"]]
    assert order(conn, stale=True) == []
    import_log(tmp_path, *runs, ("load", "2026-11-11T01:00:00Z", LOAD))
    assert order(conn, stale=True) == [["refresh"], ["report"]]
    # The report read what the view had before: it must run again after a refresh.
    import_log(tmp_path, *runs, ("load", "2026-11-11T01:00:00Z", LOAD),
               ("report", "2026-11-11T03:00:00Z", REPORT))  # fmt: skip
    assert order(conn, stale=True) == [["refresh"], ["report"]]


def test_a_job_reads_the_source_of_two_views_with_each_refresh(
    conn: Connection, tmp_path: Path
) -> None:
    (tmp_path / "columns.csv").write_text(COLUMNS + "dw,w,mv2,id,1,int\n")
    (tmp_path / "views.csv").write_text(DEFINITION + 'dw,w,mv2,"SELECT id FROM w.base"\n')
    run_import("catalog", str(tmp_path / "columns.csv"), str(tmp_path / "views.csv"))
    import_log(tmp_path, ("refresh", "2026-11-10T02:00:00Z", REFRESH),
               ("refresh", "2026-11-11T02:00:00Z", REFRESH.replace("w.mv", "w.mv2")))  # fmt: skip
    accesses = read_accesses(Session.over(conn), "2026-11-01T00:00:00Z")
    [unit] = accesses.writes
    [read] = accesses.reads[unit].values()
    assert (read.first_seen[:10], read.last_seen[:10]) == ("2026-11-10", "2026-11-11")
    assert read.runs == 2
