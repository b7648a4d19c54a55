"""The inputs and outputs of an execution, from its plan and the plans nested in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.columns import micro_batch_rows
from lineage.spark.commands.procedures import unknown_procedures
from lineage.spark.conversion.attempts import attempted_command
from lineage.spark.conversion.auxiliary import is_auxiliary
from lineage.spark.conversion.filters import DatasetSelection, read_selection
from lineage.spark.conversion.inputs_outputs import (
    OF_A_VARIABLE,
    FilteredCounts,
    Flow,
    InputOutputWalk,
)
from lineage.spark.conversion.model_origins import follow_models
from lineage.spark.conversion.models import is_part, name_models
from lineage.spark.conversion.output_locations import locate_outputs
from lineage.spark.datasets.relations import STREAMING
from lineage.spark.datasets.resolver import DatasetResolver, Unresolved
from lineage.spark.document.arguments import Other
from lineage.spark.document.plan import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lineage.columns.relation import Rows
    from lineage.spark.conversion.output_sources import Sources
    from lineage.spark.document.document import Document, Metric, Planned

SAVE = "SaveIntoDataSourceCommand"
SAVE_AS_TABLE = "SaveAsV1TableCommand"


def resolve_flow(document: Document) -> Flow:
    """Resolve the inputs and outputs of the execution's plan and of the plans nested in it."""
    names = [
        DatasetResolver(document.app.conf, _read_topics(document, place))
        for place in range(len(all_plans(document)))
    ]
    flow = Flow()
    of_batch: Sources = None
    for place, known in enumerate(_known_rows(document, names)):
        into = Flow() if flow.covers_nested else flow
        plan = all_plans(document)[place].plan
        InputOutputWalk(into, document, plan, place, names[place], known, of_batch).run()
        if place == 0:
            of_batch = None if flow.unresolved or flow.in_memory else frozenset(flow.inputs)
        if into is not flow:
            _add_places(flow, into)
    if document.main is None and document.attempted:
        flow.command, flow.target = attempted_command(document.attempted)
    locate_outputs(flow, DatasetResolver(document.app.conf))
    name_models(document, flow)
    follow_models(document, flow, (planned.plan for planned in all_plans(document)))
    flow.unresolved += (*_incomplete_parts(document), *unknown_procedures(document))
    if not _drop_skipped_outputs(document, flow):
        flow.unresolved += _unnamed_table(document, flow)
    flow.unresolved += _silent_batches(document, flow)
    is_idle = not (flow.inputs or flow.outputs or flow.unresolved)
    flow.is_upkeep = is_idle and flow.reads_log
    flow.is_auxiliary = is_auxiliary(document, flow) or is_part(document, flow)
    _leave_out(flow, read_selection(document.app.settings), document)
    return flow


def _leave_out(flow: Flow, rules: DatasetSelection, document: Document) -> None:
    """Remove the datasets that the application's lists exclude, and every text that names them."""
    if not rules.is_limited:
        return
    inputs = {
        name: read for name, read in flow.inputs.items() if rules.includes_dataset(read.dataset)
    }
    outputs = {
        name: out for name, out in flow.outputs.items() if rules.includes_dataset(out.dataset)
    }
    gone = frozenset((*flow.inputs.keys() - inputs.keys(), *flow.outputs.keys() - outputs.keys()))
    flow.filtered = FilteredCounts(
        len(flow.inputs) - len(inputs),
        len(flow.outputs) - len(outputs),
        unknown=document.main is None or bool(flow.unresolved),
    )
    if len(outputs) < len(flow.outputs) or not outputs:
        flow.target = None
    flow.inputs = inputs
    flow.outputs = {name: rules.filter_output(out, gone) for name, out in outputs.items()}
    flow.sources = {name: known and known - gone for name, known in flow.sources.items()}
    flow.unresolved = [replace(item, detail=None) for item in flow.unresolved]


def _add_places(flow: Flow, inner: Flow) -> None:
    """Add the nested scans of the command's inputs, whose metrics count the rows."""
    for name, item in inner.inputs.items():
        if known := flow.inputs.get(name):
            known.places += item.places


def _read_topics(document: Document, place: int) -> dict[int, tuple[str, ...]]:
    """Return the topics read by each operator: a streaming query's sources, and batch scans."""
    places = streaming_sources(document) if place == 0 else ()
    sources = document.query.sources if document.query else ()
    topics_by_node = [(node, source.topics) for node, source in zip(places, sources, strict=False)]
    scans = all_plans(document)[place].metrics
    topics_by_node += [(scan.relation, scan.topics) for scan in scans if scan.relation is not None]
    by_operator: dict[int, tuple[str, ...]] = {}
    for node, topics in topics_by_node:
        by_operator[node] = (*by_operator.get(node, ()), *topics)
    return by_operator


def streaming_sources(document: Document) -> tuple[int, ...]:
    """Return the operators of a streaming query's sources, in the order of its progress.

    The result is empty if Spark reports more or fewer sources than there are such operators.
    """
    if document.main is None or document.query is None:
        return ()
    nodes = document.main.plan.nodes
    references = {index for node in nodes if node.op in STREAMING for index in node.inner}
    own = (node for node in nodes if node.level == 0)
    indexes = [n.index for n in own if n.op in STREAMING and n.index not in references]
    return tuple(indexes) if len(indexes) == len(document.query.sources) else ()


def _known_rows(document: Document, names: Sequence[DatasetResolver]) -> list[Mapping[int, Rows]]:
    """Return for each plan the rows of operators known from another plan: foreachBatch input."""
    ran = [planned.plan for planned in document.nested]
    if document.query is None or document.main is None:
        return [{} for _ in all_plans(document)]
    return [{}, *micro_batch_rows(document.main.plan, ran, names[0])]


def _drop_skipped_outputs(document: Document, flow: Flow) -> bool:
    """Remove the outputs of commands that write nothing because their target exists.

    Returns whether the whole execution writes nothing for this reason.
    """
    if document.query:
        if any(output.skips_if_exists for output in flow.outputs.values()) and not _has_written(
            document
        ):
            flow.outputs = {n: out for n, out in flow.outputs.items() if not out.skips_if_exists}
        return False
    is_skipped = _writes_nothing(document, flow)
    if is_skipped:
        flow.inputs, flow.outputs = {}, {}
    return is_skipped


def _unnamed_table(document: Document, flow: Flow) -> Iterator[Unresolved]:
    """Yield the target of saveAsTable if no nested execution names its database."""
    if flow.target and document.is_end and not flow.outputs and flow.command == SAVE_AS_TABLE:
        yield Unresolved(SAVE_AS_TABLE, "a table of a database that is not known", flow.target)


def _silent_batches(document: Document, flow: Flow) -> Iterator[Unresolved]:
    """Yield an unresolved entry for a stream whose foreachBatch wrote nothing in its own thread."""
    query, main = document.query, document.main
    if query and main and main.plan.root and document.is_end and query.batches and not flow.outputs:
        sink = main.plan.root.get_argument("sink", Other)
        if sink and sink.cls.rpartition(".")[2].startswith("ForeachBatch"):
            reason = "foreachBatch without outputs: it wrote nothing, or in other threads"
            yield Unresolved(main.plan.root.op, reason)


def _incomplete_parts(document: Document) -> Iterator[Unresolved]:
    """Yield an unresolved entry for each part that the document does not contain."""
    if document.is_end and document.main is None:
        yield Unresolved("QueryExecution", "the document has no plan")
    if document.hides_variables and not _has_variables(document):
        detail = "a parameter of EXECUTE IMMEDIATE"
        yield Unresolved(VARIABLE, OF_A_VARIABLE, detail)
    if document.variables_in_values:
        yield Unresolved(VARIABLE, OF_A_VARIABLE, "a name in VALUES")
    if document.nested_lost:
        count = f"{document.nested_lost} more than are listed"
        yield Unresolved("QueryExecution", "nested executions", count)


def _has_variables(document: Document) -> bool:
    """Return whether the plan refers to variables, which then are not hidden."""
    return document.main is not None and any(
        expr.cls == VARIABLE for expr in document.main.plan.exprs
    )


def all_plans(document: Document) -> tuple[Planned, ...]:
    """Return the plan of the execution and those of the executions nested in it."""
    return ((document.main,) if document.main else ()) + document.nested


def _writes_nothing(document: Document, flow: Flow) -> bool:
    """Return whether the command neither reads nor writes because its target exists.

    This is unknown before its end; until then the command is not reported as writing.
    """
    is_left = flow.skips_if_exists and not (flow.outputs or document.nested or document.nested_lost)
    if not (is_left or any(output.skips_if_exists for output in flow.outputs.values())):
        return False
    if flow.command == SAVE and document.nested:
        return False  # The nested execution writes to a database, without metrics of the write.
    return not document.is_end or (document.outcome == "COMPLETE" and not _has_written(document))


def _has_written(document: Document) -> bool:
    return any(
        metric.values.get("numFiles") or metric.values.get("numOutputRows")
        for planned in all_plans(document)
        for metric in write_metrics(planned.metrics)
    )


def write_metrics(metrics: Iterable[Metric]) -> Iterator[Metric]:
    """Return the metrics of operators that write."""
    return (metric for metric in metrics if "numOutputBytes" in metric.values)
