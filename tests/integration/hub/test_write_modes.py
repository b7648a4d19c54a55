"""A run reads the last overwrite and all appends after it, as the programs that wrote stated."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support.services.command_line import answer

import lineage
from lineage.hub import (
    Context,
    Dataset,
    FileIo,
    FileOperation,
    Kind,
    LineageEvent,
    Phase,
    RelationalIo,
    RelationalOperation,
    RunLifecycle,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SHOP = "postgres://db:5432"
FILE = "/data/history.csv"


@pytest.fixture
def hub(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    hub = lineage.hub.configure(spool=tmp_path, sink_ids=("graph",))
    yield hub
    lineage.hub.configure({}, enabled=False)


def days_that_are_read(hub: Any, dataset: Any) -> list[str]:
    """Let a report read the dataset; return the days whose rows it has, by ``query run``."""
    with lineage.run("report", namespace="shop") as run:
        run.reads(dataset)
    assert hub.flush(30).sinks["graph"].rejected == 0
    printed = answer("query", "run", run.run_id)
    assert "perhaps" not in printed, "each write states its mode"
    return sorted(re.findall(r"day\d", printed))


def day(number: int) -> Dataset:
    return Dataset("landing", f"day{number}")


def by_writes(run: Any, *, append: bool) -> None:
    run.writes(FILE, append=append)


def by_observations(run: Any, *, append: bool) -> None:
    run.add_observation(FileIo(FileOperation.WRITE, target=FILE, append=append))


def by_facets(run: Any, *, append: bool) -> None:
    mode = "append" if append else "overwrite"
    run.writes(Dataset("file", FILE, {"lineage_write": {"mode": mode}}))


@pytest.mark.parametrize("write", [by_writes, by_observations, by_facets])
def test_a_run_reads_the_last_overwrite_and_all_appends_after_it(
    hub: Any, write: Callable[..., None]
):
    for number in range(5):
        with lineage.run("load", namespace="shop") as run:
            run.reads(day(number))
            write(run, append=number != 2)
    assert days_that_are_read(hub, FILE) == ["day2", "day3", "day4"]


def test_a_run_that_overwrites_and_appends_replaces_what_was_before(hub: Any):
    for number, modes in enumerate(([True], [False, True], [True], [True, False], [True, True])):
        with lineage.run("load", namespace="shop") as run:
            run.reads(day(number))
            for append in modes:
                run.writes(FILE, append=append)
    assert days_that_are_read(hub, FILE) == ["day3", "day4"]


STATEMENTS = {
    "insert": "INSERT INTO hist.orders SELECT * FROM landing.day{}",
    "replace": "CREATE OR REPLACE TABLE hist.orders AS SELECT * FROM landing.day{}",
    "truncate": "TRUNCATE hist.orders; INSERT INTO hist.orders SELECT * FROM landing.day{}",
    "if new": "CREATE TABLE IF NOT EXISTS hist.orders (a int);"
    " INSERT INTO hist.orders SELECT * FROM landing.day{}",
    "update": "UPDATE hist.orders o SET a = d.a FROM landing.day{} d WHERE o.id = d.id",
}


@pytest.mark.parametrize("by_events", [False, True])
@pytest.mark.parametrize(
    ("kinds", "days"),
    [
        (["insert", "insert", "insert"], ["day0", "day1", "day2"]),
        (["insert", "replace", "insert"], ["day1", "day2"]),
        (["insert", "replace insert", "insert"], ["day1", "day2"]),
        (["insert", "insert replace", "insert"], ["day1", "day2"]),
        (["insert", "truncate", "update"], ["day1", "day2"]),
        (["if new", "if new", "if new"], ["day0", "day1", "day2"]),
        (["insert", "replace", "replace"], ["day2"]),
    ],
)
def test_statements_have_the_modes_of_their_text(
    hub: Any, kinds: list[str], days: list[str], by_events: bool
):
    for number, kind in enumerate(kinds):
        with lineage.run("nightly", namespace="shop") as run:
            for each in ["if new"] if kind == "if new" else kind.split():
                payload = RelationalIo(
                    RelationalOperation.EXEC,
                    SHOP,
                    sql=STATEMENTS[each].format(number),
                    catalog="shop",
                )
                if by_events:
                    context = Context(run_id=run.run_id, pipeline="nightly")
                    hub.emit(LineageEvent.create_now(Kind.RELATIONAL_IO, context, payload))
                else:
                    run.add_observation(payload)
    assert days_that_are_read(hub, Dataset(SHOP, "shop.hist.orders")) == days


def test_observations_of_a_run_of_another_system_have_modes(hub: Any):
    for number in range(3):
        context = Context(run_id=f"hop-{number}", pipeline="load")
        for kind, payload in (
            (Kind.RUN_LIFECYCLE, RunLifecycle(Phase.STARTED)),
            (Kind.FILE_IO, FileIo(FileOperation.READ, source=f"/landing/day{number}")),
            (Kind.FILE_IO, FileIo(FileOperation.WRITE, target=FILE, append=True)),
            (Kind.RUN_LIFECYCLE, RunLifecycle(Phase.FINISHED)),
        ):
            hub.emit(LineageEvent.create_now(kind, context, payload))
    assert days_that_are_read(hub, FILE) == ["day0", "day1", "day2"]


def test_observed_programs_append(dsn: str, tmp_path: Path, hub: Any):
    (tmp_path / "load.py").write_text("""
import sys
with open(f"{sys.argv[1]}") as day, open("history.csv", sys.argv[2]) as history:
    history.write(day.read())
""")
    own = {"LINEAGE_DSN": dsn, "LINEAGE_ENABLED": "Y", "LINEAGE_HUB_SPOOL": str(tmp_path / "s")}
    for number, mode in enumerate("wawa"):
        (tmp_path / f"day{number}").write_text("1")
        command = [sys.executable, "-m", "lineage.observe", "load.py", f"day{number}", mode]
        subprocess.run(command, env={**os.environ, **own}, cwd=tmp_path, check=True)
    assert days_that_are_read(hub, tmp_path / "history.csv") == ["day2", "day3"]
