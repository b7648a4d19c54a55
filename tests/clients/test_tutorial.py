"""The tutorial from logs to Airflow: its commands, and the tasks in the order that Airflow ran."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from support.services.client_packages import DAG_FACTORY, DBT
from support.services.tutorials import run_tutorial
from support.spark import java

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/tutorial/from-logs-to-airflow.md"
DIFFERENT_EACH_TIME = [
    (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
    (r"file:/\S*/nightly/", "file:/SHOP/"),
]
# What each job reads, by who writes it: the order that the pages' statements have.
BEFORE = [
    ("load_orders", "score_customers"), ("load_rates", "score_customers"),
    ("score_customers", "check_scores"), ("load_orders", "revenue"), ("load_rates", "revenue"),
    ("revenue", "report"),
]  # fmt: skip


def test_airflow_runs_what_the_logs_show(tmp_path: Path, dsn: str) -> None:
    directory = tmp_path / "nightly"
    directory.mkdir()
    programs = [Path(sys.executable).parent, DBT.bin(), DAG_FACTORY.bin()]
    run_tutorial(
        PAGE.read_text().split("\n## The tasks of SQL Server\n")[1],
        directory,
        {
            **os.environ,
            **java.environment(),
            "PATH": ":".join([*map(str, programs), os.environ["PATH"]]),
            "DEMO": str(ROOT / "demo"),
            "LINEAGE_DSN": dsn,
            "LINEAGE_SPOOL": str(tmp_path / "spool"),
        },
        DIFFERENT_EACH_TIME,
    )
    log = (directory / "run.log").read_text()
    started = [match.start() for match in re.finditer(r"starting task_id=", log)]
    tasks = re.findall(r"starting task_id=(\w+)_[0-9a-f]+ ", log)
    assert len(started) == len(tasks) == 6
    place = {job: next(n for n, task in enumerate(tasks) if task.endswith(job))
             for pair in BEFORE for job in pair}  # fmt: skip
    assert all(place[before] < place[after] for before, after in BEFORE)
    assert log.count("load_orders ran") == 1
