"""Files that C, Rust or a child process writes, and Python moves, copies and removes afterwards."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas as pd
import polars as pl
import pytest
from support.services.observed import Observed, observe_run

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def table(here: str) -> str:
    """Return the path of a table that was there before the run."""
    path = f"{here}/a.csv"
    Path(path).write_text("x,y\n3,4\n1,2\n")
    return path


def outlast_clock() -> None:
    """Return when files that are written now have a later time than any file before.

    The clock of files advances a few times in 10 ms.
    """
    descriptor, path = tempfile.mkstemp(dir="/dev/shm")
    os.close(descriptor)
    before = os.stat(path).st_mtime_ns
    while os.stat(path).st_mtime_ns <= before + 10_000_000:
        os.utime(path)
    os.unlink(path)


def by_child(source: str, target: str) -> None:
    subprocess.run(["sort", source, "-o", target], check=True)


def by_polars(source: str, target: str) -> None:
    pl.from_pandas(pd.read_csv(source)).write_parquet(target)


def by_duckdb(source: str, target: str) -> None:
    duckdb.sql(f"COPY (SELECT * FROM '{source}') TO '{target}' (FORMAT parquet)")


WRITERS: list[Callable[[str, str], None]] = [by_child, by_polars, by_duckdb]


def publish(write: Callable[[str, str], None], put: Callable[..., object], here: str) -> None:
    """Read the table, write a file, put it to ``out``, and write another output."""
    outlast_clock()
    Path(f"{here}/a.csv").read_text()
    write(f"{here}/a.csv", "part")
    put("part", "out")
    Path("summary").write_text("1")


@pytest.mark.parametrize("write", WRITERS)
@pytest.mark.parametrize("put", [os.rename, os.replace, shutil.move])
def test_a_file_that_is_moved_after_it_was_written_has_the_inputs_of_the_run(
    table: str,
    here: str,
    tmp_path: Path,
    write: Callable[[str, str], None],
    put: Callable[..., object],
):
    with observe_run(tmp_path / "spool", "files") as observed:
        publish(write, put, here)
    assert observed.inputs == [table]
    assert observed.outputs == [f"{here}/out", f"{here}/summary"]
    assert observed.sources(f"{here}/out") is None, "it comes from all inputs"
    assert observed.change(f"{here}/out") == "OVERWRITE"


@pytest.mark.parametrize("put", [shutil.copy, shutil.copyfile, os.link])
def test_the_source_of_a_copy_is_an_input(
    table: str, here: str, tmp_path: Path, put: Callable[..., object]
):
    """It may be of another program, such as a log that a service appends to."""
    with observe_run(tmp_path / "spool", "files") as observed:
        publish(by_child, put, here)
    assert observed.inputs == [table, f"{here}/part"]
    assert observed.outputs == [f"{here}/out", f"{here}/summary"]
    assert observed.sources(f"{here}/out") == [f"{here}/part"]


def test_a_file_of_another_program_is_the_source_of_its_move(here: str, tmp_path: Path):
    outlast_clock()
    with observe_run(tmp_path / "spool", "files") as before:
        os.rename("old", "moved")
    with observe_run(tmp_path / "spool", "files") as listed:
        outlast_clock()
        subprocess.run("echo 1 > arrived", shell=True, check=True)  # stands for another program
        outlast_clock()
        for name in glob.glob("arr*"):
            os.rename(name, "taken")
    with observe_run(tmp_path / "spool", "files") as opened:
        outlast_clock()
        subprocess.run("echo 1 > arrived", shell=True, check=True)
        Path("arrived").read_text()
        os.rename("arrived", "read")

    os.mkdir("done")
    with observe_run(tmp_path / "spool", "files") as elsewhere:
        outlast_clock()
        subprocess.run("echo 1 > arrived", shell=True, check=True)
        os.rename("arrived", "done/arrived")
    with observe_run(tmp_path / "spool", "files") as ahead:
        outlast_clock()
        subprocess.run("echo 1 > arrived", shell=True, check=True)
        os.utime("arrived", (2_000_000_000, 2_000_000_000))  # by the clock of a file server
        os.rename("arrived", "later")

    def edge(observed: Observed, name: str) -> tuple[list[str], list[str] | None]:
        return observed.inputs, observed.sources(f"{here}/{name}")

    arrived = [f"{here}/arrived"]
    assert edge(elsewhere, "done/arrived") == (arrived, arrived)
    assert edge(ahead, "later") == (arrived, arrived)

    assert edge(before, "moved") == ([f"{here}/old"], [f"{here}/old"])
    assert edge(listed, "taken") == ([f"{here}/arrived"], [f"{here}/arrived"])
    assert edge(opened, "read") == ([f"{here}/arrived"], [f"{here}/arrived"])


@pytest.mark.parametrize("put", ["remove", "rename"])
def test_what_a_child_writes_into_a_new_directory_is_no_input(
    table: str, here: str, tmp_path: Path, put: str
):
    with (
        observe_run(tmp_path / "spool", "files") as observed,
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory,
    ):
        subprocess.run(["cp", "-p", table, f"{directory}/a.csv"], check=True)
        pd.read_csv(f"{directory}/a.csv").to_csv("out.csv")
        if put == "rename":
            os.rename(directory, "kept")
    assert (observed.inputs, observed.outputs) == ([], [f"{here}/out.csv"])
    assert observed.facet == {}
