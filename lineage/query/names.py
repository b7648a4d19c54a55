"""Resolve a name to the dataset, job or run that it means.

``name`` of a dataset is its full name, an alias, or any ending of these behind ``/``, ``.`` or
``:``; of a job its namespace and name, or any ending of the name. All functions raise NotFound and
Ambiguous for a name, and DatabaseError for the database.
"""

from __future__ import annotations

import contextlib
import difflib
from typing import TYPE_CHECKING, TypeVar

from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound
from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.database.statements import Statement
    from lineage.query.session import Session

T = TypeVar("T", Dataset, Job)

_MATCH_DATASETS = "SELECT id, namespace, name FROM lineage.match_datasets(%s)"
_MATCH_JOBS = "SELECT id, namespace, name FROM lineage.match_jobs(%s)"
_MATCH_JOBS_AND_DATASETS = (
    "SELECT kind, id, namespace, name FROM lineage.match_jobs_and_datasets(%s)"
)

# In this collation the whole id comes before those that it begins.
_MATCH_RUNS = """
SELECT run_id FROM lineage.run
WHERE run_id >= %(name)s AND run_id < %(upper)s ORDER BY run_id LIMIT %(limit)s
"""
_MOST_RUNS = 10

# Only the most recent names are compared with a mistyped one, so that it takes bounded time.
_RECENT_DATASETS = """
SELECT lineage.full_name(namespace, name) FROM lineage.dataset
ORDER BY last_seen DESC NULLS LAST LIMIT 2000
"""
_RECENT_JOBS = """
SELECT namespace || '/' || name FROM lineage.job ORDER BY last_seen DESC LIMIT 2000
"""

_IS_EMPTY = """
SELECT NOT EXISTS (SELECT FROM lineage.dataset) AND NOT EXISTS (SELECT FROM lineage.job)
"""
EMPTY = (
    "The graph is empty. Bring events in: `lineage run` for a Spark job, `lineage ingest` for"
    " files, `lineage serve` for producers; `lineage status` shows what waits."
)

_SQL = StatementFile(__file__)
_SELECT_LAST_RUN_OF_JOB = _SQL.statement("select_last_run_of_job", str)
_SELECT_LAST_WRITE = _SQL.statement("select_last_write", str)


def resolve_dataset(session: Session, name: str) -> Dataset:
    """Return the dataset that ``name`` means."""
    matches = [Dataset(*row) for row in session.fetch_rows(_MATCH_DATASETS, (name,))]
    return _only_match("dataset", name, matches, lambda: suggest_datasets(session, name))


def resolve_job(session: Session, name: str) -> Job:
    """Return the job that ``name`` means."""
    matches = [Job(*row) for row in session.fetch_rows(_MATCH_JOBS, (name,))]
    return _only_match("job", name, matches, lambda: EMPTY if is_graph_empty(session) else None)


def resolve_job_or_dataset(session: Session, name: str) -> Job | Dataset:
    """Return the job or dataset that ``name`` means; a full name goes before an ending."""
    matches: list[Job | Dataset] = [
        Job(*row) if kind == "job" else Dataset(*row)
        for kind, *row in session.fetch_rows(_MATCH_JOBS_AND_DATASETS, (name,))
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = [f"{type(each).__name__.lower()} {each}" for each in matches]
        raise _ambiguous_name(name, "jobs and datasets", names)
    raise NotFound(f'No job or dataset is called "{name}".', suggest_datasets(session, name))


def is_run_id(session: Session, run_id: str) -> bool:
    """Return whether a run has this whole id."""
    return bool(session.fetch_rows("SELECT FROM lineage.run WHERE run_id = %s", (run_id,)))


def resolve_run_id(session: Session, name: str) -> str:
    """Return the id of the run whose id ``name`` is, or alone begins with it."""
    upper = f"{name}\U0010ffff"
    params = {"name": name, "upper": upper, "limit": _MOST_RUNS + 1}
    matches = [str(run) for (run,) in session.fetch_rows(_MATCH_RUNS, params)]
    if matches and (matches[0] == name or (name and len(matches) == 1)):
        return matches[0]
    if name and matches:
        some = f"{len(matches)}" if len(matches) <= _MOST_RUNS else f"more than {_MOST_RUNS}"
        raise Ambiguous(f'"{name}" begins the ids of {some} runs.', matches, "Say more of the id.")
    raise NotFound(f'No run has the id "{name}".')


def resolve_run(session: Session, name: str, *, last_failed: bool = False) -> str:
    """Return the id of a run by its id, the beginning of it, or the name of a job or dataset.

    A job stands for its last run, a dataset for the last that wrote it or was to; with
    ``last_failed`` for the last that failed or was aborted. A whole id goes before a job, a job
    before a dataset, and a dataset before the beginning of an id.
    """
    if is_run_id(session, name):
        return name
    try:
        statement, entity = _last_run_statement(session, name)
    except NotFound as error:
        with contextlib.suppress(NotFound):
            return resolve_run_id(session, name)
        raise error from None
    run_id = session.fetch_one(statement, id=entity.id, failed=last_failed)
    if run_id is None:
        which = "failed run" if last_failed else "run"
        raise NotFound(f"No {which} of {entity} is known.")
    return run_id


def _last_run_statement(session: Session, name: str) -> tuple[Statement[str], Job | Dataset]:
    """Return the statement for the last run of the job or dataset ``name``, and that."""
    with contextlib.suppress(NotFound):
        return _SELECT_LAST_RUN_OF_JOB, resolve_job(session, name)
    try:
        return _SELECT_LAST_WRITE, resolve_dataset(session, name)
    except NotFound as error:
        message = f'No run has the id "{name}", and no job or dataset is called so.'
        raise NotFound(message, error.hint) from None


def is_graph_empty(session: Session) -> bool:
    """Return whether the graph has no dataset and no job."""
    [(is_empty,)] = session.fetch_rows(_IS_EMPTY)
    return bool(is_empty)


def suggest_datasets(session: Session, name: str) -> str | None:
    """Return a hint with the datasets whose names are nearest to ``name``, None for none."""
    return _suggest_names(session, name, _RECENT_DATASETS)


def suggest_jobs(session: Session, name: str) -> str | None:
    """Return a hint with the jobs whose names are nearest to ``name``, None for none."""
    return _suggest_names(session, name, _RECENT_JOBS)


def _suggest_names(session: Session, name: str, statement: str) -> str | None:
    names = [known for (known,) in session.fetch_rows(statement)]
    if not names and is_graph_empty(session):
        return EMPTY
    by_ending = {known.replace(".", "/").rsplit("/", 1)[-1]: known for known in names}
    near = difflib.get_close_matches(name, names, n=3) or [
        by_ending[ending] for ending in difflib.get_close_matches(name, list(by_ending), n=3)
    ]
    return f"Did you mean {' or '.join(near)}?" if near else None


def _only_match(kind: str, name: str, matches: Sequence[T], suggest: Callable[[], str | None]) -> T:
    """Return the only one of ``matches``, the datasets or jobs called ``name``."""
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise _ambiguous_name(name, f"{kind}s", [each.full_name for each in matches])
    raise NotFound(f'No {kind} is called "{name}".', suggest())


def _ambiguous_name(name: str, kinds: str, candidates: list[str]) -> Ambiguous:
    return Ambiguous(
        f'"{name}" fits {len(candidates)} {kinds}.', candidates, "Say more of the name."
    )
