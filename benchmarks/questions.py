"""Measure queries on a large graph, compared with AGE, SQL over run edges, and a graph in memory.

python -m benchmarks.questions [--wide N] [--narrow N] [--runs N] [--roots N] [--appends N]
    [--timeout N] [--dsn DSN]

The graph is that of ``benchmarks.bulk``: by default 100,800 datasets, a million runs and 12 million
run edges. It is built twice, first with one run per job. For a small graph, use --wide 1 --narrow 1
--runs 3.
"""

from __future__ import annotations

import argparse
import json
import time
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks import bulk, emitter, from_python
from benchmarks.measured import Measured, measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence


SIZES = """
SELECT (SELECT count(*) FROM lineage.dataset), (SELECT count(*) FROM lineage.job),
       (SELECT count(*) FROM lineage.run), (SELECT count(*) FROM lineage.access),
       (SELECT count(*) FROM lineage.feeds), (SELECT count(*) FROM lineage.derives),
       pg_size_pretty(pg_database_size(current_database()))
"""
DATASETS = """
SELECT id, lineage.full_name(namespace, name) FROM lineage.dataset
WHERE name LIKE %s ORDER BY md5(name) LIMIT %s
"""
FIELDS = """
SELECT f.id FROM lineage.field f JOIN lineage.dataset d ON d.id = f.dataset
WHERE d.name LIKE %s ORDER BY md5(d.name || f.name) LIMIT %s
"""
RUNS = """
SELECT r.id, r.run_id FROM lineage.job j CROSS JOIN LATERAL (
    SELECT run FROM lineage.execution WHERE job = j.id ORDER BY last_seen DESC LIMIT 1) AS e
JOIN lineage.run r ON r.id = e.run WHERE j.name LIKE %s ORDER BY md5(j.name) LIMIT %s
"""

TRACE = "SELECT count(*) - 1 FROM lineage.trace_datasets(%s, 'upstream', %s)"
COLUMNS = "SELECT count(*) - 1 FROM lineage.column_closure(%s, 'upstream')"
PATH = "SELECT coalesce(max(distance), 0) FROM lineage.shortest_path_edges(%s, %s)"
FARTHEST = """
SELECT t.id, %s::bigint FROM lineage.trace_datasets(%s, 'upstream') AS t
ORDER BY t.distance DESC, t.id LIMIT 1
"""
LINKS = "SELECT count(*) FROM lineage.run_dependencies(%s)"
READERS = "SELECT count(*) FROM lineage.run_dependents(%s)"
JOBS = "SELECT count(*) FROM lineage.job_closure_edges(%s, 'upstream', %s)"
FIRST_RUNS = """
SELECT r.id, r.run_id FROM lineage.job j CROSS JOIN LATERAL (
    SELECT run FROM lineage.execution WHERE job = j.id ORDER BY first_seen LIMIT 1) AS e
JOIN lineage.run r ON r.id = e.run WHERE j.name LIKE %s ORDER BY md5(j.name) LIMIT %s
"""
# Two run edges are one step. UNION removes rows that were reached before, so the query terminates.
# With a depth, rows of different steps are distinct.
RUN_EDGES = """
WITH RECURSIVE met (id, step) AS (
    SELECT lineage.to_graphid(%(root)s), 0
    UNION
    SELECT behind.id, CASE WHEN %(depth)s::int IS NULL THEN 0 ELSE met.step + 1 END
    FROM met CROSS JOIN LATERAL (
        SELECT start_id FROM provenance."OUTPUTS" WHERE end_id = met.id
        UNION ALL
        SELECT start_id FROM provenance."INPUT_TO" WHERE end_id = met.id) AS behind (id)
    WHERE %(depth)s::int IS NULL OR met.step < 2 * %(depth)s::int
)
SELECT count(DISTINCT id) - 1 FROM met
WHERE ag_catalog._extract_label_id(id) = ag_catalog._label_id('provenance', 'Dataset')
"""
# The depth of a variable-length pattern is a literal, because AGE supports no parameter there.
PATTERN = """
SELECT found::text::bigint FROM cypher('provenance', $$
    MATCH (t:Dataset {name: $name})<-[:FEEDS%s]-(s:Dataset) RETURN count(DISTINCT s)
$$, %%s) AS (found agtype)
"""
DEPTHS: dict[str, int | None] = {"one hop": 1, "3 hops": 3, "whole closure": None}


class Queries:
    """Queries on one database."""

    def __init__(self, conn: psycopg.Connection[Any], roots: int) -> None:
        self.conn = conn
        # the last layer, with its whole domain upstream
        self.datasets = conn.execute(DATASETS, ("wide%/l19/%", roots)).fetchall()
        self.narrow = conn.execute(FIELDS, ("wide%/l19/%", roots)).fetchall()
        # each with one of the datasets farthest upstream
        self.pairs = [pair for id, _ in self.datasets for pair in conn.execute(FARTHEST, (id, id))]
        self.runs = conn.execute(RUNS, ("narrow%/l19/%", roots)).fetchall()
        self.first_runs = conn.execute(FIRST_RUNS, ("narrow%/l00/%", roots)).fetchall()

    def number(self, statement: str, params: Any) -> int:
        return int(self.conn.execute(statement, params).fetchall()[0][0])

    def in_the_server(self) -> Iterator[tuple[str, Measured]]:
        """Yield each query by its SQL function, with its measurement."""
        for what, depth in DEPTHS.items():
            yield what, self._measured(TRACE, (depth,), self.datasets)
        yield (
            "whole closure of a column",
            measured(self.conn, lambda root: self.number(COLUMNS, root), self.narrow),
        )
        yield (
            "shortest way, 20 steps",
            measured(self.conn, lambda pair: self.number(PATH, pair), self.pairs),
        )
        yield "run provenance, 20 generations", self._measured(LINKS, (), self.runs)
        yield "who read it, 20 generations", self._measured(READERS, (), self.first_runs)
        yield "jobs, two steps", self._measured(JOBS, (2,), self.datasets)
        yield "jobs, whole closure", self._measured(JOBS, (None,), self.datasets)

    def _measured(
        self, statement: str, params: tuple[Any, ...], roots: Sequence[tuple[int, str]]
    ) -> Measured:
        """Measure a function of each root and ``params``."""
        return measured(self.conn, lambda root: self.number(statement, (root[0], *params)), roots)

    def others(self, seconds: float) -> Iterator[tuple[str, str, Measured | str]]:
        """Yield other implementations: their name, the query, and its measurement or its error."""
        in_memory = InMemory(self.conn)
        self.conn.execute("SELECT set_config('statement_timeout', %s, false)", (f"{seconds:g}s",))
        few = self.datasets[:5]
        for what, depth in DEPTHS.items():
            yield (
                "rustworkx, in memory",
                what,
                measured(self.conn, partial(in_memory.upstream, depth=depth), self.datasets),
            )
            edges = partial(self._over_run_edges, depth=depth)
            yield "recursive query over run edges", what, self._tried(edges, few)
            with self._another_session(seconds) as conn:
                pattern = partial(self._by_pattern, conn, depth=depth)
                yield "AGE, `[:FEEDS*]`", what, self._tried(pattern, few)
        self.conn.execute("RESET statement_timeout")

    def _over_run_edges(self, root: tuple[int, str], depth: int | None) -> int:
        return self.number(RUN_EDGES, {"root": root[0], "depth": depth})

    @contextmanager
    def _another_session(self, seconds: float) -> Iterator[psycopg.Connection[Any]]:
        """Open a new session, because AGE caches the graph in each session.

        After an interrupted query, the cache is incomplete and further patterns match nothing.
        """
        with psycopg.connect(emitter.dsn_of(self.conn), autocommit=True) as conn:
            conn.execute("SELECT set_config('statement_timeout', %s, false)", (f"{seconds:g}s",))
            yield conn

    def _by_pattern(
        self, conn: psycopg.Connection[Any], root: tuple[int, str], depth: int | None
    ) -> int:
        name = root[1].removeprefix(f"{bulk.NAMESPACE}/")
        statement = PATTERN % ("*" if depth is None else f"*1..{depth}")
        return int(conn.execute(statement, (json.dumps({"name": name}),)).fetchall()[0][0])

    def _tried(self, way: Callable[[Any], int], roots: Sequence[Any]) -> Measured | str:
        try:
            return measured(self.conn, way, roots)
        except psycopg.errors.QueryCanceled:
            return "not done in time"
        except psycopg.Error as error:
            return str(error).partition("\n")[0]


class InMemory:
    """The same edges in a graph library, as a bound for queries without a database."""

    def __init__(self, conn: psycopg.Connection[Any]) -> None:
        import rustworkx

        self.rustworkx = rustworkx
        pairs = conn.execute("SELECT DISTINCT target, source FROM lineage.feeds").fetchall()
        self.place: dict[int, int] = {}
        for pair in pairs:
            for id in pair:
                self.place.setdefault(id, len(self.place))
        self.graph = rustworkx.PyDiGraph()
        self.graph.extend_from_edge_list([(self.place[t], self.place[s]) for t, s in pairs])

    def upstream(self, root: tuple[int, str], depth: int | None) -> int:
        start = self.place[root[0]]
        if depth is None:
            return len(self.rustworkx.descendants(self.graph, start))
        met, step = {start}, {start}
        for _ in range(depth):
            step = {far for near in step for far in self.graph.successor_indices(near)} - met
            met |= step
        return len(met) - 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    whole = bulk.Shape()
    parser.add_argument("--wide", type=int, default=whole.wide, help="domains of 2,500 jobs")
    parser.add_argument("--narrow", type=int, default=whole.narrow, help="domains of 160 jobs")
    parser.add_argument("--runs", type=int, default=whole.runs, help="runs of each job")
    parser.add_argument("--roots", type=int, default=50, help="roots of each query")
    parser.add_argument("--appends", type=int, default=325, help="appends to each of four tables")
    parser.add_argument("--timeout", type=float, default=60, help="seconds of other queries")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases, smaller = emitter.fresh(options.dsn), emitter.fresh(options.dsn)
    once = build(next(smaller), options, runs=1)
    queries = build(next(databases), options, runs=options.runs)
    print("\n| question | found | ms | p95 | processor, ms | times one run a job |")
    print("|---|---:|---:|---:|---:|---:|")
    # One after the other on each graph, because the speed of a machine changes in minutes.
    for (what, before), (_, took) in zip(
        once.in_the_server(), queries.in_the_server(), strict=True
    ):
        times = f"{took.servers / before.servers:.2f}"
        cells = f"{took.found:,} | {took.clock:,.2f} | {took.p95:,.2f} | {took.servers:,.2f}"
        print(f"| {what} | {cells} | {times} |", flush=True)
    smaller.close()  # type: ignore[attr-defined]
    roots = from_python.Roots(queries.datasets, queries.pairs, queries.runs, queries.first_runs)
    print_table("from Python", from_python.of_bulk(queries.conn, roots, options.runs))
    print("\n| another way | question | found | ms |\n|---|---|---:|---:|")
    for way, what, other in queries.others(options.timeout):
        cells = other if isinstance(other, str) else f"{other.found:,} | {other.clock:,.2f}"
        print(f"| {way} | {what} | {cells if '|' in cells else f'| {cells}'} |", flush=True)
    print_table("tables only appended to", from_python.of_appends(next(databases), options.appends))
    databases.close()  # type: ignore[attr-defined]


def print_table(title: str, queries: Iterable[tuple[str, Measured]]) -> None:
    """Print a table of queries, each row when its query has been measured."""
    print(f"\n| {title} | found | ms | p95 | processor, ms: the server's | ours |")
    print("|---|---:|---:|---:|---:|---:|")
    for question, took in queries:
        cells = f"{took.found:,} | {took.clock:,.1f} | {took.p95:,.1f}"
        print(f"| {question} | {cells} | {took.servers:,.1f} | {took.ours:,.1f} |", flush=True)


def build(conn: psycopg.Connection[Any], options: argparse.Namespace, runs: int) -> Queries:
    """Build the graph in a new database, and print its size."""
    start = time.perf_counter()
    bulk.load(conn, bulk.Shape(options.wide, options.narrow, runs))
    datasets, jobs, ran, edges, feeds, derives, size = conn.execute(SIZES).fetchall()[0]
    print(
        f"{datasets:,} datasets, {jobs:,} jobs, {ran:,} runs, {edges:,} run edges, {feeds:,} FEEDS,"
        f" {derives:,} DERIVES: {size}, filled in {time.perf_counter() - start:,.0f} s.",
        flush=True,
    )
    return Queries(conn, options.roots)


if __name__ == "__main__":
    main()
