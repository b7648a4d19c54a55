"""Parse the lineage facet: explicit lineage between datasets and columns.

The facet of a job is complete: a dataset that it does not name as a target has no sources. Jobs in
it are transitive: if A feeds a job and that job feeds B, A feeds B. In the facet of an output, the
event's own job represents all inputs of the event's run or job.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.openlineage.column_lineage_facet import (
    Derivation,
    is_name,
    merged_derivations,
    read_transformations,
)
from lineage.openlineage.interning import InternedParser
from lineage.openlineage.long_names import read_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.openlineage.column_lineage_facet import ColumnLineage
    from lineage.openlineage.events import Name

    _FacetOfJob: TypeAlias = tuple[Name | None, bytes | None, tuple[tuple[Name, bytes], ...]]

_DATASET_WIDE = ("INDIRECT", "", False)
_OF_A_FIELD = ("DIRECT", "", False)
_TIMES = 5  # Estimated memory of a parsed facet, as a multiple of its text.


@dataclass(frozen=True, slots=True)
class TargetLineage:
    """The sources of one dataset; with ``from_job`` also everything that the event's job reads.

    ``columns`` is None if the facet has no column lineage.
    """

    sources: tuple[Name, ...]
    from_job: bool
    columns: ColumnLineage | None


@dataclass(frozen=True, slots=True)
class ExplicitLineage:
    """The lineage of one event: each target dataset, and additional inputs of its job.

    ``is_complete``: the facet of the job has entries, so that no other dataset has sources.
    ``dependencies``: the upstream and the downstream job of data that no dataset holds.
    """

    targets: dict[Name, TargetLineage]
    reads: tuple[Name, ...]
    is_complete: bool = False
    dependencies: tuple[tuple[Name, Name], ...] = ()


@dataclass(slots=True)
class _Target:
    """A target while facets are parsed.

    ``own_inputs`` are those of the facets of the dataset itself, which an event may list twice.
    ``is_unspecified``: one of these has neither inputs nor fields.
    """

    inputs: list[tuple[str, Any]] = field(default_factory=list)  # path and input, at dataset level
    fields: list[tuple[str, str, Any]] = field(default_factory=list)  # path, target field and input
    own_inputs: list[tuple[str, Any]] = field(default_factory=list)
    has_fields: bool = False
    is_unspecified: bool = False
    unreadable: list[str] = field(default_factory=list)


def explicit_lineage(
    job: Name | None, of_job: bytes | None, of_datasets: tuple[tuple[Name, bytes], ...]
) -> ExplicitLineage:
    """Parse lineage facets: that of ``job``, and those of datasets by name.

    A deleted facet is ignored. Unreadable parts are omitted and reported by their path.
    """
    return _FACETS[job, of_job, of_datasets]


def _read_facet(facet: _FacetOfJob, _path: str) -> ExplicitLineage:
    job, of_job, of_datasets = facet
    targets: dict[Name, _Target] = {}
    jobs: dict[Name | None, list[tuple[str, Any]]] = {}
    for name, text in of_datasets:
        body = _decode_body(text)
        if body is not None:
            target = _add_target(targets, name, body, "")
            target.own_inputs = list(target.inputs)
            target.is_unspecified |= not isinstance(body.get("inputs"), list) and not (
                isinstance(fields := body.get("fields"), dict) and fields
            )
    body = _decode_body(of_job) if of_job else None
    entries = body.get("entries") if body else None
    if isinstance(entries, list):
        _add_entries(targets, jobs, job, entries)
    own = jobs.get(job, [])
    reads, _ = _read_sources(own, job, {key: jobs[key] for key in jobs if key != job})
    return ExplicitLineage(
        {name: _read_target(target, job, jobs) for name, target in targets.items()},
        reads,
        isinstance(entries, list),
        tuple(sorted(_job_dependencies(jobs, job))),
    )


def _job_dependencies(
    jobs: dict[Name | None, list[tuple[str, Any]]], job: Name | None
) -> set[tuple[Name, Name]]:
    """Return the upstream and the downstream job of each entry of a job with inputs of jobs."""
    return {
        (upstream, target)
        for target, inputs in jobs.items()
        for _, each in inputs
        if _is_job(each) and (upstream := _read_job(each, job)) and target and upstream != target
    }


def _facet_size(facet: _FacetOfJob, _lineage: object) -> int:
    _, of_job, of_datasets = facet
    return _TIMES * (len(of_job or b"") + sum(len(text) for _, text in of_datasets))


_FACETS = InternedParser(_read_facet, size_of=_facet_size)  # runs of a job repeat their facets


def _decode_body(text: bytes) -> dict[str, Any] | None:
    body = json.loads(text)
    return body if isinstance(body, dict) and body.get("_deleted") is not True else None


def _add_entries(
    targets: dict[Name, _Target],
    jobs: dict[Name | None, list[tuple[str, Any]]],
    job: Name | None,
    entries: list[Any],
) -> None:
    for number, entry in enumerate(entries):
        path = f"entries[{number}]."
        if not isinstance(entry, dict):
            continue
        if entry.get("type") == "JOB":
            inputs = entry.get("inputs")
            if (target := _read_job(entry, job)) is not None:
                jobs.setdefault(target, []).extend(
                    _number_inputs(inputs, f"{path}inputs") if isinstance(inputs, list) else ()
                )
        elif (name := read_key(entry)) is not None:
            _add_target(targets, name, entry, path)


def _add_target(
    targets: dict[Name, _Target], name: Name, body: dict[str, Any], path: str
) -> _Target:
    target = targets.setdefault(name, _Target())
    inputs, fields = body.get("inputs"), body.get("fields")
    if isinstance(inputs, list):
        target.inputs += _number_inputs(inputs, f"{path}inputs")
    elif inputs is not None:
        target.unreadable.append(f"{path}inputs")
    if fields is not None and not isinstance(fields, dict):
        target.unreadable.append(f"{path}fields")
    target.has_fields = target.has_fields or (isinstance(fields, dict) and bool(fields))
    for column, entry in fields.items() if isinstance(fields, dict) else ():
        of = entry.get("inputs") if isinstance(entry, dict) else None
        place = f"{path}fields.{column[:40]}"
        if isinstance(of, list):
            target.fields += [
                (at, column, each) for at, each in _number_inputs(of, f"{place}.inputs")
            ]
        else:
            target.unreadable.append(place)
    return target


def _number_inputs(inputs: Any, path: str) -> list[tuple[str, Any]]:
    return [(f"{path}[{number}]", each) for number, each in enumerate(inputs)]


def _read_target(
    target: _Target, job: Name | None, jobs: dict[Name | None, list[tuple[str, Any]]]
) -> TargetLineage:
    every = [*target.inputs, *((path, each) for path, _, each in target.fields)]
    sources, _ = _read_sources(every, job, jobs)
    _, from_job = _read_sources(target.own_inputs, job, jobs)
    unreadable = list(target.unreadable)
    for path, each in every:
        if not _is_job(each) and read_key(each) is None:
            unreadable.append(path)
    columns = merged_derivations(_target_derivations(target, unreadable), unreadable)
    has_columns = bool(columns.derivations or columns.unreadable or target.has_fields)
    return TargetLineage(
        sources, from_job or target.is_unspecified, columns if has_columns else None
    )


def _read_sources(
    inputs: list[tuple[str, Any]], job: Name | None, jobs: dict[Name | None, list[tuple[str, Any]]]
) -> tuple[tuple[Name, ...], bool]:
    """Return the datasets upstream of ``inputs``, and whether the event's own job is among them."""
    datasets: dict[Name, None] = {}
    from_job, visited, pending = False, set(), list(inputs)
    while pending:
        _, each = pending.pop(0)
        if not isinstance(each, dict):
            continue
        if not _is_job(each):
            if (name := read_key(each)) is not None:
                datasets[name] = None
            continue
        key = _read_job(each, job)
        if key not in visited and (key is not None or job is None):
            visited.add(key)
            pending += jobs.get(key, ())
            from_job = from_job or (key == job and key not in jobs)
    return tuple(sorted(datasets)), from_job


def _target_derivations(target: _Target, unreadable: list[str]) -> Iterator[Derivation]:
    wide = [(path, "", each) for path, each in target.inputs if isinstance(each, dict)]
    for path, column, each in [*wide, *target.fields]:
        if not isinstance(each, dict) or _is_job(each) or (source := read_key(each)) is None:
            continue
        if each.get("field") is None and not column:
            continue  # a whole dataset feeds a whole dataset
        if not is_name(each.get("field")) or (column and not is_name(column)):
            unreadable.append(f"{path}.field")
            continue
        how = _OF_A_FIELD if column else _DATASET_WIDE
        for type, subtype, masking in read_transformations(each, how, path, unreadable):
            yield Derivation(source, each["field"], column, type, subtype, masking)


def _is_job(body: Any) -> bool:
    return isinstance(body, dict) and body.get("type") == "JOB"


def _read_job(body: dict[str, Any], own: Name | None) -> Name | None:
    """Return the name of a job; that of the event if there is none, and None for a wrong one."""
    is_own = body.get("namespace") is None and body.get("name") is None
    return own if is_own else read_key(body)
