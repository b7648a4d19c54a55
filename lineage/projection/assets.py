"""Nodes and edges of graph models: facts, vertices Asset and their edges.

A batch with nodes or edges is projected under the exclusive lock: an edge is written by the batch
that reports the last of its two nodes and itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import json

from lineage.database.binary_arrays import (
    bigint_array,
    boolean_array,
    define_columns,
    encoded_text_array,
    execute_rows,
    text_array,
    timestamptz_array,
)
from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    import psycopg

    from lineage.events.assets import Assets
    from lineage.events.merge import Batch
    from lineage.projection.rows import Ids, Reassignment

    Connection = psycopg.Connection[Any]

_SQL = StatementFile(__file__)
_MERGE_NODES = _SQL.statement("merge_nodes")
_MERGE_LINKS = _SQL.statement("merge_links")
_WRITE_ASSETS = _SQL.statement("write_assets")
_WRITE_IDENTITIES = _SQL.statement("write_identities")
_WRITE_LINKS = _SQL.statement("write_links", str)

_TIMES = define_columns(revisions=text_array, first=timestamptz_array, last=timestamptz_array)
_NODE = define_columns(
    node_ids=text_array, entities=bigint_array, of_job=boolean_array, **_TIMES,
    texts=encoded_text_array, attributes=encoded_text_array, tags=encoded_text_array,
)  # fmt: skip
_LINK = define_columns(
    sources=text_array, targets=text_array, types=text_array, **_TIMES,
    confidences=text_array, attributes=text_array,
)  # fmt: skip


def apply_assets(conn: Connection, batch: Batch, ids: Ids, moved: Reassignment) -> None:
    """Write the nodes and edges of the batch, and the edges IS of reassigned names."""
    assets = batch.assets
    if not assets and not moved.new:
        return
    _merge_nodes(conn, assets, ids)
    rows = [
        (*key, each.revision, each.first, each.last, each.confidence, each.attributes)
        for key, each in sorted(assets.edges.items())
    ]
    execute_rows(conn, _MERGE_LINKS, _LINK, rows)
    node_ids = sorted(assets.nodes)
    _WRITE_ASSETS.execute(conn, node_ids=node_ids)
    _WRITE_IDENTITIES.execute(conn, node_ids=node_ids, names=sorted(moved.new))
    if assets:
        ends = {end for source, target, _ in assets.edges for end in (source, target)}
        _WRITE_LINKS.execute(conn, node_ids=sorted(ends.union(node_ids)))


def _merge_nodes(conn: Connection, assets: Assets, ids: Ids) -> None:
    rows = []
    for node_id, node in sorted(assets.nodes.items()):
        revision, (of_job, name) = node.entity
        entity = (ids.entities.jobs if of_job else ids.entities.datasets)[name]
        entries = map(json.encode, (node.texts, node.attributes, node.tags))
        rows.append((node_id, entity, of_job, revision, node.first, node.last, *entries))
    execute_rows(conn, _MERGE_NODES, _NODE, rows)
