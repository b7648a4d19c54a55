"""The Marquez API: its Python client, and the requests of its web client."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from marquez_client import MarquezClient
from support.events.builders import dataset, derived, run_event, schema

from lineage.http.marquez import lineage
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

LAKE, ETL = "s3://lake", "etl"
RUN = "01990000-0000-7000-8000-000000000001"
AGAIN = "01990000-0000-7000-8000-000000000002"
FAILED = "01990000-0000-7000-8000-000000000003"
CLEANED = {
    "schema": schema(price="int"),
    "columnLineage": derived(
        ("price", "raw/orders", "cents", {"type": "DIRECT", "subtype": "TRANSFORMATION"})
    ),
    "documentation": {"description": "What was sold"},
    "tags": {
        "tags": [
            {"key": "pii", "field": None},
            {"key": "tier", "value": "0"},
            {"key": "money", "field": "price"},
        ]
    },
}
WIDER = {**CLEANED, "schema": schema(price="int", note="text")}

# raw/orders ─ clean ─▶ silver/orders ─ report ─▶ gold/revenue. land writes raw/orders without
# inputs, look reads gold/revenue without outputs, a run of broken failed.
EVENTS = [
    run_event("land-1", "COMPLETE", 1, "land", writes=("raw/orders",)),
    run_event(RUN, "START", 10, "clean", ("raw/orders",)),
    run_event(RUN, "COMPLETE", 20, "clean", ("raw/orders",), (dataset("silver/orders", **CLEANED),),
              parent=("dag", "nightly")),
    run_event(AGAIN, "COMPLETE", 30, "clean", ("raw/orders",),
              (dataset("silver/orders", **WIDER),)),
    run_event("report-1", "RUNNING", 40, "report", ("silver/orders",), ("gold/revenue",)),
    run_event("look-1", "COMPLETE", 50, "look", ("gold/revenue",)),
    run_event(FAILED, "FAIL", 60, "broken", ("silver/orders",), ("gold/fraud",),
              errorMessage={"message": "no space"}),
]  # fmt: skip


@pytest.fixture
def served(collector: Collector) -> Collector:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)
    return collector


@pytest.fixture
def client(served: Collector) -> MarquezClient:
    return MarquezClient(served.url)


def names(items: list[dict[str, Any]]) -> list[str]:
    return [item["name"] for item in items]


def test_namespaces_and_sources(client: MarquezClient) -> None:
    assert names(client.list_namespaces()["namespaces"]) == [ETL, LAKE]
    assert client.get_namespace(LAKE)["createdAt"] == "2026-01-01T00:00:01.000000Z"
    assert client.get_source(LAKE)["type"] == "S3"
    assert names(client.list_sources(limit=1)["sources"]) == [ETL]


def test_datasets(client: MarquezClient) -> None:
    found = client.list_datasets(LAKE, limit=2)
    assert names(found["datasets"]) == ["gold/fraud", "gold/revenue"]
    assert found["totalCount"] == 4
    clean = client.get_dataset(LAKE, "silver/orders")
    assert clean["id"] == {"namespace": LAKE, "name": "silver/orders"}
    assert (clean["type"], clean["description"]) == ("DB_TABLE", "What was sold")
    assert clean["tags"] == ["pii", "tier:0"]
    assert clean["fields"][0] == {
        "name": "price", "type": "int", "tags": ["money"], "description": None,
    }  # fmt: skip
    [column] = clean["columnLineage"]
    assert column["inputFields"][0]["field"] == "cents"
    assert client.list_tags()["tags"] == [
        {"name": "pii", "description": None}, {"name": "tier:0", "description": None},
    ]  # fmt: skip


def test_each_run_with_a_write_has_a_version_with_its_own_columns(client: MarquezClient) -> None:
    found = client.list_dataset_versions(LAKE, "silver/orders")
    assert found["totalCount"] == 2
    newest, older = found["versions"]
    assert [newest["createdByRun"]["id"], older["createdByRun"]["id"]] == [AGAIN, RUN]
    assert names(newest["fields"]) == ["price", "note"]
    assert names(older["fields"]) == ["price"]
    assert client.get_dataset(LAKE, "silver/orders")["currentVersion"] == newest["version"]
    assert client.get_dataset_version(LAKE, "silver/orders", older["version"]) == older
    assert client.list_dataset_versions(LAKE, "gold/fraud")["versions"] == []  # that run failed


@pytest.mark.parametrize("written_at", [None, 1, 9])
def test_a_dropped_dataset_is_deleted_until_it_is_written(
    collector: Collector, written_at: int | None
) -> None:
    change = {"lifecycleStateChange": {"lifecycleStateChange": "DROP"}}
    events = [run_event("drop", "COMPLETE", 5, "drop", writes=(dataset("t", **change),))]
    if written_at:
        events.append(run_event("w", "COMPLETE", written_at, "w", ("s",), ("t",)))
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, events)
    described = get(collector, "namespaces/s3%3A%2F%2Flake/datasets/t")
    is_deleted = written_at != 9
    assert described["deleted"] == is_deleted
    assert described["lastLifecycleState"] == ("DROP" if is_deleted else None)


def test_jobs_and_runs(client: MarquezClient) -> None:
    found = client.list_jobs(ETL)
    assert names(found["jobs"])[:3] == ["broken", "look", "report"]  # most recently seen first
    clean = client.get_job(ETL, "clean")
    assert clean["inputs"] == [{"namespace": LAKE, "name": "raw/orders"}]
    assert clean["outputs"] == [{"namespace": LAKE, "name": "silver/orders"}]
    assert [run["id"] for run in clean["latestRuns"]] == [AGAIN, RUN]
    assert client.list_job_runs(ETL, "clean", limit=1)["totalCount"] == 2
    run = client.get_job_run(RUN)
    assert (run["state"], run["durationMs"]) == ("COMPLETED", 10_000)
    assert client.get_job_run(FAILED)["state"] == "FAILED"
    assert client.get_job(ETL, "report")["latestRun"]["state"] == "RUNNING"


def test_column_lineage(client: MarquezClient) -> None:
    graph = client.get_column_lineage_by_dataset(LAKE, "silver/orders")["graph"]
    nodes = {node["data"]["field"]: node for node in graph}
    price = nodes["price"]
    assert price["id"] == f"datasetField:{LAKE}:silver/orders:price"
    [given] = price["data"]["inputFields"]
    assert (given["field"], given["transformationType"]) == ("cents", "TRANSFORMATION")
    cents = f"datasetField:{LAKE}:raw/orders:cents"
    assert price["inEdges"] == [{"origin": price["id"], "destination": cents}]
    by_field = client.get_column_lineage_by_dataset_field
    assert {n["data"]["field"] for n in by_field(LAKE, "raw/orders", "cents")["graph"]} == {"cents"}
    further = by_field(LAKE, "raw/orders", "cents", with_downstream=True)["graph"]
    assert {node["data"]["field"] for node in further} == {"cents", "price"}


def get(served: Collector, path: str, status: int = 200, **params: Any) -> Any:
    answer = requests.get(f"{served.url}/api/v1/{path}", params=params, timeout=60)
    assert answer.status_code == status, answer.text
    return answer.json()


def edges(served: Collector, node: str, depth: int = 20) -> set[tuple[str, str]]:
    """Return the edges of a lineage graph by simple names. Both ends must contain each edge."""
    graph = get(served, "lineage", nodeId=node, depth=depth)["graph"]
    out = {(e["origin"], e["destination"]) for n in graph for e in n["outEdges"]}
    assert out == {(e["origin"], e["destination"]) for n in graph for e in n["inEdges"]}
    assert [node["id"] for node in graph] == sorted(node["id"] for node in graph)
    return {(o.rpartition(":")[2], d.rpartition(":")[2]) for o, d in out}


WHOLE = {
    ("land", "raw/orders"), ("raw/orders", "clean"), ("clean", "silver/orders"),
    ("silver/orders", "report"), ("report", "gold/revenue"), ("gold/revenue", "look"),
}  # fmt: skip


@pytest.mark.parametrize(
    "node",
    [
        f"dataset:{LAKE}:silver/orders",
        f"dataset:{LAKE}:gold/revenue",
        f"job:{ETL}:clean",
        f"job:{ETL}:land",
        f"job:{ETL}:look",
    ],
)
def test_the_lineage_graph_has_jobs_and_datasets_and_nothing_that_failed(
    served: Collector, node: str
) -> None:
    assert edges(served, node) == WHOLE


def test_the_lineage_graph_ends_at_the_depth(served: Collector) -> None:
    assert edges(served, f"dataset:{LAKE}:gold/revenue", depth=1) == {
        ("silver/orders", "report"), ("report", "gold/revenue"), ("gold/revenue", "look"),
    }  # fmt: skip


def test_a_graph_that_is_too_large_is_rejected_and_not_cut(
    served: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineage, "MAX_NODES", 4)
    node = f"dataset:{LAKE}:gold/revenue"
    error = get(served, "lineage", 400, nodeId=node)["error"]
    assert (error["message"], error["hint"]) == (
        "The graph has 5 nodes.", "Use a depth below 20.",
    )  # fmt: skip
    assert get(served, "lineage", nodeId=node, depth=1)["graph"]


def test_a_node_alone_is_a_graph(served: Collector) -> None:
    [node] = get(served, "lineage", nodeId=f"job:{ETL}:broken")["graph"]
    assert (node["type"], node["data"]["latestRun"]["state"]) == ("JOB", "FAILED")


def test_a_node_may_have_a_number_sign_in_its_name_and_a_version(collector: Collector) -> None:
    stage = dataset("tempdb.dbo.#stage", namespace="mssql://db:1433")
    event = run_event("r", "COMPLETE", 1, "load#1", ("a",), (stage, "a#b"))
    assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    nodes = [
        "dataset:mssql://db:1433:tempdb.dbo.#stage",
        f"dataset:{LAKE}:a#b",
        f"job:{ETL}:load#1",
    ]
    version = "#00000000-0000-4000-8000-000000000001"
    for node in (*nodes, f"dataset:{LAKE}:a"):
        for asked in (node, node + version):
            assert node in names_of_graph(collector, asked)
    assert get(collector, "lineage", 404, nodeId=f"job:{ETL}:load#2")


def names_of_graph(collector: Collector, node: str) -> list[str]:
    return [each["id"] for each in get(collector, "lineage", nodeId=node, depth=1)["graph"]]


@pytest.mark.parametrize(
    ("node", "status"),
    [("nonsense", 400), (f"dataset:{LAKE}:nothing", 404), (f"datasetField:{LAKE}:a:b", 404),
     ("dataset:" + ":" * 60, 400)],
)  # fmt: skip
def test_a_node_that_is_none_is_reported(served: Collector, node: str, status: int) -> None:
    assert get(served, "lineage", status, nodeId=node)["error"]["message"]


def test_the_lists_of_the_web_client(served: Collector) -> None:
    failed = get(served, "jobs", lastRunStates=["FAILED", "ABORTED"], limit=25, offset=0)
    assert (names(failed["jobs"]), failed["totalCount"]) == (["broken"], 1)
    found = get(served, "search/", q="ORDERS", sort="NAME", limit=100)  # the client's URL
    assert [each["nodeId"] for each in found["results"]] == [
        f"dataset:{LAKE}:raw/orders",
        f"dataset:{LAKE}:silver/orders",
    ]
    assert get(served, "search", q="report", filter="JOB")["totalCount"] == 1
    facets = get(served, f"jobs/runs/{FAILED}/facets", type="run")["facets"]
    assert facets["errorMessage"] == {"message": "no space"}
    events = get(
        served, "events/lineage", limit=2, sortDirection="desc",
        after="2026-01-01T00:00:20.000Z", before="2026-01-01T00:00:50.000Z",
    )  # fmt: skip
    assert events["totalCount"] == 3
    assert {event["run"]["runId"] for event in events["events"]} <= {RUN, AGAIN, "report-1"}


def test_facets_that_nobody_foresaw_break_nothing(served: Collector) -> None:
    odd: dict[str, Any] = {
        "schema": {"fields": "none"}, "tags": {"tags": [1, {"key": 2}]}, "dataSource": [],
        "columnLineage": {"fields": {"x": {"inputFields": [3, {"transformations": "y"}]}}},
        "documentation": None, "lifecycleStateChange": "DROP",
    }  # fmt: skip
    text = json.loads(run_event("odd", "COMPLETE", 70, "odd", writes=(dataset("odd", **odd),)))
    text["job"]["facets"] = {"jobType": [], "sourceCodeLocation": "here", "tags": 3}
    text["run"]["facets"] = {"nominalTime": "now", "parent": {"run": {"runId": "p"}}}
    with psycopg.connect(served.dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(text)])
    assert get(served, f"namespaces/{LAKE.replace('/', '%2F')}/datasets/odd")["name"] == "odd"
    assert get(served, f"namespaces/{LAKE.replace('/', '%2F')}/datasets/odd/versions")
    assert get(served, f"namespaces/{ETL}/jobs/odd")["outputs"] == [
        {"namespace": LAKE, "name": "odd"}
    ]
    assert get(served, "lineage", nodeId=f"dataset:{LAKE}:odd")["graph"]


def of_now(run: str, type: str, job: str, hours: float, writes: tuple[str, ...] = ()) -> str:
    """Return an event from ``hours`` ago."""
    at = datetime.now(timezone.utc) - timedelta(hours=hours)
    event = json.loads(run_event(run, type, 0, job, (), writes))
    return json.dumps(event | {"eventTime": at.isoformat()})


@pytest.fixture
def busy(collector: Collector) -> Collector:
    """Store two runs that began within the last hours, and many old ones."""
    new = [
        of_now("n1", "START", "fresh", 3),
        of_now("n1", "COMPLETE", "fresh", 2, ("new",)),
        of_now("n1", "COMPLETE", "fresh", 2, ("new",)),
        of_now("n2", "START", "clean", 2),
        of_now("n2", "FAIL", "clean", 0),
    ]
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, [*EVENTS, *new])
    return collector


TOKYO = {"period": "WEEK", "timezone": "Asia/Tokyo"}


def stats(busy: Collector, what: str, **given: str) -> list[dict[str, Any]]:
    answer = requests.get(f"{busy.url}/api/v1/stats/{what}", params=given, timeout=60)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


@pytest.mark.parametrize(
    ("given", "count", "length"),
    [
        ({}, 24, 1),
        ({"period": "DAY"}, 24, 1),
        ({"period": "WEEK", "timezone": "Asia/Tokyo"}, 7, 24),
    ],
)
def test_runs_are_counted_by_hours_or_days(
    busy: Collector, given: dict[str, str], count: int, length: int
) -> None:
    found = stats(busy, "lineage-events", **given)
    assert set(found[0]) == {"startInterval", "endInterval", "fail", "start", "complete", "abort"}
    assert len(found) == count
    totals = {kind: sum(each[kind] for each in found) for kind in ("start", "complete", "fail")}
    assert totals == {"start": 2, "complete": 1, "fail": 1}
    times = [datetime.fromisoformat(each[f"{end}Interval"].replace("Z", "+00:00"))
             for each in found for end in ("start", "end")]  # fmt: skip
    assert times[1:-1:2] == times[2::2]
    assert times[-1] - times[0] == timedelta(hours=count * length)
    assert times[0] < datetime.now(timezone.utc) < times[-1]


def test_the_growth_of_jobs_and_datasets_is_counted(busy: Collector) -> None:
    jobs, datasets = stats(busy, "jobs"), stats(busy, "datasets", period="WEEK")
    assert set(jobs[0]) == {"startInterval", "endInterval", "count"}
    assert (jobs[0]["count"], jobs[-1]["count"]) == (6, 7)  # nightly is known only as a parent
    assert (datasets[0]["count"], datasets[-1]["count"]) == (4, 5)
    assert {each["count"] for each in stats(busy, "sources")} == {1}


def test_a_zone_that_is_none_is_rejected(busy: Collector) -> None:
    given = {"period": "WEEK", "timezone": "Middle/Earth"}
    answer = requests.get(f"{busy.url}/api/v1/stats/jobs", params=given, timeout=60)
    assert (answer.status_code, "Middle/Earth" in answer.text) == (400, True)


def test_the_client_lists_events(client: MarquezClient) -> None:
    found = client.list_events(limit=3, offset=0)
    assert [event["run"]["runId"] for event in found["events"]] == [FAILED, "look-1", "report-1"]
    assert found["totalCount"] == len(EVENTS)
    assert len(client.list_events(namespace=ETL, limit=100)["events"]) == len(EVENTS)
    assert client.list_events(namespace="other")["events"] == []
