"""Runs of flows and tasks: their events, without Metaflow."""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.services.sinks import MemorySink

import lineage
from lineage.errors import UsageError
from lineage.hub import configure, to_openlineage
from lineage.metaflow.names import FACET, Attempt, FlowIdentity, input_artifacts
from lineage.metaflow.scheduler import ScheduledFlow
from lineage.metaflow.tasks import TaskRun, running_task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Events = list[dict[str, Any]]

FLOW = FlowIdentity("metaflow:///home/ada/.metaflow", "ShopFlow", "12")
FETCH = Attempt(FLOW, "fetch", "3", 0)
EXIT = "TaskUnfinished: The step ended its process with exit code"
EXTENSION = Path(__file__).parents[3] / "metaflow_extensions/lineage/plugins/mfextinit_lineage.py"


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], Events]]:
    """Configure the hub of this process; return a function that returns its events."""
    monkeypatch.delenv("LINEAGE_PARENT", raising=False)
    monkeypatch.setenv("LINEAGE_NAMESPACE", "shop")
    sink = MemorySink()
    hub = configure({"memory": lambda: sink}, spool=tmp_path, linger_ms=0)

    def read() -> Events:
        assert hub.flush(20).is_done
        return to_openlineage(sink.events)

    yield read
    hub.shutdown()
    monkeypatch.setenv("LINEAGE_ENABLED", "N")
    configure({}, enabled=False)


@pytest.fixture
def task(recorded: Callable[[], Events]) -> Iterator[TaskRun]:
    inputs = input_artifacts(FLOW, [("start", "ShopFlow/12/start/1")], [])
    task = TaskRun(FETCH, inputs, {"attempt": 0})
    task.start_task()
    yield task
    task.finish_task(False, None, {})  # nothing, if the test has ended it
    assert running_task() is task


def types(events: Events) -> list[tuple[str, str]]:
    return [(event["job"]["name"], event["eventType"]) for event in events]


def output_names(event: dict[str, Any]) -> list[str]:
    return [each["name"] for each in event["outputs"]]


def test_a_task_is_a_child_of_its_flow(recorded: Callable[[], Events], task: TaskRun):
    assert lineage.current_run() is task
    with lineage.run("inside"):
        task.writes("s3://lake/orders")
    task.leave_step()
    assert lineage.current_run() is None, "Metaflow's own work is not part of the run"
    task.finish_task(True, None, {"count": "int"})
    start, *inside, end = recorded()
    assert types([start, end]) == [("ShopFlow.fetch", "START"), ("ShopFlow.fetch", "COMPLETE")]
    assert start["run"]["facets"]["parent"]["run"]["runId"] == FLOW.run_id
    assert start["run"]["facets"]["parent"]["job"] == {"namespace": "shop", "name": "ShopFlow"}
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in inside} == {task.run_id}
    assert [each["name"] for each in start["inputs"]] == ["ShopFlow/start"]
    assert start["outputs"] == []
    assert output_names(end) == ["orders", "ShopFlow/fetch"]


def test_a_caught_step_has_no_outputs_of_its_own(recorded: Callable[[], Events], task: TaskRun):
    task.writes("s3://lake/orders")
    task.leave_step(ValueError("password=hunter2"))
    task.finish_task(True, None, {"problem": "str"})
    end = recorded()[-1]
    assert end["eventType"] == "COMPLETE"
    assert output_names(end) == ["ShopFlow/fetch"]
    facet = end["run"]["facets"][FACET]
    assert facet["unconfirmed_outputs"] == ["s3://lake/orders"]
    assert facet["attempt"] == 0
    assert "hunter2" not in str(end)
    assert "errorMessage" not in end["run"]["facets"]


def test_files_of_a_step_are_observed_and_those_of_the_datastore_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("LINEAGE_NAMESPACE", "shop")
    sink = MemorySink()
    spool = tmp_path / "spool"
    hub = configure({"memory": lambda: sink}, spool=spool, linger_ms=0, observe=("files",))
    store = tmp_path / ".metaflow"
    store.mkdir()
    (store / "artifact").write_text("1")
    flow = FLOW._replace(datastore=f"metaflow://{store}")
    for error in (None, ValueError("broken")):
        task = TaskRun(FETCH._replace(flow_run=flow), [], {})
        task.start_task()
        (store / "artifact").read_text()
        (tmp_path / "orders.csv").write_text("id")
        task.leave_step(error)
        (tmp_path / "later.csv").write_text("of Metaflow")
        task.finish_task(True, None, {})
    assert hub.flush(20).is_done
    ended, caught = [each for each in to_openlineage(sink.events) if each["eventType"] != "START"]
    assert ended["inputs"] == []
    assert output_names(ended) == [f"{tmp_path}/orders.csv", "ShopFlow/fetch"]
    # What failing code has written is not confirmed, whether it was stated or observed.
    assert output_names(caught) == ["ShopFlow/fetch"]
    facet = caught["run"]["facets"][FACET]
    assert facet["unconfirmed_outputs"] == [f"file:{tmp_path}/orders.csv"]
    hub.shutdown()
    monkeypatch.setenv("LINEAGE_ENABLED", "N")
    configure({}, enabled=False)


@pytest.mark.parametrize(
    ("raised", "pending", "state", "message"),
    [
        (ValueError("broken"), None, "FAIL", "ValueError: broken"),
        (None, KeyboardInterrupt(), "ABORT", "KeyboardInterrupt: "),
        (None, SystemExit(0), "FAIL", f"{EXIT} 0."),
        (None, SystemExit(3), "FAIL", f"{EXIT} 3."),
    ],
)  # fmt: skip
def test_a_failed_task_has_its_cause(
    recorded: Callable[[], Events],
    task: TaskRun,
    raised: BaseException | None,
    pending: BaseException | None,
    state: str,
    message: str,
):
    if raised:
        task.leave_step(raised)
    task.finish_task(False, pending, {})
    end = recorded()[-1]
    assert end["eventType"] == state
    assert end["run"]["facets"]["errorMessage"]["message"] == message
    assert output_names(end) == ["ShopFlow/fetch"], "what it would have written"


def test_a_flow_starts_with_its_first_task_and_ends_once(recorded: Callable[[], Events]):
    flow = ScheduledFlow(FLOW)
    assert recorded() == []
    flow.record_launch(FETCH, {"tags": ["nightly"]}, lambda _: True)
    flow.record_launch(FETCH._replace(task="4"), {}, lambda _: True)
    flow.finish_flow(None, {})
    flow.finish_flow(None, {})
    events = recorded()
    assert types(events) == [("ShopFlow", "START"), ("ShopFlow", "COMPLETE")]
    assert {event["run"]["runId"] for event in events} == {FLOW.run_id}
    assert [event["run"]["facets"][FACET]["tags"] for event in events] == [["nightly"]] * 2


def test_a_flow_whose_tasks_were_all_cloned_has_start_and_end(recorded: Callable[[], Events]):
    ScheduledFlow(FLOW).finish_flow(None, {})
    assert types(recorded()) == [("ShopFlow", "START"), ("ShopFlow", "COMPLETE")]


@pytest.mark.parametrize(
    ("error", "state"), [(ValueError("Step fetch failed"), "FAIL"), (KeyboardInterrupt(), "ABORT")]
)
def test_the_scheduler_ends_attempts_that_were_killed(
    recorded: Callable[[], Events], error: BaseException, state: str
):
    flow = ScheduledFlow(FLOW)
    done = {FETCH._replace(task="4")}
    again = FETCH._replace(number=1)
    for attempt in (FETCH, FETCH._replace(task="4"), again, Attempt(FLOW, "merge", "5", 0)):
        flow.record_launch(attempt, {"pathspec": "ShopFlow/12", "user": "ada"}, done.__contains__)
    flow.finish_step("fetch", done.__contains__)
    flow.finish_flow(error, {})
    start, first, second, end = recorded()
    assert types([first, second]) == [("ShopFlow.fetch", "FAIL")] * 2
    assert [first["run"]["runId"], second["run"]["runId"]] == [FETCH.run_id, again.run_id]
    facet = {key: value for key, value in first["run"]["facets"][FACET].items() if key[0] != "_"}
    assert facet == {"pathspec": "ShopFlow/12/fetch/3", "attempt": 0, "user": "ada"}
    message = first["run"]["facets"]["errorMessage"]["message"]
    assert message.startswith("TaskUnfinished: The process ended before")
    assert types([start, end]) == [("ShopFlow", "START"), ("ShopFlow", state)]


def test_the_extension_registers_the_decorator():
    registered = runpy.run_path(str(EXTENSION))["STEP_DECORATORS_DESC"]
    assert registered == [("lineage", "lineage.metaflow.decorator.LineageDecorator")]


@pytest.mark.parametrize("absent", ["lineage", "lineage.metaflow"])
def test_the_extension_registers_nothing_where_lineage_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, absent: str
):
    monkeypatch.setitem(sys.modules, absent, None)
    assert runpy.run_path(str(EXTENSION))["STEP_DECORATORS_DESC"] == []


def test_without_metaflow_the_base_class_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "metaflow", None)
    monkeypatch.delitem(sys.modules, "lineage.metaflow.flow", raising=False)
    with pytest.raises(UsageError) as caught:
        import_module("lineage.metaflow.flow")
    assert "Metaflow 2.16" in str(caught.value)
    assert "metaflow>=2.16" in caught.value.hint
