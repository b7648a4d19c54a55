"""Files that a program opens, moves, copies and removes, as inputs and outputs of its run."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.services.observed import observe_run

import lineage
from lineage.observe.ignored_paths import IgnoredPaths, read_patterns

if TYPE_CHECKING:
    from collections.abc import Callable


def write(path: str, mode: str = "w", text: str = "text") -> None:
    with open(path, mode) as file:
        file.write(text)


def read(path: str, mode: str = "r") -> None:
    with open(path, mode) as file:
        file.read()


def try_to(call: Callable[[], object]) -> None:
    with pytest.raises(OSError, match=r"\[Errno"):
        call()


def with_temporary_directory() -> None:
    with tempfile.TemporaryDirectory() as directory:
        write(f"{directory}/part")
        read(f"{directory}/part")


def rename_new_directory() -> None:
    os.mkdir("parts")
    write("parts/0")
    os.rename("parts", "all")


def rename_old_directory() -> None:
    os.rename("../given", "moved")


def open_low_level(path: str, flags: int) -> None:
    os.close(os.open(os.path.abspath(path), flags))


def remove_below(path: str) -> None:
    shutil.rmtree(path)


def change_directory() -> None:
    os.mkdir("below")
    read("in")
    os.chdir("below")
    write("in")
    read("in")


NOTHING: tuple[list[str], list[str]] = ([], [])
CASES: dict[str, tuple[Callable[[], object], list[str], list[str]]] = {
    "open to read": (lambda: read("in"), ["in"], []),
    "open to read bytes": (lambda: read("in", "rb"), ["in"], []),
    "open to write": (lambda: write("out"), [], ["out"]),
    "open to append to a new file": (lambda: write("out", "a"), [], ["out"]),
    "open to append": (lambda: write("old", "a"), [], ["old"]),
    "open to append, nothing written": (lambda: write("old", "a", ""), [], []),
    "open to update": (lambda: write("old", "r+", "other"), ["old"], ["old"]),
    "open to update, only read": (lambda: read("old", "r+"), ["old"], []),
    "open exclusively": (lambda: write("out", "x"), [], ["out"]),
    "open exclusively what exists": (lambda: try_to(lambda: write("old", "x")), [], []),
    "open what is not there": (lambda: try_to(lambda: read("none")), [], []),
    "write what was not there": (lambda: (try_to(lambda: read("none")), write("none")),
                                 [], ["none"]),
    "update what is not there": (lambda: try_to(lambda: read("none", "r+")), [], []),
    "read what the run wrote": (lambda: (write("out"), read("out")), [], ["out"]),
    "read, then write": (lambda: (read("old"), write("old")), ["old"], ["old"]),
    "read what the run appended to": (lambda: (write("old", "a"), read("old")), ["old"], ["old"]),
    "pathlib": (lambda: pathlib.Path("out").write_text(pathlib.Path("in").read_text()),
                ["in"], ["out"]),
    "bytes": (lambda: open(b"in").close(), ["in"], []),
    "FileIO": (lambda: io.FileIO("in").close(), ["in"], []),
    "os.open to read": (lambda: open_low_level("in", os.O_RDONLY), ["in"], []),
    "os.open to write": (lambda: open_low_level("out", os.O_WRONLY | os.O_CREAT), [], ["out"]),
    "os.truncate": (lambda: os.truncate("old", 1), [], ["old"]),
    "os.rename": (lambda: os.rename("old", "new"), ["old"], ["new"]),
    "os.rename of what is not there": (lambda: try_to(lambda: os.rename("none", "new")), [], []),
    "os.replace of a new file": (lambda: (write("part"), os.replace("part", "out")), [], ["out"]),
    "os.rename, twice": (lambda: (os.rename("old", "b"), os.rename("b", "c")), ["old"], ["c"]),
    "os.rename of a new directory": (rename_new_directory, [], ["all/0"]),
    "os.rename of a directory": (rename_old_directory, ["../given"], ["moved"]),
    "os.remove": (lambda: os.remove("old"), [], ["old"]),
    "os.remove of what is not there": (lambda: try_to(lambda: os.remove("none")), [], []),
    "read, then os.remove": (lambda: (read("old"), os.remove("old")), ["old"], ["old"]),
    "os.remove of a new file": (lambda: (write("out"), os.remove("out")), [], []),
    "os.link": (lambda: os.link("in", "out"), ["in"], ["out"]),
    "shutil.copy": (lambda: shutil.copy("in", "out"), ["in"], ["out"]),
    "shutil.copy into a directory": (lambda: shutil.copy("in", "../given"),
                                     ["in"], ["../given/in"]),
    "shutil.copyfile": (lambda: shutil.copyfile("in", "out"), ["in"], ["out"]),
    "shutil.copytree": (lambda: shutil.copytree("../given", "out"), ["../given/a"], ["out/a"]),
    "shutil.move": (lambda: shutil.move("old", "out"), ["old"], ["out"]),
    "shutil.rmtree": (lambda: remove_below("../given"), [], ["../given"]),
    "a temporary file": (lambda: tempfile.TemporaryFile().close(), [], []),
    "a temporary directory": (with_temporary_directory, [], []),
    "os.chdir": (change_directory, ["in"], ["below/in"]),
    "a directory": (lambda: os.listdir("."), [], []),
    "/dev": (lambda: write("/dev/null"), [], []),
    "/proc": (lambda: read("/proc/self/status"), [], []),
    "a library": (lambda: read(os.__file__), [], []),
    "a pipe": (lambda: [os.close(end) for end in os.pipe()], [], []),
    "a descriptor": (lambda: open(os.dup(1), "w").close(), [], []),
    "a module of the program": (lambda: read(lineage.__file__), [], []),
    "a child process": (lambda: subprocess.run(["cat", "in"], check=True), [], []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_is_seen_of_files(here: str, tmp_path: Path, case: str):
    given = tmp_path / "given"
    given.mkdir()
    (given / "a").write_text("a")
    act, inputs, outputs = CASES[case]
    with observe_run(tmp_path / "spool", "files") as observed:
        act()
    absolute = [[os.path.normpath(f"{here}/{name}") for name in side] for side in (inputs, outputs)]
    assert [observed.inputs, observed.outputs] == absolute


def test_sizes_and_lifecycles_of_files(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        read("in")
        write("out", text="12345")
        write("old", "a", "!")
        os.remove("in")
        os.rename("out", "final")
    assert observed.size(f"{here}/final") == 5
    assert observed.change(f"{here}/final") == "OVERWRITE"
    assert observed.size(f"{here}/old") == 4
    assert observed.change(f"{here}/old") is None, "it was appended to"
    with observe_run(tmp_path / "spool", "files") as observed:
        os.rename("old", "moved")
        os.remove("final")
    assert observed.change(f"{here}/moved") == "RENAME"
    assert observed.change(f"{here}/final") == "DROP"
    assert observed.sources(f"{here}/moved") == [f"{here}/old"]


def test_only_a_file_that_was_opened_to_append_keeps_all_it_had(here: str, tmp_path: Path):
    for name in ("update", "shorten", "mixed", "replaced"):
        write(name)
    with observe_run(tmp_path / "spool", "files") as observed:
        write("old", "a")
        write("new", "a")
        write("update", "r+", "other text")
        os.truncate("shorten", 1)
        write("mixed", "a")
        write("mixed", "r+")
        write("replaced", "a")
        write("replaced")
    modes = {name: observed.mode(f"{here}/{name}") for name in
             ("old", "new", "update", "shorten", "mixed", "replaced")}  # fmt: skip
    assert modes == {
        "old": "append", "new": None, "update": None, "shorten": None, "mixed": None,
        "replaced": None,
    }  # fmt: skip
    assert observed.change(f"{here}/new") == observed.change(f"{here}/replaced") == "OVERWRITE"


def test_a_file_that_is_open_at_the_end_of_the_run_is_an_output(here: str, tmp_path: Path):
    write("closed")
    with contextlib.ExitStack() as stack:
        with observe_run(tmp_path / "spool", "files") as observed:
            for name, mode in (("new", "w"), ("old", "a")):
                stack.enter_context(open(name, mode)).write("unflushed")
            write("closed", "a", "")
            stack.enter_context(open("in"))
        written = [os.path.getsize(name) for name in ("new", "old")]
    assert written == [0, 3], "the rest is in buffers"
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/new", f"{here}/old"])
    assert observed.mode(f"{here}/old") == "append"
    assert observed.size(f"{here}/new") is observed.size(f"{here}/old") is None, "not known"


def test_a_script_need_not_close_its_files(here: str, tmp_path: Path):
    Path("script.py").write_text("""
import sys
rows = open("in").read()
out = open("new", "w")
out.write(rows)
old = open("old", "a")
old.write(rows)
""")
    spool = tmp_path / "spool"
    own = {"LINEAGE_ENABLED": "Y", "LINEAGE_SINK_IDS": "file", "LINEAGE_HUB_SPOOL": str(spool)}
    command = [sys.executable, "-m", "lineage.observe", "script.py"]
    subprocess.run(command, env={**os.environ, **own}, check=True)
    assert [Path(name).read_text() for name in ("new", "old")] == ["in", "oldin"]
    [events] = spool.iterdir()
    end = json.loads(events.read_text().splitlines()[-1])
    assert [each["name"] for each in end["outputs"]] == [f"{here}/new", f"{here}/old"]


def test_copies_have_no_other_source_than_their_original(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        shutil.copy("in", "copy")
        shutil.copy2("old", "changed")
        write("changed", "a")
        shutil.copy("old", "replaced")
        write("replaced")
        write("new")
        shutil.copy("new", "of-new")
        write("out")
    sources = {name: observed.sources(f"{here}/{name}") for name in
               ("copy", "changed", "replaced", "new", "of-new", "out")}  # fmt: skip
    assert sources == {
        "copy": [f"{here}/in"],
        "changed": None,
        "replaced": None,
        "new": None,
        "of-new": None,
        "out": None,
    }


def test_files_below_a_dataset_that_the_run_names_are_a_part_of_it(here: str, tmp_path: Path):
    os.mkdir("table")
    with observe_run(tmp_path / "spool", "files") as observed:
        observed.run.writes(f"{here}/table", rows=3)
        observed.run.reads(f"{here}/in", rows=1)
        write("table/part-0")
        write("tables")
        read("in")
    assert observed.outputs == [f"{here}/table", f"{here}/tables"]
    assert observed.inputs == [f"{here}/in"]


def test_a_file_belongs_to_the_innermost_run_and_to_no_other(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed, lineage.run("inner"):
        read("in")
    assert observed.inputs == []


def test_a_run_of_the_process_takes_what_no_other_run_claims(here: str, tmp_path: Path):
    def in_a_thread() -> None:
        read("in")
        with lineage.run("other"):
            write("out")

    for process in (False, True):
        with observe_run(tmp_path / "spool", "files", process=process) as observed:
            thread = threading.Thread(target=in_a_thread)
            thread.start()
            thread.join()
        assert observed.inputs == ([f"{here}/in"] if process else [])
        assert observed.outputs == []


def test_the_spool_of_the_hub_is_no_output(here: str, tmp_path: Path):
    from lineage.hub import configure

    spool = tmp_path / "spool"
    with observe_run(spool, "files", process=True) as observed:
        hub = configure({"broken": _broken}, spool=spool, durable=True, linger_ms=0)
        with lineage.run("inner"):
            pass
        hub.shutdown(0)
        assert list(spool.iterdir())
    assert (observed.inputs, observed.outputs) == ([], [])


def _broken() -> None:
    raise ConnectionError


@pytest.mark.parametrize(
    ("patterns", "path", "ignored"),
    [
        ("*.log", "/var/app/x.log", True),
        ("*.log", "/var/app/x.csv", False),
        ("/scratch/*, *.tmp", "/scratch/a/b", True),
        ("/scratch/*, *.tmp", "/data/b.tmp", True),
        ("/scratch/*", "/data/scratch/b", False),
        ("*/cache/*", "/home/me/cache/x", True),
        ("test*", "/data/test_env/orders.csv", False),
        ("test*", "/data/test_env/test_orders.csv", True),
        ("_*", "/lake/_raw/orders.csv", False),
        ("_*", "/lake/_SUCCESS", True),
        ("t?p", "/t/p/x", False),
        ("[!a]*", "/data/b/a", False),
        ("a|b,*.log", "/data/b", False),
        ("", "/data/x", False),
        ("", "/data/__pycache__/x.pyc", True),
        ("", "/proc/1/status", True),
        ("", "/process/x", False),
        ("", "/usr/local/data/x", False),
    ],
)
def test_patterns_of_ignored_files(patterns: str, path: str, ignored: bool):
    assert IgnoredPaths(read_patterns(patterns)).is_ignored(path) is ignored


def test_ignored_files_are_left_out(here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LINEAGE_OBSERVE_IGNORE", "*.log")
    with observe_run(tmp_path / "spool", "files") as observed:
        write("x.log")
        write("x.csv")
    assert observed.outputs == [f"{here}/x.csv"]


def test_files_of_this_package_are_no_data(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        open(pathlib.Path(lineage.__file__).with_name("redaction.txt")).close()
        open("in").close()
    assert observed.inputs == [f"{here}/in"]


def test_a_path_relative_to_an_open_directory_is_unresolved(here: str, tmp_path: Path):
    directory = os.open(".", os.O_RDONLY)
    with observe_run(tmp_path / "spool", "files") as observed:
        os.close(os.open("in", os.O_RDONLY, dir_fd=directory))
        os.rename("in", "out", src_dir_fd=directory, dst_dir_fd=directory)
    os.close(directory)
    assert (observed.inputs, observed.outputs) == ([], [])
    assert [item["unresolved"] for item in observed.items] == ["in", "out"]


def test_very_many_files_become_their_directories(here: str, tmp_path: Path):
    for number in range(1100):
        write(f"{number}.csv")
    with observe_run(tmp_path / "spool", "files") as observed:
        for number in range(1100):
            read(f"{number}.csv")
    assert len(observed.inputs) == 1001
    assert here in observed.inputs
    assert observed.facet["truncated"] == 100


def test_beyond_the_limit_of_a_collector_only_directories_are_known(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("lineage.observe.run_files.MAX_FILES", 2)
    os.mkdir("more")
    with observe_run(tmp_path / "spool", "files") as observed:
        for name in ("a", "b", "more/c", "more/d"):
            write(name)
    assert observed.outputs == [f"{here}/{name}" for name in ("a", "b", "more")]
    assert observed.facet["truncated"] == 2


def test_files_that_are_not_there_are_counted(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        try_to(lambda: read("none"))
    assert observed.facet == {"absent": 1}


def test_nothing_is_observed_by_default(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        read("in")
    assert (observed.inputs, observed.facet) == ([], {})


def test_an_unknown_observer_is_logged_once(
    here: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    for _ in range(2):
        with observe_run(tmp_path / "spool", "files", "disks") as observed:
            read("in")
    assert observed.inputs == [f"{here}/in"]
    assert caplog.messages == [
        'LINEAGE_OBSERVE has "disks", which cannot be observed. There are: files, http, sqlite.'
    ]
