"""Flows of the real Metaflow, installed with the wheel: their runs in the log and in the graph.

The newest release runs all flows, and the lowest that the extra allows runs those with most of the
events.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from clients.conftest import LINEAGE
from support.services.client_packages import METAFLOW, METAFLOW_LOWEST
from support.services.polling import PAUSE
from support.services.tutorials import run_tutorial
from support.source.wheel import ROOT, check_out
from support.source.wheel import run as run_program

from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from support.services.client_packages import Client

FLOWS = Path(__file__).with_name("flows")
NEWEST = pytest.mark.parametrize("python", [METAFLOW], ids=["newest"], indirect=True)
BOTH = pytest.mark.parametrize(
    "python", [METAFLOW, METAFLOW_LOWEST], ids=["newest", "lowest"], indirect=True
)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    source = check_out(place / "source")
    for built in (*ROOT.glob("lineage/jars/*.jar"), *ROOT.glob("lineage/http/web/static/*")):
        copy = source / built.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built, copy)
    run_program(sys.executable, "-m", "build", "--wheel", "--no-isolation", "-o", place, source)
    [built] = place.glob("*.whl")
    return built


@pytest.fixture(scope="session")
def python(wheel: Path, request: pytest.FixtureRequest) -> Path:
    """Return the Python of an environment with a release of Metaflow and the wheel."""
    client: Client = request.param
    program = client.bin() / "python"
    uv = Path(sys.executable).parent / "uv"
    options = ("--quiet", "--python", program, "--reinstall-package", "lineage-age")
    run_program(uv, "pip", "install", *options, f"{wheel}[metaflow]", *client.packages)
    return program


@dataclass(frozen=True)
class Workplace:
    """A directory in which flows run, and the database that receives their events."""

    python: Path
    directory: Path
    dsn: str

    def environment(self, **variables: str) -> dict[str, str]:
        return {
            **os.environ,
            "LINEAGE_ENABLED": "Y",
            "LINEAGE_DSN": self.dsn,
            "LINEAGE_NAMESPACE": "shop",
            "LINEAGE_FLUSH_SECONDS": "60",
            "LINEAGE_HUB_SPOOL": str(self.directory / "spool"),
            "METAFLOW_USER": "ada",
            **variables,
        }

    def start(self, flow: str, *words: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.python, FLOWS / f"{flow}.py", *words],
            env=self.environment(**variables),
            cwd=self.directory,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            preexec_fn=restore_interrupt,
        )

    def run(self, flow: str, *words: str, code: int = 0, **variables: str) -> Recording:
        """Run a flow to its end, and return all that was recorded."""
        with self.start(flow, *words, **variables) as process:
            output, _ = process.communicate(timeout=600)
        assert process.returncode == code, output
        assert "Lineage of this" not in output
        return self.read()

    def direct_sources(self, event: dict[str, Any]) -> set[str]:
        """Return the runs whose writes a run is known to have read, by version."""
        with psycopg.connect(self.dsn) as conn:
            rows = conn.execute(
                "SELECT source_run, exact FROM lineage.upstream_runs(%s, 1)"
                " WHERE namespace LIKE 'metaflow%%'",
                (event["run"]["runId"],),
            ).fetchall()
        assert all(exact for _, exact in rows)
        return {run for run, _ in rows}

    def read(self) -> Recording:
        with psycopg.connect(self.dsn) as conn:
            rows = conn.execute("SELECT body FROM lineage.event ORDER BY event_time, id").fetchall()
        return Recording([json.loads(body) for (body,) in rows])


@dataclass(frozen=True)
class Recording:
    """The events of the log, in the order of their times."""

    events: list[dict[str, Any]]

    def of_job(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.events if event["job"]["name"] == name]

    def types(self, name: str) -> list[list[str]]:
        """Return the event types of each run of a job, in the order of their first events."""
        runs: dict[str, list[str]] = defaultdict(list)
        for event in self.of_job(name):
            runs[event["run"]["runId"]].append(event["eventType"])
        return list(runs.values())

    def ends(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.of_job(name) if event["eventType"] not in ("START",)]

    def end(self, name: str) -> dict[str, Any]:
        [event] = self.ends(name)
        return event


@pytest.fixture
def workplace(python: Path, dsn: str, tmp_path: Path) -> Workplace:
    return Workplace(python, tmp_path, dsn)


@pytest.fixture
def graph(workplace: Workplace) -> Iterator[Graph]:
    with Graph(workplace.dsn) as graph:
        yield graph


def facet(event: dict[str, Any], name: str = "lineage_metaflow") -> dict[str, Any]:
    content = event["run"]["facets"].get(name, {})
    return {key: value for key, value in content.items() if key[0] != "_"}


def versions(event: dict[str, Any], side: str = "inputs") -> dict[str, Any]:
    """Return the versions of the artifacts of an event, by their names."""
    return {
        each["name"]: each["facets"].get("lineage_versions", {}).get("versions")
        or [each["facets"]["version"]["datasetVersion"]]
        for each in event[side]
        if each["namespace"].startswith("metaflow")
    }


def names(event: dict[str, Any], side: str) -> set[str]:
    return {each["name"] for each in event[side]}


def fields(event: dict[str, Any], name: str) -> dict[str, str]:
    [dataset] = [each for each in event["outputs"] if each["name"] == name]
    return {each["name"]: each.get("type", "") for each in dataset["facets"]["schema"]["fields"]}


def parents(events: Sequence[dict[str, Any]]) -> set[tuple[str, str]]:
    found = [event["run"]["facets"]["parent"] for event in events]
    return {(each["job"]["name"], each["run"]["runId"]) for each in found}


@BOTH
def test_a_flow_and_its_tasks_are_runs(workplace: Workplace, graph: Graph) -> None:
    outer = "01938a8e-7b1c-7d1f-8a55-000000000001"
    recording = workplace.run(
        "shop", "run", "--tag", "nightly", "--rate", "3", LINEAGE_PARENT=f"cron/night/{outer}"
    )
    assert recording.types("ShopFlow") == [["START", "COMPLETE"]]
    steps = ("start", "fetch", "merge", "end")
    assert {step: recording.types(f"ShopFlow.{step}") for step in steps} == {
        "start": [["START", "COMPLETE"]],
        "fetch": [["START", "COMPLETE"]] * 3,
        "merge": [["START", "COMPLETE"]],
        "end": [["START", "COMPLETE"]],
    }  # fmt: skip
    assert {event["job"]["namespace"] for event in recording.events} == {"shop"}
    flow = recording.end("ShopFlow")
    run_id = facet(flow)["pathspec"].removeprefix("ShopFlow/")
    assert facet(flow) == {
        "pathspec": f"ShopFlow/{run_id}",
        "parameters": ["rate"],
        "tags": ["nightly"],
        "user": "ada",
    }
    tasks = [event for event in recording.events if event["job"]["name"] != "ShopFlow"]
    assert parents(tasks) == {("ShopFlow", flow["run"]["runId"])}
    assert parents(recording.of_job("ShopFlow")) == {("night", outer)}
    roots = [event["run"]["facets"]["parent"]["root"]["run"]["runId"] for event in tasks]
    assert set(roots) == {outer}

    first, last = recording.end("ShopFlow.start"), recording.end("ShopFlow.merge")
    assert names(first, "inputs") == {"raw/orders", "ShopFlow/_parameters"}
    assert facet(first)["attempt"] == 0
    assert facet(first)["pathspec"].startswith(f"ShopFlow/{run_id}/start/")
    assert fields(first, "ShopFlow/start") == {"regions": "list", "currency": "str"}
    # `currency` is handed through, and `input` and `rate` are no artifacts of the step.
    fetched = recording.ends("ShopFlow.fetch")
    assert {tuple(fields(event, "ShopFlow/fetch").items()) for event in fetched} == {
        (("count", "int"), ("label", "str"))
    }
    written = [version for event in fetched for version in versions(event, "outputs").values()]
    assert sorted(versions(last)["ShopFlow/fetch"]) == sorted(version for [version] in written)
    assert fields(last, "ShopFlow/merge") == {"total": "int"}
    assert workplace.direct_sources(last) == {event["run"]["runId"] for event in fetched}
    assert "eu" not in json.dumps([event["run"] for event in recording.events])

    trace = graph.upstream("gold/totals")
    steps = {(edge.source.name, edge.target.name): edge.runs for edge in trace.edges}
    assert steps == {
        ("raw/orders", "ShopFlow/start"): 1,
        ("ShopFlow/_parameters", "ShopFlow/start"): 1,
        ("ShopFlow/start", "ShopFlow/fetch"): 3,
        ("ShopFlow/fetch", "ShopFlow/merge"): 1,
        ("ShopFlow/merge", "gold/totals"): 1,
    }
    namespaces = {each.namespace for each in trace.datasets}
    assert namespaces == {"s3://lake", f"metaflow://{workplace.directory}/.metaflow"}


@BOTH
def test_the_command_shows_the_way_from_the_last_table_to_the_first(workplace: Workplace) -> None:
    workplace.run("shop", "run")
    words = [LINEAGE, "query", "gold/totals", "--dsn", workplace.dsn]
    lines = subprocess.check_output(words, text=True).splitlines()
    order = [next(n for n, line in enumerate(lines) if name in line) for name in (
        "gold/totals", "ShopFlow/merge", "ShopFlow/fetch", "ShopFlow/start", "raw/orders",
    )]  # fmt: skip
    assert order == sorted(order)


@BOTH
def test_a_failed_flow_is_resumed(workplace: Workplace, graph: Graph) -> None:
    failed = workplace.run("shop", "run", code=1, FAILING="us", HANGING="ap")
    assert failed.types("ShopFlow") == [["START", "FAIL"]]
    # The scheduler reports the end of the task that it has killed.
    assert sorted(failed.types("ShopFlow.fetch")) == [
        ["START", "COMPLETE"], ["START", "FAIL"], ["START", "FAIL"],
    ]  # fmt: skip
    messages = [
        event["run"]["facets"]["errorMessage"]["message"]
        for event in failed.ends("ShopFlow.fetch")
        if "errorMessage" in event["run"]["facets"]
    ]
    killed, raised = sorted(messages)
    assert killed.startswith("TaskUnfinished: The process ended before")
    assert raised.startswith("ValueError: password=***")
    assert "hunter2" not in json.dumps(failed.events)
    assert failed.of_job("ShopFlow.merge") == []

    [done] = [each for each in failed.ends("ShopFlow.fetch") if each["eventType"] == "COMPLETE"]
    [original] = versions(done, "outputs")["ShopFlow/fetch"]
    origin = original.split("/")[1]
    resumed = workplace.run("shop", "resume")
    assert resumed.types("ShopFlow") == [["START", "FAIL"], ["START", "COMPLETE"]]
    assert len(resumed.types("ShopFlow.start")) == 1, "a cloned task has no run"
    assert len(resumed.types("ShopFlow.fetch")) == 5
    assert facet(resumed.ends("ShopFlow")[-1])["origin_run_id"] == origin
    assert facet(resumed.end("ShopFlow.merge"))["origin_run_id"] == origin
    # The tasks that ran again read what the failed run had written, and so does the join.
    read = versions(resumed.ends("ShopFlow.fetch")[-1])["ShopFlow/start"]
    assert read == versions(resumed.end("ShopFlow.start"), "outputs")["ShopFlow/start"]
    merged = versions(resumed.end("ShopFlow.merge"))["ShopFlow/fetch"]
    assert original in merged
    assert {version.split("/")[1] == origin for version in merged} == {True, False}
    finished = [each for each in resumed.ends("ShopFlow.fetch") if each["eventType"] == "COMPLETE"]
    assert len(finished) == 3
    joined = workplace.direct_sources(resumed.end("ShopFlow.merge"))
    assert joined == {event["run"]["runId"] for event in finished}
    upstream = {each.full_name for each in graph.upstream("gold/totals").datasets}
    assert "s3://lake/raw/orders" in upstream


@BOTH
def test_tasks_end_as_metaflow_ends_them(workplace: Workplace, graph: Graph) -> None:
    recording = workplace.run("endings", "run")
    assert recording.types("EndingsFlow") == [["START", "COMPLETE"]]
    steps = ("recovered", "caught", "late", "killed_once", "killed", "merge")
    assert {step: recording.types(f"EndingsFlow.{step}") for step in steps} == {
        "recovered": [["START", "FAIL"], ["START", "COMPLETE"]],
        "caught": [["START", "FAIL"], ["START", "COMPLETE"]],
        "late": [["START", "COMPLETE"]],
        "killed_once": [["START", "FAIL"], ["START", "COMPLETE"]],
        "killed": [["START", "FAIL"], ["START", "COMPLETE"]],
        "merge": [["START", "COMPLETE"]],
    }
    attempts = [facet(event)["attempt"] for event in recording.ends("EndingsFlow.recovered")]
    assert attempts == [0, 1]
    caught = recording.ends("EndingsFlow.caught")[-1]
    assert facet(caught)["caught"] == "ValueError: each attempt"
    assert facet(caught)["unconfirmed_outputs"] == ["s3://lake/half-written"]
    assert names(caught, "outputs") == {"EndingsFlow/caught"}
    assert "TimeoutException" in facet(recording.end("EndingsFlow.late"))["caught"]
    assert "FailureHandledByCatch" in facet(recording.ends("EndingsFlow.killed")[-1])["caught"]
    # A run inside a step is a child of the task.
    task = recording.ends("EndingsFlow.recovered")[-1]
    assert parents(recording.of_job("helper")) == {("EndingsFlow.recovered", task["run"]["runId"])}
    upstream = {each.name for each in graph.upstream("lake/endings").datasets}
    assert upstream >= {"EndingsFlow/caught", "EndingsFlow/killed", "source"}
    assert graph.upstream("lake/half-written").edges == ()


@pytest.mark.parametrize(
    ("failure", "error"),
    [
        ("raises", "ValueError: token=***"),
        ("killed", "TaskUnfinished: The process ended before"),
        ("exits", "TaskUnfinished: "),
        ("unpicklable", "TaskUnfinished: "),
    ],
)
@NEWEST
def test_a_flow_has_one_end_however_its_task_fails(
    workplace: Workplace, failure: str, error: str
) -> None:
    recording = workplace.run("failing", "run", code=1, FAILURE=failure)
    assert recording.types("FailingFlow") == [["START", "FAIL"]]
    attempts = recording.types("FailingFlow.start")
    assert {tuple(dict.fromkeys(types)) for types in attempts} == {("START", "FAIL")}
    messages = {
        event["run"]["facets"]["errorMessage"]["message"]
        for event in recording.ends("FailingFlow.start")
    }
    assert all(message.startswith(error) for message in messages)
    with psycopg.connect(workplace.dsn) as conn:
        states = conn.execute("SELECT DISTINCT state FROM lineage.run").fetchall()
        fed = conn.execute("SELECT count(*) FROM lineage.feeds").fetchall()
    assert (states, fed) == ([("FAIL",)], [(0,)])


@NEWEST
def test_an_interrupted_flow_is_aborted(workplace: Workplace) -> None:
    with workplace.start("shop", "run", HANGING="us") as process:
        wait_for(workplace, "hanging", process)
        os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
        process.communicate(timeout=600)
    recording = workplace.read()
    assert recording.types("ShopFlow") == [["START", "ABORT"]]
    assert ["START", "ABORT"] in recording.types("ShopFlow.fetch")
    assert all(types[-1] != "START" for types in recording.types("ShopFlow.fetch"))


@NEWEST
def test_a_killed_scheduler_leaves_the_flow_without_an_end(workplace: Workplace) -> None:
    with workplace.start("shop", "run", HANGING="us") as process:
        wait_for(workplace, "hanging", process)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=600)
    recording = workplace.read()
    assert recording.types("ShopFlow") == [["START"]]
    assert recording.types("ShopFlow.start") == [["START", "COMPLETE"]]
    assert ["START"] in recording.types("ShopFlow.fetch")


def restore_interrupt() -> None:
    """Let a program react to SIGINT, which a shell has its background processes ignore."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def wait_for(workplace: Workplace, file: str, process: subprocess.Popen[str]) -> None:
    """Wait for a file that a task creates, and for the events of its flow."""
    while not (workplace.directory / file).exists() or not workplace.read().of_job("ShopFlow"):
        assert process.poll() is None, process.communicate()
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(PAUSE)


@NEWEST
def test_a_foreach_in_a_foreach_is_one_dataset_for_each_step(
    workplace: Workplace, graph: Graph
) -> None:
    recording = workplace.run("nested", "run")
    counts = {step: len(recording.types(f"NestedFlow.{step}")) for step in (
        "start", "split", "read", "add", "total", "end",
    )}  # fmt: skip
    assert counts == {"start": 1, "split": 2, "read": 4, "add": 2, "total": 1, "end": 1}
    read = [versions(event)["NestedFlow/read"] for event in recording.ends("NestedFlow.add")]
    assert [len(each) for each in read] == [2, 2]
    assert len({version for each in read for version in each}) == 4
    trace = graph.upstream("NestedFlow/end")
    assert [(edge.source.name, edge.target.name, edge.runs) for edge in trace.edges] == [
        ("NestedFlow/total", "NestedFlow/end", 1),
        ("NestedFlow/add", "NestedFlow/total", 1),
        ("NestedFlow/read", "NestedFlow/add", 2),
        ("NestedFlow/split", "NestedFlow/read", 4),
        ("NestedFlow/start", "NestedFlow/split", 2),
    ]


@NEWEST
def test_only_the_chosen_step_has_a_run(workplace: Workplace, graph: Graph) -> None:
    recording = workplace.run("choice", "run")
    assert recording.types("ChoiceFlow") == [["START", "COMPLETE"]]
    assert recording.of_job("ChoiceFlow.small") == []
    assert set(versions(recording.end("ChoiceFlow.merge"))) == {
        "ChoiceFlow/left",
        "ChoiceFlow/right",
    }
    assert set(versions(recording.end("ChoiceFlow.end"))) == {"ChoiceFlow/large"}
    upstream = {each.name for each in graph.upstream("ChoiceFlow/end").datasets}
    assert upstream == {
        f"ChoiceFlow/{step}" for step in ("large", "choose", "merge", "left", "right", "start")
    }


@BOTH
def test_an_option_records_a_flow_without_a_change(workplace: Workplace) -> None:
    recording = workplace.run("plain", "run", "--with", "lineage")
    assert recording.types("PlainFlow") == [["START", "COMPLETE"]]
    assert set(versions(recording.end("PlainFlow.end"))) == {"PlainFlow/start"}
    again = workplace.run("plain", "run")
    assert again.events == recording.events


@BOTH
def test_nothing_is_added_while_lineage_is_off(workplace: Workplace) -> None:
    recording = workplace.run("shop", "run", LINEAGE_ENABLED="N")
    assert recording.events == []
    assert not (workplace.directory / "spool").exists()
    words = [workplace.python, FLOWS / "shop.py", "output-raw"]
    for enabled in ("N", "Y"):
        output = subprocess.check_output(
            words, env=workplace.environment(LINEAGE_ENABLED=enabled), cwd=workplace.directory
        )
        assert (b"lineage" in output.split(b"decorators")[-1]) == (enabled == "Y")


@NEWEST
def test_rejected_parameters_are_no_run(workplace: Workplace) -> None:
    recording = workplace.run("shop", "run", "--rate", "much", code=2)
    assert recording.events == []


@NEWEST
def test_a_flow_ends_while_the_database_is_away(workplace: Workplace) -> None:
    away = "postgresql://localhost:1/none?connect_timeout=1"
    variables = {"LINEAGE_DSN": away, "LINEAGE_FLUSH_SECONDS": "1"}
    assert workplace.run("plain", "run", "--with", "lineage", **variables).events == []
    spool = workplace.directory / "spool"
    subprocess.run([LINEAGE, "ingest", spool, "--dsn", workplace.dsn], check=True)
    recording = workplace.read()
    assert recording.types("PlainFlow") == [["START", "COMPLETE"]]
    assert recording.types("PlainFlow.end") == [["START", "COMPLETE"]]


@NEWEST
def test_an_error_of_recording_does_not_end_the_flow(workplace: Workplace) -> None:
    """The ids of runs cannot be computed, neither in the scheduler nor in the tasks."""
    (workplace.directory / "sitecustomize.py").write_text(
        "from lineage.metaflow.names import FlowIdentity\n"
        "FlowIdentity.run_id = property(lambda self: 1 / 0)\n"
    )
    with workplace.start("shop", "run", PYTHONPATH=str(workplace.directory)) as process:
        output, _ = process.communicate(timeout=600)
    assert process.returncode == 0, output
    for hook in ("runtime_step_cli", "task_pre_step", "runtime_finished"):
        warning = f"Lineage of this task or flow is incomplete: {hook}: ZeroDivisionError"
        assert warning in output
    assert "division by zero" in output
    assert workplace.read().of_job("ShopFlow") == []


@NEWEST
def test_the_page_describes_what_happens(workplace: Workplace) -> None:
    page = (ROOT / "docs/how-to/metaflow.md").read_text()
    [(name, flow)] = re.findall(r"<!-- file: (\S+) -->\n```python\n(.*?)```", page, re.DOTALL)
    (workplace.directory / name).write_text(flow)
    commands = page.split("\nRecording is off by default")[1].split("\nAll variables and sinks")[0]
    commands = commands.replace("postgresql://user@host/lineage", f"'{workplace.dsn}'")
    run_tutorial(
        commands,
        workplace.directory,
        {
            **os.environ,
            "METAFLOW_USER": "ada",
            "PATH": f"{workplace.python.parent}:{os.environ['PATH']}",
        },
        [
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
            (r"metaflow://\S*/\.metaflow", "DATASTORE"),
        ],
    )


@NEWEST
def test_the_tutorial_leads_from_kafka_to_the_flow(workplace: Workplace) -> None:
    page = (ROOT / "docs/tutorial/kafka-to-flow.md").read_text()
    run_tutorial(
        page.split("\n## The Kafka platform\n")[1],
        workplace.directory,
        {
            **os.environ,
            "DEMO": str(ROOT / "demo"),
            "LINEAGE_DSN": workplace.dsn,
            "LINEAGE_FLUSH_SECONDS": "60",
            "LINEAGE_HUB_SPOOL": str(workplace.directory / "spool"),
            "METAFLOW_USER": "me",
            "PATH": f"{workplace.python.parent}:{os.environ['PATH']}",
        },
        [
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "TIME"),
            (r"/\S*/(landing/|rates\.json|revenue\.txt|\.metaflow/)", r"/\1"),
        ],
    )
    recording = Recording([each for each in workplace.read().events if "run" in each])
    assert recording.types("RevenueFlow") == [["START", "COMPLETE"]]
    assert recording.types("fetch.ecb:rates") == [["START", "COMPLETE"]]
