"""Reference implementation of lineage facets: the sources of the outputs of an event."""

from __future__ import annotations

from typing import Any


def key(thing: Any) -> tuple[str, str]:
    return thing["namespace"], thing["name"]


def with_explicit(event: Any) -> Any:
    """Add the content of the lineage facets to the outputs of a RunEvent or JobEvent.

    ``fed by`` is the set of sources, with ``...`` for all inputs; columns are added as
    columnLineage. Datasets named only in lineage facets become outputs or inputs. Entries of a job
    are complete: an output without one has no sources. ``also fed by`` is the set of sources that
    are no inputs, but named in the columnLineage of an output without a lineage facet.
    """
    if "job" not in event:
        return event
    said: dict[Any, list[Any]] = {}
    of_outputs: dict[Any, list[Any]] = {}
    for d in event["outputs"]:
        if "lineage" in d["facets"]:
            said.setdefault(key(d), []).append(d["facets"]["lineage"])
            of_outputs.setdefault(key(d), []).append(d["facets"]["lineage"])
    facet = event["job"].get("facets", {}).get("lineage", {})
    entries = facet.get("entries", [])
    of_jobs = {job_of(entry, event): entry["inputs"] for entry in entries if entry["type"] == "JOB"}
    for entry in entries:
        if entry["type"] == "DATASET":
            said.setdefault(key(entry), []).append(entry)
    event["related jobs"] = {
        job for target, inputs in of_jobs.items() for i in inputs if i["type"] == "JOB"
        if job_of(i, event) != target for job in (target, job_of(i, event))
    }  # fmt: skip
    renamed, listed = renames(event), len(event["outputs"])
    outputs, inputs = {key(d) for d in event["outputs"]}, {key(d) for d in event["inputs"]}
    event["outputs"] += [{"namespace": k[0], "name": k[1], "facets": {}} for k in said
                         if k not in outputs]  # fmt: skip
    own = of_jobs.get(key(event["job"]), [])
    event["inputs"] += [{"namespace": k[0], "name": k[1], "facets": {}}
                        for k in behind(own, of_jobs, event) - inputs - {...}]  # fmt: skip
    for d in event["outputs"]:
        if (stated := said.get(key(d))) is None:
            if "entries" in facet:
                d["fed by"] = set()
                d["facets"].pop("columnLineage", None)
            elif "columnLineage" in d["facets"]:
                columns = derivations(d["facets"]["columnLineage"])
                d["also fed by"] = {source for (source, _), *_ in columns} - inputs - {key(d)}
            continue
        of_fields = [
            i for each in stated for f in each.get("fields", {}).values() for i in f["inputs"]
        ]
        of_whole = [i for each in stated for i in each.get("inputs", [])]
        d["fed by"] = behind([*of_whole, *of_fields], of_jobs, event) - {...}
        own = of_outputs.get(key(d), [])
        of_output = [i for each in own for i in each.get("inputs", [])]
        is_unspecified = any("inputs" not in each and not each.get("fields") for each in own)
        if ... in behind(of_output, of_jobs, event) or is_unspecified:
            d["fed by"].add(...)
        wide = [{"transformations": [{"type": "INDIRECT"}], **i} for i in of_whole if "field" in i]
        fields: dict[str, Any] = {}
        for each in stated:
            for name, f in each.get("fields", {}).items():
                fields.setdefault(name, {"inputFields": []})["inputFields"] += f["inputs"]
        if fields or wide:
            d["facets"]["columnLineage"] = {"fields": fields, "dataset": wide}
    for d, previous in renamed:
        d["fed by"] = d.get("fed by", {...}) | {previous}
        if listed == 1:
            event["inputs"].append({"namespace": previous[0], "name": previous[1], "facets": {}})
    return event


def renames(event: Any) -> list[tuple[Any, Any]]:
    """Return the renamed outputs of a run with their previous names, unless these are inputs."""
    said = [(d, d["facets"].get("lifecycleStateChange", {})) for d in event["outputs"]]
    previous = [
        (d, key(change["previousIdentifier"])) for d, change in said
        if "run" in event and "previousIdentifier" in change
    ]  # fmt: skip
    inputs = {key(d) for d in event["inputs"]}
    return [(d, name) for d, name in previous if name not in {*inputs, key(d)}]


def job_of(entry: Any, event: Any) -> Any:
    return key(entry if "name" in entry else event["job"])


def behind(inputs: list[Any], of_jobs: dict[Any, list[Any]], event: Any) -> set[Any]:
    """Return the datasets that ``inputs`` resolve to through jobs; ``...`` for the event's job."""
    found, seen, pending = set(), set(), list(inputs)
    while pending:
        each = pending.pop()
        if each["type"] == "DATASET":
            found.add(key(each))
        elif (job := job_of(each, event)) not in seen:
            seen.add(job)
            pending += of_jobs.get(job, [])
            if job == key(event["job"]) and job not in of_jobs:
                found.add(...)
    return found


def derivations(facet: Any) -> list[Any]:
    """Return ((source, source column), target column or None, (type, subtype, masking)) of each."""
    found = []
    parts = [(name, f["inputFields"]) for name, f in facet["fields"].items()]
    for column, inputs in [*parts, (None, facet.get("dataset", []))]:
        for given in inputs:
            for how in given.get("transformations", [{"type": "DIRECT"}]):
                kind = (how["type"], how.get("subtype"), how.get("masking"))
                found.append(((key(given), given["field"]), column, kind))
    return found
