"""Queries by ``Graph``, with resolution of names and records as results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from benchmarks import bulk
from benchmarks.measured import Measured, measured
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.filters import Filters

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import psycopg

NAMED = """
SELECT lineage.full_name(namespace, name) FROM lineage.dataset
WHERE name LIKE %s ORDER BY md5(name) LIMIT %s
"""
CALLED = "SELECT lineage.full_name(namespace, name) FROM lineage.dataset WHERE id = %s"
# A part of few names, the name of a column of each dataset, and a misspelled word.
WORDS = ["l07/j03", "c7", "narow"]
MISSPELLED = ["narow", "raww", "lakee", "narow3 l07"]
# Number of datasets of a subgraph, the maximum over HTTP.
SHOWN = 2000
# Limit of an impact, the default of the command line.
LISTED = 50
# Number of tables that are only appended to, each from the previous one.
TABLES = 4


@dataclass(frozen=True, slots=True)
class Roots:
    """Ids and names of datasets and runs of the last layer, and of runs of the first layer.

    A pair has the id of the dataset farthest upstream of a dataset, and the id of the latter.
    """

    datasets: Sequence[Any]
    pairs: Sequence[Any]
    runs: Sequence[Any]
    first_runs: Sequence[Any]


def of_bulk(
    conn: psycopg.Connection[Any], roots: Roots, days: int
) -> Iterator[tuple[str, Measured]]:
    """Yield the queries on the graph of ``benchmarks.bulk``, with their measurements."""
    graph = Graph.over(conn)
    names = [name for _, name in roots.datasets]
    for what, depth in {"one hop": 1, "3 hops": 3, "whole closure": None}.items():
        yield what, measured(conn, lambda n, d=depth: len(graph.upstream(n, d).nodes) - 1, names)
    ends = [[conn.execute(CALLED, (id,)).fetchall()[0][0] for id in pair] for pair in roots.pairs]
    yield (
        "shortest way, 20 steps",
        measured(conn, lambda pair: graph.paths(*pair).length or 0, ends),
    )
    raw = [name for (name,) in conn.execute(NAMED, ("raw/wide%/l00/%", len(names)))]
    yield (
        f"impact of a source, {LISTED} listed",
        measured(conn, lambda name: _impact(graph, name), raw),
    )
    yield "search", measured(conn, lambda words: len(graph.search(words)), WORDS)
    yield (
        "search, misspelled words",
        measured(conn, lambda words: len(graph.search(words)), MISSPELLED),
    )
    near = Filters(limit=12)
    yield (
        "neighbours, 12 on each side",
        measured(conn, lambda name: len(graph.neighbours(name, filters=near).nodes), names),
    )
    some = [name for (name,) in conn.execute(NAMED, ("wide0/%", SHOWN))]
    yield f"subgraph of {SHOWN:,}", measured(conn, lambda n: len(graph.subgraph(n).edges), [some])
    yield from _as_of(graph, names, some, (bulk.BEGIN + timedelta(days=days / 2)).isoformat())
    yield "newest runs", measured(conn, lambda n: len(graph.runs(n)), [20])
    ids = [run_id for _, run_id in roots.runs]
    yield (
        "run provenance, 20 generations",
        measured(conn, lambda id: len(graph.run_lineage(id).dependencies), ids),
    )
    first = [run_id for _, run_id in roots.first_runs]
    yield (
        "who read it, 20 generations",
        measured(conn, lambda id: len(graph.run_lineage(id, "downstream").dependencies), first),
    )
    yield (
        "jobs, whole closure",
        measured(conn, lambda name: len(graph.job_lineage(name).edges), names),
    )
    yield "root causes", measured(conn, lambda id: graph.root_cause(id).looked_at, ids)
    start, end = (
        (bulk.BEGIN + timedelta(days=day)).isoformat() for day in (max(days - 2, 0), days)
    )
    yield (
        "what changed in two days",
        measured(conn, lambda name: len(graph.dataset_diff(name, start, end).writes), names),
    )
    yield from _of_whole_graph(graph)


def _of_whole_graph(graph: Graph) -> Iterator[tuple[str, Measured]]:
    """Yield the queries whose answers depend on all datasets."""
    conn = graph.session.connection
    yield (
        f"orphans, {LISTED} listed",
        measured(conn, lambda n: sum(graph.orphans(n).counts.values()), [LISTED]),
    )
    yield "cycles", measured(conn, lambda n: graph.cycles(n).total, [LISTED])
    yield "stats", measured(conn, lambda n: graph.stats(limit=n).sources, [LISTED])


def _as_of(
    graph: Graph, names: Sequence[str], some: Sequence[str], time: str
) -> Iterator[tuple[str, Measured]]:
    """Yield queries as of a time in the middle, and the timeline."""
    conn, near = graph.session.connection, Filters(limit=12)

    def neighbours(name: str) -> int:
        return len(graph.neighbours(name, filters=near, time=time).nodes)

    yield "neighbours at a time", measured(conn, neighbours, names)
    yield (
        f"subgraph of {SHOWN:,} at a time",
        measured(conn, lambda n: len(graph.subgraph(n, time=time).edges), [some]),
    )
    yield f"timeline of {SHOWN:,}", measured(conn, lambda n: len(graph.timeline(n).bins), [some])


def of_appends(conn: psycopg.Connection[Any], days: int) -> Iterator[tuple[str, Measured]]:
    """Yield queries on tables that are only appended to: all runs are upstream of the last."""
    write_events(conn, list(appends(days)))
    conn.execute("ANALYZE")
    graph = Graph.over(conn)
    behind = f"{TABLES * days:,} appends behind"
    last = bulk.run_id(f"load-{TABLES - 1}", days - 1)
    yield (
        f"root causes, {behind}",
        measured(conn, lambda id: graph.root_cause(id).looked_at, [last]),
    )
    start, end = ((bulk.BEGIN + timedelta(days=d)).isoformat() for d in (days // 2, days))
    name = f"{bulk.NAMESPACE}/t{TABLES - 1}"
    yield (
        f"what changed, {behind}",
        measured(conn, lambda name: len(graph.dataset_diff(name, start, end).writes), [name]),
    )


def appends(days: int) -> Iterator[str]:
    """Yield events of daily runs that append to the tables."""
    for day in range(days):
        for n in range(TABLES):
            at = bulk.BEGIN + timedelta(days=day, hours=n)
            source = {"namespace": bulk.NAMESPACE, "name": f"t{n - 1}" if n else "raw"}
            statistics = {"rowCount": 1000 + day % 7}
            written = {
                "namespace": bulk.NAMESPACE,
                "name": f"t{n}",
                "outputFacets": {
                    "lineage_write": {"mode": "append"},
                    "outputStatistics": statistics,
                },
            }
            event = {
                "run": {"runId": bulk.run_id(f"load-{n}", day), "facets": {}},
                "job": {"namespace": bulk.JOBS, "name": f"load-{n}", "facets": {}},
                "inputs": [source],
            }
            done = at + timedelta(minutes=10)
            yield json.dumps({"eventType": "START", "eventTime": at.isoformat(), **event})
            yield json.dumps({"eventType": "COMPLETE", "eventTime": done.isoformat(),
                              **event, "outputs": [written]})  # fmt: skip


def _impact(graph: Graph, name: str) -> int:
    found = graph.impact(name, limit=LISTED)
    return len(found.datasets) + found.datasets_omitted
