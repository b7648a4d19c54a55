"""The order of jobs of a query log: views that statements define, and what a refresh reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.orchestration import PlanOptions, plan_jobs
from lineage.query.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from lineage.orchestration import Plan

    Connection = psycopg.Connection[Any]


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


def import_files(*words: str) -> None:
    result = CliRunner().invoke(main, ["import", *words, "--namespace", "postgres://pg:5432"])
    assert result.exit_code == 0, result.output


def import_log(place: Path, *statements: tuple[str, str, str]) -> None:
    """Import a log: the job, the time and the text of each statement. All runs have ended."""
    statements = (*statements, ("other", "2026-11-12T01:00:00Z", "SELECT 1"))
    log = place / "log.jsonl"
    rows = [
        {"time": time, "job": job, "database": "dw", "session": f"{job} {time[:10]}", "text": text}
        for job, time, text in statements
    ]
    log.write_text("\n".join(map(json.dumps, rows)))
    import_files("queries", str(log))


def pairs(plan: Plan) -> set[tuple[str, str]]:
    return {(edge.before.name, edge.after.name) for edge in plan.edges}


def stale_jobs(conn: Connection) -> dict[str, str]:
    plan = plan_jobs(Session.over(conn), options=PlanOptions(stale=True))
    return {each.job.name: each.stale or "" for each in plan.jobs}


LOAD = "INSERT INTO w.base SELECT id FROM w.src"
REPORT = "INSERT INTO w.rep SELECT id FROM w.v"
VIEW = "CREATE OR REPLACE VIEW w.v AS SELECT id FROM w.base"


def test_a_view_that_a_log_defines_is_passed_through(conn: Connection, tmp_path: Path) -> None:
    """The view was defined before the window."""
    import_log(
        tmp_path,
        ("make", "2026-09-10T01:00:00Z", VIEW),
        ("load", "2026-11-10T01:00:00Z", LOAD),
        ("report", "2026-11-10T02:00:00Z", REPORT),
        ("load", "2026-11-11T01:00:00Z", LOAD),
    )
    plan = plan_jobs(Session.over(conn))
    assert pairs(plan) == {("load", "report")}
    assert list(stale_jobs(conn)) == ["report"]


def test_a_job_that_defines_a_view_need_not_run_again(conn: Connection, tmp_path: Path) -> None:
    import_log(
        tmp_path,
        ("load", "2026-11-10T01:00:00Z", LOAD),
        ("make", "2026-11-10T01:30:00Z", VIEW),
        ("load", "2026-11-11T01:00:00Z", LOAD),
        ("report", "2026-11-11T02:00:00Z", REPORT),
    )
    assert pairs(plan_jobs(Session.over(conn))) == {
        ("load", "make"), ("load", "report"), ("make", "report"),
    }  # fmt: skip
    assert stale_jobs(conn) == {}
