"""Rows of sources by identity columns: which conditions the graph gives, and what they prove."""

from __future__ import annotations

import hashlib
import os
import shutil
from typing import TYPE_CHECKING, Any

import psycopg
import pyarrow
import pytest
from pyarrow import parquet
from support.events.builders import run_event

import lineage.records as records
from lineage.errors import NotFound, StaleInputs
from lineage.ingest.writer import write_events
from lineage.query.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY"}
TRANSFORMATION = {"type": "DIRECT", "subtype": "TRANSFORMATION"}
WRITE = {"lineage_write": {"mode": "overwrite"}}


@pytest.fixture
def session(dsn: str) -> Iterator[Session]:
    with Session(dsn) as opened:
        yield opened


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Flights of three carriers, and the names of two airlines."""
    for name, columns in (
        ("flights", {"carrier": ["HA", "UA", "HA"], "id": [1, 2, 3], "other": ["UA", "HA", "DL"]}),
        ("airlines", {"carrier": ["HA", "UA"], "name": ["Hawaiian", "United"]}),
    ):
        (tmp_path / name).mkdir()
        parquet.write_table(pyarrow.table(columns), tmp_path / name / "part-0.parquet")
    return tmp_path


def read_of(path: Path, **input_facets: Any) -> dict[str, Any]:
    facets = {"storage": {"storageLayer": "file", "fileFormat": "parquet"}}
    return {"namespace": "file", "name": str(path), "facets": facets, "inputFacets": input_facets}


def write_of(path: Path, *columns: tuple[str, Path, str, dict[str, str]], **how: Any) -> Any:
    fields: dict[str, Any] = {}
    for target, source, column, transformation in columns:
        fields.setdefault(target, {"inputFields": []})["inputFields"].append(
            {"namespace": "file", "name": str(source), "field": column,
             "transformations": [transformation]}
        )  # fmt: skip
    facets = {"columnLineage": {"fields": fields}} if fields else {}
    return {"namespace": "file", "name": str(path), "facets": facets, "outputFacets": WRITE | how}


def store(dsn: str, *events: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)


def answer(session: Session, lake: Path, where: str, **options: Any) -> dict[str, Any]:
    """Return for each source, by the end of its name, its count, fidelity and reasons."""
    found = records.candidates(session, str(lake / "delays"), where, **options)
    return {
        source.dataset.rsplit("/", 1)[-1]: (source.count, str(source.fidelity), source.reasons)
        for source in found.sources
    }


def test_a_source_is_filtered_by_its_own_columns(dsn: str, session: Session, lake: Path) -> None:
    flights, airlines = lake / "flights", lake / "airlines"
    columns = (
        ("airline", airlines, "name", IDENTITY),
        ("code", flights, "carrier", IDENTITY),
        ("id", flights, "id", IDENTITY),
        ("label", flights, "carrier", TRANSFORMATION),
    )
    reads = (read_of(flights), read_of(airlines))
    store(
        dsn,
        run_event(
            "r1", "COMPLETE", 0, "job", reads=reads, writes=(write_of(lake / "delays", *columns),)
        ),
    )
    assert answer(session, lake, "code = 'HA' AND id > 1 AND label = 'ha'") == {
        "flights": (
            1,
            "superset",
            ("identity columns: carrier, id", "not used: label = 'ha'", "no manifest"),
        ),
        "airlines": (None, "unknown", ("no identity column: code, id, label",)),
    }
    found = records.candidates(session, "delays", "airline = 'Hawaiian' OR id = 1", 5)
    assert (found.unused, str(found.fidelity)) == (("airline = 'Hawaiian' OR id = 1",), "unknown")
    [source] = [
        s for s in records.candidates(session, "delays", "airline = 'United'").sources if s.count
    ]
    [row] = source.rows
    assert row == {"carrier": "UA", "name": "United", "_file": f"{airlines}/part-0.parquet"}
    with pytest.raises(NotFound, match="no column"):
        records.candidates(session, "delays", "nothing = 1")


def written(
    lake: Path, run: str, job: str, *columns: Any, how: Any = None, **input_facets: Any
) -> str:
    target = write_of(lake / "delays", *columns, **(how or {}))
    reads = (read_of(lake / "flights", **input_facets),)
    return run_event(run, "COMPLETE", int(run[1:]), job, reads=reads, writes=(target,))


def test_the_value_may_come_from_one_of_several_columns(
    dsn: str, session: Session, lake: Path
) -> None:
    """One job copies one column and another job another one: rows of both are candidates."""
    flights = lake / "flights"
    store(
        dsn,
        written(lake, "r1", "a", ("code", flights, "carrier", IDENTITY)),
        written(lake, "r2", "b", ("code", flights, "other", IDENTITY)),
    )
    reasons = ("identity columns: carrier, other", "no manifest")
    assert answer(session, lake, "code = 'UA'") == {"flights": (2, "superset", reasons)}


@pytest.mark.parametrize(
    ("second", "job"),
    [([("code", "carrier", TRANSFORMATION)], "b"), ([("id", "id", IDENTITY)], "b"),
     ([("id", "id", IDENTITY)], "a")],
    ids=["another job computes it", "another job sets it", "another run sets it"],
)  # fmt: skip
def test_a_value_with_another_origin_is_not_used(
    second: Any, job: str, dsn: str, session: Session, lake: Path
) -> None:
    flights = lake / "flights"
    columns = [(target, flights, source, how) for target, source, how in second]
    store(
        dsn,
        written(lake, "r1", "a", ("code", flights, "carrier", IDENTITY)),
        written(lake, "r2", job, *columns),
    )
    reasons = ("no identity column: code",)
    assert answer(session, lake, "code = 'UA'") == {"flights": (None, "unknown", reasons)}


@pytest.mark.parametrize(
    ("how", "input_facets", "reason"),
    [
        ({}, {"lineage_reads": {"count": 2, "operators": []}}, "read 2 times by one execution"),
        ({}, {"lineage_reads": {"count": 1, "operators": ["Window"]}}, "combined by: Window"),
        ({"lineage_write": {}}, {}, "not reported: how often it was read"),
    ],
)
def test_rows_that_may_be_combined_leave_the_fidelity_unknown(
    how: Any, input_facets: Any, reason: str, dsn: str, session: Session, lake: Path
) -> None:
    columns = ("code", lake / "flights", "carrier", IDENTITY)
    store(dsn, written(lake, "r1", "a", columns, how=how, **input_facets))
    reasons = ("identity columns: carrier", reason, "no manifest")
    assert answer(session, lake, "code = 'UA'") == {"flights": (1, "unknown", reasons)}


def test_files_that_cannot_be_read_are_reported(dsn: str, session: Session, lake: Path) -> None:
    columns = ("code", lake / "flights", "carrier", IDENTITY)
    store(dsn, written(lake, "r1", "a", columns))
    (lake / "flights" / "_delta_log").mkdir()
    reasons = ("not read: it is a table of Delta Lake, whose files may be of older versions",)
    assert answer(session, lake, "code = 'UA'") == {"flights": (None, "unknown", reasons)}
    assert answer(session, lake, "code = 5") == {"flights": (None, "unknown", reasons)}


def manifest_of(*files: Path) -> dict[str, Any]:
    """Return the facet that the listener writes for a scan of these files."""
    states = [(f"file:{file}", file.stat()) for file in files]
    lines = [f"{path}\n{s.st_size}\n{s.st_mtime_ns // 1_000_000}" for path, s in states]
    hashes = (hashlib.sha256(line.encode()).digest()[:8] for line in lines)
    digest = sum(int.from_bytes(each, "big") for each in hashes) % 2**64
    scan = {
        "files": len(files), "bytes": sum(state.st_size for _, state in states),
        "newest": max(state.st_mtime_ns // 1_000_000 for _, state in states),
        "digest": f"{digest:016x}",
    }  # fmt: skip
    return {"lineage_manifest": {"scans": [scan]}}


def write_flights(file: Path, *carriers: str, time: int) -> Path:
    """Write a file that was modified at a time, in seconds since the epoch."""
    file.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.table({"carrier": list(carriers)}), file)
    os.utime(file, (time, time))
    return file


COPIED = ("identity columns: carrier",)


@pytest.fixture
def flights(dsn: str, lake: Path) -> Path:
    """Flights of two days, both of which a run has read."""
    flights = lake / "flights"
    shutil.rmtree(flights)
    files = [
        write_flights(flights / "day=1" / "a.parquet", "HA", "UA", time=100),
        write_flights(flights / "day=2" / "b.parquet", "HA", time=200),
    ]
    columns = ("code", flights, "carrier", IDENTITY)
    store(dsn, written(lake, "r1", "a", columns, **manifest_of(*files)))
    return flights


def test_files_that_are_those_of_the_run_prove_the_candidates(
    session: Session, lake: Path, flights: Path
) -> None:
    assert answer(session, lake, "code = 'HA'") == {"flights": (2, "superset", COPIED)}


def test_files_that_were_added_since_the_run_are_left_out(
    session: Session, lake: Path, flights: Path
) -> None:
    write_flights(flights / "day=3" / "c.parquet", "HA", time=300)
    reasons = (*COPIED, "as of the run:without 1 newer file")
    assert answer(session, lake, "code = 'HA'") == {"flights": (2, "superset", reasons)}


@pytest.mark.parametrize(
    ("tamper", "count", "change"),
    [
        (lambda day: write_flights(day / "b.parquet", "HA", "HA", time=300), 3, "last changed at"),
        (lambda day: (day / "b.parquet").unlink(), 1, "1 instead of 2 files"),
        (lambda day: write_flights(day / "c.parquet", "HA", time=50), 3, "3 instead of 2 files"),
    ],
    ids=["changed", "deleted", "added with an old time"],
)
def test_files_that_have_changed_since_the_run_are_stale(
    tamper: Any, count: int, change: str, session: Session, lake: Path, flights: Path
) -> None:
    tamper(flights / "day=2")
    with pytest.raises(StaleInputs) as caught:
        answer(session, lake, "code = 'HA'")
    [changed] = caught.value.changes
    assert changed.startswith(f"file:{flights} has ")
    assert change in changed
    [found] = answer(session, lake, "code = 'HA'", force=True).values()
    assert found == (count, "stale", (*COPIED, f"changed: {changed}"))


def test_other_partitions_than_those_of_the_run_may_change(
    dsn: str, session: Session, lake: Path, flights: Path
) -> None:
    columns = ("code", flights, "carrier", IDENTITY)
    read = manifest_of(flights / "day=2" / "b.parquet")
    store(dsn, written(lake, "r2", "a", columns, **read))
    write_flights(flights / "day=1" / "a.parquet", "HA", time=150)
    assert answer(session, lake, "code = 'HA'") == {"flights": (2, "superset", COPIED)}
    for number in range(3, 40):
        write_flights(flights / f"day={number}" / "c.parquet", "HA", time=150)
    assert answer(session, lake, "code = 'HA'")["flights"][1:] == ("superset", COPIED)
    write_flights(flights / "day=2" / "b.parquet", "UA", time=190)
    [(_, fidelity, reasons)] = answer(session, lake, "code = 'HA'").values()
    unknown = "no manifest of the partitions that were read"
    assert (fidelity, reasons) == ("superset", (*COPIED, unknown))


APPENDED = {"lineage_write": {"mode": "append"}}
SOME_PARTITIONS = {"lineage_write": {"mode": "overwrite_partitions"}}


@pytest.fixture
def emptied(dsn: str, lake: Path, flights: Path) -> Path:
    """Flights, and a table without rows since a run emptied it."""
    writes = (write_of(lake / "delays"),)
    store(dsn, run_event("r2", "COMPLETE", 2, "truncate", writes=writes))
    return flights


def store_days(dsn: str, lake: Path, how: Any, *days: int, first: int = 3) -> None:
    """Store a run of the job for each day, which read the files of that day alone."""
    columns = ("code", lake / "flights", "carrier", IDENTITY)
    files = {1: "day=1/a.parquet", 2: "day=2/b.parquet"}
    for number, day in enumerate(days):
        read = manifest_of(lake / "flights" / files[day])
        store(dsn, written(lake, f"r{first + number}", "daily", columns, how=how, **read))


@pytest.mark.parametrize("how", [APPENDED, SOME_PARTITIONS], ids=["append", "partitions"])
def test_rows_of_earlier_runs_are_candidates_after_a_backfill(
    how: Any, dsn: str, session: Session, lake: Path, emptied: Path
) -> None:
    store_days(dsn, lake, how, 1, 2, 1)
    assert answer(session, lake, "code = 'HA'") == {"flights": (2, "superset", COPIED)}
    write_flights(emptied / "day=3" / "c.parquet", "HA", time=300)
    reasons = (*COPIED, "as of the run:without 1 newer file")
    assert answer(session, lake, "code = 'HA'") == {"flights": (2, "superset", reasons)}


def test_a_source_that_was_corrected_after_an_earlier_run_is_stale(
    dsn: str, session: Session, lake: Path, emptied: Path
) -> None:
    store_days(dsn, lake, APPENDED, 1)
    write_flights(emptied / "day=1" / "a.parquet", "UA", time=300)
    store_days(dsn, lake, APPENDED, 2, first=4)
    with pytest.raises(StaleInputs, match="since run r3 wrote it"):
        answer(session, lake, "code = 'HA'")
    [found] = answer(session, lake, "code = 'HA'", force=True).values()
    assert found[:2] == (1, "stale")


def test_rows_of_an_earlier_run_may_be_replaced_by_a_write_of_partitions(
    dsn: str, session: Session, lake: Path, emptied: Path
) -> None:
    """What the first run read of day 1 is in the table, unless day 1 was written again."""
    store_days(dsn, lake, SOME_PARTITIONS, 1)
    write_flights(emptied / "day=1" / "a.parquet", "HA", time=300)
    store_days(dsn, lake, SOME_PARTITIONS, 1, first=4)
    [(count, fidelity, reasons)] = answer(session, lake, "code = 'HA'").values()
    assert (count, fidelity) == (2, "unknown")
    assert reasons[1].startswith(f"changed unless replaced: file:{emptied} has ")


def test_no_file_is_left_out_if_there_are_further_runs(
    dsn: str, session: Session, lake: Path, emptied: Path
) -> None:
    store_days(dsn, lake, APPENDED, *[1] * 101)
    write_flights(emptied / "day=3" / "c.parquet", "HA", time=300)
    [found] = answer(session, lake, "code = 'HA'").values()
    assert found == (3, "superset", (*COPIED, "no manifest of all runs"))


@pytest.mark.parametrize(
    ("facets", "fidelity", "reason"),
    [
        ({"options": ["header", "inferschema"]}, "superset", "no manifest"),
        (
            {"options": ["header", "ignoreleadingwhitespace"]},
            "unknown",
            "read with options: ignoreleadingwhitespace",
        ),
        ({}, "unknown", "not reported: the options of its reader"),
    ],
)
def test_text_is_read_as_spark_did_only_without_options_that_change_values(
    facets: Any, fidelity: str, reason: str, dsn: str, session: Session, lake: Path
) -> None:
    people = lake / "people"
    people.mkdir()
    (people / "a.csv").write_text("id,name\n1,ann\n2, ann \n")
    read = read_of(people, lineage_reads={"count": 1, "operators": [], **facets})
    fields = [{"name": "id", "type": "int"}, {"name": "name", "type": "string"}]
    read["facets"] = {
        "storage": {"storageLayer": "file", "fileFormat": "csv"},
        "schema": {"fields": fields},
    }
    target = write_of(lake / "delays", ("name", people, "name", IDENTITY))
    store(dsn, run_event("r1", "COMPLETE", 1, "job", reads=(read,), writes=(target,)))
    [(count, found, reasons)] = answer(session, lake, "name = 'ann'").values()
    assert (count, found, reasons[1]) == (1, fidelity, reason)
