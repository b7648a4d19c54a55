"""Items and node counts that the graph sink has stored."""

from __future__ import annotations

import contextlib
import uuid
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.query.names import resolve_run_id
from lineage.records.items import Hop, Item
from lineage.records.outcomes import Cardinality, Outcome
from lineage.records.packing import unpack_hops, unpack_ids
from lineage.records.reports import NodeReport

if TYPE_CHECKING:
    from lineage.query.session import Session

MAX_RUNS = 10


class StoredItemRow(NamedTuple):
    """An item of ``record_item``."""

    id: Any
    hops: bytes
    contributors: bytes | None
    error: str | None


class StoredNodeRow(NamedTuple):
    """A node of ``record_node``; its counts are null before the report of the run."""

    ordinal: int
    node: str
    operator: str | None
    pipeline_id: Any
    pipeline: str | None
    rows_in: int | None
    rows_out: int | None
    emitted: int | None
    filtered_out: int | None
    joined: int | None
    aggregated: int | None
    retried: int | None
    error: int | None
    dead_lettered: int | None


_SQL = StatementFile(__file__)
_SELECT_RUNS = _SQL.statement("select_runs_of_prefix", str)
_SELECT_NODES = _SQL.statement("select_nodes_of_run", StoredNodeRow)
_SELECT_ITEMS = _SQL.statement("select_items_of_run", StoredItemRow)
_COUNT_ITEMS = _SQL.statement("count_items_of_run", int)


def items_of_run(
    session: Session,
    run: str,
    outcome: Outcome | str | None = None,
    id: str | None = None,
    *,
    limit: int | None = None,
) -> list[Item]:
    """Read the stored items of a run, in the order of their ids.

    ``run``: the run id, or a unique prefix. ``outcome``: only items with one of these flags, or
    with the flag of this name in lower case. ``id``: only the item with this correlation id.
    Raises NotFound if no items of the run are stored, or none has this id; Ambiguous, UsageError.
    """
    run_id = resolve_recorded_run(session, run)
    nodes = {row.ordinal: row for row in session.fetch(_SELECT_NODES, run=run_id)}
    rows = session.fetch(
        _SELECT_ITEMS, run=run_id, outcome=_flags_of(outcome), id=_check_id(id), limit=limit
    )
    if id is not None and not rows:
        raise NotFound(f'Run {run_id} has no stored item "{id}".', "Only sampled items are stored.")
    return [_read_item(run_id, nodes, row) for row in rows]


def count_items(session: Session, run: str, outcome: Outcome | str | None = None) -> int:
    """Count the stored items of a run, or those with one of these flags. Raises as items_of_run."""
    run_id = resolve_recorded_run(session, run)
    return session.fetch_one(_COUNT_ITEMS, run=run_id, outcome=_flags_of(outcome)) or 0


def nodes_of_run(session: Session, run: str) -> list[NodeReport]:
    """Read the counts of the nodes of a run. Raises NotFound, Ambiguous."""
    rows = session.fetch(_SELECT_NODES, run=resolve_recorded_run(session, run))
    return [
        NodeReport(
            node_id=row.node,
            operator=row.operator or "step",
            rows_in=row.rows_in or 0,
            rows_out=row.rows_out or 0,
            outcomes={
                name: getattr(row, name) or 0 for name in (str(f.name).lower() for f in Outcome)
            },
        )
        for row in rows
    ]


def resolve_recorded_run(session: Session, run: str) -> str:
    """Resolve a run id, or a unique prefix of one, to the id of a run with stored items."""
    runs: list[str] = []
    with contextlib.suppress(ValueError):  # no prefix of a UUID
        low, high = (uuid.UUID(_fill_digits(run, digit)) for digit in "0f")
        runs = session.fetch(_SELECT_RUNS, low=low, high=high, limit=MAX_RUNS + 1)
    if len(runs) == 1:
        return runs[0]
    if runs:
        raise Ambiguous(
            f'"{run}" is a prefix of the ids of several runs.', runs, "Use a longer one."
        )
    raise NotFound(
        f"No items of the run {resolve_run_id(session, run)} are stored.",
        'Record them with the sink "graph" of lineage.records.capture().',
    )


def _fill_digits(prefix: str, digit: str) -> str:
    """Return the least or the greatest UUID with a prefix, as 32 hexadecimal digits."""
    digits = prefix.lower().replace("-", "")
    return digits + digit * (32 - len(digits)) if digits else ""


def _flags_of(outcome: Outcome | str | None) -> int | None:
    if outcome is None or isinstance(outcome, Outcome):
        return None if outcome is None else int(outcome)
    names = [str(flag.name).lower() for flag in Outcome]
    if outcome.lower() not in names:
        raise UsageError(f'"{outcome}" is not an outcome.', f"Use one of: {', '.join(names)}.")
    return int(Outcome[outcome.upper()])


def _check_id(id: str | None) -> uuid.UUID | None:
    try:
        return None if id is None else uuid.UUID(id)
    except ValueError:
        raise UsageError(f'The item id "{id}" is not a UUID.', "Give the whole id.") from None


def _read_item(run_id: str, nodes: dict[int, StoredNodeRow], row: StoredItemRow) -> Item:
    packed = unpack_hops(row.hops)
    first = nodes[packed[0].node]
    return Item(
        correlation_id=str(row.id),
        run_id=run_id,
        pipeline_id=str(first.pipeline_id),
        pipeline_name=first.pipeline,
        hops=tuple(
            Hop(
                node_id=nodes[hop.node].node,
                outcome=Outcome(hop.outcome),
                cardinality=Cardinality(hop.cardinality),
                input_contributor_count=hop.contributors,
                output_emission_count=hop.emissions,
                truncated=hop.truncated,
                pipeline_id=str(nodes[hop.node].pipeline_id),
                pipeline_name=nodes[hop.node].pipeline,
                retry_count=hop.retries,
                error=row.error if hop.outcome & Outcome.ERROR else None,
            )
            for hop in packed
        ),
        contributors=unpack_ids(row.contributors),
    )
