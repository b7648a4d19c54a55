"""Runs that a program records: their events, datasets and parents."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import click
import pandas as pd
import polars as pl
import pytest
from support.coroutines import run_coroutine
from support.services.sinks import MemorySink

import lineage
from lineage.errors import UsageError
from lineage.hub import configure, to_openlineage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
    from pathlib import Path

Events = list[dict[str, Any]]


class Unprintable(Exception):
    """An error whose text cannot be made, because its argument is no text."""

    def __str__(self) -> str:
        argument: str = self.args[0]
        return argument


class Several(Exception):
    """Errors with a length, which may be 0."""

    def __len__(self) -> int:
        return len(self.args[0])


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Events]]:
    """Configure the hub of this process; return a function that returns its events."""
    monkeypatch.delenv("LINEAGE_PARENT", raising=False)
    sink = MemorySink()
    hub = configure({"memory": lambda: sink}, spool=tmp_path, linger_ms=0)

    def read() -> Events:
        assert hub.flush(20).is_done
        return to_openlineage(sink.events)

    yield read
    hub.shutdown()
    monkeypatch.setenv("LINEAGE_ENABLED", "N")
    configure({}, enabled=False)


def types(events: Events) -> list[str]:
    return [event["eventType"] for event in events]


def test_the_end_of_a_run_has_all_its_datasets(recorded: Callable[[], Events]):
    with lineage.run("report", namespace="shop") as run:
        run.reads("s3a://lake/raw/orders", rows=3)
        run.reads("s3a://lake/raw/orders", rows=4)
        run.writes("/gold/daily", bytes=10, columns={"day": "date"})
        run.writes("events", namespace="kafka://broker:9092", append=True)
    start, end = recorded()
    assert types([start, end]) == ["START", "COMPLETE"]
    assert start["run"]["runId"] == end["run"]["runId"] == run.run_id
    [orders] = end["inputs"]
    assert (orders["namespace"], orders["name"]) == ("s3://lake", "raw/orders")
    assert orders["inputFacets"]["inputStatistics"]["rowCount"] == 7
    daily, events = end["outputs"]
    assert (daily["namespace"], daily["name"]) == ("file", "/gold/daily")
    assert daily["facets"]["schema"]["fields"] == [{"name": "day", "type": "date"}]
    change = "lifecycleStateChange"
    assert daily["facets"][change][change] == "OVERWRITE"
    assert daily["outputFacets"]["outputStatistics"]["size"] == 10
    assert (events["namespace"], events["name"]) == ("kafka://broker:9092", "events")
    assert change not in events["facets"]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (ValueError("password=hunter2"), "FAIL"),
        (KeyboardInterrupt(), "ABORT"),
        (asyncio.CancelledError(), "ABORT"),
        (SystemExit(2), "ABORT"),
        (SystemExit(0), "COMPLETE"),
        (SystemExit(), "COMPLETE"),
        (click.exceptions.Exit(), "COMPLETE"),
        (click.exceptions.Exit(3), "ABORT"),
        (click.Abort(), "ABORT"),
        (click.UsageError("no such option"), "FAIL"),
        (Unprintable({"code": 429}), "FAIL"),
        (Several([]), "FAIL"),
    ],
)
def test_an_exception_ends_the_run_and_is_not_changed(
    recorded: Callable[[], Events], error: BaseException, state: str
):
    def raise_inside() -> None:
        with lineage.run("job"):
            raise error

    with pytest.raises(type(error)) as caught:
        raise_inside()
    assert caught.value is error
    events = recorded()
    assert types(events) == ["START", state]
    message = events[-1]["run"]["facets"].get("errorMessage", {}).get("message")
    assert (message is None) == (state == "COMPLETE")
    assert "hunter2" not in str(events)


def test_an_error_without_a_text_has_the_name_of_its_class(recorded: Callable[[], Events]):
    with pytest.raises(Unprintable), lineage.run("job"):
        raise Unprintable({"code": 429})
    message = recorded()[-1]["run"]["facets"]["errorMessage"]["message"]
    assert message == "Unprintable: <exception str() failed>"


def test_the_text_of_an_error_is_not_made_without_recording(tmp_path: Path):
    configure({}, spool=tmp_path, enabled=False)
    texts: list[str] = []

    class Counted(Exception):
        def __str__(self) -> str:
            texts.append("text")
            return "counted"

    with pytest.raises(Counted), lineage.run("job"):
        raise Counted
    assert texts == []


@pytest.mark.parametrize("inside", [True, False])
def test_a_run_starts_once(recorded: Callable[[], Events], inside: bool):
    run = lineage.run("report")
    with run:
        if inside:
            with pytest.raises(UsageError, match="The run of report was started before"):
                run.__enter__()
    if not inside:
        with pytest.raises(UsageError, match="The run of report was started before"):
            run.__enter__()
    assert types(recorded()) == ["START", "COMPLETE"]


def test_functions_coroutines_and_generators_are_runs(recorded: Callable[[], Events]):
    @lineage.job
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b

    @lineage.job(name="coroutine", namespace="n")
    async def wait() -> int:
        await asyncio.sleep(0)
        run = lineage.current_run()
        assert run
        assert run.job.name == "coroutine"
        return 7

    @lineage.job(name="generator")
    def count() -> Iterator[int]:
        for number in range(3):
            run = lineage.current_run()
            assert run
            assert run.job.name == "generator"
            yield number

    @lineage.job(name="async generator")
    async def count_async() -> AsyncIterator[int]:
        yield 1
        yield 2

    async def collect() -> list[int]:
        return [number async for number in count_async()]

    assert add(1, b=2) == 3
    assert add.__doc__ == "Add."
    assert run_coroutine(wait()) == 7
    for _ in count():
        assert lineage.current_run() is None, "a suspended generator is not the current run"
    assert run_coroutine(collect()) == [1, 2]
    events = recorded()
    assert types(events) == ["START", "COMPLETE"] * 4
    assert events[0]["job"]["name"].startswith(f"{__name__}.")
    assert events[0]["job"]["name"].endswith("<locals>.add")
    assert events[2]["job"]["namespace"] == "n"


def test_a_generator_gets_values_and_exceptions_and_can_be_closed(
    recorded: Callable[[], Events],
):
    closed = []

    @lineage.job(name="echo")
    def echo() -> Any:
        received = None
        try:
            while True:
                try:
                    received = yield received
                except KeyError as error:
                    received = error
        finally:
            closed.append(True)

    generator = echo()
    assert next(generator) is None
    assert generator.send(5) == 5
    assert isinstance(generator.throw(KeyError("x")), KeyError)
    generator.close()
    assert closed == [True]
    assert types(recorded()) == ["START", "COMPLETE"]

    broken = echo()
    next(broken)
    with pytest.raises(ZeroDivisionError):
        broken.throw(ZeroDivisionError())
    assert types(recorded())[2:] == ["START", "FAIL"]


def transaction_with(decorate: Callable[[Any], Any], log: list[str]) -> Any:
    """Return an asynchronous context manager that rolls back after a ValueError."""

    @contextlib.asynccontextmanager
    @decorate
    async def transaction() -> AsyncIterator[str]:
        log.append("begin")
        try:
            yield "connection"
        except ValueError:
            log.append("roll back")
        except BaseException as error:
            log.append(type(error).__name__)
            raise
        else:
            log.append("commit")

    return transaction()


@pytest.mark.parametrize("error", [None, ValueError, KeyError, StopAsyncIteration])
def test_an_asynchronous_generator_gets_the_exceptions_of_its_block(
    recorded: Callable[[], Events], error: type[Exception] | None
):
    async def act(decorate: Callable[[Any], Any]) -> list[str]:
        log: list[str] = []
        try:
            async with transaction_with(decorate, log) as connection:
                log.append(connection)
                if error:
                    raise error
        except Exception as seen:
            log.append(f"the caller sees {type(seen).__name__}")
        return log

    assert run_coroutine(act(lineage.job)) == run_coroutine(act(lambda function: function))
    is_complete = error in (None, ValueError)
    assert types(recorded()) == ["START", "COMPLETE" if is_complete else "FAIL"]


def test_an_asynchronous_generator_gets_values_and_can_be_closed(
    recorded: Callable[[], Events],
):
    closed = []

    @lineage.job
    async def echo() -> AsyncGenerator[Any, Any]:
        received = None
        try:
            while True:
                received = yield received
        finally:
            closed.append(lineage.current_run() is not None)

    async def act() -> list[Any]:
        generator = echo()
        received = [await generator.asend(None), await generator.asend(1)]
        await generator.aclose()
        return received

    assert run_coroutine(act()) == [None, 1]
    assert closed == [True]
    assert types(recorded()) == ["START", "COMPLETE"]


def test_a_decorated_function_is_of_the_same_kind():
    def function() -> None: ...

    async def coroutine() -> None: ...

    def generator() -> Iterator[int]:
        yield 1

    async def async_generator() -> AsyncIterator[int]:
        yield 1

    for plain in (function, coroutine, generator, async_generator):
        for is_kind in (
            inspect.isgeneratorfunction,
            inspect.iscoroutinefunction,
            inspect.isasyncgenfunction,
        ):
            assert is_kind(lineage.job(plain)) == is_kind(plain)


FRAME = pd.DataFrame({"id": [1], "price": [0.5]})


@pytest.mark.parametrize(
    ("columns", "fields"),
    [
        (FRAME.dtypes.to_dict(), {"id": "int64", "price": "float64"}),
        (FRAME.dtypes, {"id": "int64", "price": "float64"}),
        (pl.from_pandas(FRAME).schema, {"id": "Int64", "price": "Float64"}),
        ({1: "int", "b": None}, {"1": "int", "b": "None"}),
        (["id", "price"], None),
        (5, None),
        ({}, None),
    ],
)
def test_columns_are_those_that_analysts_have(
    recorded: Callable[[], Events], columns: Any, fields: dict[str, str] | None
):
    with lineage.run("report") as run:
        run.writes("/data/out.csv", columns=columns)
    start, end = recorded()
    assert types([start, end]) == ["START", "COMPLETE"]
    [output] = end["outputs"]
    schema = output["facets"].get("schema")
    assert (schema and {each["name"]: each["type"] for each in schema["fields"]}) == fields


@pytest.mark.parametrize("count", [float("nan"), float("inf"), pd.NA, "many"])
def test_a_count_that_is_no_number_is_left_out(
    recorded: Callable[[], Events], count: Any, caplog: pytest.LogCaptureFixture
):
    with lineage.run("report") as run:
        run.reads("/data/in.csv", rows=count)
        run.writes("/data/out.csv", rows=17)
        run.writes("/data/out.csv", rows=count, bytes=3.0)  # type: ignore[arg-type]
    start, end = recorded()
    assert types([start, end]) == ["START", "COMPLETE"]
    statistics = end["outputs"][0]["outputFacets"]["outputStatistics"]
    assert (statistics["rowCount"], statistics["size"]) == (17, 3)
    assert "inputFacets" not in end["inputs"][0]
    assert [f"rows={count!r} is no number" in each for each in caplog.messages] == [True, True]


PROGRAM = """
import multiprocessing
import lineage

@lineage.job
def main():
    pass

if __name__ == "__main__":
    main()
    child = multiprocessing.get_context("spawn").Process(target=main)
    child.start()
    child.join()
"""


@pytest.mark.parametrize(
    ("file", "arguments", "job"),
    [
        ("load.py", ["load.py"], "load.main"),
        ("load.py", ["-c", "import load; load.main(); load.main()"], "load.main"),
        ("load.py", ["-m", "load"], "load.main"),
        ("load.py", ["-m", "lineage.observe", "load.py"], "load.main"),
        ("load.py", ["-m", "lineage.observe", "-m", "load"], "load.main"),
        ("shop/load.py", ["-m", "shop.load"], "shop.load.main"),
        ("shop/__main__.py", ["-m", "shop"], "shop.__main__.main"),
        ("shop/__main__.py", ["shop"], "shop.main"),
    ],
)
def test_a_function_of_a_program_is_the_same_job_in_each_start(
    tmp_path: Path, file: str, arguments: list[str], job: str
):
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(PROGRAM)
    own = {"LINEAGE_ENABLED": "Y", "LINEAGE_SINK_IDS": "file", "LINEAGE_HUB_SPOOL": "spool"}
    command = [sys.executable, *arguments]
    subprocess.run(command, cwd=tmp_path, env={**os.environ, **own}, check=True)
    lines = [
        line for path in (tmp_path / "spool").iterdir() for line in path.read_text().splitlines()
    ]
    names = [json.loads(line)["job"]["name"] for line in lines]
    assert set(names) <= {job, "load"}, "the latter is the observed program"
    assert job in names


@pytest.mark.parametrize("namespace", [None, "shop"])
def test_an_empty_location_is_left_out(
    recorded: Callable[[], Events], namespace: str | None, caplog: pytest.LogCaptureFixture
):
    with lineage.run("report") as run:
        run.reads("", namespace=namespace)
        run.writes("", namespace=namespace)
        run.writes("/data/out.csv")
    end = recorded()[-1]
    assert (end["eventType"], end["inputs"]) == ("COMPLETE", [])
    assert [each["name"] for each in end["outputs"]] == ["/data/out.csv"]
    assert caplog.messages == ["An empty location is not recorded."] * 2


def test_runs_inside_runs_have_parent_and_root(recorded: Callable[[], Events]):
    with lineage.run("outer") as outer, lineage.run("middle") as middle, lineage.run("inner"):
        pass
    first, second, third = recorded()[:3]
    assert "parent" not in first["run"]["facets"]
    parent = second["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == parent["root"]["run"]["runId"] == outer.run_id
    parent = third["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == middle.run_id
    assert parent["root"]["run"]["runId"] == outer.run_id
    assert parent["job"]["name"] == "middle"


@pytest.mark.parametrize("name", ["nightly", "etl/daily", "100%/day", "a%2Fb", "%25"])
def test_a_child_process_has_the_run_of_its_environment_as_parent(
    recorded: Callable[[], Events], monkeypatch: pytest.MonkeyPatch, name: str
):
    with lineage.run(name, namespace="https://shop/etl") as outer:
        variables = outer.environment()
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with lineage.run("child"):
        pass
    parent = recorded()[2]["run"]["facets"]["parent"]
    assert parent["run"]["runId"] == outer.run_id
    assert parent["job"] == {"namespace": "https://shop/etl", "name": name}


def test_the_current_run_follows_wrapped_functions_and_tasks_only(
    recorded: Callable[[], Events],
):
    current: list[Any] = []

    def record() -> None:
        current.append(lineage.current_run())

    async def record_in_tasks() -> None:
        await asyncio.gather(asyncio.to_thread(record), asyncio.to_thread(record))

    with lineage.run("job") as run:
        for target in (run.wrap(record), record):
            thread = threading.Thread(target=target)
            thread.start()
            thread.join()
        run_coroutine(record_in_tasks())
    assert current == [run, None, run, run]
    assert lineage.current_run() is None


def test_a_fetch_reads_its_source_and_stores_outputs(recorded: Callable[[], Events]):
    with lineage.fetch("brave:ai-reasoning", namespace="gaius") as fetched:
        fetched.stored("/scratch/paper.md")
    start, end = recorded()
    assert (end["job"]["namespace"], end["job"]["name"]) == ("gaius", "fetch.brave:ai-reasoning")
    for event in (start, end):
        [source] = event["inputs"]
        assert (source["namespace"], source["name"]) == ("gaius.source", "brave:ai-reasoning")
    assert [each["name"] for each in end["outputs"]] == ["/scratch/paper.md"]


def test_very_many_datasets_become_their_directories(recorded: Callable[[], Events]):
    with lineage.run("job") as run:
        for number in range(3000):
            run.reads(f"/data/{number % 3}/{number}.csv")
    end = recorded()[-1]
    assert len(end["inputs"]) == 1003
    assert {"/data/0", "/data/1", "/data/2"} < {each["name"] for each in end["inputs"]}
    assert end["run"]["facets"]["lineage_observed"]["truncated"] == 2000


def test_nothing_is_recorded_while_the_hub_is_off(tmp_path: Path):
    hub = configure({"memory": MemorySink}, enabled=False, spool=tmp_path / "spool")
    before = threading.active_count()
    with lineage.run("job") as run:
        run.reads("/x")
    assert hub.emit("{}").wait(0) == {}
    assert threading.active_count() == before
    assert hub.shutdown().sinks == {}
    assert not (tmp_path / "spool").exists()
