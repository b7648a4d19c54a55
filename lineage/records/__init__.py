"""Lineage of single rows: which rows a row is made of, and what became of a row.

import lineage.records as records

trace = records.trace(df, "airline = 'UA'")            # how exact it is, and the rows it is made of
trace.witnesses("silver/flights")
trace.save("gold/delays")                              # into the graph, without values of rows
records.follow(df, "silver/flights", "flight = 1545")  # operator by operator, where the row ends

@records.step(key="order_id", retries=2, dead_letter="/data/rejected")
def parse(row): ...

with records.capture(spark, pipeline="orders", sample=0.01) as capture:
    spark.read.parquet("raw").mapInPandas(parse, schema).write.parquet("silver")

capture.report()                                       # exact counts
capture.items(outcome=records.Outcome.DEAD_LETTERED)   # the sampled items
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.lazy_exports import export_lazily

if TYPE_CHECKING:
    from lineage.records.candidate_rows import CandidateRows as CandidateRows
    from lineage.records.candidate_rows import Candidates as Candidates
    from lineage.records.candidate_rows import candidates as candidates
    from lineage.records.captures import Capture as Capture
    from lineage.records.captures import capture as capture
    from lineage.records.fidelity import Fidelity as Fidelity
    from lineage.records.file_sinks import JsonLinesSink as JsonLinesSink
    from lineage.records.file_sinks import ParquetSink as ParquetSink
    from lineage.records.followed import Followed as Followed
    from lineage.records.followed import follow as follow
    from lineage.records.graph_sink import GraphSink as GraphSink
    from lineage.records.items import Hop as Hop
    from lineage.records.items import Item as Item
    from lineage.records.keys import correlation_id as correlation_id
    from lineage.records.manifests import FileSet as FileSet
    from lineage.records.manifests import InputManifest as InputManifest
    from lineage.records.manifests import RunInputs as RunInputs
    from lineage.records.manifests import input_manifests as input_manifests
    from lineage.records.operator_reports import report_of_document as report_of_document
    from lineage.records.operator_reports import report_of_run as report_of_run
    from lineage.records.operator_reports import report_of_spool as report_of_spool
    from lineage.records.outcomes import Cardinality as Cardinality
    from lineage.records.outcomes import Outcome as Outcome
    from lineage.records.reports import Edge as Edge
    from lineage.records.reports import NodeReport as NodeReport
    from lineage.records.reports import PipelineReport as PipelineReport
    from lineage.records.sinks import CallableSink as CallableSink
    from lineage.records.sinks import ItemSink as ItemSink
    from lineage.records.sinks import LoggingSink as LoggingSink
    from lineage.records.sinks import NullSink as NullSink
    from lineage.records.sinks import PipelineSink as PipelineSink
    from lineage.records.steps import Step as Step
    from lineage.records.steps import step as step
    from lineage.records.stored_items import items_of_run as items_of_run
    from lineage.records.stored_items import nodes_of_run as nodes_of_run
    from lineage.records.stored_traces import SavedTrace as SavedTrace
    from lineage.records.stored_traces import SavedTraces as SavedTraces
    from lineage.records.stored_traces import TraceDetails as TraceDetails
    from lineage.records.stored_traces import Witness as Witness
    from lineage.records.stored_traces import saved_trace as saved_trace
    from lineage.records.stored_traces import saved_traces as saved_traces
    from lineage.records.traces import Check as Check
    from lineage.records.traces import Trace as Trace
    from lineage.records.traces import trace as trace

# The module of each name, imported on access.
_EXPORTS = {
    "CallableSink": "sinks",
    "CandidateRows": "candidate_rows",
    "Candidates": "candidate_rows",
    "Capture": "captures",
    "Cardinality": "outcomes",
    "Check": "traces",
    "Edge": "reports",
    "Fidelity": "fidelity",
    "FileSet": "manifests",
    "Followed": "followed",
    "GraphSink": "graph_sink",
    "Hop": "items",
    "InputManifest": "manifests",
    "Item": "items",
    "ItemSink": "sinks",
    "JsonLinesSink": "file_sinks",
    "LoggingSink": "sinks",
    "NodeReport": "reports",
    "NullSink": "sinks",
    "Outcome": "outcomes",
    "ParquetSink": "file_sinks",
    "PipelineReport": "reports",
    "PipelineSink": "sinks",
    "RunInputs": "manifests",
    "SavedTrace": "stored_traces",
    "SavedTraces": "stored_traces",
    "Step": "steps",
    "Trace": "traces",
    "TraceDetails": "stored_traces",
    "Witness": "stored_traces",
    "candidates": "candidate_rows",
    "capture": "captures",
    "correlation_id": "keys",
    "follow": "followed",
    "input_manifests": "manifests",
    "items_of_run": "stored_items",
    "nodes_of_run": "stored_items",
    "report_of_document": "operator_reports",
    "report_of_run": "operator_reports",
    "report_of_spool": "operator_reports",
    "saved_trace": "stored_traces",
    "saved_traces": "stored_traces",
    "step": "steps",
    "trace": "traces",
}

__all__ = list(_EXPORTS)

__getattr__, __dir__ = export_lazily(__name__, _EXPORTS)
