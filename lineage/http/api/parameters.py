"""Parameters that several operations of the read API have."""

from __future__ import annotations

from lineage import parameters
from lineage.http.parameters import Choice, Choices, Flag, Integer, Share, Text, Texts, Time
from lineage.query.run_history import STATES

DATASET = "A dataset: its full name, an alias, or an ending of these that fits no other."
JOB = "A job: namespace and name, or an ending of the name that fits no other."
RUN = "A run: its id, the beginning of its id, or a job or dataset for its last run."
DIRECTION = Choice(
    "direction", "The direction to follow.", "upstream", words=("upstream", "downstream")
)
BOTH_DIRECTIONS = Choice(
    "direction", "The direction to follow.", "both", words=("upstream", "downstream", "both")
)
DEPTH = Integer(
    "depth",
    "Maximum number of edges to follow; unlimited by default.",
    maximum=parameters.MAX_DEPTH,
)
WINDOW = Integer(
    "window_days",
    "Days before the newest event in which runs are counted.",
    parameters.WINDOW_DAYS,
    maximum=parameters.MAX_WINDOW_DAYS,
)
# The filters and the limit of a trace; the result counts the entries that they remove.
FILTERS = (
    Texts("namespace", "Only entities in one of these namespaces."),
    Texts("tag", "Only entities with one of these tags; key:value if a tag has a value."),
    Texts("job_type", "Only edges of jobs of one of these types, or such jobs."),
    Time("since", "Only edges seen at that time or later (ISO 8601)."),
    Flag("include_stale",
         "Also follow stale edges: later successful runs of the job wrote the target without them.",
         True),
)  # fmt: skip
OF_JOBS = Texts("job", "Only edges of one of these jobs.")
NEAREST = Integer(
    "limit",
    "Maximum number of entries, nearest first; omitted counts the others.",
    1000,
    maximum=100_000,
)
# Parameters of queries by runs.
BY_RUN = (
    Flag("runs", "Return one dependency per run instead of one step per job."),
    Flag("perhaps", "Also follow writes that a newer write of the same job may have replaced."),
    Integer("limit", "Maximum number of entries, nearest first; omitted counts the others.", 1000,
            maximum=10_000),
)  # fmt: skip
# For results with several lists.
PART = Integer(
    "limit",
    "Maximum number of entries of each list; omitted counts the others.",
    1000,
    maximum=10_000,
)
LISTED = (
    Text("text", "Only names that contain this text, in any case.", ""),
    Texts("namespace", "Only entities in one of these namespaces."),
    Texts("tag", "Only entities with one of these tags; key:value if a tag has a value."),
)
OF_RUNS = (
    Choices("state", "Only runs in one of these states.", words=STATES),
    Time("since", "Only runs whose first event is of that time or later (ISO 8601)."),
    Time("until", "Only runs whose first event is earlier."),
)
OBSERVED = Flag("observed", parameters.OBSERVED)
CONFIDENCE = Share("min_confidence", "Follow no declared edge of a lower confidence, 0 to 1.")
