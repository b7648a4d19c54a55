"""The manifests of the inputs of the run that last wrote a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.counting_session import CountingSession
from support.events.builders import dataset, run_event

import lineage.records as records
from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query.session import Session
from lineage.records.manifests import read_stored_inputs

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = {"files": 2, "bytes": 30, "newest": 2000, "digest": "aa"}
OTHERS = {"files": 3, "bytes": 60, "newest": 3000, "digest": "bb"}
MANY = "more than 100000 files"
APP = ("app", "nightly")


def read(name: str, *scans: Any, omitted: tuple[str, ...] = (), **facets: Any) -> dict[str, Any]:
    manifest = {"lineage_manifest": {"scans": list(scans), "omitted": list(omitted)}}
    return dataset(name, namespace="file", inputFacets=manifest, **facets)


def written(name: str) -> dict[str, Any]:
    return dataset(name, namespace="file")


@pytest.fixture
def session(dsn: str) -> Iterator[Session]:
    with Session(dsn) as opened:
        yield opened


def store(session: Session, *events: str) -> None:
    write_events(session.connection, events)


def file_set(files: dict[str, Any]) -> records.FileSet:
    return records.FileSet(**files)


def test_completed_writes_count(session: Session) -> None:
    out = (written("/lake/gold"),)
    store(
        session,
        run_event("r1", "COMPLETE", 1, "sum", (read("/lake/silver", FILES),), out),
        run_event("r2", "COMPLETE", 2, "sum", (read("/lake/silver", OTHERS),), out),
        run_event("r3", "FAIL", 3, "sum", (read("/lake/silver", FILES),), out),
        run_event("r4", "START", 4, "sum", (read("/lake/silver", FILES),), out),
        run_event("r5", "COMPLETE", 5, "alter", (), out),
        run_event("r6", "COMPLETE", 6, "show", (read("/lake/gold", FILES),)),
    )
    run, first = records.input_manifests(session, "gold")
    assert (run.run_id, run.ended_at) == ("r2", "2026-01-01T00:00:02.000000Z")
    assert (first.run_id, run.is_complete, first.is_complete) == ("r1", True, True)
    [silver] = run.inputs
    assert silver == records.InputManifest("file:/lake/silver", scans=frozenset([file_set(OTHERS)]))
    assert silver.is_known


def test_versions_are_the_manifests_of_tables_that_have_them(session: Session) -> None:
    versioned = dataset("/lake/delta", namespace="file", version={"datasetVersion": "7"})
    view = dataset("db.v", namespace="hive://h", datasetType={"datasetType": "VIEW"})
    reads = (versioned, view, read("/lake/many", omitted=(MANY,)), written("/lake/other"))
    store(session, run_event("r1", "COMPLETE", 1, "sum", reads, (written("/lake/gold"),)))
    [run] = records.input_manifests(session, "/lake/gold")
    assert run.inputs == (
        records.InputManifest("file:/lake/delta", version="7"),
        records.InputManifest("file:/lake/many", omitted=(MANY,)),
        records.InputManifest("file:/lake/other"),
        records.InputManifest("hive://h/db.v", is_view=True),
    )
    assert [each.is_known for each in run.inputs] == [True, False, False, False]


def test_all_writes_of_an_application_count(session: Session) -> None:
    def write(run: str, at: int, parent: tuple[str, str], name: str) -> str:
        reads, out = (read(name, FILES),), (written("/lake/gold"),)
        return run_event(run, "COMPLETE", at, "sum", reads, out, parent=parent)

    store(
        session,
        run_event("old", "START", 1, "nightly"),
        write("r1", 2, ("old", "nightly"), "/lake/a"),
        run_event("app", "START", 10, "nightly"),
        write("r2", 11, APP, "/lake/a"),
        write("r3", 12, APP, "/lake/b"),
        run_event("app", "COMPLETE", 13, "nightly"),
    )
    runs = records.input_manifests(session, "gold")
    assert [run.run_id for run in runs] == ["r3", "r2", "r1"]


def test_at_most_100_runs_are_returned(session: Session) -> None:
    for number in range(101):
        reads, out = (read("/lake/silver", FILES),), (written("/lake/gold"),)
        store(session, run_event(f"r{number}", "COMPLETE", number, "sum", reads, out))
        if number == 99:
            assert all(run.is_complete for run in records.input_manifests(session, "gold"))
    runs = records.input_manifests(session, "gold")
    assert [run.run_id for run in runs] == [f"r{number}" for number in range(100, 0, -1)]
    assert not any(run.is_complete for run in runs)


def test_a_write_of_some_partitions_does_not_end_the_history(session: Session) -> None:
    def write(run: str, at: int, mode: str) -> str:
        out = dataset(
            "/lake/gold", namespace="file", outputFacets={"lineage_write": {"mode": mode}}
        )
        return run_event(run, "COMPLETE", at, "sum", (read("/us", FILES),), (out,))

    store(session, write("r1", 1, "append"), write("r2", 2, "overwrite_partitions"))
    runs = records.input_manifests(session, "gold")
    assert [(run.run_id, run.overwrites_partitions) for run in runs] == [
        ("r2", True),
        ("r1", False),
    ]


def test_the_runs_since_the_last_overwrite_count(session: Session) -> None:
    """The rows of the table are those of runs since it was overwritten, whatever their job."""

    def write(run: str, at: int, job: str, name: str, **facets: Any) -> str:
        out = dataset("/lake/gold", namespace="file", **facets)
        return run_event(run, "COMPLETE", at, job, (read(name, FILES),), (out,))

    store(session, write("r1", 1, "us", "/us"), write("r2", 2, "eu", "/eu"))
    assert [run.run_id for run in records.input_manifests(session, "gold")] == ["r2", "r1"]
    overwritten = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
    store(session, write("r3", 3, "all", "/us", **overwritten))
    assert [run.run_id for run in records.input_manifests(session, "gold")] == ["r3"]
    store(session, write("r4", 4, "eu", "/eu"), write("r5", 5, "eu", "/eu"))
    runs = records.input_manifests(session, "gold")
    assert [run.run_id for run in runs] == ["r5", "r4", "r3"]


def test_a_facet_of_another_form_is_no_manifest(session: Session) -> None:
    wrong = read("/lake/silver", {"files": "2"}, {**FILES, "newest": "now"}, 3)
    store(session, run_event("r1", "COMPLETE", 1, "sum", (wrong,), (written("/lake/gold"),)))
    [run] = records.input_manifests(session, "gold")
    [silver] = run.inputs
    assert silver.scans == {file_set({**FILES, "newest": None})}
    assert not silver.is_known


def test_inputs_of_inputs_are_read_for_each_level(session: Session) -> None:
    store(
        session,
        run_event("r1", "COMPLETE", 1, "a", (read("/raw", FILES),), (written("/silver"),)),
        run_event("r2", "COMPLETE", 2, "b", (read("/silver", OTHERS),), (written("/gold"),)),
    )
    stored = read_stored_inputs(session, "/gold")
    assert [run.run_id for run in stored.runs_of("/gold", 1)] == ["r2"]
    assert stored.as_json == {"files": [OTHERS], "versions": []}
    stored = read_stored_inputs(session, "/gold", depth=3)
    assert [run.run_id for run in stored.runs_of("/silver", 2)] == ["r1"]
    assert stored.runs_of("/raw", 3) == ()
    assert stored.as_json["files"] == [FILES, OTHERS]


def test_a_level_takes_as_many_statements_for_any_number_of_inputs(session: Session) -> None:
    counts = []
    for size in (1, 12):
        names = [f"/{size}/silver/{n}" for n in range(size)]
        inputs = tuple(read(name, FILES) for name in names)
        store(
            session,
            *(run_event(name, "COMPLETE", 1, name, (read("/raw", FILES),), (written(name),))
              for name in names),
            run_event(f"gold {size}", "COMPLETE", 2, "g", inputs, (written(f"/{size}/gold"),)),
        )  # fmt: skip
        counting = CountingSession.over(session.connection)
        stored = read_stored_inputs(counting, f"/{size}/gold", depth=2)
        runs = [run.run_id for name in names for run in stored.runs_of(name, 2)]
        assert runs == names
        counts.append(counting.statements)
    assert counts[0] == counts[1]


def test_versions_name_the_output_of_their_run(session: Session) -> None:
    raw, silver = (
        dataset(name, namespace="file", version={"datasetVersion": version})
        for name, version in (("/raw", "3"), ("/silver", "7"))
    )
    store(
        session,
        run_event("r1", "COMPLETE", 1, "a", (raw,), (written("/silver"),)),
        run_event("r2", "COMPLETE", 2, "b", (silver,), (written("/gold"),)),
    )
    assert read_stored_inputs(session, "/gold", depth=2).as_json["versions"] == [
        {"target": None, "dataset": "file:/silver", "version": "7"},
        {"target": "file:/silver", "dataset": "file:/raw", "version": "3"},
    ]


def test_a_table_that_is_not_known_has_no_stored_inputs(session: Session) -> None:
    store(session, run_event("r1", "COMPLETE", 1, "a", (), (written("/gold"),)))
    assert records.input_manifests(session, "/gold") == ()
    with pytest.raises(NotFound):
        records.input_manifests(session, "/silver")
    assert read_stored_inputs(session, "/silver").runs == ()


def test_without_a_database_nothing_is_stored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path))
    monkeypatch.delenv("LINEAGE_DSN", raising=False)
    assert read_stored_inputs(None, "/gold").runs == ()
