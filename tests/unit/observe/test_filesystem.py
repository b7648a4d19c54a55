"""File systems of fsspec that are observed, with the libraries that read and write by them."""

from __future__ import annotations

import io
import pickle
import subprocess
import sys
import threading
import zipfile
from typing import TYPE_CHECKING, Any

import duckdb
import fsspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.services.observed import observe_run

import lineage
from lineage.hub import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FRAME = pd.DataFrame({"a": range(100), "p": [number % 2 for number in range(100)]})
TABLE = pa.table({"a": list(range(100)), "p": [number % 2 for number in range(100)]})


@pytest.fixture
def data(tmp_path: Path) -> str:
    """Return a directory with ``in.parquet``, ``in.csv`` and the partitions of ``parts``."""
    directory = tmp_path / "data"
    directory.mkdir()
    FRAME.to_parquet(directory / "in.parquet")
    FRAME.to_csv(directory / "in.csv", index=False)
    pq.write_to_dataset(TABLE, directory / "parts", partition_cols=["p"])
    with zipfile.ZipFile(directory / "in.zip", "w") as archive:
        archive.writestr("x.csv", "a\n1\n")
    return str(directory)


def local() -> Any:
    return lineage.observe.filesystem("file")


# pandas knows chained URLs from 3.0 on; before, the target is an option.
HAS_CHAINS = int(pd.__version__.split(".")[0]) >= 3


def of_pandas(path: str, protocol: str = "file") -> dict[str, Any]:
    """Return the arguments of pandas for an observed file."""
    if HAS_CHAINS:
        return {"path": f"lineage::{protocol}://{path}"}
    return {"path": f"lineage://{path}", "storage_options": {"target_protocol": protocol}}


def of_csv(path: str, protocol: str = "file") -> dict[str, Any]:
    arguments = of_pandas(path, protocol)
    return {"filepath_or_buffer": arguments.pop("path"), **arguments}


def to_csv(path: str, protocol: str = "file") -> dict[str, Any]:
    arguments = of_pandas(path, protocol)
    return {"path_or_buf": arguments.pop("path"), **arguments}


def read_archive(data: str) -> None:
    with fsspec.open(f"zip://x.csv::lineage::file://{data}/in.zip") as file:
        assert file.read() == b"a\n1\n"


def read_by_cache(data: str) -> None:
    with fsspec.open(f"lineage::simplecache::file://{data}/in.csv") as file:
        assert file.read(3) == b"a,p"


def query_by_duckdb(data: str) -> None:
    with duckdb.connect() as connection:
        connection.register_filesystem(local())
        query = f"SELECT count(*) FROM read_parquet('lineage://{data}/in.parquet')"
        assert connection.sql(query).fetchall() == [(100,)]


def copy_by_duckdb(data: str) -> None:
    with duckdb.connect() as connection:
        connection.register_filesystem(local())
        connection.execute(f"COPY (SELECT 1 AS a) TO 'lineage://{data}/out.csv' (FORMAT csv)")


def read_by_polars(data: str) -> None:
    with fsspec.open(f"lineage::file://{data}/in.parquet") as file:
        assert pl.read_parquet(file).height == 100


def write_by_polars(data: str) -> None:
    with fsspec.open(f"lineage::file://{data}/out.parquet", "wb") as file:
        pl.DataFrame({"a": [1]}).write_parquet(file)


CASES: dict[str, tuple[Callable[[str], object], list[str], list[str]]] = {
    "pandas.read_parquet": (
        lambda data: pd.read_parquet(**of_pandas(f"{data}/in.parquet")), ["in.parquet"], []),
    "pandas.read_parquet of partitions": (
        lambda data: pd.read_parquet(**of_pandas(f"{data}/parts")), ["parts"], []),
    "pandas.read_csv": (
        lambda data: pd.read_csv(**of_csv(f"{data}/in.csv")), ["in.csv"], []),
    "to_parquet": (
        lambda data: FRAME.to_parquet(**of_pandas(f"{data}/out.parquet")), [], ["out.parquet"]),
    "to_parquet of partitions": (
        lambda data: FRAME.to_parquet(**of_pandas(f"{data}/out"), partition_cols=["p"]),
        [], ["out"]),
    "to_csv": (lambda data: FRAME.to_csv(**to_csv(f"{data}/out.csv")), [], ["out.csv"]),
    "pandas with a file system": (
        lambda data: pd.read_parquet(f"{data}/in.parquet", filesystem=local()),
        ["in.parquet"], []),
    "pyarrow.parquet.read_table": (
        lambda data: pq.read_table(f"{data}/in.parquet", filesystem=local()), ["in.parquet"], []),
    "pyarrow.parquet.write_table": (
        lambda data: pq.write_table(TABLE, f"{data}/out.parquet", filesystem=local()),
        [], ["out.parquet"]),
    "pyarrow.dataset": (
        lambda data: ds.dataset(f"{data}/parts", filesystem=local(), partitioning="hive")
        .to_table(), ["parts"], []),
    "pyarrow.dataset.write_dataset": (
        lambda data: ds.write_dataset(TABLE, f"{data}/out", format="parquet", filesystem=local(),
                                      partitioning=["p"], partitioning_flavor="hive"),
        [], ["out"]),
    "pyarrow.csv": (
        lambda data: pa_csv.read_csv(local().open(f"{data}/in.csv")), ["in.csv"], []),
    "duckdb.register_filesystem": (query_by_duckdb, ["in.parquet"], []),
    "duckdb COPY": (copy_by_duckdb, [], ["out.csv"]),
    "polars.read_parquet of an open file": (read_by_polars, ["in.parquet"], []),
    "polars.write_parquet to an open file": (write_by_polars, [], ["out.parquet"]),
    "cat, pipe": (
        lambda data: local().pipe(f"{data}/out", local().cat(f"{data}/in.csv")),
        ["in.csv"], ["out"]),
    "cat_file, pipe_file": (
        lambda data: local().pipe_file(f"{data}/out", local().cat_file(f"{data}/in.csv")),
        ["in.csv"], ["out"]),
    "cat_ranges": (
        lambda data: local().cat_ranges([f"{data}/in.csv"], [0], [3]), ["in.csv"], []),
    "head": (lambda data: local().head(f"{data}/in.csv"), ["in.csv"], []),
    "get": (lambda data: local().get(f"{data}/in.csv", f"{data}/x"), ["in.csv"], []),
    "put": (lambda data: local().put(f"{data}/in.csv", f"{data}/x"), [], ["x"]),
    "touch": (lambda data: local().touch(f"{data}/x"), [], ["x"]),
    "copy": (lambda data: local().copy(f"{data}/in.csv", f"{data}/x"), ["in.csv"], ["x"]),
    "mv": (lambda data: local().mv(f"{data}/in.csv", f"{data}/x"), ["in.csv"], ["x"]),
    "rm": (lambda data: local().rm(f"{data}/in.csv"), [], ["in.csv"]),
    "ls, info, exists, glob": (
        lambda data: [local().ls(data), local().info(data), local().exists(data),
                      local().glob(f"{data}/*")], [], []),
    "a file that is not there": (lambda data: missing(data), [], []),
    "an archive in an observed file": (read_archive, ["in.zip"], []),
    "a cache between": (read_by_cache, ["in.csv"], []),
}  # fmt: skip


def missing(data: str) -> None:
    with pytest.raises(FileNotFoundError):
        local().open(f"{data}/none")


@pytest.mark.parametrize("case", CASES)
def test_what_is_seen_of_a_file_system(data: str, tmp_path: Path, case: str):
    act, inputs, outputs = CASES[case]
    with observe_run(tmp_path / "spool") as observed:
        act(data)
    names = [[f"{data}/{name}" for name in side] for side in (inputs, outputs)]
    assert [observed.inputs, observed.outputs] == names


CALLS: dict[str, tuple[Callable[[str], object], list[str], list[str]]] = {
    "pandas.read_csv": (lambda data: pd.read_csv(f"{data}/in.csv"), ["in.csv"], []),
    "pandas.read_csv with pyarrow": (
        lambda data: pd.read_csv(f"{data}/in.csv", engine="pyarrow"), ["in.csv"], []),
    "pandas.to_csv": (lambda data: FRAME.to_csv(f"{data}/out.csv"), [], ["out.csv"]),
    "pandas.to_json": (lambda data: FRAME.to_json(f"{data}/out.json"), [], ["out.json"]),
    "pandas.to_pickle": (lambda data: FRAME.to_pickle(f"{data}/out.pkl"), [], ["out.pkl"]),
    "fsspec of local files": (
        lambda data: fsspec.open(f"{data}/in.csv").open().close(), ["in.csv"], []),
    "numpy.tofile": (lambda data: FRAME["a"].to_numpy().tofile(f"{data}/out.npy"), [], ["out.npy"]),
    "pandas.read_parquet": (
        lambda data: pd.read_parquet(f"{data}/in.parquet"),
        [] if HAS_CHAINS else ["in.parquet"], []),  # from 3.0 on, pyarrow opens the file
    "pandas.to_parquet": (
        lambda data: FRAME.to_parquet(f"{data}/out.parquet"),
        [], [] if HAS_CHAINS else ["out.parquet"]),
    # C++ and Rust open these files themselves.
    "pyarrow.parquet.read_table": (lambda data: pq.read_table(f"{data}/in.parquet"), [], []),
    "pyarrow.parquet.write_table": (lambda data: pq.write_table(TABLE, f"{data}/out"), [], []),
    "pyarrow.csv.read_csv": (lambda data: pa_csv.read_csv(f"{data}/in.csv"), [], []),
    "pyarrow.memory_map": (lambda data: pa.memory_map(f"{data}/in.csv").close(), [], []),
    "polars.read_csv": (lambda data: pl.read_csv(f"{data}/in.csv"), [], []),
    "polars.scan_parquet": (lambda data: pl.scan_parquet(f"{data}/in.parquet").collect(), [], []),
    "polars.write_parquet": (
        lambda data: pl.DataFrame({"a": [1]}).write_parquet(f"{data}/out"), [], []),
    "duckdb": (lambda data: duckdb.sql(f"SELECT * FROM '{data}/in.csv'").fetchall(), [], []),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_what_the_observer_of_files_sees_of_libraries(data: str, tmp_path: Path, case: str):
    act, inputs, outputs = CALLS[case]
    with observe_run(tmp_path / "spool", "files") as observed:
        act(data)
    names = [[f"{data}/{name}" for name in side] for side in (inputs, outputs)]
    assert [observed.inputs, observed.outputs] == names


def test_bytes_are_counted(data: str, tmp_path: Path):
    fs = local()
    with observe_run(tmp_path / "spool", "files") as observed:
        with fs.open(f"{data}/in.csv", "rb") as file:
            assert file.read(5) == b"a,p\n0"
            assert file.readline() == b",0\n"
            assert next(file) == b"1,1\n"
            buffer = bytearray(4)
            assert file.readinto(buffer) == 4
        with fs.open(f"{data}/out", "w", encoding="utf-8") as text:
            text.write("ä")
        with fs.open(f"{data}/out", "ab") as file:
            file.write(b"12")
    assert observed.size(f"{data}/in.csv") == 5 + 3 + 4 + 4
    assert observed.size(f"{data}/out") == 2 + 2
    assert observed.change(f"{data}/out") == "OVERWRITE"


def test_lifecycles_of_files(data: str, tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        fs = local()
        with fs.open(f"{data}/in.csv", "ab") as file:
            file.write(b"1,2\n")
        fs.mv(f"{data}/in.parquet", f"{data}/moved")
        fs.rm(f"{data}/parts", recursive=True)
    assert observed.change(f"{data}/in.csv") is None, "it was appended to"
    assert observed.change(f"{data}/moved") == "RENAME"
    assert observed.change(f"{data}/parts") == "DROP"


def test_a_copy_and_a_move_have_no_other_source(data: str, tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        fs = local()
        fs.copy(f"{data}/in.csv", f"{data}/copy.csv")
        fs.mv(f"{data}/in.parquet", f"{data}/moved.parquet")
        fs.rm(f"{data}/in.zip")
        fs.pipe(f"{data}/new", b"1")
    assert observed.sources(f"{data}/copy.csv") == [f"{data}/in.csv"]
    assert observed.sources(f"{data}/moved.parquet") == [f"{data}/in.parquet"]
    assert observed.sources(f"{data}/in.zip") == []
    assert observed.sources(f"{data}/new") is None, "it comes from all inputs"


def move_own(fs: Any, data: str) -> None:
    fs.cat(f"{data}/in.csv")
    fs.pipe(f"{data}/out.tmp", b"12")
    fs.mv(f"{data}/out.tmp", f"{data}/out")


def move_own_directory(fs: Any, data: str) -> None:
    fs.cat(f"{data}/in.csv")
    fs.makedirs(f"{data}/tmp/p=1")
    fs.pipe(f"{data}/tmp/p=1/x", b"12")
    fs.pipe(f"{data}/tmp/p=1/y", b"34")
    fs.mv(f"{data}/tmp", f"{data}/out", recursive=True)


def move_twice(fs: Any, data: str) -> None:
    fs.mv(f"{data}/in.csv", f"{data}/a")
    fs.mv(f"{data}/a", f"{data}/b")


def move_and_remove(fs: Any, data: str) -> None:
    fs.mv(f"{data}/in.csv", f"{data}/a")
    fs.rm(f"{data}/a")


def copy_and_replace(fs: Any, data: str) -> None:
    fs.copy(f"{data}/in.csv", f"{data}/x")
    fs.pipe(f"{data}/x", b"1")


def copy_of_a_copy(fs: Any, data: str) -> None:
    fs.copy(f"{data}/in.csv", f"{data}/a")
    fs.copy(f"{data}/a", f"{data}/b")


def read_another_partition(fs: Any, data: str) -> None:
    fs.pipe(f"{data}/parts/p=0/new", b"1")
    fs.cat(fs.glob(f"{data}/parts/p=1/*")[0])


def write_own_directory(fs: Any, data: str) -> None:
    fs.cat(f"{data}/in.csv")
    fs.makedirs(f"{data}/dir/sub")
    fs.pipe(f"{data}/dir/sub/new", b"1")


def write_into_directory(fs: Any, data: str) -> None:
    fs.cat(f"{data}/in.csv")
    fs.pipe(f"{data}/parts/new", b"1")


def write_partition(fs: Any, data: str) -> None:
    fs.cat(f"{data}/in.csv")
    fs.pipe(f"{data}/parts/p=0/new", b"1")


def append_in_own_directory(fs: Any, data: str) -> None:
    write_own_directory(fs, data)
    fsspec.filesystem("file").pipe(f"{data}/dir/old", b"0")
    with fs.open(f"{data}/dir/old", "ab") as file:
        file.write(b"1")


def then(write: Callable[[Any, str], object], method: str, *names: str) -> Callable[..., object]:
    def act(fs: Any, data: str) -> None:
        write(fs, data)
        getattr(fs, method)(*[f"{data}/{name}" for name in names], recursive=True)

    return act


# The inputs, and the outputs with their only sources; None and JOB stand for all inputs.
OWN: dict[str, tuple[Callable[[Any, str], object], list[str], dict[str, list[str] | None]]] = {
    "read what the run wrote": (
        lambda fs, data: (fs.pipe(f"{data}/x", b"1"), fs.cat(f"{data}/x")), [], {"x": None}),
    "read, then write": (
        lambda fs, data: (fs.cat(f"{data}/in.csv"), fs.pipe(f"{data}/in.csv", b"1")),
        ["in.csv"], {"in.csv": None}),
    "mv of a new file": (move_own, ["in.csv"], {"out": None}),
    "mv of a new directory": (move_own_directory, ["in.csv"], {"out": None}),
    "mv of a moved file": (move_twice, ["in.csv"], {"b": ["in.csv"]}),
    "rm of a new file": (
        lambda fs, data: (fs.pipe(f"{data}/x", b"1"), fs.rm(f"{data}/x")), [], {}),
    "rm of a moved file": (move_and_remove, ["in.csv"], {"in.csv": []}),
    "copy of a copy": (copy_of_a_copy, ["in.csv"], {"a": ["in.csv"], "b": ["in.csv"]}),
    "write of a copy": (copy_and_replace, ["in.csv"], {"x": None}),
    "copy of a new directory": (
        then(write_own_directory, "copy", "dir", "dir2"),
        ["in.csv"], {"dir/sub/new": None, "dir2/sub/new": None}),
    "rm of a new directory": (then(write_own_directory, "rm", "dir"), ["in.csv"], {}),
    "mv of a directory with a new file": (
        then(write_into_directory, "mv", "parts", "moved"),
        ["in.csv", "parts"], {"moved": ["parts"], "moved/new": None}),
    "copy of a directory with a new file": (
        then(write_into_directory, "copy", "parts", "copy"),
        ["in.csv", "parts"], {"copy": ["parts"], "copy/new": None, "parts/new": None}),
    "rm of a directory with a new file": (
        then(write_into_directory, "rm", "parts"), ["in.csv"], {"parts": []}),
    "mv of a directory with a file that the run appended to": (
        then(append_in_own_directory, "mv", "dir", "moved"),
        ["dir", "in.csv"], {"dir/old": None, "moved": ["dir"], "moved/sub/new": None}),
    "mv of partitions with a new file": (
        then(write_partition, "mv", "parts", "moved"),
        ["in.csv", "parts"], {"moved": ["JOB", "parts"]}),
    "rm of partitions with a new file": (
        then(write_partition, "rm", "parts"), ["in.csv"], {"parts": []}),
    "a new file of partitions": (read_another_partition, ["parts"], {"parts": None}),
}  # fmt: skip


@pytest.mark.parametrize("case", OWN)
def test_files_that_the_run_has_written(data: str, tmp_path: Path, case: str):
    act, inputs, outputs = OWN[case]
    with observe_run(tmp_path / "spool") as observed:
        act(local(), data)
    assert observed.inputs == [f"{data}/{name}" for name in inputs]
    assert observed.outputs == [f"{data}/{name}" for name in outputs]
    written = observed.event["outputs"]
    sources = {
        each["name"].removeprefix(f"{data}/"): facet
        and [source.get("name", "JOB").removeprefix(f"{data}/") for source in facet["inputs"]]
        for each in written
        for facet in [each["facets"].get("lineage")]
    }
    assert sources == outputs


def test_nothing_is_collected_while_recording_is_off(data: str, tmp_path: Path):
    with observe_run(tmp_path / "spool", enabled=False) as observed:
        local().pipe(f"{data}/x", b"1")
        local().copy(f"{data}/x", f"{data}/y")
    assert not observed.run.content.own_files.has_replaced(Dataset("file", f"{data}/x"))
    assert observed.run.content.outputs == {}


def test_a_moved_file_has_the_lifecycle_and_bytes_of_its_content(data: str, tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        move_own_directory(local(), data)
        move_twice(local(), data)
    assert observed.change(f"{data}/out") == "OVERWRITE"
    assert observed.size(f"{data}/out") == 4
    assert observed.change(f"{data}/b") == "RENAME"


def test_names_are_those_of_the_file_system_below(tmp_path: Path):
    memory = fsspec.filesystem("memory")
    memory.pipe("/lake/x.csv", b"a\n1\n")
    with observe_run(tmp_path / "spool") as observed:
        pd.read_csv(**of_csv("/lake/x.csv", "memory")).to_csv(**to_csv("/lake/y.csv", "memory"))
    assert observed.inputs == ["memory|/lake/x.csv"]
    assert observed.outputs == ["memory|/lake/y.csv"]


def test_a_file_in_an_archive_is_unresolved(data: str, tmp_path: Path):
    url = f"lineage::zip://x.csv::file://{data}/in.zip"
    with observe_run(tmp_path / "spool") as observed, fsspec.open(url) as file:
        assert file.read() == b"a\n1\n"
    assert observed.inputs == []
    assert [item["unresolved"] for item in observed.items] == ["/"]


def test_threads_of_a_library_use_the_run_that_created_the_file_system(data: str, tmp_path: Path):
    def read(fs: Any) -> None:
        fs.cat(f"{data}/in.csv")

    outside = local()
    with observe_run(tmp_path / "spool") as observed:
        for fs in (outside, local()):
            thread = threading.Thread(target=read, args=[fs])
            thread.start()
            thread.join()
    assert observed.inputs == [f"{data}/in.csv"]
    read(local())  # without a run it only passes on
    with local().open(f"{data}/in.csv") as file:
        assert type(file).__module__.startswith("fsspec")


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Any, Any, str]]:
    """Return a plain and an observed file system, and an empty directory, inside a run."""
    directory = tmp_path / "work"
    directory.mkdir()
    with observe_run(tmp_path / "spool", "files"):
        yield fsspec.filesystem("file"), local(), str(directory)


def test_results_and_errors_are_those_of_the_file_system_below(pair: tuple[Any, Any, str]):
    plain, observed, top = pair
    plain.makedirs(f"{top}/a")
    plain.pipe(f"{top}/a/x", b"line\nline two\n")
    calls: dict[str, Callable[[Any], Any]] = {
        "ls": lambda fs: fs.ls(f"{top}/a"),
        "info": lambda fs: fs.info(f"{top}/a/x"),
        "missing info": lambda fs: fs.info(f"{top}/none"),
        "walk": lambda fs: list(fs.walk(top)),
        "find": lambda fs: fs.find(top),
        "glob": lambda fs: fs.glob(f"{top}/**"),
        "du": lambda fs: fs.du(top),
        "size": lambda fs: fs.size(f"{top}/a/x"),
        "isdir": lambda fs: (fs.isdir(top), fs.isfile(top)),
        "modified": lambda fs: fs.modified(f"{top}/a/x"),
        "ukey": lambda fs: fs.ukey(f"{top}/a/x"),
        "head": lambda fs: fs.head(f"{top}/a/x", 4),
        "tail": lambda fs: fs.tail(f"{top}/a/x", 4),
        "read_block": lambda fs: fs.read_block(f"{top}/a/x", 0, 7, b"\n"),
        "read_text": lambda fs: fs.read_text(f"{top}/a/x"),
        "missing open": lambda fs: fs.open(f"{top}/none"),
        "wrong mode": lambda fs: fs.open(f"{top}/a/x", "z"),
        "missing rm": lambda fs: fs.rm(f"{top}/none"),
        "lines": lambda fs: read_open(fs.open(f"{top}/a/x", "r"), list),
        "readlines": lambda fs: read_open(fs.open(f"{top}/a/x"), lambda file: file.readlines()),
        "seek": lambda fs: read_open(
            fs.open(f"{top}/a/x"), lambda file: (file.seek(3), file.tell(), file.read(2))
        ),
        "flags": lambda fs: read_open(
            fs.open(f"{top}/a/x"),
            lambda file: (file.readable(), file.writable(), file.seekable(), file.closed),
        ),
        "sep": lambda fs: fs.sep,
        "unknown": lambda fs: fs.no_such_method,
        "mapper": lambda fs: sorted(fs.get_mapper(f"{top}/a").items()),
        "write": lambda fs: (fs.pipe(f"{top}/b", b"1"), fs.cat(f"{top}/b")),
        "write text": lambda fs: (fs.write_text(f"{top}/b", "ü"), fs.read_text(f"{top}/b")),
        "compressed": lambda fs: write_compressed(fs, plain, f"{top}/c.gz"),
        "transaction": lambda fs: write_in_transaction(fs, plain, f"{top}/t"),
        "pickled": lambda fs: pickle.loads(pickle.dumps(fs)).cat(f"{top}/a/x"),
    }  # fmt: skip
    for name, call in calls.items():
        assert outcome(call, observed) == outcome(call, plain), name


def outcome(call: Callable[[Any], Any], fs: Any) -> Any:
    try:
        return call(fs)
    except Exception as error:
        return type(error), str(error).replace("ObservedFileSystem", "LocalFileSystem")


def read_open(file: Any, read: Callable[[Any], Any]) -> Any:
    with file:
        return read(file)


def write_compressed(fs: Any, plain: Any, path: str) -> Any:
    with fs.open(path, "wt", compression="gzip") as file:
        file.write("text")
    return plain.cat(path)[:2]


def write_in_transaction(fs: Any, plain: Any, path: str) -> list[bool]:
    seen = []
    with fs.transaction, fs.open(path, "wb") as file:
        file.write(b"x")
        seen.append(plain.exists(path))
    seen.append(plain.exists(path))
    plain.rm(path)
    return seen


def test_an_observed_file_is_a_file_for_other_libraries(data: str, tmp_path: Path):
    with observe_run(tmp_path / "spool"):
        file = local().open(f"{data}/in.csv")
        assert isinstance(file, io.IOBase)
        with io.TextIOWrapper(io.BufferedReader(file)) as text:
            assert text.readline() == "a,p\n"


def test_without_fsspec_the_error_names_the_packages():
    program = "import sys; sys.modules['fsspec'] = None; import lineage; lineage.observe.filesystem"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    error = done.stderr.splitlines()[-1]
    assert "Observing file systems needs fsspec from 2025.10 on." in error
    assert "pip install 'fsspec>=2025.10" in error
