"""A connection that answers questions, and the names by which they call things."""

from __future__ import annotations

import contextlib
import difflib
from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect as open_connection
from lineage.database.errors import errors
from lineage.database.statements import StatementFile
from lineage.errors import Ambiguous, NotFound
from lineage.query.records import Dataset, Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

    from lineage.database.statements import Row, Statement

_DATASETS_CALLED = "SELECT id, namespace, name FROM lineage.find_dataset(%s)"
_JOBS_CALLED = "SELECT id, namespace, name FROM lineage.find_job(%s)"

_DATASETS = """
SELECT d.id, d.namespace, d.name FROM lineage.dataset d
WHERE d.id = d.canonical AND strpos(lineage.full_name(d.namespace, d.name), %(text)s) > 0
ORDER BY d.namespace, d.name LIMIT %(limit)s
"""

_JOBS = """
SELECT j.id, j.namespace, j.name FROM lineage.job j
WHERE strpos(j.namespace || '/' || j.name, %(text)s) > 0
ORDER BY j.namespace, j.name LIMIT %(limit)s
"""

# In this collation the whole id comes before those that it begins.
_RUNS_CALLED = """
SELECT run_id FROM lineage.run
WHERE run_id >= %(name)s AND run_id < %(upper)s ORDER BY run_id LIMIT %(limit)s
"""
_MOST_RUNS = 10

# The names among which a mistyped one is looked for: the most recent ones, so that it ends.
_RECENT_NAMES = """
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

_ONE_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"


class Names:
    """What all questions share: the connection, and finding what a name means.

    ``name`` of a dataset is its full name, an alias, or any ending of these behind ``/``, ``.`` or
    ``:``. All methods raise NotFound and Ambiguous for a name, and DatabaseError for the database.
    """

    def __init__(self, dsn: str | None = None) -> None:
        self._dsn = dsn
        self._conn: psycopg.Connection[Any] | None = open_connection(dsn, autocommit=True)

    @classmethod
    def over(cls, conn: psycopg.Connection[Any]) -> Self:
        """Return one that asks over a connection in autocommit mode that is the caller's."""
        graph = cls.__new__(cls)
        graph._dsn, graph._conn = None, conn
        return graph

    def close(self) -> None:
        """Close the connection."""
        if self._conn is not None:
            self._conn.close()
            self._conn = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def resolve(self, name: str) -> Dataset:
        """Return the one dataset that ``name`` fits."""
        found = [Dataset(*row) for row in self._rows(_DATASETS_CALLED, (name,))]
        if len(found) == 1:
            return found[0]
        if found:
            raise ambiguous(name, "datasets", [dataset.full_name for dataset in found])
        raise NotFound(f'No dataset is called "{name}".', self._near(name))

    def resolve_job(self, name: str) -> Job:
        """Return the one job that ``name`` fits: namespace and name, or any ending of the name."""
        found = [Job(*row) for row in self._rows(_JOBS_CALLED, (name,))]
        if len(found) == 1:
            return found[0]
        if found:
            raise ambiguous(name, "jobs", [job.full_name for job in found])
        raise NotFound(f'No job is called "{name}".', EMPTY if self.is_empty() else None)

    def is_run(self, run_id: str) -> bool:
        """Return whether a run has this whole id."""
        return bool(self._rows("SELECT FROM lineage.run WHERE run_id = %s", (run_id,)))

    def find_run(self, name: str) -> str:
        """Return the id of the run whose id ``name`` is, or begins alone."""
        upper = f"{name}\U0010ffff"
        params = {"name": name, "upper": upper, "limit": _MOST_RUNS + 1}
        found = [run for (run,) in self._rows(_RUNS_CALLED, params)]
        if found and (found[0] == name or (name and len(found) == 1)):
            return str(found[0])
        if name and found:
            some = f"{len(found)}" if len(found) <= _MOST_RUNS else f"more than {_MOST_RUNS}"
            raise Ambiguous(
                f'"{name}" begins the ids of {some} runs.', found, "Say more of the id."
            )
        raise NotFound(f'No run has the id "{name}".')

    def resolve_run(self, name: str, *, last_failed: bool = False) -> str:
        """Return the id of a run by its id, the beginning of it, or the name of a job or dataset.

        A job stands for its last run, a dataset for the last that wrote it or was to; with
        ``last_failed`` for the last that failed or was aborted. A whole id goes before a job, a job
        before a dataset, and a dataset before the beginning of an id.
        """
        if self.is_run(name):
            return name
        try:
            last, what = self._last_run_of(name)
        except NotFound as error:
            with contextlib.suppress(NotFound):
                return self.find_run(name)
            raise error from None
        found = self._fetch(last, id=what.id, failed=last_failed)
        if not found:
            which = "failed run" if last_failed else "run"
            raise NotFound(f"No {which} of {what} is known.")
        return found[0]

    def _last_run_of(self, name: str) -> tuple[Statement[str], Job | Dataset]:
        """Return the statement for the last run, and of what."""
        with contextlib.suppress(NotFound):
            return _SELECT_LAST_RUN_OF_JOB, self.resolve_job(name)
        try:
            return _SELECT_LAST_WRITE, self.resolve(name)
        except NotFound as error:
            message = f'No run has the id "{name}", and no job or dataset is called so.'
            raise NotFound(message, error.hint) from None

    def datasets(self, text: str = "", limit: int = 100) -> tuple[Dataset, ...]:
        """Return datasets whose full name contains ``text``, by name."""
        rows = self._rows(_DATASETS, {"text": text, "limit": limit})
        return tuple(Dataset(*row) for row in rows)

    def jobs(self, text: str = "", limit: int = 100) -> tuple[Job, ...]:
        """Return jobs whose full name contains ``text``, by name."""
        return tuple(Job(*row) for row in self._rows(_JOBS, {"text": text, "limit": limit}))

    def _connection(self) -> psycopg.Connection[Any]:
        if self._conn is None:
            self._conn = open_connection(self._dsn, autocommit=True)
        return self._conn

    def _rows(self, statement: str, params: Any) -> list[tuple[Any, ...]]:
        with errors():
            return self._connection().execute(statement, params).fetchall()

    def _fetch(self, statement: Statement[Row], /, **params: object) -> list[Row]:
        with errors():
            return statement.fetch(self._connection(), **params)

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Let several statements see the graph as it was at the first."""
        with errors(), self._connection().transaction():
            self._connection().execute(_ONE_SNAPSHOT)
            yield

    def is_empty(self) -> bool:
        """Whether the graph has no dataset and no job."""
        [(is_empty,)] = self._rows(_IS_EMPTY, ())
        return bool(is_empty)

    def nearest_jobs(self, name: str) -> str | None:
        """Return a hint that names the jobs that ``name`` was probably meant to be."""
        return self._near(name, _RECENT_JOBS)

    def _near(self, name: str, recent: str = _RECENT_NAMES) -> str | None:
        names = [known for (known,) in self._rows(recent, ())]
        if not names and self.is_empty():
            return EMPTY
        by_ending = {known.replace(".", "/").rsplit("/", 1)[-1]: known for known in names}
        near = difflib.get_close_matches(name, names, n=3) or [
            by_ending[ending] for ending in difflib.get_close_matches(name, list(by_ending), n=3)
        ]
        return f"Did you mean {' or '.join(near)}?" if near else None


def ambiguous(name: str, things: str, candidates: list[str]) -> Ambiguous:
    """Return the error for a name that fits several things."""
    return Ambiguous(
        f'"{name}" fits {len(candidates)} {things}.', candidates, "Say more of the name."
    )
