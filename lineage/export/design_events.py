"""Designs of the edges of a result as OpenLineage events, from which they can be restored."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.openlineage.asset_facets import CONFIDENCE
from lineage.query import evidence
from lineage.query.evidence import ColumnDesign, UnpairedAccess
from lineage.query.records import ColumnEdge, Edge, JobEdge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.query.evidence import ArchivedColumnBound, Design
    from lineage.query.session import Session

    Event: TypeAlias = dict[str, Any]
    Name: TypeAlias = tuple[str, str]
    Part: TypeAlias = Design | ColumnDesign | UnpairedAccess

# The holder of a design: a job or, if there is none, the target.
Holder: TypeAlias = "tuple[Name | None, Name | None]"


def design_events(
    session: Session,
    results: Iterable[object],
    columns: Callable[[list[list[Any]]], dict[str, Any]],
) -> Iterator[Event]:
    """Yield events, each with ``eventTime`` and ``job`` or ``dataset``, of the edges of results.

    ``columns`` builds a columnLineage facet. The newest event of a job or a dataset contains its
    whole design. Earlier events preserve the time at which a part of it was first reported.
    """
    lists = ("edges", "column_edges")
    edges = [edge for result in results for each in lists for edge in getattr(result, each, ())]
    pairs = evidence.designs_of_edges(session, (edge for edge in edges if isinstance(edge, Edge)))
    derived = evidence.designs_of_column_edges(
        session, (e for e in edges if isinstance(e, ColumnEdge))
    )
    by_holder: dict[Holder, list[Part]] = defaultdict(list)
    jobs = _designing_jobs(edge for edge in edges if isinstance(edge, JobEdge))
    of_jobs = evidence.designs_of_jobs(session, jobs)
    alone = evidence.unpaired_accesses(session, jobs)
    designs: list[Part] = list(dict.fromkeys((*pairs, *of_jobs, *derived, *alone)))
    for row in designs:
        by_holder[_holder_of(row)].append(row)
    for holder, rows in by_holder.items():
        last = max(row.last_seen for row in rows)
        for time in sorted({row.first_seen for row in rows if row.first_seen < last}):
            some = [row for row in rows if row.first_seen == time]
            yield _build_event(holder, time, some, columns)
        yield _build_event(holder, last, rows, columns)


def _designing_jobs(edges: Iterable[JobEdge]) -> set[int]:
    """Return the jobs at the ends of declared edges, which depend on the whole design of a job."""
    ends = (end for edge in edges if edge.declared for end in (edge.source, edge.target))
    return {job.id for job in ends if job is not None}


def _holder_of(row: Part) -> Holder:
    if row.job is not None and row.job_namespace is not None:
        return (row.job_namespace, row.job), None
    assert not isinstance(row, UnpairedAccess)
    return None, (row.target_namespace, row.target)


def _build_event(
    holder: Holder,
    time: str,
    rows: list[Part],
    columns: Callable[[list[list[Any]]], dict[str, Any]],
) -> Event:
    sources: dict[Name, list[dict[str, str]]] = {}
    derived: dict[Name, list[list[Any]]] = {}
    alone: tuple[list[Name], list[Name]] = ([], [])
    for row in rows:
        if isinstance(row, UnpairedAccess):
            alone[row.output].append((row.namespace, row.name))
            continue
        target = row.target_namespace, row.target
        inputs = sources.setdefault(target, [])
        if isinstance(row, ColumnDesign):
            derived.setdefault(target, []).append(column_derivation(row))
        else:
            inputs.append(
                {"namespace": row.source_namespace, "name": row.source, "type": "DATASET"}
            )
    facets = {target: {"columnLineage": columns(of)} for target, of in derived.items()}
    job, dataset = holder
    inferred = _confidence_facet(rows)
    if dataset is not None:
        facets.setdefault(dataset, {}).update(inferred, lineage={"inputs": sources[dataset]})
        return {"eventTime": time, "dataset": _dataset_object(dataset, facets[dataset])}
    entries = [
        {"namespace": namespace, "name": name, "type": "DATASET", "inputs": inputs}
        for (namespace, name), inputs in sources.items()
    ]
    # Outputs without a source need the facet: else all inputs would feed them.
    entries += [
        {"namespace": namespace, "name": name, "type": "DATASET", "inputs": []}
        for namespace, name in alone[True]
    ]
    explicit = {"lineage": {"entries": entries}} if entries else {}
    return {
        "eventTime": time,
        "job": _dataset_object(job or ("", ""), explicit | inferred),
        "inputs": [_dataset_object(name, {}) for name in alone[False]],
        "outputs": [
            _dataset_object(name, facets.get(name, {})) for name in (*sources, *alone[True])
        ],
    }


def _confidence_facet(rows: list[Part]) -> dict[str, Any]:
    """Return the facet of inferred pairs: their confidence is the least of input and output."""
    sides: tuple[dict[Name, float], dict[Name, float]] = ({}, {})
    for row in rows:
        if isinstance(row, ColumnDesign):
            continue
        if isinstance(row, UnpairedAccess):
            sides[row.output][row.namespace, row.name] = row.confidence
            continue
        names = (row.source_namespace, row.source), (row.target_namespace, row.target)
        for side, name in zip(sides, names, strict=True):
            side[name] = max(side.get(name, 0.0), row.confidence)
    if all(least == 1 for side in sides for least in side.values()):
        return {}
    keys = ("inputs", "outputs")
    return {
        CONFIDENCE: {
            key: [
                {"namespace": namespace, "name": name, "confidence": least}
                for (namespace, name), least in side.items()
                if least < 1
            ]
            for key, side in zip(keys, sides, strict=True)
        }
    }


def column_derivation(row: ColumnDesign | ArchivedColumnBound) -> list[Any]:
    """Return a column mapping entry in the format of the reports of runs."""
    source = [row.source_namespace, row.source, row.source_field]
    return [*source, row.target_field, row.type, row.subtype, row.masking]


def _dataset_object(name: Name, facets: dict[str, Any]) -> dict[str, Any]:
    return {"namespace": name[0], "name": name[1], "facets": facets}
