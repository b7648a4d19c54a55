"""The read API: the operations of ``lineage.query.Graph`` under ``/api/v1/graph``, as JSON."""

from __future__ import annotations

from dataclasses import replace

from lineage.http.api import cypher, handlers
from lineage.http.api import parameters as shared
from lineage.http.api.bodies import CannedQueryBody, CypherBody, SubgraphBody, TimelineBody
from lineage.http.api.declaration import declare_operation
from lineage.http.api.formats import FORMAT
from lineage.http.api.order_operations import ORDER_OPERATIONS
from lineage.http.api.record_operations import RECORD_OPERATIONS
from lineage.http.encoding import plain_part, to_json
from lineage.http.parameters import LIMIT, OFFSET, Choice, Flag, Integer, Text, Texts, Time
from lineage.query.search import KINDS

OPERATIONS = (
    declare_operation(
        "dataset-lineage",
        "Datasets upstream or downstream of a dataset",
        handlers.get_dataset_lineage,
        (
            Text("dataset", shared.DATASET, required=True),
            replace(shared.BOTH_DIRECTIONS, default="upstream"),
            shared.DEPTH,
            *shared.FILTERS,
            shared.NEAREST,
            shared.OF_JOBS,
            shared.OBSERVED,
            shared.CONFIDENCE,
            FORMAT,
        ),
    ),
    declare_operation(
        "neighbours",
        "Datasets one edge away from a dataset, with the numbers of their own neighbours",
        handlers.get_neighbours,
        (
            Text("dataset", shared.DATASET, required=True),
            shared.BOTH_DIRECTIONS,
            Text("text", "Only names that contain this text, in any case.", ""),
            *shared.FILTERS,
            shared.OF_JOBS,
            shared.OBSERVED,
            shared.CONFIDENCE,
            Integer(
                "limit", "Maximum number of neighbours in each direction, the most used first.", 12
            ),
            OFFSET,
            Time("time", "Return the edges that existed at that time (ISO 8601); by default all."),
        ),
    ),
    declare_operation(
        "model",
        "Nodes and edges of graph models of streaming platforms, in the JSON of LineageBridge",
        handlers.get_model,
        (
            Texts("system", "Only nodes of these systems."),
            Texts("node_type", "Only nodes of these types."),
            Texts("environment", "Only nodes of the environments with these ids."),
            Text("around", "Only nodes connected with this node, dataset or job."),
            replace(shared.DEPTH, description="Maximum number of edges to follow.", minimum=0),
            Integer("limit", "Maximum number of nodes, in the order of their ids.", 1000),
        ),
    ),
    declare_operation(
        "subgraph",
        "Edges between some datasets, and between the columns of some of them",
        handlers.get_subgraph,
        body=SubgraphBody,
    ),
    declare_operation(
        "timeline",
        "Writes and failures of some datasets over time, and changes of the edges between them",
        handlers.get_timeline,
        body=TimelineBody,
    ),
    declare_operation(
        "dataset-lineage-at",
        "Jobs or runs whose writes were visible in a dataset at a time, and those upstream of them",
        handlers.get_dataset_lineage_at,
        (
            Text("dataset", shared.DATASET, required=True),
            Time("time", "The time (ISO 8601); by default that of the newest event."),
            shared.DEPTH,
            *shared.BY_RUN,
            FORMAT,
        ),
    ),
    declare_operation(
        "column-lineage",
        "Columns upstream or downstream of a column",
        handlers.get_column_lineage,
        (
            Text("dataset", shared.DATASET, required=True),
            Text("column", "The column; a field of a struct by its path: a.b.", required=True),
            shared.DIRECTION,
            shared.DEPTH,
            Flag("direct_only", "Do not follow columns that only filter, join, group or sort."),
            shared.PART,
            shared.OBSERVED,
            FORMAT,
        ),
    ),
    declare_operation(
        "job-lineage",
        "Jobs upstream or downstream of a job or a dataset",
        handlers.get_job_lineage,
        (
            Text("job", "A job or a dataset; a full name precedes an ending.", required=True),
            shared.DIRECTION,
            shared.DEPTH,
            *shared.FILTERS,
            shared.NEAREST,
            shared.OBSERVED,
            shared.CONFIDENCE,
            FORMAT,
        ),
    ),
    declare_operation(
        "run-lineage",
        "Jobs or runs whose writes a run read, or that read its writes",
        handlers.get_run_lineage,
        (
            Text("run", shared.RUN, required=True),
            shared.DIRECTION,
            shared.DEPTH,
            *shared.BY_RUN,
            FORMAT,
        ),
    ),
    declare_operation(
        "paths",
        "The shortest paths from one dataset to another, or all paths",
        handlers.get_paths,
        (
            Text("source", shared.DATASET, required=True),
            Text("target", "Another dataset.", required=True),
            Flag("all_paths", "Every dataset and edge on any path, not only on the shortest."),
            shared.PART,
            shared.OBSERVED,
            shared.CONFIDENCE,
            FORMAT,
        ),
    ),
    declare_operation(
        "impact",
        "Datasets and jobs that depend on a dataset or a column, and their owners",
        handlers.get_impact,
        (
            Text("dataset", shared.DATASET, required=True),
            Text(
                "column",
                "Only columns that derive from this column; a field of a struct by its path: a.b.",
            ),
            shared.DEPTH,
            shared.WINDOW,
            LIMIT,
            shared.OBSERVED,
            shared.CONFIDENCE,
            FORMAT,
        ),
    ),
    declare_operation(
        "root-cause",
        "Possible causes why a run failed, was late or gave a bad result",
        handlers.get_root_cause,
        (
            Text("run", shared.RUN, required=True),
            shared.DEPTH,
            Flag("last_failed", "Of a job or dataset, the last run that failed."),
            shared.PART,
        ),
    ),
    declare_operation(
        "dataset-diff",
        "Differences between the lineage of a dataset at two times",
        handlers.get_dataset_diff,
        (
            Text("dataset", shared.DATASET, required=True),
            Time("start", "The earlier time (ISO 8601).", required=True),
            Time("end", "The later time.", required=True),
            shared.DEPTH,
            shared.PART,
        ),
    ),
    declare_operation(
        "run-diff",
        "Differences between two runs",
        handlers.get_run_diff,
        (
            Text("before", shared.RUN, required=True),
            Text("after", "The other run.", required=True),
            shared.PART,
        ),
    ),
    declare_operation(
        "orphans",
        "Datasets that are not read or not written, and jobs that never wrote",
        lambda graph, values: to_json(graph.orphans(values["limit"])),
        (LIMIT,),
    ),
    declare_operation(
        "cycles",
        "Datasets that feed each other in a cycle, or themselves",
        lambda graph, values: to_json(graph.cycles(values["limit"], observed=values["observed"])),
        (LIMIT, shared.OBSERVED),
    ),
    declare_operation(
        "stats",
        "Size of the graph and the log, and the most used sources",
        handlers.get_stats,
        (shared.WINDOW, LIMIT),
    ),
    declare_operation(
        "quality",
        "Results of the checks of a dataset, or of all datasets upstream of it",
        handlers.get_quality,
        (
            Text("dataset", shared.DATASET, required=True),
            Flag("upstream", "Also the datasets upstream of it."),
            Flag("failed", "Only checks that failed."),
            shared.DEPTH,
            LIMIT,
        ),
    ),
    declare_operation(
        "run-quality",
        "Checks that a run made, and the last ones of its inputs before it read them",
        handlers.get_run_quality,
        (Text("run", shared.RUN, required=True), Flag("failed", "Only checks that failed."), LIMIT),
    ),
    declare_operation(
        "datasets", "Datasets by name", handlers.get_datasets, (*shared.LISTED, LIMIT, OFFSET)
    ),
    declare_operation(
        "dataset",
        "Details of a dataset",
        lambda graph, values: plain_part(graph.dataset(values["dataset"]), values["limit"]),
        (Text("dataset", shared.DATASET, required=True), shared.PART),
    ),
    declare_operation(
        "dataset-columns",
        "Columns of a dataset, with the numbers of columns one edge away from each",
        handlers.get_dataset_columns,
        (
            Text("dataset", shared.DATASET, required=True),
            Text("text", "Only columns whose name contains this text, in any case.", ""),
            Integer("limit", "Maximum number of columns, by name.", 100, maximum=10_000),
            OFFSET,
            shared.OBSERVED,
        ),
    ),
    declare_operation(
        "dataset-runs",
        "Runs that read or wrote a dataset, newest first",
        handlers.get_dataset_runs,
        (Text("dataset", shared.DATASET, required=True), *shared.OF_RUNS, LIMIT, OFFSET),
    ),
    declare_operation(
        "jobs",
        "Jobs by name",
        handlers.get_jobs,
        (
            *shared.LISTED,
            Texts("job_type", "Only jobs of one of these types, in any case."),
            LIMIT,
            OFFSET,
        ),
    ),
    declare_operation(
        "job",
        "Details of a job",
        lambda graph, values: plain_part(graph.job(values["job"]), values["limit"]),
        (Text("job", shared.JOB, required=True), shared.PART),
    ),
    declare_operation(
        "job-runs",
        "Runs of a job, newest first",
        handlers.get_job_runs,
        (Text("job", shared.JOB, required=True), *shared.OF_RUNS, LIMIT, OFFSET),
    ),
    declare_operation(
        "job-history",
        "The newest runs of a job, with the durations and numbers of rows expected of them",
        handlers.get_job_history,
        (
            Text("job", shared.JOB, required=True),
            Integer("limit", "Maximum number of runs, newest first.", 30, maximum=500),
        ),
    ),
    declare_operation(
        "overdue-jobs",
        "Jobs whose next run is overdue, the most recently expected first",
        lambda graph, values: to_json(graph.overdue_jobs(values["time"], values["limit"])),
        (Time("time", "The time (ISO 8601); by default now."), LIMIT),
    ),
    declare_operation(
        "runs",
        "Runs of all jobs, the last to begin first",
        handlers.get_runs,
        (*shared.OF_RUNS, LIMIT, OFFSET),
    ),
    declare_operation(
        "run",
        "Details of a run",
        lambda graph, values: plain_part(graph.run(values["run"]), values["limit"]),
        (Text("run", "The id of a run, or the beginning of it.", required=True), shared.PART),
    ),
    declare_operation(
        "search",
        "Datasets, jobs and columns by words of names, tags and descriptions, best match first",
        handlers.get_search,
        (
            Text("text", "Words; all of them must match, in any case.", ""),
            Choice("kind", "Only entities of this kind.", words=KINDS),
            LIMIT,
        ),
    ),
    declare_operation(
        "events",
        "The newest events of the log and their status",
        handlers.get_events,
        (
            Text("run", "Only events of this run."),
            Time("since", "Only events of this time and later."),
            Flag("rejected", "Only events that cannot be projected into the graph."),
            LIMIT,
            OFFSET,
        ),
    ),
    declare_operation(
        "cypher", "Rows of a read-only Cypher query", cypher.run_cypher, body=CypherBody
    ),
    declare_operation(
        "canned-queries",
        "Canned queries with their parameters",
        cypher.list_canned_queries,
        (LIMIT,),
    ),
    declare_operation(
        "canned-query", "Rows of a canned query", cypher.run_canned_query, body=CannedQueryBody
    ),
    *ORDER_OPERATIONS,
    *RECORD_OPERATIONS,
)
