"""Output and exit codes of ``lineage plan``."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING

import psycopg
import pytest
import yaml
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event
from support.formats.dot import read_dot

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from pathlib import Path


def ran(job: str, at: int, reads: tuple[str, ...], writes: tuple[str, ...], seconds: int
        ) -> list[str]:  # fmt: skip
    return [
        run_event(f"{job}-{at}", "START", at, job, reads, writes),
        run_event(f"{job}-{at}", "COMPLETE", at + seconds, job, reads, writes),
    ]


EVENTS = [
    *ran("load", 0, ("raw",), ("clean",), 120),
    *ran("rates", 0, ("web",), ("rates",), 30),
    *ran("report", 200, ("clean", "rates", "report"), ("report",), 65),
]
CYCLE = [*ran("load_q", 0, ("z",), ("q",), 10), *ran("score", 60, ("q",), ("z",), 10)]
CONFIG = """
name: nightly
schedule: "0 3 * * *"
jobs: [{match: "etl/*", command: [run, "{name}"]}]
"""


@pytest.fixture(autouse=True)
def _environment(dsn: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    monkeypatch.chdir(tmp_path)


def ingest(dsn: str, events: list[str]) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)


def run(*arguments: str, exit_code: int = 0) -> Result:
    result = CliRunner().invoke(main, ["plan", *arguments])
    assert result.exit_code == exit_code, result.output
    return result


def test_levels_and_the_critical_path(dsn: str) -> None:
    ingest(dsn, EVENTS)
    assert run("--workers", "1").stdout.splitlines() == [
        (
            "3 jobs, on 2 levels, at most 2 at once; by runs from 2025-12-02 00:04:25Z"
            " to 2026-01-01 00:04:25Z."
        ),
        "",
        "level    job     median    slack",
        "-------  ------  --------  -------",
        "0        load    2m 00s    0s",
        "0        rates   30s       1m 30s",
        "1        report  1m 05s    0s",
        "",
        "CRITICAL PATH  3m 05s",
        "load → report",
        "Run one after another, the jobs take 3m 35s.",
        "With 1 worker: 3m 35s.",
        "",
        "READ WHAT THEY WRITE: this orders nothing",
        "report  s3://lake/report",
    ]


def test_nothing_runs_after_the_last_job(dsn: str) -> None:
    ingest(dsn, EVENTS)
    assert run("--downstream", "etl/report").stdout == "No job runs after etl/report.\n"


def test_a_cycle_has_its_own_exit_code_and_writes_no_file(dsn: str, tmp_path: Path) -> None:
    ingest(dsn, CYCLE)
    assert run(exit_code=1).stdout.splitlines() == [
        "There is no order: 1 cycle of 2 jobs.",
        "",
        "2 jobs. The shortest cycle:",
        (
            "  etl/load_q → etl/score   by s3://lake/q  (read after it was written on that day:"
            " 1 of 1 day)"
        ),
        (
            "  etl/score  → etl/load_q  by s3://lake/z  (read after it was written on that day:"
            " 0 of 1 day)"
        ),
        (
            "On 1 of 1 day etl/load_q read s3://lake/z before it was written on that day."
            " If this is intended: --feedback s3://lake/z"
        ),
        "",
        (
            "A job that is not part of the order, such as a correction by hand, can be left out:"
            ' ignore: ["NAMESPACE/NAME"] in lineage-plan.yml'
        ),
    ]
    (tmp_path / "lineage-plan.yml").write_text(CONFIG)
    failed = run("--format", "airflow", "--output", "dags", exit_code=1)
    assert failed.stdout == ""
    assert "There is no order" in failed.stderr
    assert not (tmp_path / "dags").exists()
    [cycle] = json.loads(run("--format", "json", exit_code=1).stdout)["cycles"]
    assert cycle["feedback"] == "s3://lake/z"
    freed = run("--feedback", "lake/z").stdout
    assert "FEEDBACK s3://lake/z: 1 pair of jobs on a cycle not ordered by it" in freed
    (tmp_path / "lineage-plan.yml").write_text(CONFIG + "feedback: [lake/z]\n")
    assert run().stdout == freed
    (tmp_path / "lineage-plan.yml").write_text(CONFIG + 'ignore: ["*/load_q"]\n')
    assert "OMITTED: ignored in the configuration (1)\netl/load_q\n" in run().stdout


def test_formats_have_the_same_jobs_and_edges(dsn: str) -> None:
    ingest(dsn, EVENTS)
    whole = json.loads(run("--format", "json").stdout)
    assert whole["levels"] == [["etl/load", "etl/rates"], ["etl/report"]]
    assert [(edge["before"], edge["after"], edge["implied"]) for edge in whole["edges"]] == [
        ("etl/load", "etl/report", False), ("etl/rates", "etl/report", False)
    ]  # fmt: skip
    assert whole["critical_path"] == ["etl/load", "etl/report"]
    lines = [json.loads(line) for line in run("--format", "jsonl").stdout.splitlines()]
    assert lines == whole["jobs"]
    rows = list(csv.DictReader(io.StringIO(run("--format", "csv").stdout)))
    assert [(row["job"], row["after"]) for row in rows] == [
        ("etl/load", "[]"), ("etl/rates", "[]"), ("etl/report", '["etl/load", "etl/rates"]')
    ]  # fmt: skip
    drawn = read_dot(run("--format", "dot").stdout)
    assert set(drawn.labels.values()) == {"etl/load", "etl/rates", "etl/report"}
    assert "s3://lake/clean" in run("--format", "mermaid").stdout.replace("#58;", ":")
    page = run("--format", "html").stdout
    assert page.startswith("<!DOCTYPE html>")
    assert "etl/report" in page


def test_a_dag_file_is_written_and_validated(dsn: str, tmp_path: Path) -> None:
    ingest(dsn, EVENTS)
    (tmp_path / "lineage-plan.yml").write_text(CONFIG)
    run("--format", "airflow", "--output", "dags")
    assert sorted(path.name for path in (tmp_path / "dags").iterdir()) == [
        "nightly.py", "nightly.yml"
    ]  # fmt: skip
    written = (tmp_path / "dags" / "nightly.yml").read_text()
    assert [task["bash_command"] for task in yaml.safe_load(written)["nightly"]["tasks"]] == [
        "run load ", "run rates ", "run report "
    ]  # fmt: skip
    assert run("--format", "airflow").stdout == written
    assert run("--check", "dags/nightly.yml").stderr == "dags/nightly.yml is up to date.\n"
    ingest(dsn, ran("publish", 300, ("report",), ("site",), 5))
    differs = run("--check", "dags/nightly.yml", exit_code=1)
    [task, edge] = differs.stdout.splitlines()
    assert task.startswith("+ task etl_publish_")
    assert edge.startswith("+ edge etl_report_")
    assert differs.stderr == (
        "dags/nightly.yml is not up to date. Run lineage plan --format airflow --output dags.\n"
    )
    run("--format", "dagster", "--output", "other")
    run("--check", "other/nightly.py")


def test_a_job_without_a_command_is_an_error(dsn: str) -> None:
    ingest(dsn, EVENTS)
    assert run("--format", "airflow", exit_code=2).stderr == (
        "Error: No command fits 3 jobs: etl/load, etl/rates, etl/report."
        " Add a match for them to lineage-plan.yml, or --skip-unmatched.\n"
    )


def test_what_must_run_again(dsn: str) -> None:
    ingest(dsn, EVENTS)
    assert run("--stale").stdout == "No job must run again.\n"
    ingest(dsn, ran("load", 400, ("raw",), ("clean",), 10))
    assert "report  1m 05s    0s       s3://lake/clean was written at" in run("--stale").stdout
    [row] = json.loads(run("--stale", "--format", "json").stdout)["jobs"]
    assert row["stale"] == (
        "s3://lake/clean was written at 2026-01-01T00:06:50.000000Z by etl/load"
    )


def test_unknown_names_and_files_are_errors(dsn: str) -> None:
    ingest(dsn, EVENTS)
    assert "No job or dataset is called" in run("nothing", exit_code=1).stderr
    empty = run("--since", "2026-01-02T00:00:00Z", exit_code=1).stderr
    assert empty.startswith("Error: No job wrote or read since 2026-01-02T00:00:00.000000Z. Use an")
    both = run("clean", "--upstream", "--downstream", exit_code=2).stderr
    assert "Give --upstream or --downstream, not both." in both
    source = run("raw", exit_code=1).stderr
    assert "No job wrote s3://lake/raw since" in source
    assert "No job writes an external source." in source
    assert "no-file cannot be read" in run("--config", "no-file", exit_code=2).stderr
    assert (
        "no-file.yml cannot be read"
        in run("--check", "no-file.yml", "--skip-unmatched", exit_code=2).stderr
    )
