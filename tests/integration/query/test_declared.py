"""Declared edges beside observed ones: marked in every result, and excluded on request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, dataset_event, derived, fed, job_event, run_event
from support.services.command_line import commands_on

from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

# raw feeds silver by a run. A design of the same job has this and another edge. The report is
# never run.
EVENTS = [
    run_event("r", "COMPLETE", 1, "clean", reads=("raw",), writes=("silver",)),
    job_event(2, "clean", reads=("raw", "rates"), writes=("silver",)),
    job_event(
        3, "report", reads=("silver",),
        writes=(dataset("gold", columnLineage=derived(("total", "silver", "price"))),),
    ),
    dataset_event(4, dataset("sheet", lineage=fed("gold"))),
]  # fmt: skip


@pytest.fixture
def graph(conn: Connection) -> Graph:
    write_events(conn, EVENTS)
    return Graph.over(conn)


@pytest.fixture
def asked(conn: Connection) -> Any:
    """Return a function that runs a command on the graph of EVENTS and returns its output."""
    write_events(conn, EVENTS)

    return commands_on(conn)


def test_a_trace_goes_on_over_what_is_declared(graph: Graph) -> None:
    edges = {
        (e.source.name, e.target.name): (e.job and e.job.name, e.runs, e.declared, e.stale)
        for e in graph.upstream("sheet").edges
    }
    assert edges == {
        ("gold", "sheet"): (None, 0, True, False),
        ("silver", "gold"): ("report", 0, True, False),
        ("raw", "silver"): ("clean", 1, True, False),
        ("rates", "silver"): ("clean", 0, True, False),
    }


def test_observed_leaves_it_out_everywhere(graph: Graph) -> None:
    observed = Filters(observed=True)
    assert [str(d) for d in graph.upstream("silver", filters=observed).datasets] == [
        "s3://lake/raw"
    ]
    assert graph.upstream("sheet", filters=observed).datasets == ()
    assert graph.paths("raw", "sheet").length == 3
    assert graph.paths("raw", "sheet", observed=True).length is None
    assert graph.paths("raw", "sheet", all_paths=True, observed=True).length is None
    assert len(graph.impact("raw").datasets) == 3
    assert len(graph.impact("raw", observed=True).datasets) == 1
    assert len(graph.column_lineage("gold", "total").edges) == 1
    assert graph.column_lineage("gold", "total", observed=True).edges == ()
    assert len(graph.impact("silver", "price").datasets) == 1
    assert graph.impact("silver", "price", observed=True).datasets == ()


def test_sql_functions_leave_it_out_too(conn: Connection, graph: Graph) -> None:
    def count(call: str) -> int:
        return int(conn.execute(f"SELECT count(*) FROM lineage.{call}").fetchall()[0][0])

    assert count("upstream('sheet')") == 5
    assert count("upstream('sheet', observed => true)") == 1
    assert count("downstream('raw', observed => true)") == 2
    assert count("dataset_lineage('sheet', observed => true)") == 1
    assert count("paths('raw', 'sheet')") == 3
    assert count("paths('raw', 'sheet', observed => true)") == 0
    assert count("impact('raw', observed => true)") == 2
    assert count("upstream_columns('gold', 'total')") == 2
    assert count("upstream_columns('gold', 'total', observed => true)") == 1
    rows = conn.execute(
        "SELECT source, job, runs, stale, declared FROM lineage.dataset_lineage_edges('silver') "
        "ORDER BY source"
    ).fetchall()
    assert rows == [("rates", "clean", 0, False, True), ("raw", "clean", 1, False, True)]


def test_cycles_pass_it(conn: Connection, graph: Graph) -> None:
    write_events(conn, [job_event(5, "loop", reads=("sheet",), writes=("raw",))])
    assert graph.cycles().cycles == 1
    assert graph.cycles(observed=True).cycles == 0


def test_what_is_declared_is_not_untouched(graph: Graph) -> None:
    kinds = {str(each.entity): each.kind for each in graph.orphans().orphans}
    assert "unreferenced" not in kinds.values()


def test_a_run_that_fails_leaves_what_is_declared(conn: Connection, graph: Graph) -> None:
    write_events(conn, [run_event("r", "FAIL", 9, "clean")])
    [edge] = [e for e in graph.upstream("silver").edges if e.source.name == "raw"]
    assert (edge.runs, edge.declared) == (0, True)


def test_show_lists_what_designs_alone_state(graph: Graph, asked: Any) -> None:
    clean, report = graph.job("clean"), graph.job("report")
    assert [d.name for d in clean.inputs] == ["raw"]
    assert [d.name for d in clean.declared_inputs] == ["rates"]
    assert clean.declared_outputs == ()  # a run wrote silver
    assert [d.name for d in (*report.declared_inputs, *report.declared_outputs)] == [
        "silver", "gold",
    ]  # fmt: skip
    silver, gold, sheet = graph.dataset("silver"), graph.dataset("gold"), graph.dataset("sheet")
    assert ([j.name for j in silver.written_by], silver.declared_written_by) == (["clean"], ())
    assert [j.name for j in silver.declared_read_by] == ["report"]
    assert [d.name for d in silver.declared_inputs] == ["rates"]
    assert [j.name for j in gold.declared_written_by] == ["report"]
    assert [d.name for d in (*gold.declared_inputs, *gold.declared_outputs)] == ["silver", "sheet"]
    assert ([d.name for d in sheet.declared_inputs], sheet.declared_written_by) == (["gold"], ())
    lines = asked("show", "clean").splitlines()
    assert "            s3://lake/rates  (declared)" in lines
    assert "written by  etl/report  (declared)" in asked("show", "gold").splitlines()
    assert "made from   s3://lake/gold  (declared)" in asked("show", "sheet").splitlines()


def test_a_trace_of_jobs_goes_on_over_what_is_declared(graph: Graph, asked: Any) -> None:
    steps = {
        (e.source and e.source.name, e.dataset and e.dataset.name, e.target and e.target.name):
            (e.declared, e.last_seen[17:19])
        for e in graph.job_lineage("gold").edges
    }  # fmt: skip
    assert steps == {
        ("report", "gold", None): (True, "03"),
        ("clean", "silver", "report"): (True, "03"),
    }
    assert graph.job_lineage("gold", filters=Filters(observed=True)).edges == ()
    tree = asked("query", "job", "gold").splitlines()
    assert tree[1:] == [
        "└── etl/report  [s3://lake/gold, 2026-01-01 00:00:03Z, declared]",
        "    └── etl/clean  [s3://lake/silver, 2026-01-01 00:00:03Z, declared]",
    ]


def test_a_newer_design_takes_the_place_of_the_older(conn: Connection, graph: Graph) -> None:
    write_events(conn, [job_event(9, "report", reads=("raw",), writes=("gold",))])
    assert {e.source.name for e in graph.upstream("gold", 1).edges} == {"raw"}


def test_an_edge_is_stale_never_because_it_is_declared(conn: Connection, graph: Graph) -> None:
    write_events(
        conn, [run_event("new", "COMPLETE", 50, "clean", reads=("other",), writes=("silver",))]
    )
    stale = {e.source.name: e.stale for e in graph.upstream("silver").edges}
    assert stale == {"raw": True, "rates": False, "other": False}


def test_filters_of_jobs_know_who_declares(graph: Graph) -> None:
    shown = graph.upstream("sheet", filters=Filters(jobs=("report",)))
    assert [(e.source.name, e.target.name) for e in shown.edges] == []
    assert [str(d) for d in shown.datasets] == ["s3://lake/silver"]


def test_the_tree_marks_it(asked: Any) -> None:
    tree = asked("query", "sheet").splitlines()
    assert tree == [
        "s3://lake/sheet",
        "└── s3://lake/gold  [declared]",
        "    └── s3://lake/silver  [declared by report]",
        "        ├── s3://lake/rates  [declared by clean]",
        "        └── s3://lake/raw  [clean, 2026-01-01 00:00:01Z]",
    ]
    assert "declared" not in asked("query", "silver", "--observed")
    assert "[declared by report]" in asked("paths", "silver", "gold")
    assert "declared by report" in asked("query", "column", "gold", "total")
    asked("paths", "silver", "gold", "--observed", code=1)


def test_json_and_pictures_mark_it(asked: Any) -> None:
    rows = json.loads(asked("query", "gold", "--format", "json"))
    assert {row["source"]: (row["declared"], row["runs"]) for row in rows} == {
        "s3://lake/silver": (True, 0),
        "s3://lake/raw": (True, 1),
        "s3://lake/rates": (True, 0),
    }
    dot = asked("query", "gold", "--format", "dot")
    assert dot.count("style=dashed") == 2
    assert asked("query", "gold", "--format", "mermaid").count("-.->") == 2
    assert asked("query", "gold", "--format", "html").count('class="edge declared"') == 2
    assert asked("query", "gold", "--observed", "--format", "dot").count("style=dashed") == 0


def test_cypher_sees_designs_apart_from_runs(graph: Graph) -> None:
    table = graph.cypher(
        "MATCH (s:Dataset)-[e:DECLARED]->(t:Dataset) RETURN s.name, t.name, e.job, e.last_seen"
    )
    assert sorted(table.rows) == [
        ("gold", "sheet", None, "2026-01-01T00:00:04.000000Z"),
        ("rates", "silver", "clean", "2026-01-01T00:00:02.000000Z"),
        ("silver", "gold", "report", "2026-01-01T00:00:03.000000Z"),
    ]
    both = graph.cypher("MATCH ()-[e:FEEDS]->() RETURN e.declared")
    assert both.rows == ((True,),)


def test_run_lineage_ignores_declared_edges(graph: Graph) -> None:
    assert graph.dataset_lineage_at("sheet", "2026-01-02T00:00:00Z").dependencies == ()
    links = graph.dataset_lineage_at("silver", "2026-01-02T00:00:00Z").dependencies
    assert {str(link.dataset) for link in links} == {"s3://lake/silver", "s3://lake/raw"}


def test_impact_has_the_jobs_and_owners_of_designs(conn: Connection, asked: Any) -> None:
    graph = Graph.over(conn)
    owned = {"ownership": {"owners": [{"name": "team:nightly"}]}}
    write_events(conn, [job_event(5, "nightly", reads=("raw",), writes=("copy",), **owned)])
    impact = graph.impact("raw")
    assert {each.job.name: (each.distance, each.declared) for each in impact.jobs} == {
        "clean": (1, False), "nightly": (1, True), "report": (2, True),
    }  # fmt: skip
    assert ("team:nightly", 1) in {(each.name, each.jobs) for each in impact.owners}
    assert [each.job.name for each in graph.impact("raw", observed=True).jobs] == ["clean"]
    assert [each.job.name for each in graph.impact("rates").jobs] == ["clean", "report"]
    by_column = graph.impact("silver", "price").jobs
    assert [(each.job.name, each.declared) for each in by_column] == [("report", True)]
    lines = [" ".join(line.split()) for line in asked("impact", "raw").splitlines()]
    assert "1 etl/nightly s3://lake/raw 0 never declared team:nightly" in lines
    rows = "SELECT name FROM lineage.impact_jobs('raw', observed => %s) ORDER BY distance, name"
    assert conn.execute(rows, [False]).fetchall() == [("clean",), ("nightly",), ("report",)]
    assert conn.execute(rows, [True]).fetchall() == [("clean",)]
