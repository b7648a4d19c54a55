"""Answers as objects of networkx and pandas, where these are installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.export import columns, graph, rows
from lineage.extras import install_hint

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame


def to_networkx(answer: object) -> MultiDiGraph[str]:
    """Return the graph of an answer. Raises UsageError where networkx is not installed."""
    networkx = _import_package("networkx", "to_networkx")
    found = graph(answer)
    made: MultiDiGraph[str] = networkx.MultiDiGraph(title=found.title)
    for node in found.nodes:
        said = {"label": node.label, "kind": node.kind, "root": node.id in found.roots}
        made.add_node(node.id, **said, **node.attributes)
    for edge in found.edges:
        made.add_edge(edge.source, edge.target, label=edge.label, **edge.attributes)
    return made


def to_pandas(answer: object) -> DataFrame:
    """Return the rows of an answer. Raises UsageError where pandas is not installed."""
    pandas = _import_package("pandas", "to_pandas")
    frame: DataFrame = pandas.DataFrame(rows(answer), columns=list(columns(answer)))
    return frame


def _import_package(name: str, asked: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f".{asked}() needs the package {error.name}.",
            install_hint(name),
        ) from error
