"""Results as OpenLineage events: the reports of runs on which a result is based.

Written into an empty database, they produce the same result. Other backends of OpenLineage accept
them, too. They are condensed: a run has one event for each relevant time, not for each event that
it sent. Times that only archived runs prove are in events of their own.
"""

from __future__ import annotations

from collections import defaultdict
from functools import singledispatch
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from lineage.events.access_facets import OF_THE_RUN, TYPE
from lineage.events.explicit_sources import FACET
from lineage.export.archived_events import events_of_archived_runs
from lineage.export.design_events import design_events
from lineage.export.unfiltered_traces import without_collapsed_paths
from lineage.openlineage.written_events import build_event, complete_facets
from lineage.query import evidence
from lineage.query.impact_records import Impact
from lineage.query.paths import Paths
from lineage.query.records import (
    ColumnEdge,
    ColumnTrace,
    Dataset,
    Edge,
    JobTrace,
    Trace,
)
from lineage.query.run_records import RunLineage
from lineage.query.session import Session
from lineage.query.subgraph import Subgraph

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineage.openlineage.facet_schemas import Holder
    from lineage.openlineage.written_events import Kind
    from lineage.query.evidence import ColumnEdgeKey, DescribedRow, EdgeKey, ReportedMapping

Event: TypeAlias = dict[str, Any]

# Facets of a dataset in a run event that are not among those of an input or an output.
_OF_THE_RUN = (*OF_THE_RUN, TYPE, FACET)
# By lineage_streaming_query, a stream that failed may still contribute to the summaries.
_RUN_FACETS = ("errorMessage", "lineage_streaming_query")
_TERMINAL = ("COMPLETE", "ABORT", "FAIL")


class Concerned(NamedTuple):
    """Ids of runs, and those of the vertices of datasets and edges, that a result is based on."""

    runs: set[str]
    datasets: set[int]
    edges: Iterable[EdgeKey] = ()
    column_edges: Iterable[ColumnEdgeKey] = ()


def events_of_session(session: Session, *results: object) -> Iterator[Event]:
    """Yield the events that the results of ``session`` are based on, as JSON values."""
    results = tuple(without_collapsed_paths(each, session) for each in results)
    concerned = [concerned_by(result, session) for result in results]
    runs = {run for each in concerned for run in each.runs}
    datasets = {dataset for each in concerned for dataset in each.datasets}
    edges = {key for each in concerned for key in each.edges}
    column_edges = {key for each in concerned for key in each.column_edges}
    described = evidence.describe_datasets(session, datasets)
    reported = evidence.read_reported_runs(session, runs, datasets)
    named = {(each[1], each[2]) for run in reported for each in run.accesses}
    written = {(each[1], each[2]) for run in reported for each in run.accesses if each[0]}
    for run in reported:
        yield from _of_run(run, described, written)
    for name, row in described.items():
        if name not in named and row.last_seen:
            yield _dataset_event(row)
    for event in events_of_archived_runs(session, edges, column_edges, _column_lineage):
        yield _event_of_archived_runs(event)
    for event in design_events(session, results, _column_lineage):
        yield _design_event(event)


@singledispatch
def concerned_by(result: object, session: Session) -> Concerned:
    """Return the runs and datasets of a result. Raises TypeError if it is not a graph."""
    raise TypeError(f"{type(result).__name__} is not a graph")


@concerned_by.register
def _concerned_by_trace(result: Trace, session: Session) -> Concerned:
    return _of_edges(result.edges, session, (node.dataset for node in result.nodes))


@concerned_by.register
def _concerned_by_paths(result: Paths, session: Session) -> Concerned:
    return _of_edges(result.edges, session, (result.source, result.target))


@concerned_by.register
def _concerned_by_subgraph(result: Subgraph, session: Session) -> Concerned:
    of_datasets = _of_edges(result.edges, session, (node.dataset for node in result.nodes))
    of_columns = _of_column_edges(result.column_edges, session, ())
    runs = of_datasets.runs | of_columns.runs
    return of_datasets._replace(runs=runs, column_edges=of_columns.column_edges)


@concerned_by.register
def _job_trace(result: JobTrace, session: Session) -> Concerned:
    """Return the runs that prove the accesses of jobs, and their datasets.

    A job passes data on only within a run, so that runs which both read and wrote are included.
    """
    edges = [(edge, edge.dataset) for edge in result.edges if edge.dataset]
    ends = [(edge.source, dataset, True) for edge, dataset in edges]
    ends += [(edge.target, dataset, False) for edge, dataset in edges]
    accesses = ((job.id, d.id, out) for job, d, out in ends if job)
    runs, passing = evidence.runs_of_accesses(session, accesses)
    datasets = {dataset.id for _, dataset in edges}
    datasets |= {end for source, target, _ in passing for end in (source, target)}
    if isinstance(result.root, Dataset):
        return Concerned(runs, datasets | {result.root.id}, passing)
    return Concerned(runs | evidence.last_run_of_job(session, result.root.id), datasets, passing)


@concerned_by.register
def _column_trace(result: ColumnTrace, session: Session) -> Concerned:
    return _of_column_edges(result.edges, session, (result.root.dataset,))


@concerned_by.register
def _concerned_by_impact(result: Impact, session: Session) -> Concerned:
    affected = [each.dataset for each in (result.itself, *result.datasets)]
    if isinstance(result.root, Dataset):
        edges = [edge for edge in result.edges if isinstance(edge, Edge)]
        return _of_edges(edges, session, affected)
    columns = [edge for edge in result.edges if isinstance(edge, ColumnEdge)]
    return _of_column_edges(columns, session, affected)


@concerned_by.register
def _concerned_by_run_lineage(result: RunLineage, session: Session) -> Concerned:
    runs = {run.run_id for edge in result.dependencies for run in (edge.reader, edge.writer) if run}
    datasets = {edge.dataset.id for edge in result.dependencies}
    if result.direction == "downstream":
        # The other writes that these readers saw. Without them, a reader could match a write that
        # had been overwritten.
        runs |= evidence.runs_seen_by(session, runs, datasets)
    # The write mode of a job is determined from the reports of all its runs.
    runs |= evidence.runs_that_add(session, runs, datasets)
    if isinstance(result.root, Dataset):
        return Concerned(runs, datasets | {result.root.id})
    return Concerned(runs | {result.root.run_id}, datasets)


def _of_edges(edges: Sequence[Edge], session: Session, also: Iterable[Dataset]) -> Concerned:
    keys = evidence.keys_of_edges(edges)
    runs = evidence.runs_of_edges(session, keys)
    runs |= {edge.last_run.run_id for edge in edges if edge.last_run}
    ends = {end.id for edge in edges for end in (edge.source, edge.target)}
    return Concerned(runs, ends | {dataset.id for dataset in also}, keys)


def _of_column_edges(
    edges: Sequence[ColumnEdge], session: Session, also: Iterable[Dataset]
) -> Concerned:
    keys = evidence.keys_of_column_edges(edges)
    ends = {end.dataset.id for edge in edges for end in (edge.source, edge.target)}
    datasets = ends | {dataset.id for dataset in also}
    return Concerned(evidence.runs_of_column_edges(session, keys), datasets, column_edges=keys)


def _of_run(
    run: ReportedMapping,
    described: Mapping[tuple[str, str], DescribedRow],
    written: set[tuple[str, str]],
) -> Iterator[Event]:
    """Yield an event for each first and last time of the run and of its accesses."""
    inputs: dict[str, list[Event]] = defaultdict(list)
    outputs: dict[str, list[Event]] = defaultdict(list)
    for output, namespace, name, first, last, facets, columns in run.accesses:
        side = outputs if output else inputs
        # A read before the run began has its time in a facet.
        first = max(first, run.first_seen)
        if first != last:
            side[first].append({"namespace": namespace, "name": name})
        row = described[namespace, name]
        own_facets = {
            "schema": row.schema if output or (namespace, name) not in written else None,
            "columnLineage": _column_lineage(columns) if columns else None,
            "symlinks": _symlinks_facet(row),
        }
        side[last].append(_dataset_object(namespace, name, output, facets, own_facets))
    times = {run.first_seen, run.last_seen, *inputs, *outputs}
    states = _event_states(run, times)
    for time, state in states:
        # Of several events at one time, only the first has the inputs and outputs.
        yield _run_event(run, time, state, inputs.pop(time, []), outputs.pop(time, []))


def _event_states(run: ReportedMapping, times: set[str]) -> list[tuple[str, str | None]]:
    """Return times and eventTypes that together result in the state and the times of the run."""
    states: list[tuple[str, str | None]] = []
    if run.started_at:
        states.append((run.started_at, "START"))
    if run.ended_at and run.state in _TERMINAL:
        states.append((run.ended_at, run.state))
        if run.streamed:  # a stream contributes from RUNNING on, even if it fails later
            states.append((run.first_seen, "RUNNING"))
    elif run.state not in (None, "START"):
        states.append((run.last_seen, run.state))
    # If two jobs used the run id, the other job may have started or ended the run.
    states = [item for item in states if run.first_seen <= item[0] <= run.last_seen]
    known = {time for time, _ in states}
    other = "OTHER" if run.state else None
    return sorted(states + [(time, other) for time in times - known], key=lambda item: item[0])


def _run_event(
    run: ReportedMapping, time: str, state: str | None, inputs: list[Event], outputs: list[Event]
) -> Event:
    run_facets = {name: run.run_facets[name] for name in _RUN_FACETS if name in run.run_facets}
    job_facets = {name: run.job_facets[name] for name in ("jobType",) if name in run.job_facets}
    namespace, name = run.job
    job_facets = _complete_facets(job_facets, "job")
    return build_event(
        "RunEvent",
        time,
        **({"eventType": state} if state else {}),
        run={"runId": run.run_id, "facets": _complete_facets(run_facets, "run")},
        job={"namespace": namespace, "name": name, "facets": job_facets},
        inputs=inputs,
        outputs=outputs,
    )


def _event_of_archived_runs(event: Event) -> Event:
    """Complete an event in place of archived runs with the properties that the spec requires."""
    event["run"]["facets"] = _complete_facets(event["run"]["facets"], "run")
    for output in event["outputs"]:
        output["facets"] = _complete_facets(output["facets"], "dataset")
    return build_event("RunEvent", event.pop("eventTime"), **event)


def _design_event(event: Event) -> Event:
    """Complete an event of a design with the properties that the spec requires."""
    kind: Kind = "JobEvent" if "job" in event else "DatasetEvent"
    datasets = [event["dataset"]] if "dataset" in event else []
    for each in (*datasets, *event.get("inputs", ()), *event.get("outputs", ())):
        each["facets"] = _complete_facets(each["facets"], "dataset")
    if "job" in event:
        event["job"]["facets"] = _complete_facets(event["job"]["facets"], "job")
    return build_event(kind, event.pop("eventTime"), **event)


def _dataset_event(row: DescribedRow) -> Event:
    facets = {"schema": row.schema, "symlinks": _symlinks_facet(row)}
    dataset = _dataset_object(row.namespace, row.name, False, {}, facets)
    return build_event("DatasetEvent", row.last_seen, dataset=dataset)


def _symlinks_facet(row: DescribedRow) -> dict[str, Any] | None:
    """Return the other names of a dataset, so that queries by them have the same result."""
    identifiers = [
        {"namespace": namespace, "name": name, "type": "TABLE"} for namespace, name in row.aliases
    ]
    return {"identifiers": identifiers} if identifiers else None


def _dataset_object(
    namespace: str, name: str, output: bool, access: Mapping[str, Any], facets: Mapping[str, Any]
) -> Event:
    of_dataset = {k: v for k, v in facets.items() if v is not None}
    of_dataset |= {k: v for k, v in access.items() if k in _OF_THE_RUN}
    of_access = {k: v for k, v in access.items() if k not in _OF_THE_RUN}
    side: Holder = "output" if output else "input"
    return {
        "namespace": namespace,
        "name": name,
        **({"facets": _complete_facets(of_dataset, "dataset")} if of_dataset else {}),
        **({f"{side}Facets": _complete_facets(of_access, side)} if of_access else {}),
    }


def _complete_facets(facets: Mapping[str, Any], holder: Holder) -> dict[str, Any]:
    """Complete facets with required properties of the spec that their producer omitted."""
    valid = {name: facet for name, facet in facets.items() if isinstance(facet, dict)}
    return complete_facets(valid, holder)


def _column_lineage(columns: Iterable[list[Any]]) -> dict[str, Any]:
    """Build a columnLineage facet; an entry without a target applies to the whole dataset."""
    inputs: dict[str, dict[tuple[str, str, str], list[dict[str, Any]]]] = defaultdict(dict)
    for namespace, name, field, target, kind, subtype, masking in columns:
        how = {"type": kind, **({"subtype": subtype} if subtype else {})}
        if masking:
            how["masking"] = True
        inputs[target].setdefault((namespace, name, field), []).append(how)
    listed = {
        target: [
            {"namespace": namespace, "name": name, "field": field, "transformations": how}
            for (namespace, name, field), how in sources.items()
        ]
        for target, sources in inputs.items()
    }
    whole = listed.pop("", None)
    fields = {target: {"inputFields": sources} for target, sources in listed.items()}
    return {"fields": fields, **({"dataset": whole} if whole else {})}
