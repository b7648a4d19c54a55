"""Lists of datasets and jobs over HTTP, and their parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.http.encoding import plain
from lineage.http.parameters import Text, Texts

if TYPE_CHECKING:
    from lineage.query import Graph

TEXT = Text("text", "Only those whose name has this in it, in any case.", "")
DATASETS = (
    TEXT,
    Texts("namespace", "Only what is in one of these namespaces."),
    Texts("tag", "Only what has one of these tags, key or key:value."),
)
JOBS = (*DATASETS, Texts("type", "Only jobs of one of these types (jobType)."))


def datasets(graph: Graph, given: dict[str, Any]) -> Any:
    """Return datasets by name."""
    found = graph.datasets(
        given["text"],
        given["limit"],
        namespaces=given.get("namespace", ()),
        tags=given.get("tag", ()),
    )
    return {"datasets": plain(found)}


def jobs(graph: Graph, given: dict[str, Any]) -> Any:
    """Return jobs by name."""
    found = graph.jobs(
        given["text"],
        given["limit"],
        namespaces=given.get("namespace", ()),
        tags=given.get("tag", ()),
        types=given.get("type", ()),
    )
    return {"jobs": plain(found)}


def search(graph: Graph, given: dict[str, Any]) -> Any:
    """Return datasets and jobs by name."""
    return datasets(graph, given) | jobs(graph, given)
