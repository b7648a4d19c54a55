"""The read API: the operations of ``lineage.query.Graph`` under ``/api/v1/graph``, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.http.api import handlers
from lineage.http.api.bodies import SubgraphBody
from lineage.http.encoding import plain_part, to_json
from lineage.http.operation import Operation
from lineage.http.parameters import LIMIT, OFFSET, Choice, Choices, Flag, Integer, Text, Texts, Time
from lineage.query import Graph
from lineage.query.run_history import STATES
from lineage.query.search import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from msgspec import Struct

_DATASET = "A dataset: its full name, an alias, or an ending of these that fits no other."
_JOB = "A job: namespace and name, or an ending of the name that fits no other."
_RUN = "A run: its id, the beginning of its id, or a job or dataset for its last run."
_DIRECTION = Choice(
    "direction", "The direction to follow.", "upstream", words=("upstream", "downstream")
)
_BOTH_DIRECTIONS = Choice(
    "direction", "The direction to follow.", "both", words=("upstream", "downstream", "both")
)
_DEPTH = Integer("depth", "Maximum number of edges to follow; unlimited by default.", most=10_000)
_WINDOW = Integer(
    "window_days", "Days before the newest event in which runs are counted.", 30, most=36500
)
# The filters and the limit of a trace; the result counts the entries that they remove.
_FILTERS = (
    Texts("namespace", "Only entities in one of these namespaces."),
    Texts("tag", "Only entities with one of these tags, key or key:value."),
    Texts("job_type", "Only edges of jobs of one of these types, or such jobs."),
    Time("since", "Only edges seen at that time or later (ISO 8601)."),
    Flag("include_stale", "Also follow edges that their jobs no longer produce.", True),
)
_OF_JOBS = Texts("job", "Only edges of one of these jobs.")
_NEAREST = Integer(
    "limit",
    "Maximum number of entries, nearest first; omitted counts the others.",
    1000,
    most=100_000,
)
# Parameters of queries by runs.
_BY_RUN = (
    Flag("runs", "Return one dependency per run instead of one step per job."),
    Flag("perhaps", "Also follow writes that a newer write of the same job may have replaced."),
    Integer("limit", "Maximum number of entries, nearest first; omitted counts the others.", 1000,
            most=10_000),
)  # fmt: skip
# For results with several lists.
_PART = Integer(
    "limit",
    "Maximum number of entries of each list; omitted counts the others.",
    1000,
    most=10_000,
)
_LISTED = (
    Text("text", "Only names that contain this text, in any case.", ""),
    Texts("namespace", "Only entities in one of these namespaces."),
    Texts("tag", "Only entities with one of these tags, key or key:value."),
)
_OF_RUNS = (
    Choices("state", "Only runs in one of these states.", words=STATES),
    Time("since", "Only runs whose first event is of that time or later (ISO 8601)."),
    Time("until", "Only runs whose first event is earlier."),
)
_OBSERVED = Flag("observed", "Follow only edges that runs showed, not declared ones.")


def _declare_operation(
    name: str,
    summary: str,
    query: Callable[[Graph, dict[str, Any]], object],
    parameters: tuple[Text, ...] = (),
    body: type[Struct] | None = None,
) -> Operation:
    return Operation(
        f"/api/v1/graph/{name}",
        summary,
        lambda conn, values: query(Graph.over(conn), values),
        parameters,
        body=body,
    )


OPERATIONS = (
    _declare_operation(
        "dataset-lineage",
        "Datasets upstream or downstream of a dataset",
        handlers.get_dataset_lineage,
        (
            Text("dataset", _DATASET, required=True),
            _BOTH_DIRECTIONS,
            _DEPTH,
            *_FILTERS,
            _NEAREST,
            _OF_JOBS,
            _OBSERVED,
        ),
    ),
    _declare_operation(
        "neighbours",
        "Datasets one edge away from a dataset, with the numbers of their own neighbours",
        handlers.get_neighbours,
        (
            Text("dataset", _DATASET, required=True),
            _BOTH_DIRECTIONS,
            Text("text", "Only names that contain this text, in any case.", ""),
            *_FILTERS,
            _OF_JOBS,
            _OBSERVED,
            Integer(
                "limit", "Maximum number of neighbours in each direction, the most used first.", 12
            ),
            OFFSET,
        ),
    ),
    _declare_operation(
        "subgraph",
        "Edges between some datasets, and between the columns of some of them",
        handlers.get_subgraph,
        body=SubgraphBody,
    ),
    _declare_operation(
        "dataset-lineage-at",
        "Jobs or runs whose writes were visible in a dataset at a time, and those upstream of them",
        handlers.get_dataset_lineage_at,
        (
            Text("dataset", _DATASET, required=True),
            Time("time", "The time (ISO 8601); by default that of the newest event."),
            _DEPTH,
            *_BY_RUN,
        ),
    ),
    _declare_operation(
        "column-lineage",
        "Columns upstream or downstream of a column",
        handlers.get_column_lineage,
        (
            Text("dataset", _DATASET, required=True),
            Text("column", "The column; a field of a struct by its path: a.b.", required=True),
            _DIRECTION,
            _DEPTH,
            Flag("direct_only", "Do not follow columns that only filter, join, group or sort."),
            _PART,
            _OBSERVED,
        ),
    ),
    _declare_operation(
        "job-lineage",
        "Jobs upstream or downstream of a job or a dataset",
        handlers.get_job_lineage,
        (
            Text("job", "A job or a dataset; a full name precedes an ending.", required=True),
            _DIRECTION,
            _DEPTH,
            *_FILTERS,
            _NEAREST,
            Flag(
                "observed",
                "Follow only accesses of runs, not designs or the order of jobs.",
            ),
        ),
    ),
    _declare_operation(
        "run-lineage",
        "Jobs or runs whose writes a run read, or that read its writes",
        handlers.get_run_lineage,
        (Text("run", _RUN, required=True), _DIRECTION, _DEPTH, *_BY_RUN),
    ),
    _declare_operation(
        "paths",
        "The shortest paths from one dataset to another, or all paths",
        handlers.get_paths,
        (
            Text("source", _DATASET, required=True),
            Text("target", "Another dataset.", required=True),
            Flag("all_paths", "Every dataset and edge on any path, not only on the shortest."),
            _PART,
            _OBSERVED,
        ),
    ),
    _declare_operation(
        "impact",
        "Datasets and jobs that depend on a dataset or a column, and their owners",
        handlers.get_impact,
        (
            Text("dataset", _DATASET, required=True),
            Text(
                "column",
                "Only columns that derive from this column; a field of a struct by its path: a.b.",
            ),
            _DEPTH,
            _WINDOW,
            LIMIT,
            _OBSERVED,
        ),
    ),
    _declare_operation(
        "root-cause",
        "Possible causes why a run failed, was late or gave a bad result",
        handlers.get_root_cause,
        (
            Text("run", _RUN, required=True),
            _DEPTH,
            Flag("last_failed", "Of a job or dataset, the last run that failed."),
            _PART,
        ),
    ),
    _declare_operation(
        "dataset-diff",
        "Differences between the lineage of a dataset at two times",
        handlers.get_dataset_diff,
        (
            Text("dataset", _DATASET, required=True),
            Time("start", "The earlier time (ISO 8601).", required=True),
            Time("end", "The later time.", required=True),
            _DEPTH,
            _PART,
        ),
    ),
    _declare_operation(
        "run-diff",
        "Differences between two runs",
        handlers.get_run_diff,
        (
            Text("before", _RUN, required=True),
            Text("after", "The other run.", required=True),
            _PART,
        ),
    ),
    _declare_operation(
        "orphans",
        "Datasets that are not read or not written, and jobs that never wrote",
        lambda graph, values: to_json(graph.orphans(values["limit"])),
        (LIMIT,),
    ),
    _declare_operation(
        "cycles",
        "Datasets that feed each other in a cycle, or themselves",
        lambda graph, values: to_json(graph.cycles(values["limit"], observed=values["observed"])),
        (LIMIT, _OBSERVED),
    ),
    _declare_operation(
        "stats",
        "Size of the graph and the log, and the most used sources",
        handlers.get_stats,
        (_WINDOW, LIMIT),
    ),
    _declare_operation(
        "quality",
        "Results of the checks of a dataset, or of all datasets upstream of it",
        handlers.get_quality,
        (
            Text("dataset", _DATASET, required=True),
            Flag("upstream", "Also the datasets upstream of it."),
            Flag("failed", "Only checks that failed."),
            _DEPTH,
            LIMIT,
        ),
    ),
    _declare_operation(
        "run-quality",
        "Checks that a run made, and the last ones of its inputs before it read them",
        handlers.get_run_quality,
        (Text("run", _RUN, required=True), Flag("failed", "Only checks that failed."), LIMIT),
    ),
    _declare_operation("datasets", "Datasets by name", handlers.get_datasets, (*_LISTED, LIMIT)),
    _declare_operation(
        "dataset",
        "Details of a dataset",
        lambda graph, values: plain_part(graph.dataset(values["dataset"]), values["limit"]),
        (Text("dataset", _DATASET, required=True), _PART),
    ),
    _declare_operation(
        "dataset-runs",
        "Runs that read or wrote a dataset, newest first",
        handlers.get_dataset_runs,
        (Text("dataset", _DATASET, required=True), *_OF_RUNS, LIMIT),
    ),
    _declare_operation(
        "jobs",
        "Jobs by name",
        handlers.get_jobs,
        (*_LISTED, Texts("job_type", "Only jobs of one of these types, in any case."), LIMIT),
    ),
    _declare_operation(
        "job",
        "Details of a job",
        lambda graph, values: plain_part(graph.job(values["job"]), values["limit"]),
        (Text("job", _JOB, required=True), _PART),
    ),
    _declare_operation(
        "job-runs",
        "Runs of a job, newest first",
        handlers.get_job_runs,
        (Text("job", _JOB, required=True), *_OF_RUNS, LIMIT),
    ),
    _declare_operation(
        "runs",
        "Runs of all jobs, the last to begin first",
        handlers.get_runs,
        (*_OF_RUNS, LIMIT, OFFSET),
    ),
    _declare_operation(
        "run",
        "Details of a run",
        lambda graph, values: plain_part(graph.run(values["run"]), values["limit"]),
        (Text("run", "The id of a run, or the beginning of it.", required=True), _PART),
    ),
    _declare_operation(
        "search",
        "Datasets, jobs and columns by words of names, tags and descriptions, best match first",
        handlers.get_search,
        (
            Text("text", "Words; all of them must match, in any case.", ""),
            Choice("kind", "Only entities of this kind.", words=KINDS),
            LIMIT,
        ),
    ),
    _declare_operation(
        "events",
        "The newest events of the log and their status",
        handlers.get_events,
        (
            Text("run", "Only events of this run."),
            Time("since", "Only events of this time and later."),
            Flag("rejected", "Only events that cannot be projected into the graph."),
            LIMIT,
        ),
    ),
)
