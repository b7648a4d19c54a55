"""Events of a program in the graph: by the graph sink, the collector and other transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.fixtures.database import CARELESS, new_home
from support.services.sinks import QUICK, event, start_hub

import lineage
from lineage.database.connection import connect
from lineage.hub import (
    Context,
    FileIo,
    FileOperation,
    Kind,
    LineageEvent,
    Phase,
    RelationalIo,
    RelationalOperation,
    RunLifecycle,
)
from lineage.hub.emitter import choose_sinks
from lineage.ingest.writer import write_events
from lineage.postgres.instance import Instance
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg


def states(conn: psycopg.Connection[Any]) -> dict[str, int]:
    rows = conn.execute("SELECT state, count(*) FROM lineage.run GROUP BY state").fetchall()
    return dict(rows)


def test_runs_of_a_program_reach_the_graph(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = lineage.hub.configure(spool=tmp_path, sink_ids=("graph",))
    with lineage.run("daily_report", namespace="shop") as run:
        run.reads("s3://lake/raw/orders")
        run.writes("s3://lake/gold/daily", rows=17)
    with lineage.run("publish", namespace="shop") as run:
        run.reads("s3://lake/gold/daily")
        run.writes("https://user:secret@example.org/daily?token=x")
    with pytest.raises(ZeroDivisionError), lineage.run("broken", namespace="shop"):
        _ = 1 / 0
    assert hub.shutdown(30).sinks["graph"].sent == 6
    with Graph(dsn) as graph:
        names = [d.full_name for d in graph.upstream("https://example.org/daily").datasets]
        assert sorted(names) == ["s3://lake/gold/daily", "s3://lake/raw/orders"]
    with connect(dsn) as conn:
        assert states(conn) == {"COMPLETE": 2, "FAIL": 1}


def test_observations_of_each_kind_are_events_of_their_run(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = start_hub(choose_sinks(("graph",)), tmp_path)
    context = Context(run_id="hop-17", pipeline="load")
    for kind, payload in (
        (Kind.RUN_LIFECYCLE, RunLifecycle(Phase.STARTED)),
        (Kind.FILE_IO, FileIo(FileOperation.READ, source="/data/in.csv", bytes=5)),
        (Kind.FILE_IO, FileIo(FileOperation.WRITE, target="/data/out.csv")),
        (Kind.RUN_LIFECYCLE, RunLifecycle(Phase.FINISHED)),
    ):
        hub.emit(LineageEvent.create_now(kind, context, payload))
    assert hub.shutdown(30).sinks["graph"].sent == 4
    with Graph(dsn) as graph:
        names = [d.full_name for d in graph.upstream("file:/data/out.csv").datasets]
        assert names == ["file:/data/in.csv"]
    with connect(dsn) as conn:
        assert states(conn) == {"COMPLETE": 1}


@pytest.mark.parametrize("by_events", [False, True])
def test_a_table_has_the_sources_of_all_statements(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_events: bool
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = lineage.hub.configure(spool=tmp_path, sink_ids=("graph",))
    statements = [
        RelationalIo(RelationalOperation.EXEC, "postgres://db:5432", sql=sql)
        for sql in (
            "INSERT INTO sales SELECT * FROM shop_de",
            "INSERT INTO sales SELECT * FROM shop_fr",
            "INSERT INTO costs SELECT * FROM bills",
        )
    ]
    with lineage.run("load", namespace="shop") as run:
        for statement in statements:
            if by_events:
                context = Context(run_id=run.run_id, pipeline="load")
                hub.emit(LineageEvent.create_now(Kind.RELATIONAL_IO, context, statement))
            else:
                run.add_observation(statement)
    assert hub.shutdown(30).sinks["graph"].sent == (5 if by_events else 2)
    with Graph(dsn) as graph:
        sources = {
            name: sorted(each.name for each in graph.upstream(name).datasets)
            for name in ("sales", "costs")
        }
    assert sources == {"sales": ["shop_de", "shop_fr"], "costs": ["bills"]}


def test_an_invalid_event_is_rejected_alone(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = start_hub(choose_sinks(("graph",)), tmp_path, linger_ms=200)
    hub.emit(event(1, "COMPLETE"))
    hub.emit({"eventType": "COMPLETE"})
    hub.emit(event(2, "COMPLETE"))
    counts = hub.shutdown(30).sinks["graph"]
    assert (counts.sent, counts.rejected) == (2, 1)


@pytest.fixture
def private() -> Iterator[Instance]:
    """Run a PostgreSQL of its own, which the test may stop."""
    instance = Instance(new_home(), own=CARELESS)
    instance.up()
    yield instance
    instance.down()


def test_an_outage_of_the_database_loses_nothing(
    private: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lineage.database import migrations

    uri = private.database_uri("postgres")
    with connect(uri, autocommit=True) as conn:
        migrations.apply_pending(conn)
    monkeypatch.setenv("LINEAGE_DSN", uri)
    hub = start_hub(choose_sinks(("graph",)), tmp_path, retries=QUICK)
    emit_both = partial(_emit_run, hub)
    for number in range(100):
        emit_both(number)
    assert hub.flush(60).sinks["graph"].sent == 200
    private.down()
    for number in range(100, 300):
        emit_both(number)
    counts = hub.flush(60).sinks["graph"]
    assert (counts.spooled + counts.waiting, counts.dropped) == (400, 0)
    private.up()
    for number in range(300, 400):
        emit_both(number)
    report = hub.shutdown(60).sinks["graph"]
    assert (report.dropped, report.rejected, report.waiting) == (0, 0, 0)
    spooled = [line for file in tmp_path.glob("*.jsonl") for line in file.read_bytes().splitlines()]
    with connect(private.database_uri("postgres"), autocommit=True) as conn:
        write_events(conn, spooled)  # as lineage ingest does
        assert states(conn) == {"COMPLETE": 400}


def _emit_run(hub: Any, number: int) -> None:
    hub.emit(event(number, "START"))
    hub.emit(event(number, "COMPLETE"))


def test_the_environment_alone_configures_a_program(dsn: str, tmp_path: Path) -> None:
    program = """
import lineage

@lineage.job(namespace="shop", name="report")
def report():
    lineage.current_run().reads("/data/orders.csv")
    lineage.current_run().writes("/data/report.csv")

report()
with lineage.fetch("brave:ai", namespace="agents") as fetched:
    fetched.stored("/data/paper.md")
"""
    own = {"LINEAGE_DSN": dsn, "LINEAGE_ENABLED": "Y", "LINEAGE_HUB_SPOOL": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], env={**os.environ, **own}, check=True)
    with Graph(dsn) as graph:
        report = graph.upstream("file:/data/report.csv").datasets
        assert [d.full_name for d in report] == ["file:/data/orders.csv"]
        paper = graph.upstream("file:/data/paper.md").datasets
        assert [d.full_name for d in paper] == ["agents.source/brave:ai"]
    assert list(tmp_path.iterdir()) == []


def test_observed_files_reach_the_graph(dsn: str, tmp_path: Path) -> None:
    """A copy has its original as its only source; other outputs come from all inputs."""
    (tmp_path / "a").write_text("a")
    (tmp_path / "b").write_text("b")
    program = """
import shutil
shutil.copy("a", "copy")
with open("b") as file, open("out", "w") as out:
    out.write(file.read())
shutil.move("copy", "moved")
"""
    (tmp_path / "job.py").write_text(program)
    own = {"LINEAGE_DSN": dsn, "LINEAGE_ENABLED": "Y", "LINEAGE_HUB_SPOOL": str(tmp_path / "s")}
    command = [sys.executable, "-m", "lineage.observe", "job.py"]
    subprocess.run(command, env={**os.environ, **own}, cwd=tmp_path, check=True)
    with Graph(dsn) as graph:
        sources = {
            name: sorted(d.full_name for d in graph.upstream(f"file:{tmp_path}/{name}").datasets)
            for name in ("moved", "out")
        }
    assert sources["moved"] == [f"file:{tmp_path}/a"]
    assert sources["out"] == [f"file:{tmp_path}/a", f"file:{tmp_path}/b"]


def test_the_spool_is_read_by_ingest(dsn: str, tmp_path: Path) -> None:
    env = {**os.environ, "LINEAGE_ENABLED": "1", "LINEAGE_HUB_SPOOL": str(tmp_path)}
    env["LINEAGE_SINK_IDS"] = "file"
    program = "import lineage\nwith lineage.run('job') as run: run.writes('/data/x')"
    subprocess.run([sys.executable, "-c", program], env=env, check=True)
    [file] = tmp_path.glob("events-*.jsonl")
    assert [json.loads(line)["eventType"] for line in file.read_text().splitlines()] == [
        "START", "COMPLETE",
    ]  # fmt: skip
    subprocess.run(
        [Path(sys.executable).with_name("lineage"), "ingest", str(tmp_path), "--dsn", dsn],
        check=True,
    )
    with connect(dsn) as conn:
        assert states(conn) == {"COMPLETE": 1}
