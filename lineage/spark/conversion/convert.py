"""Conversion of a plan document to OpenLineage run events, which depend on it alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openlineage.client import facet_v2
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import error_message_run

from lineage.openlineage.producer import PRODUCER
from lineage.openlineage.timestamps import of_milliseconds
from lineage.redaction import redact_text
from lineage.spark.conversion import runs
from lineage.spark.conversion.application_outcome import application_outcome
from lineage.spark.conversion.executions import all_plans, resolve_flow
from lineage.spark.conversion.facets import (
    ReadsInputDatasetFacet,
    ReadTimeInputDatasetFacet,
    WriteOutputDatasetFacet,
    dataset_facets,
    input_subset,
    output_facets,
    output_subset,
    plan_facets,
    version_facet,
)
from lineage.spark.conversion.input_reads import count_reads
from lineage.spark.conversion.manifests import manifest_of_input
from lineage.spark.conversion.output_sources import sources_facet
from lineage.spark.conversion.read_times import earlier_read_time, uncertain_times
from lineage.spark.conversion.statistics import read_statistics, write_statistics
from lineage.spark.conversion.versions import several_versions, version_written, versions_read
from lineage.spark.document.document import (
    APPLICATION_END,
    APPLICATION_START,
    EXECUTION_START,
    QUERY_START,
    Document,
    Failure,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.spark.commands.effects import Output
    from lineage.spark.conversion.inputs_outputs import Flow, Input


def convert_document(document: Document, exit_code: int | None = None) -> list[RunEvent]:
    """Convert a document to its events, oldest first.

    ``exit_code`` is the exit code of the application's process, if the caller waited for it. It
    takes precedence over the outcome in ``application_end``.
    """
    facet_v2.set_producer(PRODUCER)
    if document.kind == APPLICATION_START:
        return [application_started(document)]
    if document.kind == APPLICATION_END:
        ended = application_outcome(document, exit_code)
        return [application_ended(document, ended.state, ended.failure, ended.facts)]
    return _convert_query(document) if document.query else _convert_execution(document)


def application_started(document: Document) -> RunEvent:
    """Build the START event of an application."""
    started = document.app.facts.get("started")
    time = started if isinstance(started, int) else document.time
    run = runs.application_run(document.app)
    return _run_event(RunState.START, time, run, runs.application_job(document.app))


def application_ended(
    document: Document,
    state: RunState,
    failure: Failure | None,
    facts: Mapping[str, Any] | None = None,
) -> RunEvent:
    """Build the terminal event of an application, at the time of the document."""
    run = runs.application_run(document.app, {**document.facts, **(facts or {})})
    _add_failure(run, failure)
    return _run_event(state, document.time, run, runs.application_job(document.app))


def _convert_execution(document: Document) -> list[RunEvent]:
    if document.main is None and document.kind == EXECUTION_START:
        return []  # The end document names the job.
    flow = resolve_flow(document)
    if flow.is_upkeep:
        return []
    if flow.is_auxiliary and document.outcome != "FAIL":
        return []
    if document.kind == EXECUTION_START:
        return [_start_event(document, flow, document.time)]
    ended = _end_event(document, flow)
    if document.announced and not flow.is_auxiliary:
        return [ended]
    return [_start_event(document, flow, document.started or document.time), ended]


def _convert_query(document: Document) -> list[RunEvent]:
    assert document.query is not None
    if document.main is None and document.query.name is None and not document.is_end:
        return []  # A later document names the job.
    flow = resolve_flow(document)
    started = _start_event(document, flow, document.started or document.time)
    if document.kind == QUERY_START:
        return [started]
    state = RunState[document.outcome] if document.outcome else RunState.RUNNING
    event = _complete_event(document, flow, state)
    return [event] if document.announced else [started, event]


def _start_event(document: Document, flow: Flow, time: int) -> RunEvent:
    run, job = runs.execution_run(document, flow), runs.execution_job(document, flow)
    event = _run_event(RunState.START, time, run, job)
    event.inputs = [_to_input(document, flow, item, counted=False) for item in flow.inputs.values()]
    event.outputs = [
        _to_output(document, flow, item, counted=False) for item in flow.outputs.values()
    ]
    return event


def _end_event(document: Document, flow: Flow) -> RunEvent:
    state = RunState.FAIL if document.outcome == "FAIL" else RunState.COMPLETE
    return _complete_event(document, flow, state)


def _complete_event(document: Document, flow: Flow, state: RunState) -> RunEvent:
    """Build an event with all facts of a run that is in progress or has ended."""
    run, job = runs.execution_run(document, flow), runs.execution_job(document, flow)
    run.facets = (run.facets or {}) | plan_facets(
        (
            *flow.unresolved,
            *several_versions(document, flow),
            *uncertain_times(document, flow),
        ),
        (planned.plan.truncated for planned in all_plans(document) if planned.plan.truncated),
        flow.in_memory,
    )
    _add_failure(run, document.error, quoted=flow.may_quote)
    event = _run_event(state, document.time, run, job)
    # A failed run committed nothing, and its scans do not count failed tasks. A streaming query has
    # committed its earlier micro-batches.
    counted = state is RunState.COMPLETE or document.query is not None
    event.inputs = [
        _to_input(document, flow, item, counted=counted) for item in flow.inputs.values()
    ]
    event.outputs = [
        _to_output(document, flow, item, counted=counted) for item in flow.outputs.values()
    ]
    return event


def abort_events(document: Document, time: int, message: str) -> list[RunEvent]:
    """Build the events of an execution that has a start document and will have no end.

    They include a START if the start document alone could not produce one.
    """
    facet_v2.set_producer(PRODUCER)
    flow = resolve_flow(document)
    if flow.is_upkeep or flow.is_auxiliary:
        return []
    job = runs.execution_job(document, flow)
    run = runs.execution_run(document, flow)
    _add_failure(run, Failure("", message, None))
    ended = _run_event(RunState.ABORT, time, run, job)
    started = [] if document.main else [_start_event(document, flow, document.time)]
    return [*started, ended]


def application_aborted(document: Document, message: str) -> RunEvent:
    """Build the ABORT event of an application from its last document."""
    facet_v2.set_producer(PRODUCER)
    return application_ended(document, RunState.ABORT, Failure("", message, None))


def application_exited(document: Document, exit_code: int) -> RunEvent:
    """Build the terminal event of an application without end document from its exit code."""
    facet_v2.set_producer(PRODUCER)
    failure = Failure("", f"Exit code {exit_code}", None) if exit_code else None
    state = RunState.FAIL if failure else RunState.COMPLETE
    return application_ended(document, state, failure, {"exitCode": exit_code})


def _add_failure(run: Run, failure: Failure | None, *, quoted: bool = True) -> None:
    if failure is None:
        return
    if not quoted:
        failure = Failure(failure.cls, "", None)
    message = str(failure) if failure.cls else failure.message
    run.facets = (run.facets or {}) | {
        "errorMessage": error_message_run.ErrorMessageRunFacet(
            message=redact_text(message),
            programmingLanguage="JAVA",
            stackTrace=redact_text(failure.stack) if failure.stack else None,
        )
    }


def _to_input(document: Document, flow: Flow, item: Input, *, counted: bool) -> InputDataset:
    facets: dict[str, facet_v2.InputDatasetFacet] = dict(input_subset(item.dataset))
    known = dataset_facets(item.dataset)
    if counted and len(read := versions_read(document, item)) == 1:
        known |= version_facet(read[0])
    if counted and (statistics := read_statistics(document, flow, item)):
        facets["inputStatistics"] = statistics
    if not (reads := count_reads(document, flow, item)).is_plain:
        options = None if reads.options is None else list(reads.options)
        operators = list(reads.operators)
        facets["lineage_reads"] = ReadsInputDatasetFacet(reads.count, operators, options)
    if counted and (read_at := earlier_read_time(document, item)) is not None:
        facets["lineage_read_time"] = ReadTimeInputDatasetFacet(of_milliseconds(read_at))
    if counted and (manifest := manifest_of_input(document, item)):
        facets["lineage_manifest"] = manifest
    namespace, name = item.dataset.name
    return InputDataset(namespace=namespace, name=name, facets=known, inputFacets=facets)


def _to_output(document: Document, flow: Flow, item: Output, *, counted: bool) -> OutputDataset:
    facets: dict[str, facet_v2.OutputDatasetFacet] = dict(output_subset(item.dataset))
    facets["lineage_write"] = WriteOutputDatasetFacet(mode=item.mode)
    namespace, name = item.dataset.name
    if counted and item.carries_rows:
        statistics = write_statistics(document, flow, item.dataset.name)
        facets |= {"outputStatistics": statistics} if statistics else {}
    known = output_facets(item)
    if sources := sources_facet(document, flow, item):
        known["lineage"] = sources
    if counted and (version := version_written(document, flow, item.dataset.name)):
        known |= version_facet(version)
    return OutputDataset(namespace=namespace, name=name, facets=known, outputFacets=facets)


def _run_event(state: RunState, time: int, run: Run, job: Job) -> RunEvent:
    event_time = of_milliseconds(time)
    return RunEvent(eventType=state, eventTime=event_time, run=run, job=job, producer=PRODUCER)
