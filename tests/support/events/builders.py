"""Builders of OpenLineage events for tests, and hypothesis strategies for them."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

NAMESPACE = "s3://lake"
JOBS = "etl"


def time(at: int) -> str:
    """Return the timestamp ``at`` seconds after the common start of all tests."""
    return f"2026-01-01T{at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}Z"


def dataset(
    name: str, also: tuple[str, ...] = (), namespace: str = NAMESPACE, **facets: Any
) -> dict[str, Any]:
    """Return a dataset; ``also`` are the aliases in its symlinks facet."""
    access = {key: facets.pop(key) for key in ("inputFacets", "outputFacets") if key in facets}
    if also:
        identifiers = [{"namespace": namespace, "name": alias, "type": "TABLE"} for alias in also]
        facets["symlinks"] = {"identifiers": identifiers}
    return {"namespace": namespace, "name": name, "facets": facets, **access}


def wrote(name: str, mode: str = "overwrite", rows: int | None = None, **facets: Any) -> Any:
    """Return a dataset as reported by a run that wrote it in this mode."""
    written: dict[str, Any] = {"lineage_write": {"mode": mode}}
    if rows is not None:
        written["outputStatistics"] = {"rowCount": rows}
    return dataset(name, outputFacets=written, **facets)


def run_event(
    run: str,
    type: str | None,
    at: int,
    job: str = "job",
    reads: tuple[Any, ...] = (),
    writes: tuple[Any, ...] = (),
    parent: tuple[str, str] | None = None,
    of_job: dict[str, Any] | None = None,
    **facets: Any,
) -> str:
    """Return the JSON of a RunEvent.

    Datasets are names or results of ``dataset``; ``of_job`` are the facets of the job.
    """
    if parent:
        facets["parent"] = {
            "run": {"runId": parent[0]},
            "job": {"namespace": JOBS, "name": parent[1]},
        }
    event = {
        "eventTime": time(at),
        "eventType": type,
        "run": {"runId": run, "facets": facets},
        "job": {"namespace": JOBS, "name": job, **({"facets": of_job} if of_job else {})},
        "inputs": [_dataset(item) for item in reads],
        "outputs": [_dataset(item) for item in writes],
    }
    return json.dumps({key: value for key, value in event.items() if value is not None})


def renamed(previous: str) -> dict[str, Any]:
    """Return the facets of an output of ALTER TABLE … RENAME as openlineage-spark reports it."""
    identifier = {"namespace": NAMESPACE, "name": previous}
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": identifier}
    return {"lifecycleStateChange": change}


def derived(
    *fields: tuple[str, str, str] | tuple[str, str, str, dict[str, Any]],
    whole: tuple[tuple[str, str, str], ...] = (),
) -> dict[str, Any]:
    """Return a columnLineage facet.

    A field is (field, source dataset, source field[, transformation]). ``whole`` are the sources of
    all fields: (source dataset, source field, subtype).
    """
    inputs: dict[str, Any] = {}
    for field, name, source, *how in fields:
        given = inputs.setdefault(field, {"inputFields": []})["inputFields"]
        given.append({"namespace": NAMESPACE, "name": name, "field": source,
                      **({"transformations": how} if how else {})})  # fmt: skip
    facet: dict[str, Any] = {"fields": inputs}
    if whole:
        facet["dataset"] = [
            {"namespace": NAMESPACE, "name": name, "field": source,
             "transformations": [{"type": "INDIRECT", "subtype": subtype}]}
            for name, source, subtype in whole
        ]  # fmt: skip
    return facet


def fed(*inputs: Any, **fields: list[Any]) -> dict[str, Any]:
    """Return the lineage facet of a dataset with its ``inputs`` and those of each field.

    Inputs are names or results of ``source``. A single None means an empty list.
    """
    said: dict[str, Any] = {} if inputs == (None,) else {"inputs": [source(of) for of in inputs]}
    if fields:
        said["fields"] = {
            name: {"inputs": [source(of) for of in each]} for name, each in fields.items()
        }
    return said


def source(of: Any, field: str | None = None, **more: Any) -> dict[str, Any]:
    """Return an input of a lineage facet: a dataset, or for ``...`` the job of the event."""
    if isinstance(of, dict):
        return of
    if of is ...:
        return {"type": "JOB"}
    if isinstance(of, tuple):
        return source(*of)
    named = {"type": "DATASET", "namespace": NAMESPACE, "name": of, **more}
    return {**named, "field": field} if field else named


def entries(
    *of_job: Any, others: dict[str, list[Any]] | None = None, **targets: Any
) -> dict[str, Any]:
    """Return the lineage facet of a job: inputs of the job, of other jobs and of datasets.

    Those of datasets are results of ``fed``.
    """
    said = [
        {"type": "DATASET", "namespace": NAMESPACE, "name": name, **target}
        for name, target in targets.items()
    ]
    if of_job:
        said.append({"type": "JOB", "inputs": [source(of) for of in of_job]})
    for name, inputs in (others or {}).items():
        job = {"type": "JOB", "namespace": JOBS, "name": name}
        said.append({**job, "inputs": [source(of) for of in inputs]})
    return {"entries": said}


def schema(**types: Any) -> dict[str, Any]:
    """Return a schema facet; a type that is a dict contains the fields of a struct."""
    structs = {n: schema(**type) for n, type in types.items() if isinstance(type, dict)}
    fields = [
        {"name": name, "type": "struct" if name in structs else type, **structs.get(name, {})}
        for name, type in types.items()
    ]
    return {"fields": fields}


def dataset_event(at: int, of: dict[str, Any]) -> str:
    """Return the JSON of a DatasetEvent."""
    return json.dumps({"eventTime": time(at), "dataset": of})


def job_event(
    at: int, job: str, reads: tuple[Any, ...] = (), writes: tuple[Any, ...] = (), **facets: Any
) -> str:
    """Return the JSON of a JobEvent."""
    event = {
        "eventTime": time(at),
        "job": {"namespace": JOBS, "name": job, "facets": facets},
        "inputs": [_dataset(item) for item in reads],
        "outputs": [_dataset(item) for item in writes],
    }
    return json.dumps(event)


def _dataset(item: Any) -> dict[str, Any]:
    return dataset(item) if isinstance(item, str) else item


# Few names, so that events share runs and datasets, have equal times and aliases of aliases.
_names = st.sampled_from(["a", "b", "c", "ä/ö", "e"])
_columns = st.sampled_from(["x", "y", "z"])
_transformations = st.sampled_from(
    [
        {"type": "DIRECT", "subtype": "AGGREGATION"},
        {"type": "DIRECT", "subtype": "AGGREGATION", "masking": True},
        {"type": "INDIRECT"},
    ]
)
_facets = st.fixed_dictionaries(
    {},
    optional={
        "version": st.builds(lambda v: {"datasetVersion": v}, st.sampled_from(["1", "2"])),
        "datasetType": st.builds(lambda v: {"datasetType": v}, st.sampled_from(["TABLE", "VIEW"])),
        "tags": st.builds(
            lambda keys: {"tags": [{"key": key, "value": "true"} for key in keys]},
            st.lists(st.sampled_from(["pii", "gold"]), unique=True),
        ),
        "schema": st.builds(
            lambda types: schema(**types),
            st.dictionaries(_columns, st.sampled_from(["int", "text", {"y": "int"}]), max_size=2),
        ),
        "columnLineage": st.builds(
            lambda fields, whole: derived(*fields, whole=tuple(whole)),
            st.lists(
                st.tuples(_columns, _names, _columns)
                | st.tuples(_columns, _names, _columns, _transformations),
                max_size=2,
            ),
            st.lists(st.tuples(_names, _columns, st.sampled_from(["FILTER", "JOIN"])), max_size=1),
        ),
        "lineage": st.builds(
            lambda inputs, fields: fed(*inputs, **fields),
            st.sampled_from([(None,), ("a",), ("b", ...), (), (("c", "x"),), (..., "e")]),
            st.dictionaries(
                _columns, st.lists(st.tuples(_names, _columns), max_size=2), max_size=2
            ),
        ),
        "lifecycleStateChange": st.sampled_from(["OVERWRITE", "ALTER", "DROP", "TRUNCATE"]).map(
            lambda change: {"lifecycleStateChange": change}
        ),
        "outputFacets": st.builds(
            lambda n: {"outputStatistics": {"rowCount": n}}, st.integers(0, 3)
        ),
    },
)


@st.composite
def _datasets(draw: st.DrawFn) -> dict[str, Any]:
    name = draw(_names)
    kind = draw(st.integers(0, 9))
    also = draw(st.lists(_names, max_size=1)) if kind <= 1 else []
    withdrawn = {"symlinks": {"_deleted": True}} if kind == 2 else {}
    return dataset(name, tuple(also), **withdrawn, **draw(_facets))


_times = st.integers(0, 5)
_few = st.lists(_datasets(), max_size=2).map(tuple)
events = st.one_of(
    st.builds(
        run_event,
        st.sampled_from(["r1", "r2", "r3", "not a uuid"]),
        st.sampled_from([None, "START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"]),
        _times,
        st.sampled_from(["j1", "j1", "j2"]),
        _few,
        _few,
        st.sampled_from([None, None, ("r1", "j1"), ("p", "app")]),
        st.sampled_from(
            [
                *[None] * 6,
                {"lineage": entries(a=fed("b"), c=fed(...))},
                {"lineage": entries("b", e=fed(..., x=[("b", "y")]))},
                {"lineage": entries({"type": "JOB", "namespace": JOBS, "name": "upstream"})},
            ]
        ),
    ),
    st.builds(dataset_event, _times, _datasets()),
    st.builds(job_event, _times, st.sampled_from(["j1", "j3"]), _few, _few),
)
