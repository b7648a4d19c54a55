"""Jobs, their runs, and the events of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from lineage.errors import NotFound
from lineage.http.marquez import representations, statements
from lineage.http.marquez.catalog import PAGE, fetch_count
from lineage.http.operation import Operation
from lineage.http.parameters import Choice, Choices, Time
from lineage.openlineage.jsonb import replace_unstorable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.http.marquez.catalog import Conn, Json

_STATES = {
    "NEW": ["NEW"],
    "RUNNING": ["START", "RUNNING", "OTHER"],
    "COMPLETED": ["COMPLETE"],
    "FAILED": ["FAIL"],
    "ABORTED": ["ABORT"],
}
_LAST = Choices(
    "lastRunStates", "Only jobs whose last run is in one of these states.", words=tuple(_STATES)
)


def of_ids(conn: Conn, ids: Sequence[int]) -> list[Json]:
    """Return jobs by their ids."""
    return [representations.job_form(row) for row in statements.JOBS.fetch(conn, ids=list(ids))]


def job_id(conn: Conn, namespace: str, name: str) -> int:
    """Return the id of a job. Raises NotFound."""
    row = conn.execute(statements.JOB_ID, (namespace, name)).fetchone()
    if row is None:
        raise NotFound(f'There is no job "{name}" in the namespace "{namespace}".')
    (id,) = row
    return int(id)


def _list_jobs(conn: Conn, values: Json) -> Json:
    states = [state for word in values.get("lastRunStates") or () for state in _STATES[word]]
    criteria = {"namespace": None, **values, "states": states or None}
    ids = statements.JOB_IDS.fetch(conn, **criteria)
    [count] = statements.JOB_COUNT.fetch(conn, **criteria)
    return {"jobs": of_ids(conn, ids), "totalCount": count}


def _get_job(conn: Conn, values: Json) -> Json:
    [jobs] = of_ids(conn, [job_id(conn, values["namespace"], values["job"])])
    return jobs


def _list_runs(conn: Conn, values: Json) -> Json:
    job = job_id(conn, values["namespace"], values["job"])
    rows = statements.RUNS_OF_JOB.fetch(conn, **{**values, "job": job})
    count = fetch_count(conn, statements.RUN_COUNT, (job,))
    return {"runs": [representations.run_form(row.run) for row in rows], "totalCount": count}


def _get_run(conn: Conn, values: Json) -> Json:
    row = statements.RUN.fetch_one(conn, run_id=values["run"])
    if row is None:
        raise NotFound(f'No run has the id "{values["run"]}".')
    return representations.run_form(row.run)


def _get_facets(conn: Conn, values: Json) -> Json:
    run = _get_run(conn, values)
    if values["type"] == "job":
        job = _get_job(conn, {"namespace": run["namespace"], "job": run["jobName"]})
        return {"runId": run["id"], "facets": job["facets"]}
    return {"runId": run["id"], "facets": run["facets"]}


def _list_events(conn: Conn, values: Json) -> Json:
    values = {"namespace": None} | values
    is_first = values["sortDirection"] == "asc"
    statement = statements.EVENTS_OLDEST_FIRST if is_first else statements.EVENTS_NEWEST_FIRST
    bodies: list[Any] = [
        msgspec.Raw(replace_unstorable(body.encode())) for body in statement.fetch(conn, **values)
    ]
    [count] = statements.EVENT_COUNT.fetch(conn, **values)
    return {"events": bodies, "totalCount": count}


_EVENTS = (
    Time("before", "Only events before this time.", "9999-01-01T00:00:00Z"),
    Time("after", "Only events of this time or later.", "1970-01-01T00:00:00Z"),
    Choice("sortDirection", "The order by arrival.", "desc", words=("asc", "desc")),
    *PAGE,
)

OPERATIONS = (
    Operation("/api/v1/jobs", "Jobs, last seen first", _list_jobs, (_LAST, *PAGE)),
    Operation(
        "/api/v1/namespaces/{namespace}/jobs", "Jobs of a namespace", _list_jobs, (_LAST, *PAGE)
    ),
    Operation("/api/v1/namespaces/{namespace}/jobs/{job}", "A job", _get_job),
    Operation("/api/v1/namespaces/{namespace}/jobs/{job}/runs", "Runs of a job", _list_runs, PAGE),
    Operation("/api/v1/jobs/runs/{run}", "A run", _get_run),
    Operation(
        "/api/v1/jobs/runs/{run}/facets",
        "The facets of a run, or of its job",
        _get_facets,
        (Choice("type", "The entity whose facets are returned.", "run", words=("run", "job")),),
    ),
    Operation(
        "/api/v1/events/lineage",
        "Run events as received; totalCount is at most 10,000",
        _list_events,
        _EVENTS,
    ),
    # The paths that marquez-python uses.
    Operation("/api/v1/events", "Run events as received", _list_events, _EVENTS),
    Operation("/api/v1/events/{namespace}", "Run events of a namespace", _list_events, _EVENTS),
)
