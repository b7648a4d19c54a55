"""The read API over HTTP: results of the command line, errors with reasons, an OpenAPI document."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from msgspec.structs import fields
from starlette.routing import Route
from support.events.builders import dataset, derived, job_event, run_event, schema

from lineage.http import tokens
from lineage.http.api.operations import OPERATIONS
from lineage.http.parameters import Integer, Time
from lineage.http.serve.app import ROUTES
from lineage.http.web import routes as web
from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.projection import archived_runs
from lineage.stored_ranks import store_ranks

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.collectors import Collector

# raw/orders ─ clean ─▶ silver/orders ─ report ─▶ gold/revenue; a run of "broken" failed
EVENTS = [
    run_event(
        "clean-1", "COMPLETE", 10, "clean", ("raw/orders",),
        (dataset("silver/orders", ("shop.orders",), schema=schema(price="int"),
                 columnLineage=derived(("price", "raw/orders", "cents"))),),
    ),
    run_event("report-1", "START", 20, "report", ("silver/orders",), ("gold/revenue",)),
    run_event("report-1", "COMPLETE", 30, "report"),
    run_event("broken-1", "FAIL", 40, "broken", ("silver/orders",), ("gold/fraud",)),
]  # fmt: skip


@pytest.fixture
def given_events(request: pytest.FixtureRequest) -> list[str]:
    """Return the events above for a test of the shop."""
    return EVENTS if "shop" in request.fixturenames else []


@pytest.fixture
def shop(collector: Collector) -> Collector:
    """Return a collector with a small graph."""
    return collector


def get(collector: Collector, path: str, **params: Any) -> requests.Response:
    return requests.get(f"{collector.url}{path}", params=params, timeout=60)


def ask(collector: Collector, what: str, **params: Any) -> Any:
    answer = get(collector, f"/api/v1/graph/{what}", **params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def names(items: list[dict[str, Any]]) -> set[str]:
    return {item["name"] for item in items}


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({}, {"raw/orders", "silver/orders"}),
        ({"direction": "both"}, {"raw/orders", "silver/orders", "gold/revenue"}),
        ({"direction": "upstream"}, {"raw/orders", "silver/orders"}),
        ({"direction": "DOWNSTREAM"}, {"silver/orders", "gold/revenue"}),
    ],
)
def test_lineage_is_traced_in_each_direction_and_not_through_failed_runs(
    shop: Collector, params: dict[str, str], expected: set[str]
) -> None:
    found = ask(shop, "dataset-lineage", dataset="silver/orders", **params)
    assert {node["dataset"]["name"] for node in found["nodes"]} == expected


def test_a_trace_reports_the_number_of_omitted_nodes(shop: Collector) -> None:
    up = {"dataset": "gold/revenue", "direction": "upstream"}
    found = ask(shop, "dataset-lineage", **up, limit=1)
    assert [node["dataset"]["name"] for node in found["nodes"]] == ["gold/revenue", "silver/orders"]
    assert (found["omitted"], found["omitted_adjacent"]) == (1, 1)
    found = ask(shop, "dataset-lineage", **up, job="clean")
    assert {node["dataset"]["name"] for node in found["nodes"]} == {"gold/revenue", "raw/orders"}
    assert (found["filtered_out"], found["omitted"]) == (1, 0)
    for fits in ({"job": ["clean", "report"]}, {"namespace": ["elsewhere", "s3://lake"]}):
        found = ask(shop, "dataset-lineage", **up, **fits)
        assert (len(found["nodes"]), found["filtered_out"]) == (3, 0)
    for hiding in ({"namespace": "elsewhere"}, {"tag": "none"}, {"since": "2100-01-01"}):
        found = ask(shop, "dataset-lineage", **up, **hiding)
        assert (len(found["nodes"]), found["filtered_out"]) == (1, 2)
    found = ask(shop, "job-lineage", job="gold/revenue", limit=1)
    assert (len(found["nodes"]), found["omitted"]) == (2, 1)


def test_neighbours_are_compact_and_count_theirs(shop: Collector) -> None:
    found = ask(shop, "neighbours", dataset="silver/orders")
    names_of = found["fields"]
    datasets = [dict(zip(names_of["datasets"], row, strict=True)) for row in found["datasets"]]
    assert [(d["name"], d["upstream"], d["downstream"]) for d in datasets] == [
        ("silver/orders", 1, 1), ("raw/orders", 0, 1), ("gold/revenue", 1, 0),
    ]  # fmt: skip
    assert {found["namespaces"][d["namespace"]] for d in datasets} == {"s3://lake"}
    jobs = [dict(zip(names_of["jobs"], row, strict=True)) for row in found["jobs"]]
    edges = [dict(zip(names_of["edges"], row, strict=True)) for row in found["edges"]]
    assert [(e["source"], e["target"], jobs[e["job"]]["name"], e["runs"]) for e in edges] == [
        (1, 0, "clean", 1), (0, 2, "report", 1),
    ]  # fmt: skip
    assert [(job["name"], job["state"], job["last_run_at"]) for job in jobs] == [
        ("clean", "COMPLETE", "2026-01-01T00:00:10.000000Z"),
        ("report", "COMPLETE", "2026-01-01T00:00:30.000000Z"),
    ]
    assert found["omitted"] == {}
    one = ask(shop, "neighbours", dataset="gold/revenue", direction="upstream", text="none")
    assert (len(one["datasets"]), one["edges"]) == (1, [])


def test_runs_of_all_jobs_by_state_and_time(shop: Collector) -> None:
    every = ask(shop, "runs")["runs"]
    assert [(each["run"]["run_id"], each["job"]["name"]) for each in every] == [
        ("broken-1", "broken"), ("report-1", "report"), ("clean-1", "clean"),
    ]  # fmt: skip
    failed = ask(shop, "runs", state="fail", since="2026-01-01T00:00:40Z")["runs"]
    assert [each["run"]["run_id"] for each in failed] == ["broken-1"]
    assert ask(shop, "runs", until="2026-01-01T00:00:10Z")["runs"] == []
    second = ask(shop, "runs", limit=1, offset=1, state="COMPLETE,FAIL")["runs"]
    assert [each["run"]["run_id"] for each in second] == ["report-1"]
    assert ask(shop, "job-runs", job="report", state="FAIL")["runs"] == []
    found = ask(shop, "dataset-runs", dataset="silver/orders", state="FAIL")["accesses"]
    assert [each["run"]["run_id"] for each in found] == ["broken-1"]
    answer = get(shop, "/api/v1/graph/runs", state="DONE")
    assert answer.status_code == 400
    assert "state is not one of START" in answer.json()["error"]["message"]


def post(collector: Collector, what: str, body: Any) -> requests.Response:
    return requests.post(f"{collector.url}/api/v1/graph/{what}", json=body, timeout=60)


def test_a_subgraph_is_posted_by_names(shop: Collector) -> None:
    shown = ["s3://lake/raw/orders", "s3://lake/silver/orders", "s3://lake/gone"]
    answer = post(shop, "subgraph", {"datasets": shown, "columns_of": shown})
    assert answer.status_code == 200
    found = answer.json()
    assert [row[1] for row in found["datasets"]] == ["raw/orders", "silver/orders"]
    assert [row[:2] for row in found["edges"]] == [[0, 1]]
    [edge] = found["column_edges"]
    assert edge[:4] == [0, "cents", 1, "price"]
    assert found["missing"] == ["s3://lake/gone"]


def test_cypher_is_posted_with_its_parameters(shop: Collector) -> None:
    query = "MATCH (d:Dataset) WHERE d.name <> $not RETURN d.name AS name ORDER BY name"
    answer = post(shop, "cypher", {"query": query, "params": {"not": "gold/fraud"}, "limit": 2})
    assert answer.json() == {
        "columns": ["name"], "rows": [["gold/revenue"], ["raw/orders"]], "omitted": 1,
    }  # fmt: skip
    [[vertex]] = post(shop, "cypher", {"query": "MATCH (j:Job {name: 'clean'}) RETURN j"}).json()[
        "rows"
    ]
    assert (vertex["label"], vertex["properties"]["name"]) == ("Job", "clean")


def test_an_error_of_cypher_has_its_place(shop: Collector) -> None:
    answer = post(shop, "cypher", {"query": "MATCH (d:Dataset)\nRETURN cuont(d) AS n"})
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert error["message"].startswith("The function cuont may not be called")
    assert (error["line"], error["column"]) == (2, 8)
    assert error["excerpt"] == ["RETURN cuont(d) AS n", "       ^"]
    missing = post(shop, "cypher", {"query": "RETURN $x AS x"})
    assert (missing.status_code, "x" in missing.json()["error"]["message"]) == (400, True)
    writes = post(shop, "cypher", {"query": "CREATE (d:Dataset {name: 'x'}) RETURN d"})
    assert writes.status_code == 400
    assert post(shop, "cypher", {"query": "RETURN 1 AS one"}).json()["rows"] == [[1]]


def test_canned_queries_are_listed_and_run(shop: Collector) -> None:
    queries = {each["name"]: each for each in ask(shop, "canned-queries")["queries"]}
    assert queries["writers_of"]["params"] == ["namespace", "name"]
    assert queries["writers_of"]["text"].startswith("// ")
    body = {"name": "writers_of", "params": {"name": "silver/orders"}}
    found = post(shop, "canned-query", body).json()
    assert found["rows"][0][found["columns"].index("job")] == "clean"
    answer = post(shop, "canned-query", {"name": "writers_off"})
    assert answer.status_code == 404
    assert answer.json()["error"]["hint"].startswith("Did you mean writers_of?")
    answer = post(shop, "canned-query", {"name": "writers_of"})
    assert (answer.status_code, "requires" in answer.json()["error"]["message"]) == (400, True)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "missing required field `datasets`"),
        ({"datasets": "x"}, "Expected `array`, got `str` - at `$.datasets`"),
        ({"datasets": ["x"] * 2001}, "of length <= 2000"),
        ({"datasets": [], "at": "now"}, "unknown field `at`"),
        ({"datasets": [], "limit": 0}, "`int` >= 1"),
        ([], "Expected `object`"),
        ({"datasets": ["a\0b"]}, "NUL character"),
    ],
)
def test_a_body_that_is_no_subgraph_is_rejected_by_name(
    shop: Collector, body: Any, said: str
) -> None:
    answer = post(shop, "subgraph", body)
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]


@pytest.mark.parametrize("depth", [500, 900, 5_000, 100_000])
def test_a_body_that_is_nested_deeply_is_no_fault_of_the_collector(
    shop: Collector, depth: int
) -> None:
    body = f'{{"query": "RETURN $p AS p", "params": {{"p": {"[" * depth}{"]" * depth}}}}}'
    headers = {"Content-Type": "application/json"}
    url = f"{shop.url}/api/v1/graph/cypher"
    answer = requests.post(url, body.encode(), headers=headers, timeout=60)
    assert answer.status_code in (200, 400), answer.text


def test_a_posted_query_needs_a_body_and_get_is_rejected(shop: Collector) -> None:
    assert get(shop, "/api/v1/graph/subgraph").status_code == 405
    url = f"{shop.url}/api/v1/graph/subgraph"
    headers = {"Content-Type": "application/json"}
    assert requests.post(url, b"{", headers=headers, timeout=60).status_code == 400
    assert requests.post(url, b"\xff", headers=headers, timeout=60).status_code == 400
    foreign = {**headers, "Origin": "http://evil.example"}
    assert requests.post(url, b"{}", headers=foreign, timeout=60).status_code == 403


def test_depth_limits_a_trace_and_an_alias_resolves_as_a_name(shop: Collector) -> None:
    found = ask(shop, "dataset-lineage", dataset="gold/revenue", direction="upstream", depth=1)
    assert found["root"]["full_name"] == "s3://lake/gold/revenue"
    [edge] = found["edges"]
    assert (edge["source"]["name"], edge["job"]["name"]) == ("silver/orders", "report")
    assert edge["last_run"]["run_id"] == "report-1"
    assert ask(shop, "dataset", dataset="shop.orders")["dataset"]["name"] == "silver/orders"


def test_the_history_of_a_job_has_durations_and_what_is_expected(shop: Collector) -> None:
    found = ask(shop, "job-history", job="report")
    assert found["job"]["full_name"] == "etl/report"
    [run] = found["runs"]
    assert (run["run"]["run_id"], run["duration"], run["expected"]) == ("report-1", 10.0, None)
    [output] = run["outputs"]
    assert (output["dataset"]["name"], output["rows"], output["expected"]) == (
        "gold/revenue", None, None,
    )  # fmt: skip
    assert get(shop, "/api/v1/graph/job-history", job="report", limit=501).status_code == 400


def test_graphs_are_as_of_a_time(shop: Collector) -> None:
    early, late = "2026-01-01T00:00:15Z", "2026-01-01T00:00:20Z"
    found = ask(shop, "neighbours", dataset="silver/orders", time=early)
    assert [row[1] for row in found["datasets"]] == ["silver/orders", "raw/orders"]
    names = ["silver/orders", "gold/revenue"]
    for second, edges in ((early, 0), (late, 1)):
        body = {"datasets": names, "columns_of": names, "time": second}
        assert len(post(shop, "subgraph", body).json()["edges"]) == edges
    found = post(shop, "subgraph", {"datasets": names, "time": "soon"})
    assert (found.status_code, "soon" in found.text) == (400, True)
    stale = get(shop, "/api/v1/graph/neighbours", dataset="raw/orders", time=late, since=early)
    assert stale.status_code == 400


def test_a_timeline_is_posted_by_names(shop: Collector) -> None:
    names = ["raw/orders", "s3://lake/silver/orders", "gold/revenue", "gone"]
    answer = post(shop, "timeline", {"datasets": names, "start": "2026-01-01T00:00:00Z", "bins": 2})
    assert answer.status_code == 200
    found = answer.json()
    assert list(found) == [
        "start", "end", "fields", "bins", "changes", "omitted", "missing", "archive",
    ]  # fmt: skip
    assert found["fields"] == {
        "bins": ["start", "writes", "failed", "changes"],
        "changes": ["time", "added", "removed"],
    }
    assert found["start"] == found["bins"][0][0] == "2026-01-01T00:00:00.000000Z"
    assert [sum(row[n] for row in found["bins"]) for n in (1, 2, 3)] == [2, 1, 2]
    assert [row[1:] for row in found["changes"]] == [[1, 0], [1, 0]]
    assert (found["omitted"], found["missing"]) == ({}, ["gone"])
    for body, said in (
        ({"bins": 501}, "`int` <= 500"),
        ({"start": "soon"}, "soon"),
        ({"start": "2026-01-02", "end": "2026-01-01"}, "is after end"),
        ({"at": 1}, "unknown field `at`"),
    ):
        answer = post(shop, "timeline", {"datasets": [], **body})
        assert answer.status_code == 400
        assert said in answer.json()["error"]["message"]


def test_columns_of_a_dataset_have_their_types_and_numbers(shop: Collector) -> None:
    found = ask(shop, "dataset-columns", dataset="shop.orders", text="PRI")
    assert (found["dataset"]["name"], found["omitted"]) == ("silver/orders", 0)
    [column] = found["columns"]
    assert (column["name"], column["type"]) == ("price", "int")
    assert (column["upstream"], column["upstream_direct"], column["downstream"]) == (1, 1, 0)


def test_lineage_of_jobs_and_of_runs(shop: Collector) -> None:
    found = ask(shop, "job-lineage", job="report")
    [edge] = found["edges"]
    assert (edge["source"]["full_name"], edge["dataset"]["name"]) == ("etl/clean", "silver/orders")
    found = ask(shop, "job-lineage", job="silver/orders", direction="downstream")
    assert [node["distance"] for node in found["nodes"]] == [0, 1]
    assert found["edges"][0]["source"] is None
    asked = {"run": "clean-1", "direction": "downstream"}
    found = ask(shop, "run-lineage", **asked)
    assert {step["reader"]["name"] for step in found["steps"]} == {"report", "broken"}
    found = ask(shop, "run-lineage", **asked, runs="true")
    assert {link["reader"]["run_id"] for link in found["dependencies"]} == {"report-1", "broken-1"}
    found = ask(shop, "run-lineage", run="report-1")
    assert found["steps"][0]["run"]["run_id"] == "clean-1"
    found = ask(shop, "run-lineage", run="report-1", runs="true")
    assert [(v["run_id"], v["job"]["name"], v["rows_written"]) for v in found["volumes"]] == [
        ("report-1", "report", None), ("clean-1", "clean", None)
    ]  # fmt: skip
    assert found["dependencies"][0]["writer"]["run_id"] == "clean-1"
    answer = get(shop, "/api/v1/graph/job-lineage", job="nobody")
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        404, 'No job or dataset is called "nobody".',
    )  # fmt: skip


def test_a_path_and_the_other_way_round(shop: Collector) -> None:
    found = ask(shop, "paths", source="raw/orders", target="gold/revenue")
    assert [(edge["job"]["name"], edge["last_run"]["run_id"]) for edge in found["edges"]] == [
        ("clean", "clean-1"),
        ("report", "report-1"),
    ]
    assert (found["length"], found["reverse"]) == (2, False)
    found = ask(shop, "paths", source="gold/revenue", target="raw/orders", all_paths="true")
    assert (found["length"], found["reverse"], found["all_paths"]) == (2, True, True)
    found = ask(shop, "paths", source="gold/fraud", target="gold/revenue")
    assert (found["length"], found["nodes"]) == (None, [])


def test_impact(shop: Collector) -> None:
    found = ask(shop, "impact", dataset="raw/orders")
    assert [each["dataset"]["name"] for each in found["datasets"]] == [
        "silver/orders",
        "gold/revenue",
    ]
    assert [each["job"]["name"] for each in found["jobs"]] == ["clean", "broken", "report"]
    assert found["owners"] == [{"name": None, "datasets": 2, "jobs": 3}]
    found = ask(shop, "impact", dataset="raw/orders", column="cents", window_days=1, limit=1)
    assert [each["columns"] for each in found["datasets"]] == [["price"]]
    assert [each["job"]["name"] for each in found["unreported"]] == ["report"]


def test_the_order_of_jobs_and_sources(shop: Collector) -> None:
    plan = ask(shop, "plan", name="gold/revenue", workers=1)
    assert plan["levels"] == [["etl/clean"], ["etl/report"]]
    assert [(edge["before"], edge["after"]) for edge in plan["edges"]] == [
        ("etl/clean", "etl/report")
    ]
    assert (plan["omitted_jobs"], plan["omitted"]) == ([], {})
    cut = ask(shop, "plan", limit=1)
    assert (len(cut["jobs"]), cut["omitted"]) == (1, {"jobs": 1, "levels": 1, "critical_path": 1})
    [omitted] = ask(shop, "plan")["omitted_jobs"]
    assert omitted == {"job": "etl/broken", "reason": "no run succeeded"}
    assert get(shop, "/api/v1/graph/plan", name="nothing").status_code == 404
    [source] = ask(shop, "sources")["sources"]
    assert source["dataset"]["name"] == "raw/orders"
    assert [each["name"] for each in source["alone"]] == ["gold/revenue"]
    assert ask(shop, "sources", products="gold/rev*")["products"] == 1
    assert get(shop, "/api/v1/graph/sources", products="none*").status_code == 404


def test_ranks_of_datasets_and_stored_ranks(shop: Collector) -> None:
    ranking = ask(shop, "rank", limit=1)
    [first] = ranking["datasets"]
    assert (first["dataset"]["name"], first["dependents"], first["position"]) == (
        "raw/orders",
        2,
        1,
    )
    assert (ranking["total"], ranking["omitted"], ranking["longest_chain"]) == (3, 2, 2)
    assert ask(shop, "dataset", dataset="raw/orders")["rank"] is None
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        store_ranks(conn)
    rank = ask(shop, "dataset", dataset="raw/orders")["rank"]
    assert (rank["position"], rank["total"], rank["dependents"]) == (1, 3, 2)
    [hit] = ask(shop, "search", text="raw/orders")["hits"]
    assert hit["rank"] == rank


def test_orphans_cycles_and_stats(shop: Collector) -> None:
    found = ask(shop, "orphans")
    assert {(each["kind"], each["entity"]["name"]) for each in found["orphans"]} == {
        ("unused", "gold/revenue"),
        ("external source", "raw/orders"),
        ("unreferenced", "gold/fraud"),
        ("job", "broken"),
    }
    assert found["counts"]["job"] == 1
    assert ask(shop, "cycles", limit=5) == {
        "components": [],
        "total": 0,
        "cycles": 0,
        "self_loops": 0,
    }
    stats = ask(shop, "stats", window_days=1)
    assert (stats["vertices"]["Dataset"], stats["edges"]["FEEDS"]) == (4, 2)
    assert stats["runs"] == {"COMPLETE": 2, "FAIL": 1}
    assert [each["dataset"]["name"] for each in stats["most_read"]] == ["raw/orders"]


def test_columns(shop: Collector) -> None:
    [edge] = ask(shop, "column-lineage", dataset="silver/orders", column="price")["edges"]
    assert edge["source"]["full_name"] == "s3://lake/raw/orders.cents"
    found = ask(
        shop, "column-lineage", dataset="raw/orders", column="cents", direction="downstream"
    )
    assert [edge["target"]["name"] for edge in found["edges"]] == ["price"]


def test_runs_jobs_datasets_and_search(shop: Collector) -> None:
    [run] = ask(shop, "job-runs", job="report")["runs"]
    assert (run["run_id"], run["state"]) == ("report-1", "COMPLETE")
    accesses = ask(shop, "dataset-runs", dataset="gold/revenue")["accesses"]
    assert [(each["run"]["run_id"], each["committed"]) for each in accesses] == [("report-1", True)]
    assert ask(shop, "run", run="broken-1")["run"]["state"] == "FAIL"
    assert names(ask(shop, "job", job="clean")["outputs"]) == {"silver/orders"}
    assert names(ask(shop, "datasets", text="gold")["datasets"]) == {"gold/revenue", "gold/fraud"}
    assert len(ask(shop, "datasets", limit=2)["datasets"]) == 2
    assert names(ask(shop, "jobs", text="r")["jobs"]) == {"report", "broken"}


def test_what_changed_and_what_differs(shop: Collector) -> None:
    found = ask(
        shop,
        "dataset-diff",
        dataset="gold/revenue",
        end="2026-01-01T00:01:00Z",
        start="2026-01-01",
    )
    assert {(d["change"], d["dataset"]["name"]) for d in found["datasets"]} == {
        ("added", "raw/orders"), ("added", "silver/orders"), ("added", "gold/revenue"),
    }  # fmt: skip
    assert [w["write"]["run"]["run_id"] for w in found["writes"]] == ["report-1", "clean-1"]
    found = ask(shop, "run-diff", before="clean-1", after="report-1")
    assert {(d["part"], d["key"]) for d in found["differences"]} >= {
        ("run", "duration"), ("input", "dataset"), ("output", "dataset"),
    }  # fmt: skip


def test_why_a_run_failed(shop: Collector) -> None:
    found = ask(shop, "root-cause", run="broken-1")
    assert [(c["kind"], c["job"]["name"], c["distance"]) for c in found["causes"]] == [
        ("failed", "broken", 0)
    ]
    assert found["causes"][0]["reason"] == "It failed at 2026-01-01 00:00:40Z."


def test_words_find_datasets_jobs_and_columns(shop: Collector) -> None:
    hits = ask(shop, "search", text="orders")["hits"]
    assert [(h["match"], h["full_name"]) for h in hits] == [
        ("exact", "s3://lake/raw/orders"),
        ("exact", "s3://lake/silver/orders"),
    ]
    assert [h["column"] for h in ask(shop, "search", text="PRICE", kind="column")["hits"]] == [
        "price"
    ]
    assert ask(shop, "search")["hits"] == []


def test_events_are_returned_as_received(shop: Collector) -> None:
    found = ask(shop, "events", run="report-1")["events"]
    assert [event["state"] for event in found] == ["projected", "projected"]
    assert [event["body"] for event in found] == [json.loads(EVENTS[n]) for n in (2, 1)]
    assert len(ask(shop, "events", since="2026-01-01T00:00:30+00:00")["events"]) == 2
    assert ask(shop, "events", rejected="true")["events"] == []


WRONG = {
    "no name": ("dataset-lineage", {}, 400, "The parameter dataset is missing"),
    "unknown": ("dataset-lineage", {"dataset": "nothing"}, 404, 'No dataset is called "nothing"'),
    "ambiguous": ("dataset-lineage", {"dataset": "orders"}, 409, '"orders" matches 2 datasets'),
    "no direction": (
        "dataset-lineage", {"dataset": "x", "direction": "up"}, 400, "direction is not one of",
    ),
    "no number": (
        "dataset-lineage", {"dataset": "x", "depth": "-1"}, 400, "depth is not an integer from 1",
    ),
    "too many": ("datasets", {"limit": "5000"}, 400, "limit is not an integer from 1 to 1000"),
    "no time": ("events", {"since": "today"}, 400, "since is not an ISO 8601 date"),
    "no flag": ("events", {"rejected": "perhaps"}, 400, "rejected is neither true nor false"),
    "no character": ("dataset", {"dataset": "a\x00b"}, 400, "dataset contains a NUL character"),
    "no column": (
        "column-lineage",
        {"dataset": "silver/orders", "column": "prize"},
        404,
        "Did you mean price?",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("what", "params", "status", "said"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_reported(
    shop: Collector, what: str, params: dict[str, str], status: int, said: str
) -> None:
    answer = get(shop, f"/api/v1/graph/{what}", **params)
    assert answer.status_code == status
    assert said in " ".join(answer.json()["error"].values())


@pytest.mark.parametrize(
    ("options", "status"),
    [(("read",), 200), (("write",), 403), (("read", ["etl"]), 403)],
)
def test_only_who_may_read_all_reads(guarded: Collector, options: Any, status: int) -> None:
    with psycopg.connect(guarded.dsn, autocommit=True) as conn:
        secret = tokens.add_token(conn, "web", *options)
    url = f"{guarded.url}/api/v1/graph/datasets"
    bearer = {"Authorization": f"Bearer {secret}"}
    assert requests.get(url, headers=bearer, timeout=60).status_code == status
    assert requests.get(url, timeout=60).status_code == 401


def test_a_reader_cannot_write(shop: Collector) -> None:
    """The connection of a query rejects writes."""
    from lineage.database.read_pool import ReadPool

    readers = ReadPool(shop.dsn)
    connection = readers._idle.get()
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        connection.run_retrying(lambda conn: conn.execute("DELETE FROM lineage.event"))
    connection.close()
    readers.close()


def test_the_document_names_all_that_is_served_and_nothing_else(collector: Collector) -> None:
    paths = get(collector, "/openapi.json").json()["paths"]
    told = {(path, method.upper()) for path, methods in paths.items() for method in methods}
    served = {
        (route.path, method)
        for route in ROUTES
        if isinstance(route, Route) and route not in web.ROUTES
        for method in (route.methods or set()) - {"HEAD"}
    }
    # A trailing slash does not change the path.
    assert told == {(path, method) for path, method in served if not path.endswith("/")}
    assert {(path.rstrip("/"), method) for path, method in served} == told


def test_the_document_is_openapi(collector: Collector) -> None:
    document = get(collector, "/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    text = json.dumps(document)
    for reference in set(re.findall(r'"#/([\w/]+)"', text)):
        part = document
        for key in reference.split("/"):
            part = part[key]
    for path, methods in document["paths"].items():
        declared = {
            parameter["name"]
            for parameter in methods.get("get", {}).get("parameters", ())
            if parameter["in"] == "path"
        }
        assert declared == set(re.findall(r"{(\w+)}", path))


@pytest.mark.parametrize("path", ["/api/v1/lineage", "/api/v1/lineage/batch"])
def test_the_document_has_the_bodies_that_are_accepted(collector: Collector, path: str) -> None:
    document = get(collector, "/openapi.json").json()
    for media_type in document["paths"][path]["post"]["requestBody"]["content"]:
        body = f"[{EVENTS[0]}]" if "batch" in path and "ndjson" not in media_type else EVENTS[0]
        headers = {"Content-Type": media_type}
        answer = requests.post(f"{collector.url}{path}", body, headers=headers, timeout=60)
        assert answer.status_code in (200, 201), (media_type, answer.text)
    assert set(document["paths"][path]["post"]["requestBody"]["content"]) == {
        "application/json", "application/x-ndjson",
    }  # fmt: skip


def test_required_parameters_are_those_of_the_openapi_document(shop: Collector) -> None:
    """A request is rejected if and only if a required parameter is missing."""
    for path, methods in get(shop, "/openapi.json").json()["paths"].items():
        if "get" not in methods or "/graph/" not in path:
            continue
        required = {
            p["name"]: "2026-01-01" if "format" in p["schema"] else "nothing of that name"
            for p in methods["get"].get("parameters", ())
            if p["required"]
        }
        bare = get(shop, path)
        assert bare.status_code == (400 if required else 200), path
        given = get(shop, path, **required)
        assert given.status_code == (404 if required else 200), path


TIMES = [
    (operation.path.rpartition("/")[2], each.name)
    for operation in OPERATIONS
    for each in operation.parameters
    if isinstance(each, Time)
]
OTHERS = {
    "dataset": "gold/revenue", "job": "report",
    "start": "0001-01-01T00:00:00Z", "end": "9999-12-31T23:59:59Z",
}  # fmt: skip


@pytest.mark.parametrize(("path", "name"), TIMES)
def test_a_time_that_nothing_can_hold_is_reported(shop: Collector, path: str, name: str) -> None:
    [operation] = [each for each in OPERATIONS if each.path.endswith(f"/graph/{path}")]
    declared = {each.name for each in operation.parameters}
    others = {key: value for key, value in OTHERS.items() if key in declared}
    before, after = "0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"
    for time in (before, after, "0000-01-01", "10000-01-01"):
        answer = get(shop, f"/api/v1/graph/{path}", **{**others, name: time})
        assert answer.status_code == 400, time
        assert answer.json()["error"]["message"].startswith(f"{name} "), time
    for time in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"):
        assert get(shop, f"/api/v1/graph/{path}", **{**others, name: time}).status_code == 200, time
    # In the time zone of the machine, the first day may begin before the year 1.
    answer = get(shop, f"/api/v1/graph/{path}", **{**others, name: "0001-01-01"})
    assert answer.status_code in (200, 400)


def test_every_operation_has_a_default_limit() -> None:
    for operation in OPERATIONS:
        if operation.body:
            [default] = [f.default for f in fields(operation.body) if f.name == "limit"]
            assert default <= 10_000, operation.path
            continue
        [limit] = [each for each in operation.parameters if each.name == "limit"]
        assert isinstance(limit, Integer), operation.path
        assert limit.default is not None, operation.path
        assert limit.default <= 1000, operation.path


def test_what_a_limit_cuts_is_counted_list_by_list(shop: Collector) -> None:
    whole = ask(shop, "run", run="report-1")
    assert (len(whole["accesses"]), whole["omitted"]) == (2, {})
    found = ask(shop, "run", run="report-1", limit=1)
    assert (len(found["accesses"]), found["omitted"]) == (1, {"accesses": 1})
    found = ask(shop, "paths", source="raw/orders", target="gold/revenue", limit=1)
    assert (len(found["edges"]), found["omitted"]["edges"]) == (1, 1)
    changed = {"dataset": "gold/revenue", "start": "2025-01-01", "end": "2027-01-01"}
    whole = ask(shop, "dataset-diff", **changed)
    found = ask(shop, "dataset-diff", **changed, limit=1)
    assert found["omitted"]["writes"] == len(whole["writes"]) - 1
    answer = get(shop, "/api/v1/graph/run-lineage", run="report-1", limit=10_001)
    assert answer.status_code == 400
    found = ask(shop, "run-lineage", run="report-1", limit=1)
    assert (len(found["steps"]), found["omitted"]) == (1, 1)


def test_observed_excludes_declared_edges(shop: Collector) -> None:
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        write_events(conn, [job_event(900, "draft", reads=("gold/revenue",), writes=("draft",))])
    edges = ask(shop, "dataset-lineage", dataset="draft", direction="upstream", depth=1)["edges"]
    assert [(each["runs"], each["declared"]) for each in edges] == [(0, True)]
    for path, given in (
        ("dataset-lineage", {"dataset": "draft", "direction": "upstream"}),
        ("paths", {"source": "gold/revenue", "target": "draft"}),
    ):
        assert ask(shop, path, **given, observed="true")["edges"] == []


def test_checks_of_a_dataset_and_of_a_run(shop: Collector) -> None:
    facet = {"dataQualityAssertions": {"assertions": [{"assertion": "unique", "success": False}]}}
    checked = dataset("checked", outputFacets=facet)
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        write_events(conn, [run_event("checks", "COMPLETE", 901, "checks", writes=(checked,))])
    found = ask(shop, "quality", dataset="checked", failed="true")
    assert (found["failed"], found["checks"][0]["assertion"]) == (1, "unique")
    assert ask(shop, "run-quality", run="checks")["checks"][0]["part"] == "output"


def test_lists_of_runs_and_timelines_name_the_archive(
    shop: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    lists = [
        ("runs", {}),
        ("job-runs", {"job": "clean"}),
        ("dataset-runs", {"dataset": "gold/fraud"}),
    ]
    names = {"datasets": ["silver/orders"]}
    assert {ask(shop, what, **params)["archive"] for what, params in lists} == {None}
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        for day in ("01-02", "01-03", "03-01"):
            again = run_event(day, "COMPLETE", 10, "clean", ("raw/orders",), ("silver/orders",))
            write_events(conn, [again.replace("2026-01-01T", f"2026-{day}T")])
        list(archive_runs(conn, "2026-02-01", str(tmp_path)))
    archive = {"before": "2026-02-01T00:00:00.000000Z", "lakes": [str(tmp_path)]}
    for what, params in lists:
        assert ask(shop, what, **params)["archive"] == archive
    assert post(shop, "timeline", names).json()["archive"] == archive
    assert post(shop, "timeline", {**names, "start": "2026-02-01"}).json()["archive"] is None
