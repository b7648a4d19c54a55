"""Runs in programs of others: workers of Celery, commands of typer, and notebooks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.services.client_packages import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
JOBS = Path(__file__).with_name("jobs")


@pytest.fixture(scope="module")
def python() -> Path:
    """Return a Python with the packages and Lineage."""
    python = PROGRAMS.bin() / "python"
    install = [Path(sys.executable).parent / "uv", "pip", "install", "--quiet", "--python", python]
    subprocess.run([*install, "--no-deps", "--no-build-isolation", "-e", ROOT], check=True)
    return python


@pytest.fixture
def environment(tmp_path: Path) -> Mapping[str, str]:
    """Return the environment of a program that records to files."""
    own = {"LINEAGE_ENABLED": "Y", "LINEAGE_SINK_IDS": "file", "PYTHONPATH": str(JOBS)}
    return {**os.environ, **own, "LINEAGE_HUB_SPOOL": str(tmp_path / "spool")}


def recorded_events(spool: Path) -> list[dict[str, Any]]:
    """Return the events of all processes by their times."""
    lines = [
        line for file in spool.glob("events-*.jsonl") for line in file.read_text().splitlines()
    ]
    return sorted(map(json.loads, lines), key=lambda event: event["eventTime"])


@pytest.mark.parametrize("options", [[], ["--max-tasks-per-child", "1"]])
def test_tasks_of_celery_are_runs(
    python: Path, environment: Mapping[str, str], tmp_path: Path, options: list[str]
):
    """Also of a child that is replaced: it ends by ``os._exit``."""
    (tmp_path / "queue").mkdir()
    send = "import celery_tasks; [celery_tasks.load.delay(day) for day in range(3)]"
    place: dict[str, Any] = {"cwd": tmp_path, "env": environment}
    subprocess.run([python, "-c", send], check=True, **place)
    command = [python, "-m", "celery", "-A", "celery_tasks", "worker", "-l", "INFO", "-c", "1"]
    with subprocess.Popen(
        [*command, *options], stderr=subprocess.PIPE, text=True, **place
    ) as worker:
        assert worker.stderr
        succeeded = 0
        for line in worker.stderr:
            succeeded += " succeeded in " in line
            if succeeded == 3:
                break
        worker.send_signal(signal.SIGTERM)
        rest = worker.communicate(timeout=60)[1]
    assert worker.returncode == 0, rest
    events = recorded_events(tmp_path / "spool")
    ends = [event for event in events if event["eventType"] == "COMPLETE"]
    assert sorted(event["outputs"][0]["name"] for event in ends) == [
        f"/lake/{day}.csv" for day in range(3)
    ]
    assert len(events) == 6


@pytest.mark.parametrize(
    ("words", "exit_code", "state"),
    [
        (["exit"], 0, "COMPLETE"),
        (["exit", "--code", "3"], 3, "ABORT"),
        (["abort"], 1, "ABORT"),
    ],
)
def test_a_command_of_typer_ends_its_run(
    python: Path, environment: Mapping[str, str], tmp_path: Path, words: list[str], exit_code: int,
    state: str,
):  # fmt: skip
    command = [python, JOBS / "typer_command.py", *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, check=False)
    assert done.returncode == exit_code
    events = recorded_events(tmp_path / "spool")
    assert [event["eventType"] for event in events] == ["START", state]


NOTEBOOK = """
import sys

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

notebook = new_notebook(cells=[new_code_cell(cell) for cell in sys.argv[1:]])
NotebookClient(notebook, timeout=120).execute()
for cell in notebook.cells:
    for output in cell.outputs:
        print(output.get("text", ""))
"""
RUN_JOB = """
import lineage

@lineage.job(namespace="shop")
def load():
    run = lineage.current_run()
    run.reads("/landing/orders.csv")
    run.writes("/lake/orders.csv")

load()
"""
# Visual Studio Code sets this variable of the notebook; Jupyter a variable of the kernel.
BY_STUDIO = '__vsc_ipynb_file__ = "C:\\\\work\\\\hr.ipynb"'
UNKNOWN = "The name of the notebook is not known"


@pytest.mark.parametrize(
    ("session", "cells", "job", "warning"),
    [
        ("/home/ada/sales.ipynb", [RUN_JOB], "sales.load", ""),
        (None, [BY_STUDIO, RUN_JOB], "hr.load", ""),
        ("console-1", [RUN_JOB, "load()"], "ipykernel_launcher.load", UNKNOWN),
    ],
)
def test_a_job_of_a_notebook_has_its_name(
    python: Path, environment: Mapping[str, str], tmp_path: Path, session: str | None,
    cells: list[str], job: str, warning: str,
):  # fmt: skip
    own = {"JPY_SESSION_NAME": session} if session else {}
    done = subprocess.run(
        [python, "-c", NOTEBOOK, *cells], cwd=tmp_path, env={**environment, **own}, check=True,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.count(UNKNOWN) == bool(warning)
    events = recorded_events(tmp_path / "spool")
    assert {event["job"]["name"] for event in events} == {job}
