"""The operations of the read API for rows: saved traces, and recorded items of runs."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lineage.errors import NotFound
from lineage.http.api import parameters as shared
from lineage.http.api.declaration import declare_operation
from lineage.http.encoding import to_json
from lineage.http.parameters import LIMIT, Choice, Integer, Text
from lineage.query.names import resolve_run
from lineage.records.outcomes import Outcome
from lineage.records.stored_items import (
    count_items,
    items_of_run,
    nodes_of_run,
    resolve_recorded_run,
)
from lineage.records.stored_traces import saved_trace, saved_traces

if TYPE_CHECKING:
    from lineage.query import Graph
    from lineage.query.session import Session
    from lineage.records.items import Hop, Item

# Clients that read numbers as floating-point numbers have all smaller integers.
_MAX_EXACT_INTEGER = 1 << 53
_OUTCOMES = tuple(str(flag.name).lower() for flag in Outcome)


def _get_traces(graph: Graph, values: dict[str, Any]) -> Any:
    return to_json(saved_traces(graph.session, values["dataset"], values["limit"]))


def _get_trace(graph: Graph, values: dict[str, Any]) -> Any:
    return _exact_numbers(to_json(saved_trace(graph.session, values["trace"], values["limit"])))


def _exact_numbers(value: Any) -> Any:
    """Return values of JSON with large integers as texts: Spark has numbers of 38 digits."""
    if isinstance(value, dict):
        return {name: _exact_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return list(map(_exact_numbers, value))
    is_large = isinstance(value, int) and abs(value) > _MAX_EXACT_INTEGER
    return str(value) if is_large else value


def _get_items(graph: Graph, values: dict[str, Any]) -> Any:
    session, outcome = graph.session, values["outcome"]
    run_id, is_recorded = _find_run(session, values["run"])
    if not is_recorded:
        return {"run": run_id, "nodes": [], "items": [], "omitted": 0}
    items = items_of_run(session, run_id, outcome, limit=values["limit"])
    return {
        "run": run_id,
        "nodes": to_json(nodes_of_run(session, run_id)),
        "items": list(map(_item_body, items)),
        "omitted": count_items(session, run_id, outcome) - len(items),
    }


def _find_run(session: Session, run: str) -> tuple[str, bool]:
    """Return the id of a run, and whether it has items. Raises NotFound, Ambiguous."""
    with contextlib.suppress(NotFound):
        return resolve_recorded_run(session, run), True
    run_id = resolve_run(session, run)
    with contextlib.suppress(NotFound):
        return resolve_recorded_run(session, run_id), True
    return run_id, False


def _item_body(item: Item) -> dict[str, Any]:
    return {
        "correlation_id": item.correlation_id,
        "outcome": list(item.outcome.flag_names),
        "hops": list(map(_hop_body, item.hops)),
        "contributors": list(item.contributors),
    }


def _hop_body(hop: Hop) -> dict[str, Any]:
    return {
        "node_id": hop.node_id,
        "outcome": list(hop.outcome.flag_names),
        "cardinality": hop.cardinality.name.lower(),
        "input_contributor_count": hop.input_contributor_count,
        "output_emission_count": hop.output_emission_count,
        "retry_count": hop.retry_count,
        "error": hop.error,
    }


RECORD_OPERATIONS = (
    declare_operation(
        "record-traces",
        "Saved traces of rows of a dataset, newest first",
        _get_traces,
        (Text("dataset", shared.DATASET, required=True), LIMIT),
    ),
    declare_operation(
        "record-trace",
        "A saved trace: how exact it is, counts of contributing rows, and the first of them",
        _get_trace,
        (
            Text("trace", "The id of a saved trace.", required=True),
            Integer("limit", "Maximum number of rows of each source.", 50),
        ),
    ),
    declare_operation(
        "record-items",
        "Recorded items of a run with their hops, and the counts of the nodes that they passed",
        _get_items,
        (
            Text("run", shared.RUN, required=True),
            Choice("outcome", "Only items with this outcome at a node.", words=_OUTCOMES),
            LIMIT,
        ),
    ),
)
