"""Measure the import and the export of a graph model of N nodes and N edges.

python -m benchmarks.graph_models [--nodes N] [--turns N] [--dsn DSN]

Topics, connectors and tables, in pipelines of four nodes. Each turn imports the graph into an empty
database, as ``lineage graph import`` does, and reads it back. DSN is a maintenance database of a
server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING

from benchmarks.emitter import fresh
from cli.graph_models import write_graph
from lineage.model import EdgeType, LineageEdge, LineageGraph, LineageNode, NodeType
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator

TYPES = (
    NodeType.EXTERNAL_DATASET,
    NodeType.CONNECTOR,
    NodeType.KAFKA_TOPIC,
    NodeType.CATALOG_TABLE,
)
FLOW = (EdgeType.PRODUCES, EdgeType.PRODUCES, EdgeType.MATERIALIZES)
TIME = "2026-05-01T00:00:00Z"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    graph = platform(options.nodes)
    databases = fresh(options.dsn)
    seconds: dict[str, list[float]] = {"import": [], "export": []}
    for _ in range(options.turns):
        with next(databases) as conn:
            start = time.perf_counter()
            write_graph(conn, graph, {})
            imported = time.perf_counter()
            assert Graph.over(conn).model() == graph
            seconds["import"].append(imported - start)
            seconds["export"].append(time.perf_counter() - imported)
    databases.close()  # type: ignore[attr-defined]
    print("| nodes | edges | import, s | nodes a second | export, s |")
    print("|---:|---:|---:|---:|---:|")
    took, read = (statistics.median(each) for each in seconds.values())
    print(
        f"| {graph.node_count:,} | {graph.edge_count:,} | {took:.2f} |"
        f" {graph.node_count / took:,.0f} | {read:.2f} |"
    )


def platform(count: int) -> LineageGraph:
    """Return pipelines of four nodes; the last edge of each leads to the next pipeline."""
    graph = LineageGraph()
    ids = [f"confluent:{TYPES[n % 4].value}:env-1:{n}" for n in range(count)]
    for number, id in enumerate(ids):
        graph.add_node(
            LineageNode(
                node_id=id, system="confluent", node_type=TYPES[number % 4],
                qualified_name=str(number), display_name=str(number), environment_id="env-1",
                attributes={"partition_count": 6, "bytes_in_rate": number / 7, "status": "RUNNING"},
                tags=["source"] if number % 3 else [], first_seen=TIME, last_seen=TIME,  # type: ignore[arg-type]
            )
        )  # fmt: skip
    for edge in edges_of(ids):
        graph.add_edge(edge)
    return graph


def edges_of(ids: list[str]) -> Iterator[LineageEdge]:
    for number, (source, target) in enumerate(zip(ids, [*ids[1:], ids[0]], strict=True)):
        type = FLOW[number % 4] if number % 4 < 3 else EdgeType.TRANSFORMS
        times = {"first_seen": TIME, "last_seen": TIME}
        yield LineageEdge(src_id=source, dst_id=target, edge_type=type, **times)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
