"""Items and reports from the parts of a capture."""

from __future__ import annotations

import heapq
import uuid
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from lineage.records.items import Hop, Item
from lineage.records.outcomes import Cardinality, Outcome
from lineage.records.parts import MAX_SNAPSHOTS, ItemRecord, Part
from lineage.records.reports import Edge, NodeReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Greater than each pair of hash and id.
NO_LIMIT = (1 << 64, b"")


class Pipeline(NamedTuple):
    """The run whose items are assembled."""

    pipeline_id: str
    name: str | None
    run_id: str


def find_limit(parts: Iterable[Part], cap: int | None) -> tuple[int, bytes]:
    """Return the greatest pair of hash and id among the ``cap`` items with the smallest hashes."""
    if cap is None:
        return NO_LIMIT
    keys = {(each.hash, id) for part in parts for id, each in list(part.items.records.items())}
    return NO_LIMIT if len(keys) <= cap else heapq.nsmallest(cap, keys)[-1] if cap else (-1, b"")


def assemble_items(pipeline: Pipeline, parts: Sequence[Part], cap: int | None) -> list[Item]:
    """Return the items with the smallest hashes, in the order of these."""
    limit = find_limit(parts, cap)
    by_item: dict[tuple[int, bytes], dict[str, ItemRecord]] = {}
    for part in parts:
        for id, record in list(part.items.records.items()):
            if (record.hash, id) <= limit:
                nodes = by_item.setdefault((record.hash, id), {})
                _merge_copy(nodes, part.key.node, record)
    order = node_order(parts)
    snapshots = _collect_snapshots(parts)
    return [
        make_item(
            pipeline, id, sorted(nodes.items(), key=lambda pair: order[pair[0]]),
            {node: snapshots[id, node] for node in nodes if (id, node) in snapshots},
        )
        for (_, id), nodes in sorted(by_item.items())
    ]  # fmt: skip


def _merge_copy(records: dict[str, ItemRecord], node: str, record: ItemRecord) -> None:
    """Merge a record into that of its node; the parts stay as they are."""
    if node in records:
        records[node].merge_from(record)
    else:
        records[node] = ItemRecord.from_tuple(record.to_tuple())


def node_order(parts: Sequence[Part]) -> dict[str, int]:
    """Return the position of each node: by stage, then by the time of its first row."""
    return {node: n for n, node in enumerate(dict.fromkeys(part.key.node for part in parts))}


def _collect_snapshots(
    parts: Sequence[Part],
) -> dict[tuple[bytes, str], tuple[str | None, str | None]]:
    """Return the snapshots by item and node, of at most 64 items."""
    collected = [
        (record.hash, id, part.key.node, record.snapshots)
        for part in parts
        for id, record in list(part.snapshots.records.items())
        if record.snapshots
    ]
    lowest = sorted({(hash, id) for hash, id, _, _ in collected})[:MAX_SNAPSHOTS]
    ids = {id for _, id in lowest}
    return {(id, node): pair for _, id, node, pair in collected if id in ids}


def make_item(
    pipeline: Pipeline,
    id: bytes,
    records: Sequence[tuple[str, ItemRecord]],
    snapshots: dict[str, tuple[str | None, str | None]],
) -> Item:
    """Return the item of these records by node, in the order of its hops."""
    hops = tuple(
        _make_hop(pipeline, node, record, snapshots.get(node, (None, None)))
        for node, record in records
    )
    ids = [
        str(uuid.UUID(bytes=contributor))
        for _, record in records
        for _, contributor in record.contributors
    ]
    return Item(
        correlation_id=str(uuid.UUID(bytes=id)),
        run_id=pipeline.run_id,
        pipeline_id=pipeline.pipeline_id,
        pipeline_name=pipeline.name,
        hops=hops,
        contributors=tuple(dict.fromkeys(ids)),
        data=next((hop.input_snapshot for hop in hops if hop.input_snapshot), None),
    )


def _make_hop(
    pipeline: Pipeline, node: str, record: ItemRecord, snapshots: tuple[str | None, str | None]
) -> Hop:
    return Hop(
        node_id=node,
        outcome=Outcome(record.outcome),
        cardinality=Cardinality.of_count(record.emissions),
        input_contributor_count=record.inputs,
        output_emission_count=record.emissions,
        ancestry_input_indices=tuple(record.indices) if record.indices is not None else None,
        truncated=0 < len(record.contributors) < record.inputs,
        pipeline_id=pipeline.pipeline_id,
        input_snapshot=snapshots[0],
        output_snapshot=snapshots[1],
        pipeline_name=pipeline.name,
        retry_count=record.retries,
        error=record.error,
    )


def report_nodes(parts: Sequence[Part]) -> tuple[NodeReport, ...]:
    """Return the exact counts of each node."""
    return tuple(_report_node(node, [p for p in parts if p.key.node == node])
                 for node in node_order(parts))  # fmt: skip


def _report_node(node: str, parts: Sequence[Part]) -> NodeReport:
    outcomes: Counter[str] = Counter({str(flag.name).lower(): 0 for flag in Outcome})
    for part in parts:
        for flags, rows in list(part.outcomes.items()):
            for name in Outcome(flags).flag_names:
                outcomes[name] += rows
    return NodeReport(
        node_id=node,
        operator=parts[0].operator,
        rows_in=sum(part.input_count for part in parts),
        rows_out=sum(part.emissions for part in parts),
        outcomes=dict(outcomes),
    )


def find_edges(items: Iterable[Item]) -> tuple[Edge, ...]:
    """Return the pairs of nodes that items passed one after the other."""
    pairs = Counter(
        (before.node_id, after.node_id)
        for item in items
        for before, after in zip(item.hops, item.hops[1:], strict=False)
    )
    return tuple(Edge(source=s, target=t, items=n) for (s, t), n in sorted(pairs.items()))


def find_unresolved(items: Sequence[Item]) -> list[Item]:
    """Return the items that left a node with an output and did not reach one after it.

    Nodes that other items passed afterwards are after a node.
    """
    inner = {edge.source for edge in find_edges(items)}
    ended = Outcome.FILTERED_OUT | Outcome.ERROR | Outcome.DEAD_LETTERED
    return [
        item
        for item in items
        if item.hops and item.hops[-1].node_id in inner and not item.hops[-1].outcome & ended
    ]
