"""Unchanged programs, as ``python -m lineage.observe`` runs them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import os
import sys
import threading
import helper  # beside the program

def write():
    with open("out", "w") as file:
        file.write(helper.read("in"))

thread = threading.Thread(target=write)
thread.start()
thread.join()
print(sys.argv[1:], __name__)
sys.exit(int(sys.argv[1]))
"""
HELPER = """
def read(name):
    with open(name) as file:
        return file.read()
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/job.py").write_text(PROGRAM)
    (tmp_path / "app/helper.py").write_text(HELPER)
    (tmp_path / "in").write_text("text")
    return tmp_path


def run_python(
    directory: Path, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    own = {"LINEAGE_HUB_SPOOL": str(directory / "spool"), "LINEAGE_SINK_IDS": "file", **variables}
    return subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **own}, cwd=directory,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def events_of(directory: Path) -> list[dict[str, Any]]:
    [file] = (directory / "spool").glob("events-*.jsonl")
    return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.mark.parametrize("code", [0, 3])
@pytest.mark.parametrize("form", ["script", "module", "package"])
def test_an_unchanged_program_is_a_run(program: Path, code: int, form: str):
    if form == "package":
        (program / "app/job").mkdir()
        (program / "app/job.py").rename(program / "app/job/__main__.py")
    target = ["app/job.py"] if form == "script" else ["-m", "job"]
    path = {"PYTHONPATH": str(program / "app")} if form != "script" else {}
    plain = run_python(program, *target, str(code), "x", **path)
    observed = run_python(
        program, "-m", "lineage.observe", *target, str(code), "x", LINEAGE_ENABLED="Y", **path
    )
    assert (observed.stdout, observed.stderr) == (plain.stdout, plain.stderr)
    assert observed.returncode == plain.returncode == code
    start, end = events_of(program)
    assert (start["eventType"], end["eventType"]) == ("START", "ABORT" if code else "COMPLETE")
    assert end["job"]["name"] == "job"
    assert [each["name"] for each in end["inputs"]] == [f"{program}/in"]
    assert [each["name"] for each in end["outputs"]] == [f"{program}/out"]


def test_an_exception_is_that_of_the_program(program: Path):
    (program / "broken.py").write_text("open('in').close()\n1 / 0\n")
    done = run_python(
        program, "-m", "lineage.observe", "broken.py", LINEAGE_ENABLED="Y", LINEAGE_JOB="nightly"
    )
    assert done.returncode == 1
    assert done.stderr.endswith("ZeroDivisionError: division by zero\n")
    end = events_of(program)[-1]
    assert (end["eventType"], end["job"]["name"]) == ("FAIL", "nightly")
    assert [each["name"] for each in end["inputs"]] == [f"{program}/in"]


def test_nothing_is_recorded_unless_it_is_enabled(program: Path):
    done = run_python(program, "-m", "lineage.observe", "app/job.py", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (program / "spool").exists()


@pytest.mark.parametrize("arguments", [[], ["-m"], ["-x"]])
def test_without_a_program_there_is_a_usage_message(program: Path, arguments: list[str]):
    done = run_python(program, "-m", "lineage.observe", *arguments)
    assert done.returncode == 1
    assert done.stderr == "usage: python -m lineage.observe program.py ARGUMENTS\n"
