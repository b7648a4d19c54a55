"""The rules by which the tool of the graph model merges reports, as an oracle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.model import LineageNode

if TYPE_CHECKING:
    from lineage.model import LineageEdge, LineageGraph


class ToolRules:
    """The rules of the model in a few lines: dictionaries of reports in the order of their time."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, object]] = {}
        self.edges: dict[tuple[str, str, str], dict[str, object]] = {}

    def add_report(self, report: LineageNode | LineageEdge) -> None:
        """Merge a report, which is newer than those before it."""
        new = report.to_dict()
        if isinstance(report, LineageNode):
            old = self.nodes.get(report.node_id)
            if old is not None:
                new |= {key: old[key] for key in new if new[key] is None}
                new["attributes"] = {**old["attributes"], **new["attributes"]}  # type: ignore[dict-item]
                new["tags"] = {*old["tags"], *new["tags"]}  # type: ignore[misc]
            new["tags"] = set(new["tags"])
            self.nodes[report.node_id] = self._with_times(old, new)
        else:
            key = report.edge_key
            self.edges[key] = self._with_times(self.edges.get(key), new)

    def assert_equal(self, model: LineageGraph) -> None:
        """Fail if the graph differs from the merged reports; tags have no order."""
        nodes = {n.node_id: {**n.to_dict(), "tags": set(n.tags)} for n in model.nodes}
        assert nodes == self.nodes
        assert {e.edge_key: e.to_dict() for e in model.edges} == self.edges

    def _with_times(
        self, old: dict[str, object] | None, new: dict[str, object]
    ) -> dict[str, object]:
        if old is not None:
            new["first_seen"] = min(old["first_seen"], new["first_seen"], key=_padded)
            new["last_seen"] = max(old["last_seen"], new["last_seen"], key=_padded)
        return new


def _padded(time: object) -> str:
    return str(time).rstrip("Z").ljust(26, ".")
