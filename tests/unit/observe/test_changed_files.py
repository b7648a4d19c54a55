"""Moves and removals that fail, and what a file has when something else has changed it."""

from __future__ import annotations

import contextlib
import gzip
import multiprocessing
import os
import shutil
import sqlite3
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyarrow.csv import read_csv
from support.services.observed import observe_run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def other_disk() -> Iterator[str]:
    """Return a directory of another file system."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as directory:
        if os.stat(directory).st_dev == os.stat(tempfile.gettempdir()).st_dev:
            pytest.skip("There is one file system.")
        yield directory


def make_file(name: str) -> None:
    """Write a file with the content of ``in``."""
    with open("in") as source, open(name, "w") as target:
        target.write(source.read())


def test_a_move_to_another_file_system_has_the_sources_of_the_file(
    here: str, tmp_path: Path, other_disk: str
):
    os.symlink(other_disk, "other")
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("new")
        shutil.move("new", "other/new")
        shutil.move("old", "other/old")
    assert observed.inputs == [f"{here}/in", f"{here}/old"]
    assert observed.outputs == [f"{here}/old", f"{here}/other/new", f"{here}/other/old"]
    assert observed.sources(f"{here}/other/new") is None, "it has all inputs"
    assert observed.sources(f"{here}/other/old") == [f"{here}/old"]


def test_a_temporary_file_that_is_moved_to_another_file_system_is_no_input(
    here: str, tmp_path: Path, other_disk: str
):
    os.symlink(other_disk, "other")
    with observe_run(tmp_path / "spool", "files") as observed:
        with tempfile.NamedTemporaryFile("w", delete=False) as file:
            file.write(Path("in").read_text())
        shutil.move(file.name, "other/out")
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/other/out"])
    assert observed.sources(f"{here}/other/out") is None


def test_a_rename_that_succeeds_at_the_second_attempt(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("part")
        try:
            os.replace("part", "below/out")
        except FileNotFoundError:
            os.makedirs("below")
            os.replace("part", "below/out")
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/below/out"])
    assert observed.change(f"{here}/below/out") == "OVERWRITE"
    assert observed.sources(f"{here}/below/out") is None


def test_a_file_that_could_not_be_moved_is_where_it_was(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("out")
        os.mkdir("parts")
        make_file("parts/0")
        for name in ("out", "parts", "old"):
            with contextlib.suppress(OSError):
                os.rename(name, f"none/{name}")
    assert (observed.inputs, observed.outputs) == (
        [f"{here}/in"],
        [f"{here}/out", f"{here}/parts/0"],
    )


def test_what_could_not_be_removed_is_an_output(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    os.mkdir("given")
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("given/out")
        with pytest.raises(OSError, match="File name too long"):
            os.remove("given/out" + "/x" * 5000)
        with pytest.raises(NotADirectoryError):
            os.remove("given/out/below")
        with pytest.raises(IsADirectoryError):
            os.remove("given")

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError

        with monkeypatch.context() as patch:
            patch.setattr(os, "unlink", refuse)
            shutil.rmtree("given", ignore_errors=True)
        with open("in") as file:
            file.read()
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/given/out"])


def test_the_last_change_of_a_run_counts_if_it_was_done(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("part")
        os.rename("part", "out")
    assert observed.outputs == [f"{here}/out"]
    with observe_run(tmp_path / "spool", "files") as observed:
        os.remove("out")
    assert observed.outputs == [f"{here}/out"]
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("part")
        with contextlib.suppress(OSError):
            os.rename("part", "none/part")
    assert observed.outputs == [f"{here}/part"]


def test_a_new_file_of_a_state_that_was_not_there_has_no_input(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        with contextlib.suppress(FileNotFoundError):
            open("state").close()
        make_file("part")
        os.replace("part", "state")
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/state"])


def test_threads_rename_files_at_the_same_time(here: str, tmp_path: Path):
    def write_files(worker: int) -> None:
        for number in range(50):
            make_file(f"part-{worker}-{number}")
            os.replace(f"part-{worker}-{number}", f"out-{worker}-{number:02}")

    with observe_run(tmp_path / "spool", "files", process=True) as observed:
        threads = [threading.Thread(target=write_files, args=[worker]) for worker in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert observed.inputs == [f"{here}/in"]
    assert observed.outputs == [f"{here}/out-{n}-{m:02}" for n in range(4) for m in range(50)]


def test_a_copy_that_something_else_changes_has_more_sources(here: str, tmp_path: Path):
    for name in ("base.db", "other.db"):
        with contextlib.closing(sqlite3.connect(name)) as base:
            base.execute("create table t (a)")
            base.commit()
    with observe_run(tmp_path / "spool", "files", "sqlite") as observed:
        shutil.copy("base.db", "filled.db")
        shutil.copy("other.db", "same.db")
        shutil.copy("old", "longer")
        shutil.copy("old", "plain")
        os.rename("old", "moved")
        with contextlib.closing(sqlite3.connect("filled.db")) as filled, open("in") as rows:
            filled.execute("insert into t values (?)", [rows.read()])
            filled.commit()
        subprocess.run("echo more | tee -a longer moved", shell=True, check=True)
    assert os.path.getsize("filled.db") == os.path.getsize("base.db"), "its size shows nothing"
    for name in ("filled.db", "longer", "moved"):
        assert observed.sources(f"{here}/{name}") is None, "it has all inputs"
    assert observed.sources(f"{here}/same.db") == [f"{here}/other.db"]
    assert observed.sources(f"{here}/plain") == [f"{here}/old"]
    assert [item["database"] for item in observed.items] == [f"{here}/filled.db"]


@pytest.mark.parametrize("observers", [["files", "sqlite"], ["sqlite", "files"], ["files"]])
def test_a_database_counts_in_any_order_of_observers(
    here: str, tmp_path: Path, observers: list[str]
):
    sqlite3.connect("base.db").close()
    with observe_run(tmp_path / "spool", *observers) as observed:
        shutil.copy("base.db", "out.db")
        sqlite3.connect("out.db").close()
    assert observed.sources(f"{here}/out.db") is None
    assert len(observed.items) == observers.count("sqlite")


def test_a_copy_of_a_copy_has_the_first_source(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        with open("old") as file:
            file.read()
        shutil.copy("in", "middle")
        shutil.copy("middle", "end")
        os.link("middle", "linked")
        shutil.copy("in", "changed")
        with open("changed", "a") as file:
            file.write("more")
        shutil.copy("changed", "of-changed")
    assert observed.sources(f"{here}/end") == [f"{here}/in"]
    assert observed.sources(f"{here}/linked") == [f"{here}/in"]
    assert observed.sources(f"{here}/of-changed") is None


def test_each_file_of_a_copied_tree_has_its_original_as_the_only_source(here: str, tmp_path: Path):
    os.makedirs("tree/below")
    names = ("a", "b", "below/c")
    for name in names:
        Path(f"tree/{name}").write_text(name)
    with observe_run(tmp_path / "spool", "files") as observed:
        Path("in").read_text()
        shutil.copytree("tree", "copy")
        shutil.copytree(b"tree", b"bytes")
        with os.scandir("tree") as entries:
            [entry] = [each for each in entries if each.name == "a"]
        shutil.copy(entry, "entry")
    for name in names:
        assert observed.sources(f"{here}/copy/{name}") == [f"{here}/tree/{name}"]
        assert observed.sources(f"{here}/bytes/{name}") == [f"{here}/tree/{name}"]
    assert observed.sources(f"{here}/entry") == [f"{here}/tree/a"]


def keep_old_report() -> None:
    os.rename("salaries", "salaries.old")
    Path("salaries").write_text("2")
    Path("salaries").read_text()


def replace_report() -> None:
    os.rename("salaries", "salaries.old")
    Path("salaries.new").write_text("2")
    os.replace("salaries.new", "salaries")


def rotate_logs() -> None:
    os.rename("salaries.1", "salaries.2")
    os.rename("salaries", "salaries.1")
    with open("salaries", "a") as log:
        log.write("2")
    os.remove("salaries.2")


def read_old_report() -> None:
    os.rename("salaries", "salaries.old")
    Path("salaries").write_text("2")
    Path("salaries.old").read_text()


def extend_old_report() -> None:
    os.rename("salaries", "salaries.old")
    Path("salaries").write_text("2")
    with open("salaries.old", "a") as old:
        old.write("3")


def rename_and_restore() -> None:
    os.rename("salaries", "salaries.lock")
    subprocess.run(["cat", "salaries.lock"], check=True, stdout=subprocess.DEVNULL)
    os.rename("salaries.lock", "salaries")


def copy_and_restore() -> None:
    os.rename("salaries", "salaries.lock")
    shutil.copy("salaries.lock", "salaries")


def read_copy() -> None:
    shutil.copy("salaries", "copy")
    Path("copy").read_text()


def read_original_afterwards() -> None:
    shutil.copy("salaries", "copy")
    with open("salaries", "rb") as file:
        file.read()


def read_moved() -> None:
    os.rename("salaries", "moved")
    Path("moved").read_text()


def read_in_moved_directory() -> None:
    os.mkdir("batch")
    os.rename("salaries", "batch/salaries")
    os.rename("batch", "done")
    Path("done/salaries").read_text()


def read_in_thread() -> None:
    os.rename("salaries", "moved")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(Path("moved").read_text).result()


def archive_after_thread() -> None:
    with ThreadPoolExecutor(1) as pool:
        pool.submit(Path("salaries").read_text).result()
    shutil.move("salaries", "archived")


def read_by_arrow() -> None:
    os.rename("salaries", "moved")
    read_csv("moved")


def archive_after_arrow() -> None:
    os.rename("salaries", "moved")
    read_csv("moved")
    os.rename("moved", "archived")


def link_for_arrow() -> None:
    os.link("salaries", "linked")
    read_csv("linked")


def copy_for_child() -> None:
    shutil.copy("salaries", "scratch")
    subprocess.run(["cat", "scratch"], check=True, stdout=subprocess.DEVNULL)


def copy_temporarily() -> None:
    copy_for_child()
    os.remove("scratch")


def back_up_for_worker() -> None:
    shutil.copy("salaries", "salaries.bak")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pool.apply(os.path.getsize, ["salaries"])


def unpack() -> None:
    shutil.move("salaries", "packed.gz")
    subprocess.run(["gunzip", "packed.gz"], check=True)
    Path("packed").read_text()


@pytest.mark.parametrize("act", [keep_old_report, replace_report, rotate_logs])
def test_a_file_that_the_run_writes_again_is_no_source_of_other_files(
    here: str, tmp_path: Path, act: Callable[[], None]
):
    """The run only keeps the old content, which it moved away."""
    for name in ("salaries", "salaries.1"):
        Path(name).write_text("1")
    with observe_run(tmp_path / "spool", "files") as observed:
        act()
        make_file("report")
    assert f"{here}/salaries" in observed.inputs
    assert observed.sources(f"{here}/report") == [f"{here}/in"]


@pytest.mark.parametrize(
    "act",
    [
        read_old_report,
        extend_old_report,
        rename_and_restore,
        copy_and_restore,
        read_copy,
        read_original_afterwards,
        read_moved,
        read_in_moved_directory,
        read_in_thread,
        archive_after_thread,
        read_by_arrow,
        archive_after_arrow,
        link_for_arrow,
        copy_for_child,
        copy_temporarily,
        back_up_for_worker,
        unpack,
    ],
)
def test_a_file_that_the_run_moves_or_copies_is_a_source_of_other_files(
    here: str, tmp_path: Path, act: Callable[[], None]
):
    """What the observer does not see opened may still have been read."""
    Path("salaries").write_bytes(gzip.compress(b"1") if act is unpack else b"1\n")
    with observe_run(tmp_path / "spool", "files") as observed:
        act()
        make_file("report")
    assert {f"{here}/in", f"{here}/salaries"} <= set(observed.inputs)
    assert observed.sources(f"{here}/report") is None, "it has all inputs"


def test_an_old_version_that_the_run_names_as_an_output_has_all_inputs(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        os.rename("old", "old.bak")
        make_file("old")
        observed.run.writes("old.bak")
    assert observed.inputs == [f"{here}/in", f"{here}/old"]
    assert observed.sources(f"{here}/old.bak") is None


def test_a_link_that_is_swapped_has_no_content(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        make_file("run1")
        os.symlink("run1", "latest.tmp")
        os.replace("latest.tmp", "latest")
    assert (observed.inputs, observed.outputs) == ([f"{here}/in"], [f"{here}/run1"])
    assert observed.sources(f"{here}/run1") is None


def test_a_copy_to_itself_is_no_copy(here: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", "files") as observed:
        with pytest.raises(shutil.SameFileError):
            shutil.copy("old", "old")
        content = Path("old").read_text() + Path("in").read_text()
        Path("old").write_text(content[-3:])
    assert observed.inputs == [f"{here}/in", f"{here}/old"]
    [output] = observed.event["outputs"]
    assert os.path.getsize("old") == 3, "its size shows nothing"
    assert (output["name"], output["facets"].get("lineage")) == (f"{here}/old", None)


def test_what_was_removed_has_no_sources(here: str, tmp_path: Path):
    os.mkdir("tree")
    with observe_run(tmp_path / "spool", "files") as observed:
        with open("in") as file:
            file.read()
        os.remove("old")
        shutil.rmtree("tree")
    assert observed.sources(f"{here}/old") == observed.sources(f"{here}/tree") == []


def test_the_removal_of_a_tree_leaves_nothing_unresolved(here: str, tmp_path: Path):
    os.makedirs("given/a/b/c")
    with observe_run(tmp_path / "spool", "files") as observed:
        os.makedirs("new/a/b/c")
        shutil.rmtree("new")
        shutil.rmtree(f"{here}/given")
        with tempfile.TemporaryDirectory() as directory:
            os.makedirs(f"{directory}/x/y")
        descriptor = os.open(here, os.O_RDONLY)
        os.close(os.open("in", os.O_RDONLY, dir_fd=descriptor))
        os.close(descriptor)
    assert observed.outputs == [f"{here}/given"]
    assert [item["unresolved"] for item in observed.items] == ["in"]


def test_a_file_that_touch_creates_is_an_output(
    here: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LINEAGE_OBSERVE_IGNORE", "*.log")
    os.mkdir("below")
    with observe_run(tmp_path / "spool", "files") as observed:
        Path("_SUCCESS").touch()
        Path("old").touch()
        Path("x.log").touch()
        with contextlib.suppress(FileNotFoundError):
            Path("none/x").touch()
        below = os.open("below", os.O_RDONLY)
        os.close(os.open("part", os.O_WRONLY | os.O_CREAT, dir_fd=below))
        os.close(below)
        Path("last").touch()
    assert observed.outputs == [f"{here}/_SUCCESS", f"{here}/last"]
    assert [item["unresolved"] for item in observed.items] == ["none/x", "below", "part"]
