"""The parents of the nodes of a manifest, without cycles."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Json: TypeAlias = dict[str, Any]
# A node and one of its parents, by their unique ids.
ParentEdge: TypeAlias = tuple[str, str]

# The sections whose nodes refer to others in depends_on.
_SECTIONS = (
    "nodes", "exposures", "metrics", "saved_queries", "semantic_models", "unit_tests", "functions",
)  # fmt: skip


def rename_parents(manifest: Json, moved: Mapping[str, str]) -> None:
    """Let the children of sources that became models refer to these."""
    for section in _SECTIONS:
        for node in (manifest.get(section) or {}).values():
            depends_on = node.get("depends_on") or {}
            if "nodes" in depends_on:
                depends_on["nodes"] = [moved.get(each, each) for each in depends_on["nodes"]]
    parent_map = manifest.get("parent_map") or {}
    manifest["parent_map"] = {
        moved.get(unique_id, unique_id): [moved.get(parent, parent) for parent in parents]
        for unique_id, parents in parent_map.items()
    }


def add_parents(manifest: Json, edges: Iterable[ParentEdge]) -> list[ParentEdge]:
    """Add parents to nodes, and set the maps of parents and children.

    Returns the edges that are left out because they close a cycle, which the page of dbt cannot
    draw. The edges of dbt have none.
    """
    nodes, parents = manifest["nodes"], manifest["parent_map"]
    for section in ("nodes", "exposures"):
        for unique_id, node in (manifest.get(section) or {}).items():
            parents[unique_id] = list((node.get("depends_on") or {}).get("nodes") or [])
    for unique_id in manifest["sources"]:
        parents.setdefault(unique_id, [])
    new = {(child, parent) for child, parent in edges if child in nodes and child != parent}
    new -= {(child, parent) for child, listed in parents.items() for parent in listed}
    omitted = _break_cycles(parents, new)
    for child, parent in sorted(new - omitted):
        nodes[child]["depends_on"]["nodes"].append(parent)
        parents[child].append(parent)
    children: dict[str, set[str]] = {unique_id: set() for unique_id in parents}
    for unique_id, listed in parents.items():
        for parent in listed:
            children.setdefault(parent, set()).add(unique_id)
    manifest["child_map"] = {unique_id: sorted(listed) for unique_id, listed in children.items()}
    return sorted(omitted)


def _break_cycles(parents: Mapping[str, Iterable[str]], new: set[ParentEdge]) -> set[ParentEdge]:
    """Return the edges of ``new`` without which the graph of both has no cycle."""
    graph = {child: set(listed) for child, listed in parents.items()}
    for child, parent in sorted(new):
        graph.setdefault(child, set()).add(parent)
    omitted: set[ParentEdge] = set()
    while True:
        # Sets are not ordered, and the cycle that is found first depends on their order.
        sorter = TopologicalSorter({child: sorted(graph[child]) for child in sorted(graph)})
        try:
            sorter.prepare()
        except CycleError as error:
            path = error.args[1]  # each node is a parent of the next
            child, parent = max({(b, a) for a, b in pairwise(path)} & new)
            graph[child].remove(parent)
            omitted.add((child, parent))
        else:
            return omitted
