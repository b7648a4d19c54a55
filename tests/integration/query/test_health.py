"""Orphans, cycles and statistics."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, events, run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.health import Health
from support.reference.paths import shortest

from lineage.ingest.writer import write_events
from lineage.query import Graph, source_usage

if TYPE_CHECKING:
    import psycopg

    from lineage.query.health import Cycle, Orphans

    Connection = psycopg.Connection[Any]

# lineage.orphans(), computed by the functions for single datasets.
ONE_BY_ONE = """
SELECT kind, namespace, name FROM (
    SELECT d.namespace, d.name, CASE
        WHEN lineage.is_written(d.id)
            THEN CASE WHEN NOT lineage.is_used(d.id)
                AND NOT EXISTS (
                    SELECT FROM lineage.declared e WHERE e.source = d.id AND e.target <> d.id)
                AND NOT EXISTS (
                    SELECT FROM lineage.dataset n JOIN lineage.design_access a ON a.dataset = n.id
                    WHERE n.canonical = d.id AND NOT a.output AND lineage.is_unpaired(a, d.id))
                THEN 'unused' END
        WHEN lineage.is_read(d.id) THEN 'external source'
        WHEN EXISTS (SELECT FROM lineage.declared e WHERE d.id IN (e.source, e.target)) THEN NULL
        WHEN EXISTS (SELECT FROM lineage.dataset n JOIN lineage.design_access a ON a.dataset = n.id
                     JOIN lineage.design g ON g.holder = a.holder AND g.revision = a.revision
                     WHERE n.canonical = d.id) THEN NULL
        ELSE 'unreferenced' END AS kind
    FROM lineage.dataset d WHERE d.id = d.canonical) AS judged
WHERE kind IS NOT NULL
"""

SETTINGS = examples_in_one_database(40)
# Files that others deliver, a nightly ALTER of their table, and a job that reads it. One job reads
# x, writes arch and empties stage.
CHANGES_WITHOUT_ROWS = [
    run_event("repair", "COMPLETE", 1, "repair", (), (
        dataset("feed", lifecycleStateChange={"lifecycleStateChange": "ALTER"}),)),
    run_event("build", "COMPLETE", 2, "build", ("feed",), ("x",)),
    run_event("archive", "COMPLETE", 3, "archive", ("x",), (
        "arch", dataset("stage", outputFacets={"lineage_write": {"mode": "truncate"}}))),
]  # fmt: skip


def test_a_change_without_rows_is_no_write(conn: Connection) -> None:
    write_events(conn, CHANGES_WITHOUT_ROWS)
    graph = Graph.over(conn)
    assert told(graph.orphans()) == {
        "external source": {"feed"}, "unused": {"arch"}, "unreferenced": {"stage"},
    }  # fmt: skip
    itself = graph.impact("feed").itself
    assert (itself.last_written, itself.writes) == (None, 0)
    fed = conn.execute(
        "SELECT d.name FROM lineage.feeds f JOIN lineage.dataset d ON d.id = f.target"
    ).fetchall()
    assert sorted(fed) == [("arch",), ("x",)]


def told(found: Orphans) -> dict[str, set[str]]:
    """Return the names of each kind."""
    kinds: dict[str, set[str]] = {}
    for orphan in found.orphans:
        kinds.setdefault(orphan.kind, set()).add(orphan.entity.name)
    return kinds


def key(thing: Any) -> Any:
    return thing and (thing.namespace, thing.name)


def test_orphans_are_reported_by_kind(provenance: Graph) -> None:
    found = provenance.orphans()
    assert told(found) == {
        "unused": {"gold/dashboard"},
        "external source": {"raw/orders", "raw/rates"},
        "unreferenced": {"gold/fraud"},
        # app only started clean, which wrote
        "job": {"broken"},
    }
    assert found.counts == {"unused": 1, "external source": 2, "unreferenced": 1, "job": 1}


def test_of_each_kind_those_named_last_are_reported(shop: Connection, provenance: Graph) -> None:
    write_events(shop, [run_event("new", "COMPLETE", 99, "fresh", (), ("new",))])
    found = provenance.orphans(limit=1)
    assert told(found)["unused"] == {"new"}
    assert (found.counts["unused"], len(found.orphans)) == (2, 4)


def test_that_a_merge_reads_what_it_writes_is_no_use_of_it(conn: Connection) -> None:
    write_events(conn, [run_event("m", "COMPLETE", 1, "merge", ("new", "kept"), ("kept",))])
    graph = Graph.over(conn)
    assert told(graph.orphans()) == {"unused": {"kept"}, "external source": {"new"}}
    write_events(conn, [run_event("r", "FAIL", 2, "look", ("kept",))])
    assert "unused" not in told(graph.orphans())


# feed ─▶ stg ─▶ mart, and a test of dbt for each of them
CHECKED = [
    run_event("1", "COMPLETE", 1, "stg", ("feed",), ("stg",)),
    run_event("2", "COMPLETE", 2, "mart", ("stg",), ("mart",)),
    *(
        run_event(f"t-{name}", "COMPLETE", 9, f"{name}.test", (name,),
                  of_job={"jobType": {"jobType": "TEST", "integration": "DBT"}})
        for name in ("feed", "stg", "mart")
    ),
]  # fmt: skip


def test_a_check_is_no_use_of_what_it_reads(conn: Connection) -> None:
    write_events(conn, CHECKED)
    graph = Graph.over(conn)
    # A check is not meant to write.
    assert told(graph.orphans()) == {"unused": {"mart"}, "external source": {"feed"}}
    kinds = conn.execute(ONE_BY_ONE).fetchall()
    assert sorted((kind, name) for kind, _, name in kinds) == [
        ("external source", "feed"), ("unused", "mart"),
    ]  # fmt: skip


def test_a_dataset_that_only_a_check_read_is_a_source(conn: Connection) -> None:
    write_events(conn, CHECKED[2:3])
    assert told(Graph.over(conn).orphans()) == {"external source": {"feed"}}


def test_an_application_whose_descendants_have_outputs_is_not_silent(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("dag", "COMPLETE", 1, "dag"),
            run_event("task", "COMPLETE", 2, "task", parent=("dag", "dag")),
            run_event("sql", "COMPLETE", 3, "sql", (), ("made",), ("task", "task")),
            run_event("other", "COMPLETE", 4, "other", parent=("dag", "dag")),
        ],
    )
    assert told(Graph.over(conn).orphans())["job"] == {"other"}


# b ─▶ c ─▶ d ─▶ b, c ─▶ b; e feeds itself; a ─▶ b and d ─▶ f are on no cycle
ROUND = [
    run_event("1", "COMPLETE", 1, "in", ("a",), ("b",)),
    run_event("2", "COMPLETE", 2, "j", ("b",), ("c",)),
    run_event("3", "COMPLETE", 3, "j", ("c",), ("d",)),
    run_event("4", "COMPLETE", 4, "k", ("d",), ("b", "f")),
    run_event("5", "COMPLETE", 5, "merge", ("e",), ("e",)),
    run_event("6", "COMPLETE", 6, "back", ("c",), ("b",)),
    run_event("7", "FAIL", 7, "broken", ("f",), ("a",)),
]


def test_cycles_are_reported_whole_with_a_shortest_round(conn: Connection) -> None:
    write_events(conn, ROUND)
    found = Graph.over(conn).cycles()
    assert (found.cycles, found.self_loops) == (1, 1)
    cycle, loop = found.components
    assert [d.name for d in cycle.datasets] == ["b", "c", "d"]
    assert {(e.source.name, e.job.name, e.target.name) for e in cycle.edges} == {
        ("b", "j", "c"), ("c", "j", "d"), ("d", "k", "b"), ("c", "back", "b"),
    }  # fmt: skip
    assert [d.name for d in cycle.path] == ["b", "c", "b"]
    assert [d.name for d in loop.path] == ["e", "e"]
    assert len(Graph.over(conn).cycles(limit=1).components) == 1


def test_a_merge_inside_a_circle_is_not_the_circle(conn: Connection) -> None:
    steps = [("a", "b"), ("b", "c"), ("c", "a")]
    events = [run_event(f"{s}{t}", "COMPLETE", 1, f"{s}{t}", (s,), (t,)) for s, t in steps]
    write_events(conn, [*events, run_event("merge", "COMPLETE", 2, "merge", ("a", "b"), ("a",))])
    found = Graph.over(conn).cycles()
    [cycle] = found.components
    assert [d.name for d in cycle.path] == ["a", "b", "a"]
    assert (found.cycles, found.self_loops) == (1, 1)
    write_events(conn, [run_event("only", "COMPLETE", 3, "only", ("x",), ("y",)),
                 run_event("r", "COMPLETE", 3, "r", ("y",), ("z",)),
                 run_event("s", "COMPLETE", 3, "s", ("z",), ("x",)),
                 run_event("m", "COMPLETE", 3, "m", ("x",), ("x",))])  # fmt: skip
    rounds = [[d.name for d in each.path] for each in Graph.over(conn).cycles().components]
    assert ["x", "y", "z", "x"] in rounds


def test_a_failed_run_makes_its_job_no_writer(conn: Connection) -> None:
    """A report that reads a table uses it, even if a failed run of it was to write the table."""
    write_events(conn, [
        run_event("1", "COMPLETE", 1, "load", ("raw",), ("table",)),
        run_event("2", "COMPLETE", 2, "report", ("table",)),
    ])  # fmt: skip
    assert "unused" not in told(Graph.over(conn).orphans())
    write_events(conn, [run_event("3", "FAIL", 3, "report", ("table",), ("table",))])
    assert "unused" not in told(Graph.over(conn).orphans())
    assert conn.execute("SELECT lineage.is_used(lineage.dataset_id('table'))").fetchone() == (True,)
    # A job that wrote the table, such as a MERGE, reads its own table: that is not a use.
    write_events(conn, [run_event("4", "COMPLETE", 4, "report", ("table",), ("table",))])
    assert told(Graph.over(conn).orphans())["unused"] == {"table"}


def test_stats_count_what_there_is(provenance: Graph) -> None:
    found = provenance.stats()
    assert (found.vertices["Dataset"], found.vertices["Job"], found.vertices["Run"]) == (7, 6, 7)
    assert (found.edges["INPUT_TO"], found.edges["PARENT"]) == (7, 1)
    assert found.runs == {"COMPLETE": 5, "START": 1, "FAIL": 1}
    assert (found.events, found.components, found.largest_component, found.isolated) == (9, 1, 6, 1)
    assert [(s.dataset.name, s.downstream, s.reads) for s in found.most_downstream] == [
        ("raw/orders", 3, 1),
        ("raw/rates", 3, 1),
    ]
    assert set(found.sizes) == {"events", "documents", "facts", "graph", "database"}
    assert all(size > 0 for size in found.sizes.values())
    assert sum(found.sizes.values()) < 2 * found.sizes["database"]


def test_of_an_empty_graph_there_is_nothing_to_report(conn: Connection) -> None:
    graph = Graph.over(conn)
    assert graph.orphans().orphans == ()
    assert graph.cycles().components == ()
    found = graph.stats()
    assert (found.since, found.components, found.largest_component, found.isolated) == (
        None,
        0,
        0,
        0,
    )


def _is_a_shortest_round(cycle: Cycle, pairs: set[Any]) -> bool:
    way = [key(d) for d in cycle.path]
    steps = list(pairwise(way))
    start = key(cycle.datasets[0])
    if len(cycle.datasets) > 1:
        pairs = {(source, target) for source, target in pairs if source != target}
    least = max(shortest(pairs, start, start).values())
    return way[0] == way[-1] == start and pairs.issuperset(steps) and len(steps) == least


@SETTINGS
@given(st.lists(events, min_size=1, max_size=10))
def test_health_is_what_the_log_reports(conn: Connection, texts: list[str]) -> None:
    clear(conn)
    write_events(conn, texts)
    log = Health(texts)
    graph = Graph.over(conn)

    orphans = graph.orphans()
    kinds = {(log.kind(name), name) for name in log.datasets if log.kind(name)}
    assert {(row[0], row[1:]) for row in conn.execute(ONE_BY_ONE)} == kinds
    jobs = {k[1] for k in log.graph if k[0] == "Job" and log.silent(k[1])}
    assert {(each.kind, key(each.entity)) for each in orphans.orphans} == kinds | {
        ("job", job) for job in jobs
    }
    assert orphans.counts == {
        kind: sum(each.kind == kind for each in orphans.orphans) for kind in orphans.counts
    }
    for each in orphans.orphans:
        label = "Job" if each.kind == "job" else "Dataset"
        assert each.last_seen == log.graph[label, key(each.entity)].get("last_seen")

    cycles = graph.cycles()
    assert {frozenset(map(key, cycle.datasets)) for cycle in cycles.components} == log.cycles()
    assert cycles.cycles == sum(len(part) > 1 for part in log.cycles())
    pairs = log.pairs | log.declared
    assert cycles.self_loops == sum(source == target for source, target in pairs)
    for cycle in cycles.components:
        part = {key(d) for d in cycle.datasets}
        assert {(key(e.source), key(e.target), key(e.job)) for e in cycle.edges} == {
            edge for edge in log.walked if part.issuperset(edge[:2])
        }
        assert _is_a_shortest_round(cycle, pairs)

    stats = graph.stats()
    assert {k: n for k, n in {**stats.vertices, **stats.edges}.items() if n} == log.labels()
    assert stats.runs == log.states()
    assert (stats.events, stats.until) == (len(set(texts)), log.said[-1][0])
    parts = [size for size in log.parts() if size > 1]
    assert (stats.components, stats.largest_component) == (len(parts), max(parts, default=0))
    assert stats.isolated == len(log.datasets) - sum(parts)
    used = {
        name: (len(log.leads(log.pairs)[name] - {name}), log.used(name).reads)
        for kind, name in kinds
        if kind == "external source"
    }
    assert stats.sources == len(used)
    for most, by in ((stats.most_downstream, 0), (stats.most_read, 1)):
        assert [(key(s.dataset), (s.downstream, s.reads)) for s in most] == sorted(
            ((name, counts) for name, counts in used.items() if counts[by]),
            key=lambda item: (-item[1][by], -item[1][1 - by], item[0]),
        )


RAW, MADE = ("raw1", "raw2", "raw3", "raw4", "raw5", "raw6"), ("x1", "x2", "x3", "x4", "x5", "x6")
runs_of_sources = st.tuples(
    st.sampled_from("jkl"),
    st.sets(st.sampled_from(RAW), min_size=1, max_size=3),
    st.integers(0, len(MADE) - 1),
    st.integers(0, len(MADE) - 1),
)


@SETTINGS
@given(st.lists(runs_of_sources, min_size=1, max_size=12), st.integers(0, 4))
def test_the_first_of_the_most_used_sources(
    conn: Connection, runs: list[tuple[str, set[str], int, int]], limit: int
) -> None:
    """Usage is counted for few of the sources; the others would come after those listed."""
    clear(conn)
    write_events(conn, [
        run_event(f"run{n}", "COMPLETE", n, job, (*sorted(raw), MADE[source]), (MADE[target],))
        for n, (job, raw, source, target) in enumerate(runs)
    ])  # fmt: skip
    graph = Graph.over(conn)
    every = graph.stats(limit=None)
    with patch.object(source_usage, "FIRST", 1):
        first = graph.stats(limit=limit)
    assert first.most_downstream == every.most_downstream[:limit]
    assert first.most_read == every.most_read[:limit]


def test_a_dataset_of_two_names_is_one(conn: Connection) -> None:
    write_events(
        conn,
        [
            run_event("w", "COMPLETE", 1, "w", (), (dataset("files", ("table",)),)),
            run_event("r", "COMPLETE", 2, "r", ("table",)),
        ],
    )
    assert told(Graph.over(conn).orphans()) == {"job": {"r"}}
