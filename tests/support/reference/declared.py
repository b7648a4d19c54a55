"""Reference implementation of declared edges, computed from the list of events."""

from __future__ import annotations

from typing import Any

from support.reference.lineage_facet import derivations, key

Name = tuple[str, str]


def _design(event: Any) -> tuple[Any, list[Any], list[Any]] | None:
    """Return the owner of the design in ``event``, its pairs (source, target) and its columns.

    A column is (target, (source, column), target column, transformation).
    """
    if "run" in event:
        return None
    if "dataset" in event:
        return _of_dataset(event["dataset"])
    facet = event["job"].get("facets", {}).get("lineage")
    if not event["inputs"] and not event["outputs"] and facet is None:
        return None
    reads = {key(d) for d in event["inputs"]}
    pairs, newest = [], {}
    for d in event["outputs"]:
        by = d.get("fed by", {...})
        by = by | d.get("also fed by", set())
        pairs += [(source, key(d)) for source in (by - {...}) | (reads if ... in by else set())]
        if "columnLineage" in d["facets"]:  # the last one applies if an output is repeated
            newest[key(d)] = d["facets"]["columnLineage"]
    columns = [(name, *each) for name, facet in newest.items() for each in derivations(facet)]
    return ("job", key(event["job"])), pairs, columns


def _of_dataset(d: Any) -> tuple[Any, list[Any], list[Any]] | None:
    facets = d["facets"]
    if not {"lineage", "columnLineage"} & set(facets):
        return None
    stated = facets.get("lineage", {})
    whole = stated.get("inputs", [])
    of_fields = {name: f["inputs"] for name, f in stated.get("fields", {}).items()}
    wide = [{"transformations": [{"type": "INDIRECT"}], **i} for i in whole if "field" in i]
    said = {"fields": {n: {"inputFields": i} for n, i in of_fields.items()}, "dataset": wide}
    if not of_fields and not wide:
        said = facets.get("columnLineage", {"fields": {}})
    columns = [(key(d), *each) for each in derivations(said)]
    every = [*whole, *(i for inputs in of_fields.values() for i in inputs)]
    sources = {key(i) for i in every if i["type"] == "DATASET"}
    of_job = any(i["type"] == "JOB" for i in every)
    if "inputs" not in stated or of_job:  # the columns then name the sources
        sources |= {source[0] for _, source, *_ in columns}
    return ("dataset", key(d)), [(source, key(d)) for source in sources], columns


def names(event: Any) -> set[Name]:
    """Return the datasets named in the design of an event."""
    _, pairs, columns = _design(event) or (None, [], [])
    return {name for pair in pairs for name in pair} | {source[0] for _, source, *_ in columns}


def columns_of(event: Any) -> list[Any]:
    """Return the columns in the design of an event."""
    design = _design(event)
    return design[2] if design else []


def steps_with_columns(
    said: list[tuple[str, Any]], canonical: dict[Any, Any]
) -> set[tuple[Any, Any, Any]]:
    """Return the (source, target, job) of the newest designs that report columns of the target."""
    newest: dict[Any, Any] = {}
    for _, event in said:
        if (design := _design(event)) is not None:
            kind, holder = design[0]
            newest[kind, holder if kind == "job" else canonical[holder]] = design
    return {
        (canonical[source], canonical[target], holder if kind == "job" else None)
        for (kind, holder), (_, pairs, columns) in newest.items()
        for source, target in pairs
        if canonical[target] in {canonical[each[0]] for each in columns}
    }


def design_accesses(
    said: list[tuple[str, Any]], canonical: dict[Any, Any]
) -> set[tuple[Any, Any, bool]]:
    """Return (dataset, job, output) of the inputs and outputs in the newest designs of jobs."""
    newest: dict[Any, Any] = {}
    for _, event in said:
        if "job" in event and _design(event) is not None:
            newest[key(event["job"])] = event
    return {
        (canonical[key(dataset)], job, side == "outputs")
        for job, event in newest.items()
        for side in ("inputs", "outputs")
        for dataset in event[side]
    }


def declared(said: list[tuple[str, Any]], canonical: dict[Any, Any]) -> list[Any]:
    """Return the pairs and columns of the newest designs, with their first and last times.

    A pair is ("pair", source, target, job, first, last). A column has type, subtype and masking
    before its times.
    """
    designs: dict[Any, list[tuple[str, Any, Any]]] = {}
    for time, event in said:
        if (design := _design(event)) is not None:
            kind, holder = design[0]  # all names of a dataset share one design
            owner = kind, holder if kind == "job" else canonical[holder]
            designs.setdefault(owner, []).append((time, design[1], design[2]))
    found = []
    for (kind, holder), stated in designs.items():
        job = holder if kind == "job" else None
        _, pairs, _ = stated[-1]
        for source, target in set(pairs):
            times = [time for time, of, _ in stated if (source, target) in of]
            ends = canonical[source], canonical[target]
            found.append(("pair", *ends, job, times[0], times[-1]))
        for target in {each[0] for each in stated[-1][2]}:
            # The columns of a target are one statement; its times are those of equal statements.
            newest = {_plain(each) for each in stated[-1][2] if each[0] == target}
            times = [
                time for time, _, of in stated
                if {_plain(each) for each in of if each[0] == target} == newest
            ]  # fmt: skip
            for _, (of, column), target_column, how in newest:
                ends = (
                    (*canonical[of], column),
                    ((*canonical[target], target_column) if target_column else canonical[target]),
                )
                found.append(("column", *ends, job, *how, times[0], times[-1]))
    return found


def _plain(each: Any) -> Any:
    target, source, column, (type, subtype, masking) = each
    return target, source, column, (type, subtype or None, masking or None)
