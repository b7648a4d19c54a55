"""The OpenLineage events of a run of an imported query log.

START at the first statement, RUNNING at each time at which the run first reads or writes a table,
COMPLETE or FAIL at the last statement once the run has ended. Each event of an output has all its
sources so far, because the newest facet of a run wins. More rows of a run that is still open
therefore add events and change none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.openlineage.producer import READERS_PRODUCER
from lineage.readers.column_facets import column_facets
from lineage.readers.facets import build_facet
from lineage.readers.query_logs.runs import MAX_REASONS, MAX_SQL_LENGTH, News

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.naming import DatasetName
    from lineage.readers.facets import Facets
    from lineage.readers.query_logs.runs import Output, Run

_encode = msgspec.json.Encoder(order="sorted").encode
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
    facets = log_facet("jobType", processingType="BATCH", integration="QUERY_LOG", jobType="TASK")
    job = {"namespace": run.namespace, "name": run.job, "facets": facets}
    event = {"job": job, "run": {"runId": run.id, "facets": {}}}
    yield _encode_event({**event, "eventType": "START", "eventTime": run.first}, run, News())
    for time, news in sorted(run.news.items()):
        yield _encode_event({**event, "eventType": "RUNNING", "eventTime": time}, run, news)
    if not run.has_ended or not run.has_outcomes:
        return
    if run.texts:
        facets |= _sql_facet(run)
    state = "OTHER" if run.has_reported_id else "FAIL" if run.has_failed else "COMPLETE"
    event["run"]["facets"] = _run_facets(run)
    ended = {**event, "eventType": state, "eventTime": run.last}
    yield _encode_event(ended, run, News(run.inputs, run.outputs))


def sorted_outputs(outputs: Mapping[DatasetName, Output]) -> list[tuple[DatasetName, Output]]:
    """Return outputs in the order of their names."""
    return sorted(outputs.items(), key=lambda item: item[0])


def _encode_event(event: dict[str, Any], run: Run, accessed: News) -> bytes:
    datasets = {
        "inputs": list(map(input_dataset, sorted(accessed.inputs))),
        "outputs": [output_dataset(*item, run) for item in sorted_outputs(accessed.outputs)],
    }
    return encode_event({**event, **datasets}, "RunEvent")


def encode_event(event: dict[str, Any], kind: str) -> bytes:
    """Return an event as JSON, with producer and schema. ``kind``: RunEvent, JobEvent …"""
    whole = {**event, "producer": READERS_PRODUCER, "schemaURL": _SCHEMA_URL + kind}
    return _encode(whole)


def log_facet(facet: str, /, **body: Any) -> Facets:
    """Return the facet of that name, produced by these readers."""
    return build_facet(facet, READERS_PRODUCER, **body)


def _sql_facet(run: Run) -> Facets:
    text = ";\n".join(run.texts)
    cut = text if len(text) <= MAX_SQL_LENGTH else f"{text[:MAX_SQL_LENGTH]} …"
    return log_facet("sql", query=cut)


def _run_facets(run: Run) -> Facets:
    facets = log_facet(
        "lineage_queries",
        statements=run.statements,
        failed=run.failed,
        unresolved=sum(run.reasons.values()),
        shapes=len(run.texts),
        users=sorted(run.users),
        hosts=sorted(run.hosts),
    )
    items = [
        {"operator": "statement", "reason": reason, "detail": f"{count} times"}
        for reason, count in sorted(run.reasons.items())[:MAX_REASONS]
    ]
    return facets | (log_facet("lineage_unresolved", items=items) if items else {})


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
    if output.from_memory and (run is None or run.has_reported_id):
        sources.append({"type": "JOB"})
    facets = log_facet("lineage", inputs=sources)
    facets |= column_facets(output.columns, READERS_PRODUCER)
    if output.is_view:
        facets |= log_facet("datasetType", datasetType="VIEW")
    if output.mode in _LIFECYCLES:
        facets |= log_facet("lifecycleStateChange", lifecycleStateChange=_LIFECYCLES[output.mode])
    dataset = {"namespace": name.namespace, "name": name.name, "facets": facets}
    if output.mode:
        dataset["outputFacets"] = log_facet("lineage_write", mode=output.mode)
    return dataset
