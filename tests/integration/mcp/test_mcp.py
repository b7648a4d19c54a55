"""``lineage mcp`` with the client of the MCP SDK, over stdio and HTTP."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from click.testing import CliRunner
from lineage_cli import main
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from support.coroutines import run_coroutine
from support.events.builders import dataset, derived, job_event, run_event
from support.events.graph_models import edge, graph, node

from lineage.http import tokens
from lineage.ingest.writer import write_events
from lineage.model.events import events_of_graph
from lineage.records.fidelity import Fidelity
from lineage.records.trace_writer import ContributingRows, TraceResult, save_trace

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    import psycopg

COMMAND = ["-c", "from lineage_cli import main; main()", "mcp"]
LAKE = "s3://lake/"
SUM = {"type": "DIRECT", "subtype": "AGGREGATION"}
FULL = (
    'Traceback (most recent call last):\n  File "/jobs/report.py", line 3, in save\n    write()\n'
    "OSError: full"
)
# raw ─ clean ─▶ staged ─ report ─▶ gold; hundred.N ─ many ─▶ wide
EVENTS = [
    run_event("r1", "COMPLETE", 10, "clean", ("raw",), ("staged",)),
    run_event("r2", "COMPLETE", 20, "report", ("staged",),
              (dataset("gold", columnLineage=derived(("total", "staged", "price", SUM))),)),
    run_event("r3", "FAIL", 30, "report", ("staged",), ("gold",), errorMessage={"message": FULL}),
    run_event("r4", "COMPLETE", 40, "many", tuple(f"hundred.{n:03}" for n in range(100)),
              ("wide",)),
    run_event("r6", "COMPLETE", 5, "merge", ("log",), ("log",)),
]  # fmt: skip


@pytest.fixture(autouse=True)
def _graph(
    dsn: str, conn: psycopg.Connection[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Write the events, and a trace of a row of gold."""
    write_events(conn, EVENTS)
    with monkeypatch.context() as patch:
        patch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
        rows = [
            {"price": 10**38, "_file": "s3://lake/staged/a.parquet", "_row_index": index}
            for index in range(3)
        ]
        source = ContributingRows(1, "gold", "staged", 7, rows)
        result = TraceResult(
            "gold", "total = 3", ["total"], "live", Fidelity.SUPERSET, ["limit:ties"], 1, [source],
            values=[{"total": 3}],
        )  # fmt: skip
        save_trace(result, dsn, with_values=True)


@asynccontextmanager
async def stdio(dsn: str) -> AsyncIterator[Client]:
    server = StdioServerParameters(command=sys.executable, args=[*COMMAND, "--dsn", dsn])
    async with Client(stdio_client(server)) as client:
        yield client


@contextmanager
def http(dsn: str, *options: str) -> Iterator[str]:
    command = [sys.executable, *COMMAND, "--http", "127.0.0.1:0", "--dsn", dsn, *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            yield next(m[0] for line in server.stderr if (m := re.search(r"http://[\d.:]+", line)))
        finally:
            server.terminate()
            server.communicate(timeout=60)


async def answer(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    [said] = result.content
    assert json.loads(said.text) == result.structured_content
    assert len(said.text) < 45_000
    found: dict[str, Any] = result.structured_content
    return found


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    [said] = result.content
    assert "Traceback" not in said.text
    text: str = said.text
    return text


async def assert_tools(client: Client) -> None:
    """Call each tool with valid and with invalid arguments."""
    listed = (await client.list_tools()).tools
    assert {tool.name for tool in listed} == {
        "search", "dataset_lineage", "neighbours", "dataset_lineage_at", "column_lineage",
        "job_lineage", "run_lineage", "paths", "impact", "root_cause", "quality", "dataset_diff",
        "run_diff", "orphans", "cycles", "plan_jobs", "rank_sources", "rank_datasets",
        "trace_row", "cypher",
    }  # fmt: skip
    assert all(tool.annotations.read_only_hint and tool.description for tool in listed)
    found = await answer(client, "search", text="gold")
    assert found["hits"] == [{"kind": "dataset", "name": f"{LAKE}gold", "match": "exact"}]
    column = await answer(client, "search", text="TOTAL", kind="column")
    assert [hit["name"] for hit in column["hits"]] == [f"{LAKE}gold.total"]
    trace = await answer(client, "dataset_lineage", dataset="gold")
    assert [(e["source"], e["target"], e["job"]) for e in trace["edges"]] == [
        (f"{LAKE}staged", f"{LAKE}gold", "etl/report"),
        (f"{LAKE}raw", f"{LAKE}staged", "etl/clean"),
    ]
    assert (trace["total"], "omitted" in trace) == (2, False)
    near = await answer(client, "neighbours", dataset="staged", direction="downstream")
    assert [(n["dataset"], n["upstream"]) for n in near["neighbours"]] == [(f"{LAKE}gold", 1)]
    assert (near["root"]["upstream"], near["root"]["downstream"], near["total"]) == (1, 1, 1)
    before, then = "2026-01-01T00:00:15Z", "2026-01-01T00:00:20Z"
    asked = {"dataset": "staged", "direction": "downstream"}
    assert (await answer(client, "neighbours", **asked, time=before))["neighbours"] == []
    near = await answer(client, "neighbours", **asked, time=then)
    assert [(n["dataset"], n["state"]) for n in near["neighbours"]] == [(f"{LAKE}gold", "COMPLETE")]
    jobs = await answer(client, "job_lineage", job="etl/clean", direction="both")
    assert [(e["direction"], e["source"], e["target"], e["dataset"]) for e in jobs["edges"]] == [
        ("downstream", "etl/clean", "etl/report", f"{LAKE}staged")
    ]
    assert (jobs["jobs"], jobs["farthest"]) == (1, 1)
    column = await answer(client, "column_lineage", dataset="gold", column="total")
    assert [e["source_column"] for e in column["edges"]] == ["price"]
    ways = await answer(client, "paths", source="raw", target="gold")
    assert (ways["feeds"], ways["steps"]) == ("source feeds target", 2)
    back = await answer(client, "paths", source="gold", target="raw")
    assert back["feeds"] == "target feeds source"
    hit = await answer(client, "impact", dataset="raw")
    assert [each["dataset"] for each in hit["datasets"]] == [f"{LAKE}staged", f"{LAKE}gold"]
    assert [each["stale"] for each in (*hit["datasets"], *hit["jobs"])][:2] == [False, False]
    assert all(each["reads"] and each["last_read"] for each in hit["jobs"])
    run = await answer(client, "run_lineage", run="r3")
    assert (run["state"], run["error"]) == ("FAIL", "OSError: full (report.py:3, in save)")
    assert [(e["dataset"], e.get("writer"), e.get("run")) for e in run["reads"]] == [
        (f"{LAKE}staged", "etl/clean", "r1"),
        (f"{LAKE}raw", None, None),
    ]
    first = await answer(client, "run_lineage", run="r3", limit=1)
    assert (first["total"], first["omitted"]["next_offset"]) == (2, 1)
    readers = await answer(client, "run_lineage", run="r1", direction="downstream", runs=True)
    assert [(e["reader"], e["state"]) for e in readers["reads"]] == [
        ("r2", "COMPLETE"),
        ("r3", "FAIL"),
    ]
    text = "MATCH (r:Run {state: $s}) RETURN r.run_id AS run"
    table = await answer(client, "cypher", query=text, params={"s": "FAIL"})
    assert table["rows"] == [{"run": "r3"}]
    await assert_what_went_wrong_is_told(client)
    assert 'No dataset is called "glod"' in await refusal(client, "dataset_lineage", dataset="glod")
    assert 'No run has the id "x"' in await refusal(client, "run_lineage", run="x")
    await assert_saved_traces_are_read(client)
    written = await refusal(client, "cypher", query="CREATE (n:Dataset) RETURN n")
    assert "read" in written
    assert await answer(client, "search", text="gold") == found
    assert "limit" in await refusal(client, "dataset_lineage", dataset="gold", limit=0)


async def assert_saved_traces_are_read(client: Client) -> None:
    [listed] = (await answer(client, "trace_row", dataset="gold"))["traces"]
    assert (listed["dataset"], listed["columns"], listed["fidelity"]) == (
        f"{LAKE}gold", ["total"], "superset",
    )  # fmt: skip
    assert listed["counts"] == [{"hop": 1, "source": f"{LAKE}staged", "rows": 7}]
    page = await answer(client, "trace_row", trace=listed["trace"], limit=2)
    assert [(row["file"], row["row_index"]) for row in page["witnesses"]] == [
        ("s3://lake/staged/a.parquet", 0),
        ("s3://lake/staged/a.parquet", 1),
    ]
    assert page["witnesses"][0]["values"] == '{"price": 1' + "0" * 38 + "}"
    assert (page["total"], page["omitted"]["next_offset"]) == (3, 2)
    assert page["values"] == ['{"total": 3}']
    assert (await answer(client, "trace_row", dataset="raw"))["traces"] == []
    assert "Give one of them." in await refusal(client, "trace_row")
    assert 'No trace "x" is saved' in await refusal(client, "trace_row", trace="x")


async def assert_what_went_wrong_is_told(client: Client) -> None:
    assert await answer(client, "quality", dataset="gold", upstream=True) == {
        "passed": 0, "failed": 0, "unknown": 0, "checks": [], "total": 0,
    }  # fmt: skip
    assert (await answer(client, "quality", run="r3"))["checks"] == []
    assert "Give one of them." in await refusal(client, "quality")
    why = await answer(client, "root_cause", run="r3")
    assert (why["state"], why["causes"][0]["kind"]) == ("FAIL", "failed")
    assert "full" in why["causes"][0]["reason"]
    failed = await answer(client, "root_cause", run="etl/report", last_failed=True)
    assert (failed["run"], failed["state"]) == ("r3", "FAIL")
    assert (await answer(client, "root_cause", run="etl/clean"))["run"] == "r1"
    never = await refusal(client, "root_cause", run="etl/clean", last_failed=True)
    assert "failed run" in never
    then = {"dataset": "gold", "start": "2026-01-01T00:00:15Z", "end": "2026-01-01T00:00:59Z"}
    changed = await answer(client, "dataset_diff", **then)
    runs = [(e["change"], e["name"]) for e in changed["changes"] if e["kind"] == "run"]
    assert runs == [("added", "r2"), ("added", "r1")]
    differ = await answer(client, "run_diff", before="r2", after="r3")
    assert {"part": "run", "key": "state", "before": "COMPLETE", "after": "FAIL"} in differ[
        "differences"
    ]
    ends = await answer(client, "orphans", kind="unused")
    assert [each["name"] for each in ends["orphans"]] == [
        f"{LAKE}{name}" for name in ("wide", "gold", "log")
    ]
    assert ends["counts"]["external source"] == 101
    cut = await answer(client, "orphans", kind="external source", limit=100)
    assert cut["omitted"]["next_offset"] == 100
    plan = await answer(client, "plan_jobs", names=["gold"])
    assert [(e["level"], e["job"], e.get("after")) for e in plan["jobs"]] == [
        (0, "etl/clean", None), (1, "etl/report", "etl/clean")
    ]  # fmt: skip
    assert (plan["critical_path"], plan["cycles"]) == (["etl/clean", "etl/report"], [])
    sources = await answer(client, "rank_sources", limit=1)
    assert (sources["products"], sources["total"], sources["omitted"]["count"]) == (3, 101, 100)
    assert sources["sources"][0]["unused"] == "products not read"
    ranking = await answer(client, "rank_datasets", limit=1, offset=1)
    assert (ranking["total"], ranking["omitted"]["count"]) == (104, 102)
    assert [(e["position"], e["dataset"]) for e in ranking["datasets"]] == [(2, f"{LAKE}staged")]
    round_ = await answer(client, "cycles")
    assert [(e["path"], e["jobs"]) for e in round_["cycles"]] == [
        ([f"{LAKE}log"] * 2, ["etl/merge"])
    ]
    assert 'No run has the id "x"' in await refusal(client, "root_cause", run="x")
    unknown = await refusal(client, "search", words="gold")
    assert "The tool search has no argument 'words'. There are: text, kind, limit." in unknown
    assert "Did you mean depth?" in await refusal(client, "dataset_lineage", dataset="gold", dept=1)
    for name in ("limit", "offset", "depth"):
        arguments: dict[str, Any] = {"dataset": "gold", name: True}
        assert f"{name} is true" in await refusal(client, "dataset_lineage", **arguments)
    assert "ISO 8601" in await refusal(client, "dataset_diff", **{**then, "start": "soon"})


def test_every_tool_over_stdio(dsn: str) -> None:
    async def ask() -> None:
        async with stdio(dsn) as client:
            await assert_tools(client)

    run_coroutine(ask())


def test_every_tool_over_http(dsn: str) -> None:
    async def ask(url: str) -> None:
        async with Client(f"{url}/mcp") as client:
            await assert_tools(client)

    with http(dsn) as url:
        run_coroutine(ask(url))


def test_columns_are_paged_and_designs_marked(conn: psycopg.Connection[Any], dsn: str) -> None:
    parts = derived(("f", "packed", "s.x"), ("g", "packed", "s.y"))
    write_events(conn, [
        run_event("p", "COMPLETE", 50, "pack",
                  writes=(dataset("packed", columnLineage=derived(("s", "raw", "x"))),)),
        run_event("q", "COMPLETE", 60, "unpack", writes=(dataset("out", columnLineage=parts),)),
        job_event(70, "design", reads=("gold",), writes=("sheet",)),
    ])  # fmt: skip

    async def ask() -> None:
        async with stdio(dsn) as client:
            given = {"dataset": "raw", "column": "x", "direction": "downstream"}
            whole = await answer(client, "column_lineage", **given)
            assert (whole["total"], whole["columns"]) == (3, 3)
            assert [each["column"] for each in whole["nested"]] == [
                f"{LAKE}packed.s.x", f"{LAKE}packed.s.y",
            ]  # fmt: skip
            first = await answer(client, "column_lineage", **given, limit=1)
            assert (first["total"], first["columns"], first["omitted"]["count"]) == (3, 3, 2)
            rest = await answer(client, "column_lineage", **given, offset=1)
            assert first["edges"] + rest["edges"] == whole["edges"]
            way = {"source": "raw", "target": "gold"}
            cut = await answer(client, "paths", **way, limit=1)
            assert (cut["total"], cut["steps"], len(cut["edges"])) == (2, 2, 1)
            jobs = {"job": "sheet", "direction": "upstream"}
            declared = await answer(client, "job_lineage", **jobs)
            assert {e.get("declared") for e in declared["edges"]} == {True, None}
            ran = await answer(client, "job_lineage", **jobs, observed=True)
            assert ran["edges"] == []

    run_coroutine(ask())


def test_nodes_of_graph_models_have_their_types_and_confidence(
    dsn: str, conn: psycopg.Connection[Any]
) -> None:
    topic, table = "confluent:kafka_topic:e:loans", "aws:glue_table:e:lake.loans"
    model = graph(
        node(topic),
        node(table, "catalog_table"),
        edge(topic, table, "materializes", confidence=0.5),
    )
    write_events(conn, [json.dumps(each) for each in events_of_graph(model)])

    async def ask() -> None:
        async with stdio(dsn) as client:
            found = await answer(client, "search", text=topic)
            assert [hit["node_types"] for hit in found["hits"]] == [["kafka_topic"]]
            lineage = {"dataset": table, "direction": "upstream"}
            [step] = (await answer(client, "dataset_lineage", **lineage))["edges"]
            assert (step["declared"], step["confidence"]) == (True, 0.5)
            for tool, arguments in (
                ("dataset_lineage", lineage),
                ("paths", {"source": topic, "target": table}),
            ):
                sure = await answer(client, tool, **arguments, min_confidence=0.6)
                assert sure["edges"] == []
            impact = await answer(client, "impact", dataset=topic, min_confidence=0.6)
            assert impact["datasets"] == []

    run_coroutine(ask())


def test_what_is_omitted_is_reported_and_can_be_had(dsn: str) -> None:
    async def ask() -> None:
        async with stdio(dsn) as client:
            first = await answer(client, "dataset_lineage", dataset="wide", limit=60)
            assert (first["total"], len(first["edges"])) == (100, 60)
            assert (first["omitted"]["count"], first["omitted"]["next_offset"]) == (40, 60)
            rest = await answer(client, "dataset_lineage", dataset="wide", limit=60, offset=60)
            assert "omitted" not in rest
            sources = [edge["source"] for edge in (*first["edges"], *rest["edges"])]
            assert sources == [f"{LAKE}hundred.{n:03}" for n in range(100)]
            some = await answer(client, "search", text="hundred", limit=5)
            assert (len(some["hits"]), "raise limit" in some["omitted"]["hint"]) == (5, True)
            assert "omitted" not in await answer(client, "search", text="hundred", limit=100)
            hit = await answer(client, "impact", dataset="staged", limit=1)
            assert len(hit["datasets"]) == 1

    run_coroutine(ask())


def test_the_lists_of_a_long_impact_share_a_page(conn: psycopg.Connection[Any], dsn: str) -> None:
    long = "department/of/finance/and/controlling/warehouse/reporting/monthly"
    owned_by = {"ownership": {"owners": [{"name": f"{long} team"}]}}
    made_of = derived(("c", "src", "c"), ("d", "src", "c"))
    write_events(conn, [
        run_event(f"i{n}", "COMPLETE", n, f"{long} {kind} {n}", reads=("src",), of_job=owned_by,
                  writes=(dataset(f"{long}/{kind}/{n}", **owned_by, **facets),))
        for n in range(90)
        for kind, facets in (("known", {"columnLineage": made_of}), ("unknown", {}))
    ])  # fmt: skip
    own = derived(("e", "src", "c"))
    write_events(conn, [
        run_event("own", "COMPLETE", 99, "own", reads=("src",), writes=(
            dataset("src", columnLineage=own),))])  # fmt: skip

    async def ask() -> None:
        async with stdio(dsn) as client:
            result = await client.call_tool(
                "impact", {"dataset": "src", "column": "c", "limit": 90}
            )
            [said] = result.content
            assert len(said.text) <= 40_000
            hit = result.structured_content
            assert hit["columns"] == ["c", "e"]
            for key, number in (("datasets", 90), ("jobs", 91), ("not_known", 90)):
                assert len(hit[key]) > 5
                assert len(hit[key]) + hit.get(f"{key}_omitted", 0) == number
            assert len(hit["owners"]) == 2
            trace = await answer(client, "column_lineage", dataset="src", column="c",
                                 direction="downstream", limit=90)  # fmt: skip
            assert trace["edges"]
            assert len(trace["not_known"]) + trace.get("not_known_omitted", 0) == 90
            assert "needs a text" in await refusal(client, "search", kind="column")

    run_coroutine(ask())


def test_http_with_tokens_lets_in_who_may_read_all(dsn: str, conn: psycopg.Connection[Any]) -> None:
    reader = tokens.add_token(conn, "reader", "read")
    writer = tokens.add_token(conn, "writer", "write")
    part = tokens.add_token(conn, "part", "read", ["s3://lake"])

    async def ask(url: str) -> None:
        header = {"Authorization": f"Bearer {reader}"}
        async with (
            httpx2.AsyncClient(headers=header) as made,
            Client(streamable_http_client(f"{url}/mcp", http_client=made)) as client,
        ):
            assert (await answer(client, "search", text="gold"))["hits"]

    with http(dsn, "--tokens") as url:
        run_coroutine(ask(url))
        for token, status in ((None, 401), ("lineage_wrong", 401), (writer, 403), (part, 403)):
            headers = {"Authorization": f"Bearer {token}"} if token else {}
            said = httpx2.post(f"{url}/mcp", headers=headers, json={}, timeout=60)
            assert said.status_code == status, token
            assert said.json()["error"]["message"]
        # Pages of other origins are rejected, even if no token is required.
    with http(dsn) as url:
        evil = {"Origin": "https://evil.example", "Content-Type": "application/json"}
        assert httpx2.post(f"{url}/mcp", headers=evil, json={}, timeout=60).status_code == 403


def test_an_answer_of_long_names_is_cut_by_its_length(
    dsn: str, conn: psycopg.Connection[Any]
) -> None:
    long = tuple(f"long.{n:02}." + "x" * 1000 for n in range(99))
    write_events(conn, [run_event("r5", "COMPLETE", 50, "long", long, ("short",))])

    async def ask() -> None:
        async with stdio(dsn) as client:
            seen, offset = [], 0
            while True:
                part = await answer(client, "dataset_lineage", dataset="short", offset=offset)
                seen += [edge["source"].removeprefix(LAKE) for edge in part["edges"]]
                if "omitted" not in part:
                    break
                offset = part["omitted"]["next_offset"]
            assert seen == list(long)
            query = "MATCH (d:Dataset) RETURN collect(d.name) AS names"
            assert "has more than 40,000 char" in await refusal(client, "cypher", query=query)

    run_coroutine(ask())


def test_a_database_that_goes_away_is_reported_without_where_it_was(
    database: Any, server: Any
) -> None:
    place = database(server.migrated())

    async def ask(url: str) -> None:
        async with Client(f"{url}/mcp") as client:
            assert (await answer(client, "search"))["hits"] == []
            server.drop(place.rpartition("dbname=")[2].split()[0])
            said = await refusal(client, "search")
            assert "The database is not available" in said
            assert "127.0.0.1" not in said

    with http(place) as url:
        run_coroutine(ask(url))


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("lineage.mcp")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    result = CliRunner().invoke(main, ["mcp"])
    assert result.exit_code == 2
    assert "pip install 'mcp>=2.0'" in result.stderr


def test_an_invalid_start_reports_the_reason(empty_dsn: str) -> None:
    def run(*options: str) -> tuple[int, str]:
        result = CliRunner().invoke(main, ["mcp", *options])
        return result.exit_code, result.stderr

    assert run("--dsn", empty_dsn)[0] == 2
    assert "lineage migrate" in run("--dsn", empty_dsn)[1]
    assert "is not of the form HOST:PORT" in run("--http", "8000")[1]
    assert "--tokens requires --http" in run("--tokens")[1]
