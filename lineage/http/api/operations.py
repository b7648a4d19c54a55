"""Our own questions: what `lineage query`, `path`, `impact`, `show` and others tell, as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.http.api import handlers, listing
from lineage.http.encoding import plain, plain_part
from lineage.http.operation import Operation
from lineage.http.parameters import LIMIT, Choice, Flag, Integer, Text, Texts, Time
from lineage.query import Graph
from lineage.query.search import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable

_DATASET = "A dataset: its full name, an alias, or any ending of these that fits no other."
_RUN = "Id of a run, the beginning of it, or a job or dataset: then its last run."
_ONE_WAY = Choice("direction", "Which way.", "upstream", words=("upstream", "downstream"))
_DEPTH = Integer("depth", "At most so many steps; all where it is left out.", most=10_000)
_DAYS = Integer("days", "Count runs of so many days before the newest event.", 30, most=36500)
# Which part of a trace is told; the answer says what it hides and leaves out.
_SHOWN = (
    Texts("namespace", "Only what is in one of these namespaces."),
    Texts("tag", "Only what has one of these tags, key or key:value."),
    Texts("type", "Only what jobs of one of these types lead to, or such jobs."),
    Time("since", "Only what was read and written at that time or later (ISO 8601)."),
    Flag("stale", "Whether edges are passed that their jobs no longer make.", True),
    Integer(
        "limit",
        "At most so many, nearest first; the answer says what it leaves out.",
        1000,
        most=100_000,
    ),
)
# Of answers that go by runs: a step for all runs of a job, or a link for each.
_BY_RUN = (
    Flag("runs", "A link for each run, not a step for all runs of a job."),
    Flag("perhaps", "Also by writes that a newer one of the same job may have replaced."),
    Integer("limit", "At most so many, nearest first; the answer says what it leaves out.", 1000,
            most=10_000),
)  # fmt: skip
# Of answers with several lists: of each at most so many, and "left_out" says how many more.
_PART = Integer(
    "limit", "At most so many of each list; left_out has the others.", 1000, most=10_000
)
_OBSERVED = Flag("observed", "Pass only what runs showed, not what designs alone state.")


def _asked(
    path: str,
    summary: str,
    question: Callable[[Graph, dict[str, Any]], object],
    parameters: tuple[Text, ...],
) -> Operation:
    return Operation(
        f"/api/v1/graph/{path}",
        summary,
        lambda conn, given: question(Graph.over(conn), given),
        parameters,
    )


OPERATIONS = (
    _asked(
        "lineage",
        "What a dataset was made from and what was made from it",
        handlers.dataset_lineage,
        (
            Text("dataset", _DATASET, required=True),
            Choice("direction", "Which way.", "both", words=("upstream", "downstream", "both")),
            _DEPTH,
            *_SHOWN,
            Texts("job", "Only what one of these jobs leads to."),
            _OBSERVED,
        ),
    ),
    _asked(
        "job-lineage",
        "Which jobs feed a job or made a dataset, or which it feeds",
        handlers.job_lineage,
        (
            Text("name", "A job or a dataset; a full name goes before an ending.", required=True),
            _ONE_WAY,
            _DEPTH,
            *_SHOWN,
            Flag(
                "observed",
                "Pass only what runs read and wrote: no designs, nor the order of jobs.",
            ),
        ),
    ),
    _asked(
        "run-lineage",
        "Which jobs or runs had written what a run read, or which read what it wrote",
        handlers.run_lineage,
        (Text("run", _RUN, required=True), _ONE_WAY, _DEPTH, *_BY_RUN),
    ),
    _asked(
        "lineage-at",
        "Which jobs or runs had written what a dataset was made of at a time",
        handlers.dataset_lineage_at,
        (
            Text("dataset", _DATASET, required=True),
            Time("at", "The time (ISO 8601); that of the newest event where it is left out."),
            _DEPTH,
            *_BY_RUN,
        ),
    ),
    _asked(
        "columns",
        "What a column was made from, or what was made from it",
        handlers.column_lineage,
        (
            Text("dataset", _DATASET, required=True),
            Text("column", "The column; of a struct by its path: a.b.", required=True),
            _ONE_WAY,
            _DEPTH,
            Flag("indirect", "Also what filters, joins, groups or sorts.", True),
            _PART,
            _OBSERVED,
        ),
    ),
    _asked(
        "path",
        "How one dataset feeds another: the shortest ways, or all that lies on any",
        handlers.paths,
        (
            Text("source", _DATASET, required=True),
            Text("target", "Another dataset, named so too.", required=True),
            Flag("all", "Every dataset and edge on any way, not on the shortest alone."),
            _PART,
            _OBSERVED,
        ),
    ),
    _asked(
        "impact",
        "What depends on a dataset, or on a column of it: datasets, jobs, and their owners",
        handlers.impact,
        (
            Text("dataset", _DATASET, required=True),
            Text("column", "Only what derives from this column; of a struct by its path: a.b."),
            _DEPTH,
            _DAYS,
            LIMIT,
            _OBSERVED,
        ),
    ),
    _asked(
        "orphans",
        "Datasets nobody reads or writes, and jobs that never wrote",
        lambda graph, given: plain(graph.orphans(given["limit"])),
        (LIMIT,),
    ),
    _asked(
        "cycles",
        "Datasets that feed each other in a circle, or themselves",
        lambda graph, given: plain(graph.cycles(given["limit"], observed=given["observed"])),
        (LIMIT, _OBSERVED),
    ),
    _asked(
        "stats",
        "How much there is of everything, and the most used sources",
        handlers.stats,
        (_DAYS, LIMIT),
    ),
    _asked("datasets", "Datasets by name", listing.datasets, (*listing.DATASETS, LIMIT)),
    _asked(
        "dataset",
        "All that is known of a dataset",
        lambda graph, given: plain_part(graph.dataset(given["name"]), given["limit"]),
        (Text("name", _DATASET, required=True), _PART),
    ),
    _asked("jobs", "Jobs by name", listing.jobs, (*listing.JOBS, LIMIT)),
    _asked(
        "job",
        "All that is known of a job",
        lambda graph, given: plain_part(graph.job(given["name"]), given["limit"]),
        (Text("name", "A job: namespace and name, or any ending.", required=True), _PART),
    ),
    _asked(
        "diff",
        "What changed between two times in what a dataset is made of",
        handlers.dataset_diff,
        (
            Text("dataset", _DATASET, required=True),
            Time("from", "The earlier time.", required=True),
            Time("to", "The later time.", required=True),
            _DEPTH,
            _PART,
        ),
    ),
    _asked(
        "run-diff",
        "What differs between two runs",
        handlers.run_diff,
        (
            Text("before", _RUN, required=True),
            Text("after", "The id of the other run.", required=True),
            _PART,
        ),
    ),
    _asked(
        "root-cause",
        "Why a run failed, was late or gave a bad result",
        handlers.root_cause,
        (
            Text("run", _RUN, required=True),
            _DEPTH,
            Flag("last_failed", "Of a job or dataset, the last run that failed."),
            _PART,
        ),
    ),
    _asked(
        "quality",
        "Which checks a dataset, or all that it was made from, passed and failed",
        handlers.quality,
        (
            Text("dataset", _DATASET, required=True),
            Flag("upstream", "Also all that it was made from."),
            Flag("failed", "Only checks that failed."),
            _DEPTH,
            LIMIT,
        ),
    ),
    _asked(
        "run-quality",
        "What a run checked, and what was last checked of its inputs before it read them",
        handlers.run_quality,
        (
            Text("run", "The id of a run.", required=True),
            Flag("failed", "Only checks that failed."),
            LIMIT,
        ),
    ),
    _asked(
        "runs",
        "The runs of a job, newest first",
        handlers.job_runs,
        (Text("job", "A job, as above.", required=True), LIMIT),
    ),
    _asked(
        "accesses",
        "The runs that read or wrote a dataset, newest first",
        handlers.dataset_runs,
        (Text("dataset", _DATASET, required=True), LIMIT),
    ),
    _asked(
        "run",
        "All that is known of a run",
        lambda graph, given: plain_part(graph.run(given["id"]), given["limit"]),
        (Text("id", "The id of the run.", required=True), _PART),
    ),
    _asked(
        "events",
        "The newest events of the log, and whether the graph shows them",
        handlers.events,
        (
            Text("run", "Only those of this run."),
            Time("since", "Only those of this time and later."),
            Flag("failed", "Only those that cannot be brought into the graph."),
            LIMIT,
        ),
    ),
    _asked(
        "find",
        "Datasets, jobs and columns by words of names, tags and descriptions, the best first",
        handlers.search,
        (
            Text("words", "All of them have to fit, in whatever case.", ""),
            Choice("kind", "Only these.", words=KINDS),
            LIMIT,
        ),
    ),
    _asked("search", "Datasets and jobs by name", listing.search, (listing.TEXT, LIMIT)),
)
