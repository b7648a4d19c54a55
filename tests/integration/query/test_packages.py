"""Results as objects of networkx and pandas."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import networkx
import pytest

from lineage import export
from lineage.errors import UsageError

if TYPE_CHECKING:
    from lineage.query import Graph

LAKE = "s3://lake/"


def test_a_trace_is_a_graph_of_networkx(provenance: Graph) -> None:
    graph = provenance.upstream("gold/dashboard").to_networkx()
    assert networkx.ancestors(graph, f"{LAKE}gold/revenue") == {
        f"{LAKE}{name}" for name in ("raw/orders", "raw/rates", "silver/orders", "silver/rates")
    }
    [said] = graph.get_edge_data(f"{LAKE}silver/orders", f"{LAKE}gold/revenue").values()
    assert (said["label"], said["runs"], said["run_id"]) == ("report", 2, "report-2")
    assert graph.nodes[f"{LAKE}gold/dashboard"]["root"] is True


def test_paths_between_columns_lead_through_whole_datasets(provenance: Graph) -> None:
    graph = provenance.column_lineage("gold/dashboard", "headline").to_networkx()
    ways = networkx.shortest_path(
        graph, f"{LAKE}raw/orders.status", f"{LAKE}gold/dashboard.headline"
    )
    assert [way.removeprefix(LAKE) for way in ways] == [
        "raw/orders.status",
        "silver/orders.*",
        "silver/orders.price",
        "gold/revenue.total",
        "gold/dashboard.headline",
    ]


def test_run_lineage_is_a_graph_of_runs(provenance: Graph) -> None:
    graph = provenance.run_lineage("report-1").to_networkx()
    assert networkx.has_path(graph, f"{LAKE}raw/orders (source)", "run report-1")


def answers(provenance: Graph) -> list[Any]:
    return [
        provenance.upstream("gold/revenue"),
        provenance.dataset_lineage("silver/orders", "both"),
        provenance.column_lineage("gold/revenue", "total"),
        provenance.dataset_lineage_at("gold/revenue", "2026-01-02T00:00:00Z"),
        provenance.job_lineage("gold/revenue"),
        provenance.run_lineage("clean-1", "downstream"),
        provenance.paths("raw/orders", "gold/revenue"),
        provenance.impact("raw/orders"),
        provenance.impact("raw/orders", "price"),
        provenance.upstream("raw/orders"),
    ]


def test_every_answer_is_a_frame_with_a_row_for_each_edge(provenance: Graph) -> None:
    for answer in answers(provenance):
        frame = answer.to_pandas()
        rows = export.rows(answer)
        assert frame.to_dict("records") == rows
        assert list(frame.columns) == list(rows[0] if rows else export.columns(answer))
        assert tuple(frame.columns) == export.columns(answer)


def test_every_answer_has_every_notation(provenance: Graph) -> None:
    for answer in answers(provenance):
        graph = export.graph(answer)
        assert graph.roots <= {node.id for node in graph.nodes}
        assert len(graph.roots) == (2 if "from" in graph.title else 1)
        for form in export.NOTATIONS:
            assert export.text(graph, form)


@pytest.mark.parametrize("package", ["networkx", "pandas"])
def test_a_package_that_is_missing_is_named(
    provenance: Graph, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError, match=rf"pip install '?{package}>="):
        getattr(provenance.upstream("gold/revenue"), f"to_{package}")()
