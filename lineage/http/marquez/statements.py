"""The statements of Marquez's read API, with a row type for each of ``representations``."""

from __future__ import annotations

from typing import Any, NamedTuple

from lineage.database.statements import StatementFile

DATASET_IDS = """
SELECT id FROM lineage.dataset WHERE canonical = id AND namespace = %(namespace)s
ORDER BY name LIMIT %(limit)s OFFSET %(offset)s
"""
DATASET_COUNT = """
SELECT count(*) FROM lineage.dataset WHERE canonical = id AND namespace = %(namespace)s
"""
DATASET_ID = "SELECT canonical FROM lineage.dataset WHERE namespace = %s AND name = %s"

JOB_ID = "SELECT id FROM lineage.job WHERE namespace = %s AND name = %s"

RUN_COUNT = "SELECT count(*) FROM lineage.execution WHERE job = %s"

VERSION_COUNT = """
SELECT count(*) FROM lineage.dataset n JOIN lineage.access a ON a.dataset = n.id AND a.output
JOIN lineage.run r ON r.id = a.run AND r.contributing WHERE n.canonical = %s
"""
NAMES = "SELECT namespace, name FROM lineage.dataset WHERE canonical = %s"

# The events of runs that the log still has, oldest first.
OUTPUTS_REPORTED = """
SELECT e.run_id, e.body FROM lineage.event e
WHERE e.run_id = ANY (%s) ORDER BY e.event_time
"""

TAGS = """
SELECT DISTINCT jsonb_array_elements_text(lineage.facet_tags_json(facets)) AS tag
FROM lineage.dataset WHERE facets ? 'tags' ORDER BY tag LIMIT %(limit)s OFFSET %(offset)s
"""


class NamespaceRow(NamedTuple):
    """The arguments of ``representations.namespace_form``."""

    namespace: str
    first_seen: str | None
    last_seen: str | None


class DatasetRow(NamedTuple):
    """The argument of ``representations.dataset_form``."""

    namespace: str
    name: str
    first_seen: str | None
    last_seen: str | None
    facets: dict[str, Any] | None
    columns: list[list[Any]] | None
    run_id: str | None
    change: str | None


class JobRow(NamedTuple):
    """The argument of ``representations.job_form``."""

    namespace: str
    name: str
    first_seen: str | None
    last_seen: str | None
    facets: dict[str, Any] | None
    inputs: list[list[str]] | None
    outputs: list[list[str]] | None
    runs: list[list[Any]] | None


class RunRow(NamedTuple):
    """The argument of ``representations.run_form``."""

    run: list[Any]


class VersionRow(NamedTuple):
    """A run that wrote a dataset, and the facets of this output."""

    run: list[Any]
    written_at: str
    facets: dict[str, Any]


class NodeRow(NamedTuple):
    """A dataset or a job that matches a search."""

    kind: str
    namespace: str
    name: str
    updated_at: str | None


_SQL = StatementFile(__file__)
NAMESPACES = _SQL.statement("select_namespaces", NamespaceRow)
DATASETS = _SQL.statement("select_datasets", DatasetRow)
JOBS = _SQL.statement("select_jobs", JobRow)
JOB_IDS = _SQL.statement("select_job_ids", int)
JOB_COUNT = _SQL.statement("count_jobs", int)
RUNS_OF_JOB = _SQL.statement("select_runs_of_job", RunRow)
RUN = _SQL.statement("select_run", RunRow)
VERSIONS = _SQL.statement("select_versions", VersionRow)
SEARCHED = _SQL.statement("search", NodeRow)
EVENTS_NEWEST_FIRST = _SQL.statement("select_newest_events", str)
EVENTS_OLDEST_FIRST = _SQL.statement("select_oldest_events", str)
EVENT_COUNT = _SQL.statement("count_events", int)
