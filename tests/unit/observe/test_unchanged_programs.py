"""Unchanged programs, as ``python -m lineage.observe`` runs them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from support.slow import slow

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


CHANGES_DIRECTORY = """
import os
here = os.path.dirname(__file__)
os.chdir("data")
print(open(os.path.join(here, "conf.yml")).read())
with open("out.csv", "w") as out:
    out.write(open("../in").read())
"""
CHANGES_ARGUMENTS = """
import sys
print(sys.argv.pop(0))
sys.argv = sys.argv[2:]
"""
PICKLES_LATE = """
import atexit, pickle, threading

class Row:
    pass

main_ends = threading.Event()
threading._register_atexit(main_ends.set)  # runs when the main thread waits for the others

def save(name):
    main_ends.wait()
    with open(name, "wb") as file:
        pickle.dump(Row(), file)

threading.Thread(target=save, args=["thread.bin"]).start()
atexit.register(save, "exit.bin")
"""
FAILS_DEEP = """
def divide(number):
    return number / 0

divide(1)
"""
HAS_A_HOOK = """
import sys
sys.excepthook = lambda kind, error, traceback: print(kind, traceback.tb_frame.f_code.co_name)
1 / 0
"""
PROGRAMS = {
    "changes its directory": CHANGES_DIRECTORY,
    "changes its arguments": CHANGES_ARGUMENTS,
    "pickles after its last line": PICKLES_LATE,
    "fails": FAILS_DEEP,
    "fails with a hook": HAS_A_HOOK,
    "is interrupted": "raise KeyboardInterrupt",
    "ends with a message": "raise SystemExit('stop')",
    "is no Python": "x = (",
    "names itself": "print(__file__, __name__, __spec__, __package__, __builtins__)",
}


# What a module is named and where it is differs from a script; how a program ends does not.
# Without observation, only the start of a program is ours.
DEPENDS_ON_THE_FORM = {"names itself", "changes its directory"}


def in_form(name: str, form: str, enabled: str) -> Any:
    is_typical = (form, enabled) == ("script", "Y") or name in DEPENDS_ON_THE_FORM
    return pytest.param(name, form, enabled) if is_typical else slow(name, form, enabled)


@pytest.mark.parametrize(
    ("name", "form", "enabled"),
    [in_form(*each) for each in product(PROGRAMS, ["script", "module"], ["Y", "N"])],
)
def test_a_program_does_the_same_as_without_observation(
    program: Path, name: str, form: str, enabled: str
):
    (program / "data").mkdir()
    (program / "app/conf.yml").write_text("level: 1")
    (program / "app/etl.py").write_text(PROGRAMS[name])
    target = ["app/etl.py"] if form == "script" else ["-m", "app.etl"]
    plain = run_python(program, *target, "x", "y")
    observed = run_python(
        program, "-m", "lineage.observe", *target, "x", "y", LINEAGE_ENABLED=enabled
    )
    addresses = r" at 0x[0-9a-f]+"
    assert re.sub(addresses, "", observed.stdout) == re.sub(addresses, "", plain.stdout)
    assert (observed.stderr, observed.returncode) == (plain.stderr, plain.returncode)


@pytest.mark.parametrize(
    "target", [["none.py"], ["-m", "none"], ["data"], ["-m", "data"], ["app"], ["-m", "app"]]
)
def test_a_program_that_is_not_there_gives_the_message_of_python(program: Path, target: list[str]):
    (program / "data").mkdir()
    (program / "app/__main__.py").write_text("import helper\nprint(helper, __file__, __package__)")
    path = {"PYTHONPATH": str(program / "app")} if "-m" in target else {}
    plain = run_python(program, *target, **path)
    observed = run_python(program, "-m", "lineage.observe", *target, LINEAGE_ENABLED="Y", **path)
    assert (observed.returncode, observed.stdout) == (plain.returncode, plain.stdout)
    assert observed.stderr == plain.stderr


def test_a_program_that_changes_its_directory_is_no_input_of_itself(program: Path):
    (program / "data").mkdir()
    (program / "app/etl.py").write_text(CHANGES_DIRECTORY)
    (program / "app/conf.yml").write_text("level: 1")
    run_python(program, "-m", "lineage.observe", "app/etl.py", LINEAGE_ENABLED="Y")
    end = events_of(program)[-1]
    assert [each["name"] for each in end["inputs"]] == [f"{program}/app/conf.yml", f"{program}/in"]
    assert [each["name"] for each in end["outputs"]] == [f"{program}/data/out.csv"]


def test_a_program_in_an_archive_is_no_input_of_itself(program: Path):
    with zipfile.ZipFile(program / "etl.zip", "w") as archive:
        archive.writestr("__main__.py", "import os\nos.chdir('app')\nimport helper\nopen('../in')")
        archive.write(program / "app/helper.py", "helper.py")
    done = run_python(program, "-m", "lineage.observe", "etl.zip", LINEAGE_ENABLED="Y")
    assert done.returncode == 0, done.stderr
    assert [each["name"] for each in events_of(program)[-1]["inputs"]] == [f"{program}/in"]


def test_threads_and_exit_functions_belong_to_the_run(program: Path):
    (program / "etl.py").write_text(PICKLES_LATE)
    run_python(program, "-m", "lineage.observe", "etl.py", LINEAGE_ENABLED="Y")
    end = events_of(program)[-1]
    assert end["eventType"] == "COMPLETE"
    assert [each["name"] for each in end["outputs"]] == [
        f"{program}/thread.bin",
        f"{program}/exit.bin",
    ]


FORKS = """
import os, sys
with open("in") as source, open("out", "w") as target:
    target.write(source.read())
parent_ends, end = os.pipe()
if os.fork() == 0:
    os.close(end)
    if sys.argv[1] == "last":
        os.read(parent_ends, 1)
    open("of-child", "w").close()
    sys.exit(1)
if sys.argv[1] == "first":
    os.wait()
"""


@pytest.mark.parametrize("child", ["first", "last"])
def test_a_child_of_a_fork_does_not_end_the_run(program: Path, child: str):
    (program / "etl.py").write_text(FORKS)
    done = run_python(program, "-m", "lineage.observe", "etl.py", child, LINEAGE_ENABLED="Y")
    assert done.returncode == 0, done.stderr
    assert [each["eventType"] for each in events_of(program)] == ["START", "COMPLETE"]
    end = events_of(program)[-1]
    assert [each["name"] for each in end["inputs"]] == [f"{program}/in"]
    assert [each["name"] for each in end["outputs"]] == [f"{program}/out"]


DAEMON = """
import os, sys
parent = os.getpid()
with open("in") as source:
    rows = source.read()
if os.fork():
    os._exit(0)
while os.getppid() == parent:
    pass
while sys.argv[1] == "reaped":
    try:
        os.kill(parent, 0)
    except ProcessLookupError:
        break
with open("out", "w") as target:
    target.write(rows)
"""


@pytest.mark.parametrize("parent", ["reaped", "zombie"])
def test_a_daemon_ends_the_run_that_its_parent_has_left(program: Path, parent: str):
    (program / "etl.py").write_text(DAEMON)
    ends, is_open = os.pipe()  # until the daemon ends
    command = [sys.executable, "-m", "lineage.observe", "etl.py", parent]
    own = {"LINEAGE_HUB_SPOOL": f"{program}/spool", "LINEAGE_SINK_IDS": "file"}
    process = subprocess.Popen(
        command, cwd=program, env={**os.environ, **own, "LINEAGE_ENABLED": "Y"}, pass_fds=[is_open]
    )
    os.close(is_open)
    if parent == "reaped":
        process.wait(60)
    os.read(ends, 1)
    os.close(ends)
    process.wait(60)
    lines = [
        json.loads(line)
        for file in (program / "spool").glob("events-*.jsonl")
        for line in file.read_text().splitlines()
    ]
    [end] = [each for each in lines if each["eventType"] == "COMPLETE"]
    assert [each["name"] for each in end["inputs"]] == [f"{program}/in"]
    assert [each["name"] for each in end["outputs"]] == [f"{program}/out"]


def test_nothing_is_recorded_unless_it_is_enabled(program: Path):
    done = run_python(program, "-m", "lineage.observe", "app/job.py", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert not (program / "spool").exists()


@pytest.mark.parametrize("arguments", [[], ["-m"], ["-x"]])
def test_without_a_program_there_is_a_usage_message(program: Path, arguments: list[str]):
    done = run_python(program, "-m", "lineage.observe", *arguments)
    assert done.returncode == 1
    assert done.stderr == "usage: python -m lineage.observe program.py ARGUMENTS\n"


def test_a_program_with_a_run_that_changes_its_directory_is_no_input(program: Path):
    (program / "data").mkdir()
    (program / "data/etl.py").write_text("data of the same name")
    (program / "etl.py").write_text(
        "import os, sys, lineage\n"
        "with lineage.run('etl'):\n"
        "    open(__file__).close()\n"
        "    os.chdir('data')\n"
        "    open('etl.py').close()\n"
    )
    run_python(program, "etl.py", LINEAGE_ENABLED="Y", LINEAGE_OBSERVE="files")
    end = events_of(program)[-1]
    assert [each["name"] for each in end["inputs"]] == [f"{program}/data/etl.py"]
