"""Results as objects of networkx and pandas, if these packages are installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.export import columns, graph, rows
from lineage.extras import install_hint

if TYPE_CHECKING:
    from networkx import MultiDiGraph
    from pandas import DataFrame


def to_networkx(result: object) -> MultiDiGraph[str]:
    """Return the graph of a result. Raises UsageError if networkx is not installed."""
    networkx = _import_package("networkx", "to_networkx")
    diagram = graph(result)
    network: MultiDiGraph[str] = networkx.MultiDiGraph(title=diagram.title)
    for node in diagram.nodes:
        attributes = {"label": node.label, "kind": node.kind, "root": node.id in diagram.roots}
        network.add_node(node.id, **attributes, **node.attributes)
    for edge in diagram.edges:
        network.add_edge(edge.source, edge.target, label=edge.label, **edge.attributes)
    return network


def to_pandas(result: object) -> DataFrame:
    """Return the rows of a result. Raises UsageError if pandas is not installed."""
    pandas = _import_package("pandas", "to_pandas")
    frame: DataFrame = pandas.DataFrame(rows(result), columns=list(columns(result)))
    return frame


def _import_package(name: str, method: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f".{method}() needs the package {error.name}.",
            install_hint(name),
        ) from error
