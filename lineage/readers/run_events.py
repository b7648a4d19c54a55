"""The OpenLineage events of a run of an imported query log.

START at the first statement, RUNNING at each time at which the run first reads or writes a table,
COMPLETE or FAIL at the last statement once the run has ended. Each event of an output has all its
sources so far, because the newest facet of a run wins. More rows of a run that is still open
therefore add events and change none.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.readers.runs import LONGEST_SQL, MOST_REASONS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.naming import DatasetName
    from lineage.readers.runs import Output, Run

# A number instead of the version of the package: a new version must not change all events.
PRODUCER = "urn:lineage-age:readers:1"
_SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_LIFECYCLES = {
    "create": "CREATE",
    "overwrite": "OVERWRITE",
    "drop": "DROP",
    "truncate": "TRUNCATE",
    "rename": "RENAME",
    "alter": "ALTER",
}


def run_events(run: Run) -> Iterator[bytes]:
    """Yield the events of a run as JSON, each a function of the rows up to its time.

    If the log has the id of the run, the job reports its end itself.
    """
    facets: dict[str, Any] = {"jobType": _job_type()}
    job = {"namespace": run.namespace, "name": run.job, "facets": facets}
    yield _encode_event("START", run.first, run.id, job, {}, (), ())
    for time, news in sorted(run.news.items()):
        outputs = [output_dataset(*item, run) for item in sorted_outputs(news.outputs)]
        yield _encode_event("RUNNING", time, run.id, job, {}, sorted(news.inputs), outputs)
    if not run.has_ended or not run.has_outcomes:
        return
    if run.texts:
        facets["sql"] = _sql_facet(run)
    outputs = [output_dataset(*item, run) for item in sorted_outputs(run.outputs)]
    state = "OTHER" if run.is_given else "FAIL" if run.has_failed else "COMPLETE"
    yield _encode_event(state, run.last, run.id, job, _run_facets(run), sorted(run.inputs), outputs)


def sorted_outputs(outputs: Mapping[DatasetName, Output]) -> list[tuple[DatasetName, Output]]:
    """Return outputs in the order of their names."""
    return sorted(outputs.items(), key=lambda item: item[0])


def _encode_event(
    type: str,
    time: str,
    run_id: str,
    job: dict[str, Any],
    facets: dict[str, Any],
    inputs: Iterable[DatasetName],
    outputs: Iterable[dict[str, Any]],
) -> bytes:
    event = {
        "eventType": type,
        "eventTime": time,
        "run": {"runId": run_id, "facets": facets},
        "job": job,
        "inputs": list(map(input_dataset, inputs)),
        "outputs": list(outputs),
    }
    return encode_event(event, "RunEvent")


def encode_event(event: dict[str, Any], kind: str) -> bytes:
    """Return an event as JSON, with producer and schema. ``kind``: RunEvent, JobEvent …"""
    whole = {**event, "producer": PRODUCER, "schemaURL": _SCHEMA_URL + kind}
    return json.dumps(whole, separators=(",", ":"), sort_keys=True).encode()


def facet(name: str, **content: Any) -> dict[str, Any]:
    """Return a facet with its producer and schema."""
    url = f"urn:lineage-age:facets:1-0-0:{name}"
    return {"_producer": PRODUCER, "_schemaURL": url, **content}


def _job_type() -> dict[str, Any]:
    return facet("JobTypeJobFacet", processingType="BATCH", integration="QUERY_LOG", jobType="TASK")


def _sql_facet(run: Run) -> dict[str, Any]:
    text = ";\n".join(run.texts)
    cut = text if len(text) <= LONGEST_SQL else f"{text[:LONGEST_SQL]} …"
    return facet("SQLJobFacet", query=cut)


def _run_facets(run: Run) -> dict[str, Any]:
    facets = {
        "lineage_queries": facet(
            "QueriesRunFacet",
            statements=run.statements,
            failed=run.failed,
            unread=sum(run.unread.values()),
            shapes=len(run.texts),
            users=sorted(run.users),
            hosts=sorted(run.hosts),
        )
    }
    if run.unread:
        facets["lineage_unresolved"] = facet(
            "UnresolvedRunFacet",
            items=[
                {"operator": "statement", "reason": reason, "detail": f"{count} times"}
                for reason, count in sorted(run.unread.items())[:MOST_REASONS]
            ],
        )
    return facets


def input_dataset(name: DatasetName) -> dict[str, Any]:
    """Return an input of an event."""
    return {"namespace": name.namespace, "name": name.name}


def output_dataset(name: DatasetName, output: Output, run: Run | None = None) -> dict[str, Any]:
    """Return an output of an event, with its sources as facets.

    Rows that a client wrote may be of any rows that it read before: of those, if the log shows all
    that the run did; else of all inputs of the run.
    """
    sources: list[dict[str, Any]] = [
        {**input_dataset(source), "type": "DATASET"} for source in sorted(output.sources)
    ]
    if output.from_memory and (run is None or run.is_given):
        sources.append({"type": "JOB"})
    facets: dict[str, Any] = {"lineage": facet("LineageDatasetFacet", inputs=sources)}
    if output.columns:
        facets["columnLineage"] = facet("ColumnLineageDatasetFacet", **output.columns)
    if output.mode in _LIFECYCLES:
        facets["lifecycleStateChange"] = facet(
            "LifecycleStateChangeDatasetFacet", lifecycleStateChange=_LIFECYCLES[output.mode]
        )
    dataset = {"namespace": name.namespace, "name": name.name, "facets": facets}
    if output.mode:
        dataset["outputFacets"] = {
            "lineage_write": facet("WriteOutputDatasetFacet", mode=output.mode)
        }
    return dataset
