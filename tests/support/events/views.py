"""Outputs that events report as views or as tables, and hypothesis strategies for them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from support.events.builders import NAMESPACE, dataset, renamed

VIEW = {"datasetType": "VIEW"}
_KINDS = [VIEW] * 8 + [{"datasetType": "TABLE"}, {**VIEW, "subType": "MATERIALIZED"}]
_MODES = [None] * 3 + ["create", "create", "overwrite", "rename", "append", "alter", "drop"]


def view(
    name: str,
    mode: str | None = "create",
    rows: int | None = None,
    kind: dict[str, str] | None = None,
    sources: tuple[str, ...] | None = None,
    **facets: Any,
) -> dict[str, Any]:
    """Return an output that a run defined as a view, or as another ``kind``.

    ``sources``: those that its lineage facet names.
    """
    write: dict[str, Any] = {"lineage_write": {"mode": mode}} if mode else {}
    if rows is not None:
        write["outputStatistics"] = {"rowCount": rows}
    if sources is not None:
        inputs = [{"namespace": NAMESPACE, "name": each, "type": "DATASET"} for each in sources]
        facets["lineage"] = {"inputs": inputs}
    return dataset(name, datasetType=kind or VIEW, outputFacets=write, **facets)


def typed_datasets(names: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy for outputs that are mostly views."""
    return st.builds(
        view,
        names,
        st.sampled_from(_MODES),
        st.sampled_from([None] * 8 + [0, 3]),
        st.sampled_from(_KINDS),
        st.none() | st.none() | st.lists(names, max_size=2).map(tuple),
    ) | st.builds(lambda name, previous: view(name, None, **renamed(previous)), names, names)
