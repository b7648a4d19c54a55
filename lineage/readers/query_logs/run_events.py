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
from lineage.openlineage.written_events import build_event
from lineage.readers.column_facets import column_facets
from lineage.readers.facets import build_facet
from lineage.readers.query_logs.runs import MAX_REASONS, MAX_SQL_LENGTH, News

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.naming import DatasetName
    from lineage.openlineage.written_events import Kind
    from lineage.readers.facets import Facets
    from lineage.readers.query_logs.runs import Output, Run

_encode = msgspec.json.Encoder(order="sorted").encode
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
    types = {"processingType": "BATCH", "integration": "QUERY_LOG", "jobType": "TASK"}
    facets = build_facet("jobType", "job", **types)
    job = {"namespace": run.namespace, "name": run.job, "facets": facets}
    parts = {"job": job, "run": {"runId": run.id, "facets": {}}}
    yield _encode_event(run, run.first, News(), eventType="START", **parts)
    for time, news in sorted(run.news.items()):
        yield _encode_event(run, time, news, eventType="RUNNING", **parts)
    if not run.has_ended or not run.has_outcomes:
        return
    if run.texts:
        facets |= _sql_facet(run)
    state = "OTHER" if run.has_reported_id else "FAIL" if run.has_failed else "COMPLETE"
    parts["run"]["facets"] = _run_facets(run)
    yield _encode_event(run, run.last, News(run.inputs, run.outputs), eventType=state, **parts)


def sorted_outputs(outputs: Mapping[DatasetName, Output]) -> list[tuple[DatasetName, Output]]:
    """Return outputs in the order of their names."""
    return sorted(outputs.items(), key=lambda item: item[0])


def _encode_event(run: Run, time: str, accessed: News, /, **parts: Any) -> bytes:
    parts["inputs"] = list(map(input_dataset, sorted(accessed.inputs)))
    parts["outputs"] = [output_dataset(*item, run) for item in sorted_outputs(accessed.outputs)]
    return encode_event("RunEvent", time, **parts)


def encode_event(kind: Kind, time: str, **parts: Any) -> bytes:
    """Return an event as JSON, with producer and schema."""
    return _encode(build_event(kind, time, READERS_PRODUCER, **parts))


def _sql_facet(run: Run) -> Facets:
    text = ";\n".join(run.texts)
    cut = text if len(text) <= MAX_SQL_LENGTH else f"{text[:MAX_SQL_LENGTH]} …"
    return build_facet("sql", "job", query=cut)


def _run_facets(run: Run) -> Facets:
    facets = build_facet(
        "lineage_queries",
        "run",
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
    return facets | (build_facet("lineage_unresolved", "run", items=items) if items else {})


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
    facets = build_facet("lineage", "dataset", inputs=sources)
    facets |= column_facets(output.columns)
    if output.is_view:
        facets |= build_facet("datasetType", "dataset", datasetType="VIEW")
    if output.mode in _LIFECYCLES:
        facets |= build_facet(
            "lifecycleStateChange", "dataset", lifecycleStateChange=_LIFECYCLES[output.mode]
        )
    dataset = {"namespace": name.namespace, "name": name.name, "facets": facets}
    if output.mode:
        dataset["outputFacets"] = build_facet("lineage_write", "output", mode=output.mode)
    return dataset
