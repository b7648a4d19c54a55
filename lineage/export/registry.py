"""Registry of functions that convert kinds of results to rows and diagrams.

A kind that registers a function with ``add_result`` has all formats. Its rows are the edges of the
diagram, unless it registers another function with ``result_rows``. It then also registers the keys
of these rows with ``result_columns``.
"""

from __future__ import annotations

from functools import singledispatch
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.export.diagram import Diagram, DiagramBuilder
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.query.records import Job

Row: TypeAlias = dict[str, Any]

SEEN = ("job", "runs", "first_seen", "last_seen")
OF_EDGES = ("direction", "distance", "source", "target", *SEEN, "state", "run_id",
            "declared", "confidence", "stale")  # fmt: skip


# The modules that register a kind of result.
KINDS = ("column_lineage", "dataset_lineage", "impact", "job_lineage", "job_order",
         "run_lineage", "run_steps", "subgraph")  # fmt: skip


def import_kinds() -> None:
    """Import the modules that register a kind of result."""
    for kind in KINDS:
        import_module(f"lineage.export.{kind}")


def diagram_of(*results: object) -> Diagram:
    """Build one diagram of several results; common nodes and edges occur once."""
    builder = DiagramBuilder()
    for result in results:
        add_result(result, builder)
    return builder.build_diagram()


@singledispatch
def add_result(result: object, builder: DiagramBuilder) -> None:
    """Add a result to a diagram. Raises TypeError if the result is not a graph."""
    raise TypeError(f"{type(result).__name__} is not a graph")


@singledispatch
def result_rows(result: object) -> list[Row]:
    """Return one row for each edge of a result; all rows have the same keys."""
    diagram = diagram_of(result)
    labels = {node.id: node.label for node in diagram.nodes}
    return [
        {"source": labels[edge.source], "target": labels[edge.target], **edge.attributes}
        for edge in diagram.edges
    ]


@singledispatch
def result_columns(result: object) -> tuple[str, ...]:
    """Return the keys of the rows of a result, even if it has no rows."""
    return OF_EDGES


def named_node(builder: DiagramBuilder, entity: Dataset | Job, more: int = 0) -> str:
    """Add a dataset or a job; return its id. ``more``: number of its omitted neighbours."""
    kind = "dataset" if isinstance(entity, Dataset) else "job"
    attributes: dict[str, Any] = {"namespace": entity.namespace, "name": entity.name}
    if more:
        attributes["omitted"] = more
    return builder.add_node((kind, entity.id), entity.full_name, kind, attributes)


def source_node(builder: DiagramBuilder, dataset: Dataset) -> str:
    """Add a dataset without a known writer; its node differs from that of the root."""
    attributes = {"namespace": dataset.namespace, "name": dataset.name}
    key = ("source", dataset.id)
    return builder.add_node(key, f"{dataset.full_name} (source)", "dataset", attributes)


def edge_attributes(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a row except the ends of its edge."""
    return {name: row[name] for name in row if name not in ("source", "target")}
