"""The sink that stores items and reports in the database: tables ``record_item``, ``record_node``.

Values of rows are never stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.connection import connect_migrated
from lineage.database.errors import translate_errors
from lineage.database.reconnecting import ReconnectingConnection
from lineage.database.statements import StatementFile
from lineage.records.outcomes import Cardinality
from lineage.records.packing import PackedHop, pack_hops, pack_ids, unpack_hops, unpack_ids
from lineage.records.parts import MAX_CONTRIBUTORS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.records.items import Hop, Item
    from lineage.records.reports import PipelineReport


# One writer at a time numbers the nodes of a run and merges its items.
_LOCK_RUN = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


class NodeOrdinalRow(NamedTuple):
    """A node of a run and its number."""

    ordinal: int
    node: str


class PresentItemRow(NamedTuple):
    """A piece of an item that is stored already."""

    id: str
    hops: bytes
    contributors: bytes | None
    error: str | None


_SQL = StatementFile(__file__)
_ADD_NODES = _SQL.statement("add_nodes", NodeOrdinalRow)
_SELECT_NODES = _SQL.statement("select_node_ordinals", NodeOrdinalRow)
_SELECT_PRESENT = _SQL.statement("select_present_items", PresentItemRow, binary=True)
_WRITE_ITEMS = _SQL.statement("write_items")
_WRITE_COUNTS = _SQL.statement("write_counts")


class GraphSink:
    """Stores items and reports. Pieces of an item are merged: counts of one node are added."""

    def __init__(self, dsn: str | None = None) -> None:
        """Store the DSN: ``dsn``, LINEAGE_DSN or the private server."""
        self._connection = ReconnectingConnection(dsn, connect=connect_migrated)

    def record_items(self, items: Sequence[Item], /) -> None:
        """Store items. Raises DatabaseError, UsageError."""
        by_run: dict[str, list[Item]] = {}
        for item in items:
            by_run.setdefault(item.run_id, []).append(item)
        for run, of_run in by_run.items():
            # Not retried: if only the reply to a commit was lost, its counts would be added twice.
            with translate_errors(), self._connection.open_connection.transaction():
                self._store_items(run, of_run)

    def record_report(self, report: PipelineReport, /) -> None:
        """Store the counts of each node. Raises DatabaseError, UsageError."""
        conn = self._connection.open_connection
        with translate_errors(), conn.transaction():
            nodes = [node.node_id for node in report.nodes]
            self._number_nodes(report.run_id, nodes, report.pipeline_id, report.pipeline_name)
            for node in report.nodes:
                _WRITE_COUNTS.execute(
                    conn, run=report.run_id, node=node.node_id, operator=node.operator,
                    sample=report.sample, rows_in=node.rows_in, rows_out=node.rows_out,
                    **node.outcomes,
                )  # fmt: skip

    def close_sink(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _number_nodes(
        self, run: str, nodes: Sequence[str], pipeline_id: str, pipeline: str | None
    ) -> dict[str, int]:
        """Add the nodes that are missing; return the numbers of all nodes of the run."""
        conn = self._connection.open_connection
        conn.execute(_LOCK_RUN, (f"lineage.record_item:{run}",))
        known = {row.node: row.ordinal for row in _SELECT_NODES.fetch(conn, run=run)}
        missing = [node for node in dict.fromkeys(nodes) if node not in known]
        if missing:
            added = _ADD_NODES.fetch(
                conn, run=run, nodes=missing, after=len(known), pipeline_id=pipeline_id,
                pipeline=pipeline,
            )  # fmt: skip
            known.update({row.node: row.ordinal for row in added})
        return known

    def _store_items(self, run: str, items: Sequence[Item]) -> None:
        conn = self._connection.open_connection
        nodes = [hop.node_id for item in items for hop in item.hops]
        numbers = self._number_nodes(run, nodes, items[0].pipeline_id, items[0].pipeline_name)
        pieces: dict[str, _StoredItem] = {}
        ids = [item.correlation_id for item in items]
        for row in _SELECT_PRESENT.fetch(conn, run=run, ids=ids):
            pieces[str(row.id)] = _StoredItem.of_row(row)
        for item in items:
            pieces.setdefault(item.correlation_id, _StoredItem()).add_item(item, numbers)
        _WRITE_ITEMS.execute(
            conn,
            run=run,
            ids=list(pieces),
            outcomes=[piece.combined_outcome for piece in pieces.values()],
            hops=[pack_hops(piece.hops.values()) for piece in pieces.values()],
            contributors=[pack_ids(piece.contributors) for piece in pieces.values()],
            errors=[piece.error for piece in pieces.values()],
        )


class _StoredItem:
    """An item as it is stored, by the numbers of its nodes."""

    def __init__(self) -> None:
        self.hops: dict[int, PackedHop] = {}
        self.contributors: tuple[str, ...] = ()
        self.error: str | None = None

    @classmethod
    def of_row(cls, row: PresentItemRow) -> _StoredItem:
        stored = cls()
        stored.hops = {hop.node: hop for hop in unpack_hops(row.hops)}
        stored.contributors, stored.error = unpack_ids(row.contributors), row.error
        return stored

    @property
    def combined_outcome(self) -> int:
        combined = 0
        for hop in self.hops.values():
            combined |= hop.outcome
        return combined

    def add_item(self, item: Item, numbers: dict[str, int]) -> None:
        """Merge a piece of the item."""
        for hop in item.hops:
            packed = _pack_hop(hop, numbers[hop.node_id])
            present = self.hops.get(packed.node)
            self.hops[packed.node] = packed if present is None else _merge_hops(present, packed)
            self.error = self.error or hop.error
        ids = dict.fromkeys((*self.contributors, *item.contributors))
        self.contributors = tuple(ids)[:MAX_CONTRIBUTORS]


def _pack_hop(hop: Hop, node: int) -> PackedHop:
    return PackedHop(
        node, int(hop.outcome), int(hop.cardinality), hop.truncated, hop.input_contributor_count,
        hop.output_emission_count, hop.retry_count,
    )  # fmt: skip


def _merge_hops(first: PackedHop, second: PackedHop) -> PackedHop:
    emissions = _add_counts(first.emissions, second.emissions)
    return PackedHop(
        first.node,
        first.outcome | second.outcome,
        int(Cardinality.of_count(emissions)),
        first.truncated or second.truncated,
        _add_counts(first.contributors, second.contributors),
        emissions,
        _add_counts(first.retries, second.retries),
    )


def _add_counts(first: int | None, second: int | None) -> int | None:
    return None if first is None or second is None else first + second
