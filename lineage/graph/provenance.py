"""Questions to the graph, from Python."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from lineage.database.connection import connect as open_connection
from lineage.database.errors import errors
from lineage.errors import Ambiguous, NotFound
from lineage.graph import column_questions, cypher, logged, moments, questions
from lineage.graph.answers import (
    Access,
    Column,
    ColumnTrace,
    Dataset,
    DatasetDetails,
    Direction,
    Edge,
    Job,
    JobDetails,
    Moment,
    Node,
    Run,
    RunDetails,
    Table,
    Trace,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

    from lineage.graph.logged import Logged

CYPHER_SECONDS = 30.0


def connect(dsn: str | None = None) -> Provenance:
    """Return a connection that answers questions: to ``dsn``, LINEAGE_DSN or the private server.

    Raises DatabaseUnavailable, UsageError.
    """
    return Provenance(dsn)


class Provenance:
    """Answers questions about where data came from and what it feeds.

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
        found = [Dataset(*row) for row in self._rows(questions.DATASETS_CALLED, (name,))]
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(name, "datasets", [dataset.full_name for dataset in found])
        raise NotFound(f'No dataset is called "{name}".', self._near(name))

    def resolve_job(self, name: str) -> Job:
        """Return the one job that ``name`` fits: namespace and name, or any ending of the name."""
        found = [Job(*row) for row in self._rows(questions.JOBS_CALLED, (name,))]
        if len(found) == 1:
            return found[0]
        if found:
            raise _ambiguous(name, "jobs", [job.full_name for job in found])
        raise NotFound(f'No job is called "{name}".')

    def upstream(self, name: str, depth: int | None = None) -> Trace:
        """Return what the dataset was made from, ``depth`` steps back or all the way."""
        return self.trace(name, "upstream", depth)

    def downstream(self, name: str, depth: int | None = None) -> Trace:
        """Return what was made from the dataset, ``depth`` steps on or all the way."""
        return self.trace(name, "downstream", depth)

    def trace(self, name: str, direction: Direction = "both", depth: int | None = None) -> Trace:
        """Return the trace of a dataset; ``both`` is upstream and downstream together."""
        root = self.resolve(name)
        rows = self._rows(
            questions.TRACE,
            {
                "root": root.id,
                "depth": depth,
                "upstream": direction != "downstream",
                "downstream": direction != "upstream",
            },
        )
        return _trace(root, direction, depth, rows)

    def read_by(self, run_id: str, depth: int | None = None) -> Moment:
        """Return which runs had written what a run read, ``depth`` steps back or all the way."""
        found = self._rows(questions.RUN_CALLED, (run_id,))
        if not found:
            raise _no_run(run_id)
        rows = self._rows(moments.OF_RUN, {"run_id": run_id, "depth": depth})
        return Moment(Run(*found[0][0]), None, depth, moments.links(rows))

    def at(self, name: str, time: str, depth: int | None = None) -> Moment:
        """Return of which runs' writes the dataset consisted at a time, and what they had read.

        ``time`` is ISO 8601, UTC where it has no offset. Raises UsageError where it is none.
        """
        moment = moments.time(time)
        root = self.resolve(name)
        rows = self._rows(moments.AT, {"dataset": root.id, "at": moment, "depth": depth})
        return Moment(root, moment, depth, moments.links(rows))

    def resolve_column(self, name: str, column: str) -> Column:
        """Return the column of the dataset ``name``; of a nested one ``column`` is the path."""
        dataset = self.resolve(name)
        known = self._rows(column_questions.COLUMNS, (dataset.id,))
        return column_questions.pick(dataset, column, known)

    def upstream_columns(
        self, name: str, column: str, depth: int | None = None, *, indirect: bool = True
    ) -> ColumnTrace:
        """Return what the column was made from; ``indirect`` with what filters, joins or sorts."""
        return self._trace_column(name, column, "upstream", depth, indirect)

    def downstream_columns(
        self, name: str, column: str, depth: int | None = None, *, indirect: bool = True
    ) -> ColumnTrace:
        """Return what was made from the column; ``indirect`` with what it filters or sorts."""
        return self._trace_column(name, column, "downstream", depth, indirect)

    def show(self, name: str) -> DatasetDetails:
        """Return all that is known of a dataset."""
        dataset = self.resolve(name)
        [row] = self._rows(questions.SHOW_DATASET, {"id": dataset.id})
        aliases, first_seen, last_seen, tags, facets, written_by, read_by = row
        return DatasetDetails(
            dataset, tuple(aliases or ()), first_seen, last_seen, tuple(tags or ()), facets,
            tuple(Job(*job) for job in written_by or ()), tuple(Job(*job) for job in read_by or ()),
        )  # fmt: skip

    def show_job(self, name: str) -> JobDetails:
        """Return all that is known of a job."""
        job = self.resolve_job(name)
        [row] = self._rows(questions.SHOW_JOB, {"id": job.id})
        kind, first_seen, last_seen, facets, inputs, outputs = row
        return JobDetails(
            job, kind, first_seen, last_seen, facets, _datasets(inputs), _datasets(outputs)
        )

    def show_run(self, run_id: str) -> RunDetails:
        """Return all that is known of a run, by its exact id."""
        rows = self._rows(questions.SHOW_RUN, {"run_id": run_id})
        if not rows:
            raise _no_run(run_id)
        run, jobs, parents, children, facets, accesses = rows[0]
        own = Run(*run)
        return RunDetails(
            own, tuple(Job(*job) for job in jobs or ()), tuple(parents or ()),
            tuple(children or ()), facets,
            tuple(
                Access(own, Job(*entry[4:7]), Dataset(*entry[1:4]), entry[0], entry[7])
                for entry in accesses or ()
            ),
        )  # fmt: skip

    def runs(self, name: str, limit: int = 20) -> tuple[Access, ...]:
        """Return the runs that read or wrote the dataset, newest first."""
        rows = self._rows(questions.RUNS_OF_DATASET, {"id": self.resolve(name).id, "limit": limit})
        return tuple(
            Access(Run(*row[0]), Job(*row[1:4]), Dataset(*row[4:7]), row[7], row[8]) for row in rows
        )

    def runs_of_job(self, name: str, limit: int = 20) -> tuple[Run, ...]:
        """Return the runs of the job, newest first."""
        rows = self._rows(questions.RUNS_OF_JOB, {"id": self.resolve_job(name).id, "limit": limit})
        return tuple(Run(*run) for (run,) in rows)

    def datasets(self, text: str = "", limit: int = 100) -> tuple[Dataset, ...]:
        """Return datasets whose full name contains ``text``, by name."""
        rows = self._rows(questions.DATASETS, {"text": text, "limit": limit})
        return tuple(Dataset(*row) for row in rows)

    def jobs(self, text: str = "", limit: int = 100) -> tuple[Job, ...]:
        """Return jobs whose full name contains ``text``, by name."""
        return tuple(
            Job(*row) for row in self._rows(questions.JOBS, {"text": text, "limit": limit})
        )

    def events(
        self,
        limit: int = 100,
        *,
        run: str | None = None,
        since: str | None = None,
        failed: bool = False,
    ) -> tuple[Logged, ...]:
        """Return the newest events of the log: of a run, since a time, or those set aside."""
        found = logged.listed(self._connection(), limit, run=run, since=since, failed=failed)
        return tuple(found)

    def cypher(
        self, text: str, params: Mapping[str, Any] | None = None, timeout: float = CYPHER_SECONDS
    ) -> Table:
        """Run a Cypher query that reads; it may take ``timeout`` seconds. Raises QueryError."""
        try:
            with errors():
                return cypher.run(self._connection(), text, params or {}, timeout)
        except Exception:
            self.close()
            raise

    def _trace_column(
        self, name: str, column: str, direction: Direction, depth: int | None, indirect: bool
    ) -> ColumnTrace:
        root = self.resolve_column(name, column)
        params = {"root": root.id, "direction": direction, "depth": depth, "indirect": indirect}
        rows = self._rows(column_questions.TRACE, params)
        return column_questions.trace(root, direction, depth, rows)

    def _connection(self) -> psycopg.Connection[Any]:
        if self._conn is None:
            self._conn = open_connection(self._dsn, autocommit=True)
        return self._conn

    def _rows(self, statement: str, params: Any) -> list[tuple[Any, ...]]:
        with errors():
            return self._connection().execute(statement, params).fetchall()

    def _near(self, name: str) -> str | None:
        names = [known for (known,) in self._rows(questions.RECENT_NAMES, ())]
        by_ending = {known.replace(".", "/").rsplit("/", 1)[-1]: known for known in names}
        near = difflib.get_close_matches(name, names, n=3) or [
            by_ending[ending] for ending in difflib.get_close_matches(name, list(by_ending), n=3)
        ]
        return f"Did you mean {' or '.join(near)}?" if near else None


def _no_run(run_id: str) -> NotFound:
    return NotFound(f'No run has the id "{run_id}".')


def _ambiguous(name: str, things: str, candidates: list[str]) -> Ambiguous:
    return Ambiguous(
        f'"{name}" fits {len(candidates)} {things}.', candidates, "Say more of the name."
    )


def _datasets(rows: list[list[Any]] | None) -> tuple[Dataset, ...]:
    found = (Dataset(*row) for row in rows or ())
    return tuple(sorted(found, key=lambda dataset: (dataset.namespace, dataset.name)))


def _trace(
    root: Dataset, direction: Direction, depth: int | None, rows: list[tuple[Any, ...]]
) -> Trace:
    known = {root.id: root}
    distances = {root.id: 0}
    edges: dict[tuple[int, int, int], Edge] = {}
    for distance, upstream, *said in rows:
        source = known.setdefault(said[0], Dataset(*said[0:3]))
        target = known.setdefault(said[3], Dataset(*said[3:6]))
        job = Job(*said[6:9])
        far = source.id if upstream else target.id
        distances[far] = min(distance, distances.get(far, distance))
        edges[source.id, target.id, job.id] = Edge(
            source, target, job, said[9], said[10], said[11], Run(*said[12])
        )
    nodes = [Node(known[id], distance) for id, distance in distances.items()]
    nodes.sort(key=lambda node: (node.distance, node.dataset.namespace, node.dataset.name))
    return Trace(root, direction, depth, tuple(nodes), tuple(edges.values()))
