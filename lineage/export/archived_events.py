"""First and last times of edges that only archived runs prove, as OpenLineage events."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import NAMESPACE_URL, uuid5

from lineage.export.design_events import column_derivation
from lineage.query import evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.query.evidence import (
        ArchivedBound,
        ArchivedColumnBound,
        ColumnEdgeKey,
        EdgeKey,
    )
    from lineage.query.session import Session

    Event: TypeAlias = dict[str, Any]
    Name: TypeAlias = tuple[str, str]

# Tells readers of the events that the run stands for archived ones.
_TAG = {"key": "archived_runs", "value": "true", "source": "LINEAGE"}


def events_of_archived_runs(
    session: Session,
    edges: Iterable[EdgeKey],
    column_edges: Iterable[ColumnEdgeKey],
    columns: Callable[[list[list[Any]]], dict[str, Any]],
) -> Iterator[Event]:
    """Yield an event for each job, target and time of edges that no run in the graph proves.

    ``columns`` builds a columnLineage facet. The event has one output, so that each of its inputs
    fed it. It has no inputs if it is about columns only.
    """
    sources: dict[tuple[Name, Name, str], set[Name]] = defaultdict(set)
    derived: dict[tuple[Name, Name, str], list[list[Any]]] = defaultdict(list)
    for pair in evidence.archived_bounds(session, edges):
        sources[_group_of(pair)].add((pair.source_namespace, pair.source))
    for row in evidence.archived_column_bounds(session, column_edges):
        derived[_group_of(row)].append(column_derivation(row))
    for group in sorted({*sources, *derived}):
        job, target, time = group
        facets = {"columnLineage": columns(derived[group])} if group in derived else {}
        inputs = [_name_object(name) for name in sorted(sources.get(group, ()))]
        yield _build_event(job, time, inputs, {**_name_object(target), "facets": facets})


def _group_of(row: ArchivedBound | ArchivedColumnBound) -> tuple[Name, Name, str]:
    return (row.job_namespace, row.job), (row.target_namespace, row.target), row.time


def _build_event(job: Name, time: str, inputs: list[Event], output: Event) -> Event:
    """Return the event of a run whose id depends on the content.

    The content differs between results. Equal ids would merge their parts of one output.
    """
    content = json.dumps([*job, time, inputs, output], sort_keys=True)
    run_id = str(uuid5(NAMESPACE_URL, f"urn:lineage-age:archived-runs:{content}"))
    return {
        "eventType": "COMPLETE",
        "eventTime": time,
        "run": {"runId": run_id, "facets": {"tags": {"tags": [_TAG]}}},
        "job": {**_name_object(job), "facets": {}},
        "inputs": inputs,
        "outputs": [output],
    }


def _name_object(name: Name) -> dict[str, Any]:
    namespace, own = name
    return {"namespace": namespace, "name": own}
