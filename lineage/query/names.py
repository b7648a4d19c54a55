"""Resolve names to datasets, jobs and runs, and ids to datasets.

The ``name`` of a dataset is its full name, an alias, or any suffix of these after ``/``, ``.`` or
``:``. The ``name`` of a job is its namespace and name, or any suffix of the name. All functions
raise NotFound and Ambiguous for names, and DatabaseError for database errors.
"""

from __future__ import annotations

import contextlib
import difflib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound
from lineage.query.archive import need_run_in_graph
from lineage.query.arguments import texts_of
from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from lineage.database.statements import Statement
    from lineage.query.session import Session

T = TypeVar("T", Dataset, Job)

_MATCH_DATASETS = "SELECT id, namespace, name FROM lineage.match_datasets(%s)"
_DATASETS = "SELECT id, namespace, name FROM lineage.dataset WHERE id = ANY (%(ids)s::bigint[])"
_MATCH_JOBS = "SELECT id, namespace, name FROM lineage.match_jobs(%s)"
_MATCH_JOBS_AND_DATASETS = (
    "SELECT kind, id, namespace, name FROM lineage.match_jobs_and_datasets(%s)"
)

# In this collation an id sorts before the longer ids of which it is a prefix.
_MATCH_RUNS = """
SELECT run_id FROM lineage.run
WHERE run_id >= %(name)s AND run_id < %(upper)s ORDER BY run_id LIMIT %(limit)s
"""
_MAX_RUNS = 10

# Suggestions compare only the most recent names, so that they take bounded time.
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
    "The graph is empty. Add events with `lineage run` for a Spark job, `lineage ingest` for files"
    " or `lineage serve` for producers; `lineage status` shows pending events."
)


class NamedDatasetRow(NamedTuple):
    """A dataset that the name at ``position``, from 1, matches."""

    position: int
    id: int
    namespace: str
    name: str


class NamedDatasets(NamedTuple):
    """The matches of many names.

    ``datasets``: by their ids. ``missing``: the names that match none, and the full names that
    several have. ``full_names``: the full names of datasets, by the names that are aliases or
    endings.
    """

    datasets: dict[int, Dataset]
    missing: tuple[str, ...]
    full_names: dict[str, str]


_SQL = StatementFile(__file__)
_SELECT_LAST_RUN_OF_JOB = _SQL.statement("select_last_run_of_job", str)
_SELECT_LAST_WRITE = _SQL.statement("select_last_write", str)
_SELECT_NAMED_DATASETS = _SQL.statement("select_named_datasets", NamedDatasetRow)


def resolve_dataset(session: Session, name: str) -> Dataset:
    """Resolve ``name`` to a dataset."""
    matches = [Dataset(*row) for row in session.fetch_rows(_MATCH_DATASETS, (name,))]
    if (dataset := _only_match("dataset", name, matches)) is None:
        hint = _suggest_names(session, name, _RECENT_DATASETS)
        raise NotFound(f'No dataset is called "{name}".', hint)
    return dataset


def match_datasets(session: Session, names: Sequence[str]) -> NamedDatasets:
    """Resolve many names; each part of the result is in their order.

    A full name that several datasets have is missing. Raises Ambiguous if a name matches several
    datasets otherwise.
    """
    names = texts_of(names)
    matches: dict[int, list[Dataset]] = {}
    for row in session.fetch(_SELECT_NAMED_DATASETS, names=list(names)):
        matches.setdefault(row.position, []).append(Dataset(row.id, row.namespace, row.name))
    named: dict[str, Dataset] = {}
    for position, several in sorted(matches.items()):
        if len({dataset.full_name for dataset in several}) > 1:
            raise _ambiguous_name(names[position - 1], "datasets", _distinct_names(several))
        if len(several) == 1:
            named[names[position - 1]] = several[0]
    full_names = {name: dataset.full_name for name, dataset in named.items()}
    return NamedDatasets(
        {dataset.id: dataset for dataset in named.values()},
        tuple(dict.fromkeys(name for name in names if name not in named)),
        {name: full_name for name, full_name in full_names.items() if name != full_name},
    )


def read_datasets(session: Session, ids: Collection[int]) -> dict[int, Dataset]:
    """Return datasets by their vertex ids."""
    rows = session.fetch_rows(_DATASETS, {"ids": list(ids)})
    return {id: Dataset(id, namespace, name) for id, namespace, name in rows}


def resolve_job(session: Session, name: str) -> Job:
    """Resolve ``name`` to a job."""
    if (job := _match_job(session, name)) is None:
        hint = _suggest_names(session, name, _RECENT_JOBS)
        raise NotFound(f'No job is called "{name}".', hint)
    return job


def _match_job(session: Session, name: str) -> Job | None:
    matches = [Job(*row) for row in session.fetch_rows(_MATCH_JOBS, (name,))]
    return _only_match("job", name, matches)


def resolve_job_or_dataset(session: Session, name: str) -> Job | Dataset:
    """Resolve ``name`` to a job or dataset; a full name takes precedence over a suffix."""
    matches: list[Job | Dataset] = [
        Job(*row) if kind == "job" else Dataset(*row)
        for kind, *row in session.fetch_rows(_MATCH_JOBS_AND_DATASETS, (name,))
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        kinds = [type(each).__name__.lower() for each in matches]
        names = [
            f"{kind} {each}" for kind, each in zip(kinds, _distinct_names(matches), strict=True)
        ]
        raise _ambiguous_name(name, "jobs and datasets", names)
    raise NotFound(f'No job or dataset is called "{name}".', suggest_names(session, name))


def is_run_id(session: Session, run_id: str) -> bool:
    """Return whether a run with exactly this id exists."""
    return bool(session.fetch_rows("SELECT FROM lineage.run WHERE run_id = %s", (run_id,)))


def resolve_run_id(session: Session, name: str) -> str:
    """Resolve ``name``, a run id or a unique prefix of one, to the run id."""
    upper = f"{name}\U0010ffff"
    params = {"name": name, "upper": upper, "limit": _MAX_RUNS + 1}
    matches = [str(run) for (run,) in session.fetch_rows(_MATCH_RUNS, params)]
    if matches and (matches[0] == name or (name and len(matches) == 1)):
        return matches[0]
    if name and matches:
        some = f"{len(matches)}" if len(matches) <= _MAX_RUNS else f"more than {_MAX_RUNS}"
        raise Ambiguous(
            f'"{name}" is a prefix of the ids of {some} runs.', matches, "Use a longer prefix."
        )
    need_run_in_graph(session, name, is_prefix=True)
    raise NotFound(f'No run has the id "{name}".')


def resolve_run(session: Session, name: str, *, last_failed: bool = False) -> str:
    """Resolve a run id, a prefix of one, or the name of a job or dataset to a run id.

    A job resolves to its last run, a dataset to the last run that wrote or should have written it.
    ``last_failed``: consider only runs that failed or were aborted. Precedence: a complete id, a
    job, a dataset, a prefix of an id.
    """
    if is_run_id(session, name):
        return name
    try:
        statement, entity = _last_run_statement(session, name)
    except NotFound as error:
        need_run_in_graph(session, name)
        with contextlib.suppress(NotFound):
            return resolve_run_id(session, name)
        need_run_in_graph(session, name, is_prefix=True)
        raise error from None
    run_id = session.fetch_one(statement, id=entity.id, failed=last_failed)
    if run_id is None:
        which = "failed run" if last_failed else "run"
        raise NotFound(f"No {which} of {entity} is known.")
    return run_id


def _last_run_statement(session: Session, name: str) -> tuple[Statement[str], Job | Dataset]:
    """Resolve ``name``; return the statement for the last run of the entity, and the entity."""
    if (job := _match_job(session, name)) is not None:
        return _SELECT_LAST_RUN_OF_JOB, job
    try:
        return _SELECT_LAST_WRITE, resolve_dataset(session, name)
    except NotFound:
        message = f'No run has the id "{name}", and no job or dataset has this name.'
        raise NotFound(message, suggest_names(session, name)) from None


def is_graph_empty(session: Session) -> bool:
    """Return whether the graph has no dataset and no job."""
    [(is_empty,)] = session.fetch_rows(_IS_EMPTY)
    return bool(is_empty)


def suggest_names(session: Session, name: str) -> str | None:
    """Return a hint with the jobs and datasets of the most similar names, or None."""
    return _suggest_names(session, name, _RECENT_JOBS, _RECENT_DATASETS)


def _suggest_names(session: Session, name: str, *statements: str) -> str | None:
    names = [known for each in statements for (known,) in session.fetch_rows(each)]
    if not names and is_graph_empty(session):
        return EMPTY
    by_name: dict[str, list[str]] = {}
    by_ending: dict[str, list[str]] = {}
    for known in names:
        by_name.setdefault(known.lower(), []).append(known)
        ending = known.replace(".", "/").rsplit("/", 1)[-1].lower()
        by_ending.setdefault(ending, []).append(known)
    near = _nearest_names(name.lower(), by_name, by_ending)
    return f"Did you mean {' or '.join(near)}?" if near else None


def _nearest_names(
    name: str, by_name: Mapping[str, Sequence[str]], by_ending: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the names that end with ``name``, or the most similar ones; at most 3.

    A name of one word is compared with endings first: short full names, as of jobs, are similar to
    it sooner than long ones.
    """
    attempts = [(by_name, 0.6), (by_ending, 0.6)]
    if "/" not in name and "." not in name:
        attempts.insert(0, (by_ending, 0.8))
    for names, cutoff in attempts:
        near = [key for key in names if key.endswith(f"/{name}")]
        near = near or difflib.get_close_matches(name, list(names), n=3, cutoff=cutoff)
        if near:
            return list(dict.fromkeys(known for key in near for known in names[key]))[:3]
    return []


def _only_match(kind: str, name: str, matches: Sequence[T]) -> T | None:
    """Return the single match of ``name``, or None if there is none. Raises Ambiguous."""
    if len(matches) > 1:
        raise _ambiguous_name(name, f"{kind}s", _distinct_names(matches))
    return matches[0] if matches else None


def _ambiguous_name(name: str, kinds: str, candidates: list[str]) -> Ambiguous:
    return Ambiguous(
        f'"{name}" matches {len(candidates)} {kinds}.',
        candidates,
        "Use a longer name, or add the namespace.",
    )


def _distinct_names(matches: Sequence[Job | Dataset]) -> list[str]:
    """Return a name of each match that resolves to it alone.

    The names /k and k of s3://bucket have the same full name: there a colon follows the namespace.
    """
    times = Counter((type(each), each.full_name) for each in matches)
    return [
        each.full_name
        if times[type(each), each.full_name] == 1
        else f"{each.namespace}:{each.name}"
        for each in matches
    ]
