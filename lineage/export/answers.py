"""From answers to rows and graphs: a function for each kind of answer.

A new kind registers a function with ``add``, and has all formats. Its rows are the edges of the
graph, unless it registers a function with ``rows`` too.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.export.model import Builder, Graph
from lineage.questions.answers import (
    Column,
    ColumnEdge,
    ColumnTrace,
    Dataset,
    Edge,
    Link,
    Moment,
    Run,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

Row: TypeAlias = dict[str, Any]


def graph(*answers: object) -> Graph:
    """Return the graph of answers; what several of them have is there once."""
    builder = Builder()
    for answer in answers:
        add(answer, builder)
    return builder.graph()


@singledispatch
def add(answer: object, builder: Builder) -> None:
    """Add the nodes and edges of an answer to a graph. Raises TypeError where it is no graph."""
    raise TypeError(f"{type(answer).__name__} is no graph")


@singledispatch
def rows(answer: object) -> list[Row]:
    """Return a row for each edge of an answer, with the same keys in each."""
    found = graph(answer)
    labels = {node.id: node.label for node in found.nodes}
    return [
        {"source": labels[edge.source], "target": labels[edge.target], **edge.attributes}
        for edge in found.edges
    ]


def dataset_node(builder: Builder, dataset: Dataset) -> str:
    """Add a dataset, and return its id in the graph."""
    said = {"namespace": dataset.namespace, "name": dataset.name}
    return builder.node(("dataset", dataset.id), dataset.full_name, "dataset", said)


@add.register
def _trace(answer: Trace, builder: Builder) -> None:
    for node in answer.nodes:
        id = dataset_node(builder, node.dataset)
        if not node.distance:
            builder.root(id, f"{answer.direction} of {answer.root.full_name}")
    for row, edge in _nearest_first(answer):
        source, target = dataset_node(builder, edge.source), dataset_node(builder, edge.target)
        said = {name: row[name] for name in row if name not in ("source", "target")}
        builder.edge(source, target, edge.job.name, said, edge.job.id)


@rows.register
def _trace_rows(answer: Trace) -> list[Row]:
    return [row for row, _ in _nearest_first(answer)]


def _nearest_first(answer: Trace) -> list[tuple[Row, Edge]]:
    distance = {node.dataset: node.distance for node in answer.nodes}

    def row(edge: Edge) -> Row:
        ends = {"upstream": [edge.target], "downstream": [edge.source]}
        near = ends.get(answer.direction, [edge.source, edge.target])
        return {
            "direction": answer.direction,
            "distance": min(distance[end] for end in near) + 1,
            "source": edge.source.full_name,
            "target": edge.target.full_name,
            "job": edge.job.full_name,
            "runs": edge.runs,
            "first_seen": edge.first_seen,
            "last_seen": edge.last_seen,
            "state": edge.last_run.state,
            "run_id": edge.last_run.run_id,
        }

    found = [(row(edge), edge) for edge in answer.edges]
    return sorted(found, key=lambda item: [item[0][k] for k in ("distance", "source", "target")])


def column_node(builder: Builder, column: Column) -> str:
    """Add a column, and return its id in the graph; without a name it is all columns."""
    said = {"dataset": column.dataset.full_name, "column": column.name}
    key = ("column", column.dataset.id, column.name)
    return builder.node(key, column.full_name, "column", said)


@add.register
def _column_trace(answer: ColumnTrace, builder: Builder) -> None:
    root = column_node(builder, answer.root)
    builder.root(root, f"{answer.direction} of {answer.root.full_name}")
    for edge, row in zip(answer.edges, rows(answer), strict=True):
        source, target = column_node(builder, edge.source), column_node(builder, edge.target)
        kind = f"{edge.type} {edge.subtype}" if edge.subtype else edge.type
        said = {
            name: row[name] for name in row if not name.startswith(("source", "target"))
        }  # the ends say these
        builder.edge(source, target, f"{kind}, {edge.job.name}", said, (edge.job.id, edge.masking))
    columns = [answer.root, *(end for edge in answer.edges for end in (edge.source, edge.target))]
    _tie_to_datasets(builder, list(dict.fromkeys(columns)))


def _tie_to_datasets(builder: Builder, columns: Sequence[Column]) -> None:
    """Add the steps from a whole dataset to its columns, which the trace goes without an edge."""
    whole = {column.dataset.id: column for column in columns if column.name is None}
    for column in columns:
        if column.name is not None and column.dataset.id in whole:
            source = column_node(builder, whole[column.dataset.id])
            builder.edge(source, column_node(builder, column), "each column", {"type": "COLUMN"})


@rows.register
def _column_rows(answer: ColumnTrace) -> list[Row]:
    def row(edge: ColumnEdge) -> Row:
        return {
            "direction": answer.direction,
            "distance": edge.distance,
            "source": edge.source.dataset.full_name,
            "source_column": edge.source.name,
            "target": edge.target.dataset.full_name,
            "target_column": edge.target.name,
            "type": edge.type,
            "subtype": edge.subtype,
            "masking": edge.masking,
            "job": edge.job.full_name,
            "runs": edge.runs,
            "first_seen": edge.first_seen,
            "last_seen": edge.last_seen,
        }

    return [row(edge) for edge in answer.edges]


@add.register
def _moment(answer: Moment, builder: Builder) -> None:
    """Nodes are runs: a dataset between them would tie each reader to each writer of it.

    Datasets are the root, and what no run is known to have written.
    """
    jobs = {link.writer.run_id: link.job.name for link in answer.links if link.writer and link.job}

    def run_node(run: Run) -> str:
        job = jobs.get(run.run_id)
        said = {"job": job, "state": run.state, "started_at": run.started_at,
                "ended_at": run.ended_at, "error": run.error}  # fmt: skip
        label = f"{job}, run {run.run_id}" if job else f"run {run.run_id}"
        return builder.node(("run", run.run_id), label, "run", said)

    if isinstance(answer.root, Run):
        root, title = run_node(answer.root), f"what run {answer.root.run_id} read"
    else:
        root = dataset_node(builder, answer.root)
        title = f"{answer.root.full_name} at {answer.at}"
    builder.root(root, title)
    for link, row in zip(answer.links, rows(answer), strict=True):
        source = run_node(link.writer) if link.writer else _source_node(builder, link)
        target = run_node(link.reader) if link.reader else root
        version = f" version {link.version}" if link.version else ""
        said = {name: row[name] for name in row if name not in ("reader", "writer")}
        key = (link.dataset.id, link.version)
        builder.edge(source, target, f"{link.dataset.full_name}{version}", said, key)


def _source_node(builder: Builder, link: Link) -> str:
    """A dataset that no run is known to have written; it is another node than that of the root."""
    said = {"namespace": link.dataset.namespace, "name": link.dataset.name}
    key = ("source", link.dataset.id)
    return builder.node(key, f"{link.dataset.full_name} (source)", "dataset", said)


@rows.register
def _moment_rows(answer: Moment) -> list[Row]:
    def row(link: Link) -> Row:
        return {
            "distance": link.distance,
            "reader": link.reader.run_id if link.reader else None,
            "dataset": link.dataset.full_name,
            "version": link.version,
            "writer": link.writer.run_id if link.writer else None,
            "job": link.job.full_name if link.job else None,
            "written": link.written,
            "state": link.writer.state if link.writer else None,
            "link": ("by version" if link.exact else "by time") if link.writer else None,
        }

    return [row(link) for link in answer.links]
