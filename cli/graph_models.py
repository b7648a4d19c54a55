"""``lineage graph``: exchange of graph models of streaming platforms."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lineage.parameters import MAX_DEPTH

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

    from lineage.ingest.writer import Written
    from lineage.model import LineageGraph, LineageNode


@click.group("graph")
def graph_group() -> None:
    """Import, export and check graph models of streaming platforms, in the JSON of LineageBridge.

    \b
    Examples:
      lineage graph import bridge.json --cluster lkc-xyz=kafka://broker:9092
      lineage graph export bridge.json --system confluent
      lineage graph validate
    """


@graph_group.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE..."
)
@click.option(
    "--cluster",
    "clusters",
    multiple=True,
    metavar="ID=SERVERS",
    help="Bootstrap servers of a Kafka cluster: the namespace of its topics in events. May be"
    " repeated.",
)
@options.dsn
@click.pass_context
def import_graph(
    context: click.Context, files: tuple[Path, ...], clusters: tuple[str, ...], dsn: str | None
) -> None:
    """Write the nodes and edges of FILE into the log, as events, and into the graph.

    Nodes and edges that are already stored are merged. Importing a file again adds nothing.
    Nodes that an edge names and FILE does not have are those of the other files, or stored ones.
    Import such a file after them, or together with them. The exit code is 1 if a part of a node or
    an edge is not stored, or if traces do not follow an edge.
    """
    from lineage.database.connection import connect_migrated
    from lineage.model import LineageGraph

    servers = options.parse_pairs(clusters)
    graphs = [(path, LineageGraph.from_json_file(path)) for path in files]
    is_complete = True
    with connect_migrated(dsn) as conn:
        for path, graph in graphs:
            others = [other for _, other in graphs if other is not graph]
            written, omitted = write_graph(conn, graph, servers, others)
            known = f", {written.duplicate_count:,} of them already stored"
            terminal.write_line(
                f"{path}: {count_entities(graph)}, {render.count_of(written.count, 'event')}"
                f"{known if written.duplicate_count else ''}.",
                err=True,
            )
            omitted += [f"key {key}, which the model does not have" for key in graph.unknown_keys]
            omitted += [f"edge of {each}" for each in _edges_of_nothing(graph)]
            for each in sorted(omitted):
                terminal.write_line(f"{path}: left out: {each}", err=True)
            is_complete = is_complete and not omitted
    if not is_complete:
        context.exit(1)


@graph_group.command("export")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--system", "systems", multiple=True, metavar="SYSTEM", help="Only this system.")
@click.option("--type", "types", multiple=True, metavar="TYPE", help="Only nodes of this type.")
@click.option("--env", "environments", multiple=True, metavar="ID", help="Only this environment.")
@click.option(
    "--around", metavar="NAME", help="Only nodes connected with a node, a dataset or a job."
)
@click.option(
    "--depth", type=click.IntRange(0, MAX_DEPTH), metavar="N",
    help="Maximum number of edges to follow from --around, in any direction."
    "  [default: unlimited]",
)  # fmt: skip
@options.dsn
def export_graph(
    file: Path | None,
    systems: tuple[str, ...],
    types: tuple[str, ...],
    environments: tuple[str, ...],
    around: str | None,
    depth: int | None,
    dsn: str | None,
) -> None:
    """Write the stored nodes and edges into FILE, or to stdout, sorted by id.

    Options may be repeated. An edge is written if both of its nodes are. Edges without a node
    are left out, because other programs cannot read them.
    """
    from lineage.query.assets import ModelFilter, read_model
    from lineage.query.session import Session

    with Session(dsn) as session:
        stored = read_model(session, ModelFilter(systems, types, environments), around, depth)
    graph = stored.select_nodes({node.node_id for node in stored.nodes})
    if dangling := stored.edge_count - graph.edge_count:
        terminal.write_line(
            f"Left out: {render.count_of(dangling, 'edge')} without a node."
            " `lineage graph validate` lists them.",
            err=True,
        )
    if file is None:
        click.echo(json.dumps(graph.to_dict(), indent=2))
        return
    graph.to_json_file(file)
    terminal.write_line(f"{file}: {count_entities(graph)}.", err=True)


@graph_group.command("validate")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@options.dsn
@click.pass_context
def validate_graph(context: click.Context, file: Path | None, dsn: str | None) -> None:
    """List nodes without edges and edges without nodes, in FILE or in the stored graph.

    The exit code is 1 if there are any.
    """
    graph = _read_graph(file, dsn)
    warnings = graph.validate()
    for each in warnings:
        terminal.write_line(each)
    pipelines = render.count_of(graph.pipeline_count, "pipeline")
    count = render.count_of(len(warnings), "warning")
    terminal.write_line(f"{count_entities(graph)}, {pipelines}: {count}.", err=True)
    if warnings:
        context.exit(1)


def write_graph(
    conn: psycopg.Connection[object],
    graph: LineageGraph,
    clusters: dict[str, str],
    beside: Sequence[LineageGraph] = (),
) -> tuple[Written, list[str]]:
    """Write a graph; return the count of its events, and the parts not stored or not traced.

    ``beside``: graphs of the same import, whose nodes its edges may name.
    """
    from lineage.garbage import pause_collection
    from lineage.ingest.writer import EventWriter
    from lineage.model.events import events_of_graph, untraced_edges

    others = _read_other_ends(conn, graph, beside)
    omitted = [
        f"edge of {edge.src_id} to {edge.dst_id}, from traces: the file does not have both nodes"
        for edge in (untraced_edges(graph, others) if graph.node_count else ())
    ]
    with pause_collection(), EventWriter(conn) as writer:
        events = events_of_graph(graph, clusters, others)
        for node, event in zip(graph.nodes, events, strict=True):
            parts = writer.emit(
                json.dumps(event, ensure_ascii=False).encode(errors="surrogatepass")
            )
            omitted += [f"{node.node_id}: {part}" for part in parts]
    return writer.written, omitted


def _read_other_ends(
    conn: psycopg.Connection[object], graph: LineageGraph, beside: Sequence[LineageGraph]
) -> dict[str, LineageNode]:
    """Return the nodes that edges name and the graph does not have: of ``beside``, else stored."""
    from lineage.query.assets import read_model
    from lineage.query.session import Session

    own = {node.node_id for node in graph.nodes}
    missing = {id for edge in graph.edges for id in (edge.src_id, edge.dst_id)} - own
    others = {
        node.node_id: node for each in beside for node in each.nodes if node.node_id in missing
    }
    if missing - others.keys():
        stored = read_model(Session.over(conn)).nodes
        others |= {node.node_id: node for node in stored if node.node_id in missing - others.keys()}
    return others


def _edges_of_nothing(graph: LineageGraph) -> list[str]:
    """Return the edges that no event can hold, because the graph has no node."""
    edges = [] if graph.node_count else graph.edges
    return [f"{edge.src_id} to {edge.dst_id}" for edge in edges]


def _read_graph(file: Path | None, dsn: str | None) -> LineageGraph:
    from lineage.model import LineageGraph
    from lineage.query.assets import read_model
    from lineage.query.session import Session

    if file is not None:
        return LineageGraph.from_json_file(file)
    with Session(dsn) as session:
        return read_model(session)


def count_entities(graph: LineageGraph) -> str:
    nodes, edges = (graph.node_count, "node"), (graph.edge_count, "edge")
    return f"{render.count_of(*nodes)}, {render.count_of(*edges)}"
