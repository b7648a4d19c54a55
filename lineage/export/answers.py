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
    Job,
    JobEdge,
    JobTrace,
    Link,
    Moment,
    Run,
    Trace,
    Way,
)
from lineage.questions.impact import Impact
from lineage.questions.paths import Paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.export.model import Value

Row: TypeAlias = dict[str, Any]

_SEEN = ("job", "runs", "first_seen", "last_seen")
_OF_EDGES = ("direction", "distance", "source", "target", *_SEEN, "state", "run_id")
_OF_TRACES = (*_OF_EDGES, "stale", "hidden", "more", "left_out")
_OF_COLUMNS = ("direction", "distance", "source", "source_column", "target", "target_column",
               "type", "subtype", "masking", *_SEEN)  # fmt: skip
_OF_JOBS = ("direction", "distance", "source", "target", "dataset", "written", "read", "stale",
            "hidden", "more", "left_out")  # fmt: skip
_OF_READS = (
    "direction",
    "distance",
    "reader",
    "dataset",
    "version",
    "writer",
    "job",
    "written",
    "state",
    "link",
)


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


def columns(answer: object) -> tuple[str, ...]:
    """Return the keys of the rows of an answer, also where there is none."""
    if isinstance(answer, Moment):
        return _OF_READS
    if isinstance(answer, Trace):
        return _OF_TRACES
    if isinstance(answer, JobTrace):
        return _OF_JOBS
    if isinstance(answer, ColumnTrace) or (
        isinstance(answer, Impact) and isinstance(answer.root, Column)
    ):
        return _OF_COLUMNS
    return _OF_EDGES


def dataset_node(builder: Builder, dataset: Dataset, more: int = 0) -> str:
    """Add a dataset, and return its id in the graph; ``more`` are left out right behind it."""
    said: dict[str, Any] = {"namespace": dataset.namespace, "name": dataset.name}
    if more:
        said["left_out"] = more
    return builder.node(("dataset", dataset.id), dataset.full_name, "dataset", said)


@add.register
def _trace(answer: Trace, builder: Builder) -> None:
    for node in answer.nodes:
        id = dataset_node(builder, node.dataset, node.more)
        if not node.distance:
            builder.root(id, f"{answer.direction} of {answer.root.full_name}")
    _add_edges(builder, _nearest_first(answer))
    for row, way in _ways(answer):
        ends = [dataset_node(builder, end) for end in (way.near, way.far)]
        source, target = reversed(ends) if answer.direction == "upstream" else ends
        said = {name: row[name] for name in row if name not in ("source", "target")}
        builder.edge(source, target, f"{way.hidden} hidden", said, "way")


@rows.register
def _trace_rows(answer: Trace) -> list[Row]:
    found = [row for row, _ in _nearest_first(answer)] + [row for row, _ in _ways(answer)]
    return sorted(found, key=_row_place)


def _row_place(row: Row) -> tuple[Any, ...]:
    return row["distance"], row["source"], row["target"]


def _ways(answer: Trace) -> list[tuple[Row, Way[Dataset]]]:
    """A row for each way through what filters hide: without a job."""
    nodes = {node.dataset: node for node in answer.nodes}
    found = []
    for way in answer.ways:
        ends = [way.near.full_name, way.far.full_name]
        source, target = reversed(ends) if answer.direction == "upstream" else ends
        row: Row = dict.fromkeys(_OF_TRACES)
        row |= {"direction": answer.direction, "distance": nodes[way.far].distance,
                "source": source, "target": target, "hidden": way.hidden,
                "more": nodes[way.far].more, "left_out": answer.left_out}  # fmt: skip
        found.append((row, way))
    return found


def _nearest_first(answer: Trace) -> list[tuple[Row, Edge]]:
    distance = {node.dataset: node.distance for node in answer.nodes}
    more = {node.dataset: node.more for node in answer.nodes}

    def row(edge: Edge) -> Row:
        ends = {"upstream": [edge.target], "downstream": [edge.source]}
        near = ends.get(answer.direction, [edge.source, edge.target])
        far = edge.target if near[0] == edge.source else edge.source
        said = _row(edge, answer.direction, min(distance[end] for end in near) + 1)
        shown = {"stale": edge.stale, "hidden": 0, "more": more[far], "left_out": answer.left_out}
        return {**said, **shown}

    found = [(row(edge), edge) for edge in answer.edges]
    return sorted(found, key=lambda item: _row_place(item[0]))


def job_node(builder: Builder, job: Job | Dataset, more: int = 0) -> str:
    """Add a job, or the dataset at the root of a trace of jobs, and return its id in the graph."""
    if isinstance(job, Dataset):
        return dataset_node(builder, job, more)
    said: dict[str, Any] = {"namespace": job.namespace, "name": job.name}
    if more:
        said["left_out"] = more
    return builder.node(("job", job.id), job.full_name, "job", said)


@add.register
def _job_trace(answer: JobTrace, builder: Builder) -> None:
    for node in answer.nodes:
        id = job_node(builder, node.job, node.more)
        if not node.distance:
            builder.root(id, f"jobs {answer.direction} of {answer.root.full_name}")
    for row, near, far, label, key in _job_steps(answer):
        ends = [job_node(builder, end) for end in (near, far)]
        source, target = reversed(ends) if answer.direction == "upstream" else ends
        said = {name: row[name] for name in row if name not in ("source", "target")}
        builder.edge(source, target, label, said, key)


@rows.register
def _job_trace_rows(answer: JobTrace) -> list[Row]:
    return [row for row, *_ in _job_steps(answer)]


def _job_steps(answer: JobTrace) -> list[tuple[Row, Job | Dataset, Job | Dataset, str, Any]]:
    """A row for each edge and each way, nearest first, with its ends, its label and a key."""
    upstream = answer.direction == "upstream"
    nodes = {node.job: node for node in answer.nodes}

    def row(near: Job | Dataset, far: Job | Dataset, edge: JobEdge | None, hidden: int) -> Row:
        ends = [None if isinstance(end, Dataset) else end.full_name for end in (near, far)]
        source, target = reversed(ends) if upstream else ends
        step = nodes[near if edge else far].distance + (1 if edge else 0)
        return {"direction": answer.direction, "distance": step, "source": source,
                "target": target, "dataset": edge.dataset.full_name if edge else None,
                "written": edge.written if edge else None, "read": edge.read if edge else None,
                "stale": edge.stale if edge else None, "hidden": hidden,
                "more": nodes[far].more, "left_out": answer.left_out}  # fmt: skip

    found: list[tuple[Row, Job | Dataset, Job | Dataset, str, Any]] = []
    for edge in answer.edges:
        source, target = edge.source or answer.root, edge.target or answer.root
        near, far = (target, source) if upstream else (source, target)
        label = f"{edge.dataset.full_name}{' (stale)' if edge.stale else ''}"
        found.append((row(near, far, edge, 0), near, far, label, edge.dataset.id))
    for way in answer.ways:
        said = row(way.near, way.far, None, way.hidden)
        found.append((said, way.near, way.far, f"{way.hidden} hidden", "way"))
    return sorted(found, key=lambda each: [
        each[0]["distance"], *(each[0][name] or "" for name in ("source", "target", "dataset"))
    ])  # fmt: skip


@add.register
def _paths(answer: Paths, builder: Builder) -> None:
    for dataset in (answer.start, answer.goal):
        builder.root(dataset_node(builder, dataset), f"from {answer.start} to {answer.goal}")
    _add_edges(builder, zip(rows(answer), answer.edges, strict=True))


@rows.register
def _paths_rows(answer: Paths) -> list[Row]:
    """Nearest first; upstream where it is the target that feeds the source."""
    distance = {node.dataset: node.distance for node in answer.nodes}
    direction = "upstream" if answer.reverse else "downstream"
    return [_row(edge, direction, distance[edge.source] + 1) for edge in answer.edges]


def _row(edge: Edge, direction: str, distance: int) -> Row:
    return {"direction": direction, "distance": distance, **edge_row(edge)}


def edge_row(edge: Edge) -> Row:
    """Return the row of an edge between datasets."""
    return {
        "source": edge.source.full_name,
        "target": edge.target.full_name,
        "job": edge.job.full_name,
        "runs": edge.runs,
        "first_seen": edge.first_seen,
        "last_seen": edge.last_seen,
        "state": edge.last_run.state,
        "run_id": edge.last_run.run_id,
    }


def _add_edges(builder: Builder, edges: Iterable[tuple[Row, Edge]]) -> None:
    for row, edge in edges:
        source, target = dataset_node(builder, edge.source), dataset_node(builder, edge.target)
        said = {name: row[name] for name in row if name not in ("source", "target")}
        label = f"{edge.job.name} (stale)" if edge.stale else edge.job.name
        builder.edge(source, target, label, said, edge.job.id)


def column_node(builder: Builder, column: Column) -> str:
    """Add a column, and return its id in the graph; without a name it is all columns."""
    said = {"dataset": column.dataset.full_name, "column": column.name}
    key = ("column", column.dataset.id, column.name)
    return builder.node(key, column.full_name, "column", said)


@add.register
def _column_trace(answer: ColumnTrace, builder: Builder) -> None:
    root = column_node(builder, answer.root)
    builder.root(root, f"{answer.direction} of {answer.root.full_name}")
    _add_column_edges(builder, answer.root, answer.edges, answer.direction)


def _add_column_edges(
    builder: Builder, root: Column, edges: Sequence[ColumnEdge], direction: str
) -> None:
    for edge in edges:
        source, target = column_node(builder, edge.source), column_node(builder, edge.target)
        kind = f"{edge.type} {edge.subtype}" if edge.subtype else edge.type
        row = _column_row(edge, direction)
        said = {name: row[name] for name in row if not name.startswith(("source", "target"))}
        builder.edge(source, target, f"{kind}, {edge.job.name}", said, (edge.job.id, edge.masking))
    columns = [root, *(end for edge in edges for end in (edge.source, edge.target))]
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
    return [_column_row(edge, answer.direction) for edge in answer.edges]


def _column_row(edge: ColumnEdge, direction: str) -> Row:
    return {
        "direction": direction,
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


@add.register
def _impact(answer: Impact, builder: Builder) -> None:
    """Datasets have what is said of their use; a job is on its edges."""
    title = f"impact of {answer.root}"
    if isinstance(answer.root, Column):
        builder.root(column_node(builder, answer.root), title)
        edges = [edge for edge in answer.edges if isinstance(edge, ColumnEdge)]
        _add_column_edges(builder, answer.root, edges, "downstream")
        return
    for each in (answer.itself, *answer.datasets):
        said: dict[str, Value] = {
            "namespace": each.dataset.namespace,
            "name": each.dataset.name,
            "distance": each.distance,
            "owners": ", ".join(each.owners) or None,
            "tags": ", ".join(each.tags) or None,
            "last_written": each.last_written,
            "last_read": each.last_read,
            "writes": each.writes,
            "reads": each.reads,
        }
        key = ("dataset", each.dataset.id)
        id = builder.node(key, each.dataset.full_name, "dataset", said)
        if each is answer.itself:
            builder.root(id, title)
    _add_edges(builder, _of_impact(answer))


@rows.register
def _impact_rows(answer: Impact) -> list[Row]:
    if isinstance(answer.root, Column):
        edges = [edge for edge in answer.edges if isinstance(edge, ColumnEdge)]
        return [_column_row(edge, "downstream") for edge in edges]
    return [row for row, _ in _of_impact(answer)]


def _of_impact(answer: Impact) -> list[tuple[Row, Edge]]:
    distance = {each.dataset: each.distance for each in (answer.itself, *answer.datasets)}
    edges = [edge for edge in answer.edges if isinstance(edge, Edge)]
    return [(_row(edge, "downstream", distance[edge.source] + 1), edge) for edge in edges]


@add.register
def _moment(answer: Moment, builder: Builder) -> None:
    """Nodes are runs: a dataset between them would tie each reader to each writer of it.

    Datasets are the root, and what no run is known to have written.
    """
    downstream = answer.direction == "downstream"
    jobs = {
        run.run_id: link.job.name
        for link in answer.links
        if link.job and (run := link.reader if downstream else link.writer)
    }

    def run_node(run: Run) -> str:
        job = jobs.get(run.run_id)
        said = {"job": job, "state": run.state, "started_at": run.started_at,
                "ended_at": run.ended_at, "error": run.error}  # fmt: skip
        label = f"{job}, run {run.run_id}" if job else f"run {run.run_id}"
        return builder.node(("run", run.run_id), label, "run", said)

    if isinstance(answer.root, Run):
        root = run_node(answer.root)
        asked = f"run {answer.root.run_id}"
        title = f"who read what {asked} wrote" if downstream else f"what {asked} read"
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
        far = link.reader if answer.direction == "downstream" else link.writer
        return {
            "direction": answer.direction,
            "distance": link.distance,
            "reader": link.reader.run_id if link.reader else None,
            "dataset": link.dataset.full_name,
            "version": link.version,
            "writer": link.writer.run_id if link.writer else None,
            "job": link.job.full_name if link.job else None,
            "written": link.written,
            "state": far.state if far else None,
            "link": ("by version" if link.exact else "by time") if link.writer else None,
        }

    return [row(link) for link in answer.links]
