"""From logged events to facts and graph: one batch, a fixed number of statements."""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from lineage.errors import DatabaseError
from lineage.graph import aliases, columns, copying, derives, feeds, statements, summary
from lineage.graph.arrays import flags, moments, numbers, optional_numbers, texts, transposed
from lineage.graph.batch import Seen
from lineage.graph.summary import Runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

    from lineage.graph.arrays import Array, Kind
    from lineage.graph.batch import Batch
    from lineage.openlineage.events import Name

    Row = tuple[Any, ...]

# Shared by projections; held alone by one that changes which names are one dataset, since that
# touches runs of other batches. The number is "lineage" on the keys of a telephone.
_LOCK = 5463243
_SHARED = "SELECT pg_advisory_xact_lock_shared(%s)"
_ALONE = "SELECT pg_advisory_xact_lock(%s)"

_NAME = (texts, texts)
_DATASET = (*_NAME, moments, moments, texts)
_RUN = (texts, texts, moments, moments, moments, moments, texts)
_ACCESS = (numbers, numbers, numbers, flags, moments, moments, texts, optional_numbers)

_FEEDING = "SELECT id FROM lineage.run WHERE id = ANY (%s::bigint[]) AND feeding"


class MustBeAlone(Exception):
    """The batch changes which names are one dataset: do it again in a new transaction, alone."""


def project(conn: psycopg.Connection[Any], batch: Batch, *, alone: bool = False) -> None:
    """Fold ``batch`` into the facts and draw what it touched, in the caller's transaction.

    Rows are locked in one order, datasets, jobs, runs, summary, each sorted by key, so that writers
    never wait for each other in a ring. What a run is counted for is read after its row is locked,
    so that two writers of two halves of one run cannot both miss the other's half.

    Raises MustBeAlone; the transaction has then to be rolled back.
    """
    row = conn.execute(statements.SETTINGS).fetchone()
    if not row or row[0] != "read committed":
        raise DatabaseError(
            "Events are written in a transaction that is not READ COMMITTED.",
            "Set the isolation level of the connection to READ COMMITTED.",
        )
    # Before any table: who waits for a rebuild must hold none that it empties.
    if alone:
        keep_others_out(conn)
    else:
        conn.execute(_SHARED, (_LOCK,))
        if aliases.changes(conn, batch.aliases):
            raise MustBeAlone
    _Projection(conn, batch, alone).run()


def keep_others_out(conn: psycopg.Connection[Any]) -> None:
    """Wait for all other projections to end, and let none begin before this transaction ends."""
    conn.execute(_ALONE, (_LOCK,))


class _Projection:
    """The state of one call: ids of what the batch names, once they are known."""

    def __init__(self, conn: psycopg.Connection[Any], batch: Batch, alone: bool) -> None:
        self.conn = conn
        self.batch = batch
        self.alone = alone
        self.datasets: dict[Name, int] = {}
        self.vertices: set[int] = set()  # canonical ids of the datasets
        self.vertex_of: dict[int, int] = {}  # the same by the id of the name
        self.jobs: dict[Name, int] = {}
        self.runs: dict[str, int] = {}
        self.known: set[int] = set()  # runs that were there before
        self.counted: set[int] = set()  # of these, those that the summary counts
        self.feeding: set[int] = set()  # runs of the batch that it has to count from now on

    def run(self) -> None:
        self._merge_datasets()
        repointed = aliases.claim(self.conn, self.batch.aliases, self.datasets)
        if repointed and not self.alone:
            raise MustBeAlone
        self._merge_jobs()
        self._merge_runs()
        times = self._merge_executions()
        moves = aliases.repoint(self.conn, repointed) if repointed else aliases.NO_MOVES
        runs = Runs(
            set(self.runs.values()),
            self.known,
            self.counted,
            self.feeding,
            self._counted(moves.runs),
        )
        ids = columns.Ids(self.datasets, self.jobs, self.runs)
        feeding = feeds.Change(self.conn, runs, self._named())
        deriving = derives.Change(
            self.conn, runs, columns.noted(self.conn, self.batch, ids, self.known | runs.moved)
        )
        if repointed:
            aliases.move(self.conn, moves)
            self.vertices |= {*moves.old.values(), *moves.new.values()}
            self.vertex_of |= moves.new
        accesses, not_drawn = self._merge_accesses()
        stated, named = columns.merge(self.conn, self.batch, ids, self.known)
        if moves.new:
            named += columns.named(self.conn, moves.new)
        summary.set_feeding(self.conn, self.known & (self.counted ^ self.feeding))
        schemas = self._draw(not_drawn.union(moves.runs))
        columns.draw(self.conn, named, schemas, {*moves.old.values(), *moves.new.values()})
        feeding.count(accesses, times)
        deriving.count(stated, times)

    def _merge_datasets(self) -> None:
        stated = dict(self.batch.datasets)
        # What an alias stands for is drawn anew too: its row is locked with the others, in order.
        for name in self._execute(statements.CANONICAL_NAMES, _NAME, list(stated)):
            stated.setdefault(name, Seen())
        rows = [
            (*name, seen.first, seen.last, _json(seen))
            for name, seen in sorted(stated.items(), key=_key)
        ]
        for namespace, name, id, canonical in self._execute(statements.DATASETS, _DATASET, rows):
            self.datasets[namespace, name] = id
            self.vertices.add(canonical)
            self.vertex_of[id] = canonical
        if not self.alone and not self.vertices.issubset(self.datasets.values()):
            raise MustBeAlone

    def _merge_jobs(self) -> None:
        rows = [
            (*name, seen.first, seen.last, _json(seen))
            for name, seen in sorted(self.batch.jobs.items(), key=_key)
        ]
        for namespace, name, id in self._execute(statements.JOBS, _DATASET, rows):
            self.jobs[namespace, name] = id

    def _merge_runs(self) -> None:
        rows = [
            (run_id, run.state_, run.first, run.last, run.started, run.ended, _json(run))
            for run_id, run in sorted(self.batch.runs.items(), key=_key)
        ]
        for run_id, id, known, counted, feeding in self._execute(statements.RUNS, _RUN, rows):
            self.runs[run_id] = id
            if known:
                self.known.add(id)
                if counted:
                    self.counted.add(id)
            if feeding:
                self.feeding.add(id)

    def _merge_executions(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Return when runs were first and last seen as work of a job, of which the batch speaks."""
        rows = sorted(
            (self.runs[run_id], self.jobs[job], work.first, work.last)
            for (run_id, job), work in self.batch.executions.items()
        )
        new, others = self._divided(rows)
        copying.executions(self.conn, new)
        merged = self._execute(statements.EXECUTIONS, (numbers, numbers, moments, moments), others)
        parents = sorted(
            (self.runs[child], self.runs[parent]) for child, parent in self.batch.parents
        )
        self._execute(statements.PARENTS, (numbers, numbers), parents)
        # Without times are parents, as others name them.
        times = {(run, job): (first, last) for run, job, first, last in rows if first and last}
        times.update((row[:2], row[2:]) for row in merged if row[:2] in times)
        return times

    def _divided(self, rows: list[Row]) -> tuple[list[Row], list[Row]]:
        """Divide rows, each of a run: what nobody else can have written, if it is much, and others.

        A run that was not there before is ours, and not committed yet.
        """
        new = [row for row in rows if row[0] not in self.known]
        if len(new) < copying.MANY:
            return [], rows
        return new, [row for row in rows if row[0] in self.known] if len(new) < len(rows) else []

    def _merge_accesses(self) -> tuple[list[tuple[int, int, int, bool]], set[int]]:
        """Return run, job, vertex and output of each access, and the runs that are to be drawn."""
        runs, jobs, datasets, vertex_of = self.runs, self.jobs, self.datasets, self.vertex_of
        rows = [
            (runs[run_id], jobs[job], datasets[dataset], output, seen.first, seen.last, _json(seen))
            for (run_id, job), work in self.batch.executions.items()
            for (dataset, output), seen in work.accesses.items()
        ]
        rows.sort()
        # An edge is drawn with its access, where nothing else can have a part in it.
        parts = Counter((run, vertex_of[dataset], output) for run, _, dataset, output, *_ in rows)
        stated: list[Row] = [
            (
                *row,
                vertex
                if row[0] not in self.known
                and parts[row[0], vertex := vertex_of[row[2]], row[3]] == 1
                else None,
            )
            for row in rows
        ]
        new, others = self._divided(stated)
        copying.accesses(self.conn, (row[:-1] for row in new))
        self._draw_accesses(row for row in new if row[-1] is not None)
        self._execute(statements.ACCESSES, _ACCESS, others)
        return (
            [(run, job, vertex_of[dataset], output) for run, job, dataset, output, *_ in rows],
            {row[0] for row in stated if row[-1] is None},
        )

    def _draw_accesses(self, rows: Iterable[Row]) -> None:
        inputs, outputs, told = [], [], []
        for row in rows:
            run, _, _, output, first, last, facets, vertex = row
            if facets != "{}":  # they tell more than a time
                told.append(row)
            elif output:
                outputs.append((run, vertex, last))
            else:
                inputs.append((run, vertex, first))
        copying.inputs(self.conn, inputs)
        copying.outputs(self.conn, outputs)
        self._execute(statements.DRAW_ACCESSES, _ACCESS, told)

    def _named(self) -> dict[int, set[tuple[int, int, bool]]]:
        """Return job, dataset and output of each access that the batch names, of known runs."""
        named: dict[int, set[tuple[int, int, bool]]] = {}
        for (run_id, job), work in self.batch.executions.items():
            if (run := self.runs[run_id]) in self.known:
                named.setdefault(run, set()).update(
                    (self.jobs[job], self.datasets[dataset], output)
                    for dataset, output in work.accesses
                )
        return named

    def _counted(self, runs: list[int]) -> set[int]:
        return {id for (id,) in self.conn.execute(_FEEDING, (runs,))} if runs else set()

    def _draw(self, runs: set[int]) -> dict[int, int | None]:
        """Draw what the batch touched; return the vertices whose columns are to be drawn too."""
        schemas = self._execute_with(statements.DRAW_DATASETS, numbers(sorted(self.vertices)))
        if runs:
            self._execute_with(statements.DRAW_INPUTS, numbers(sorted(runs)))
            self._execute_with(statements.DRAW_OUTPUTS, numbers(sorted(runs)))
        return dict(schemas)

    def _execute(
        self, statement: str, kinds: Sequence[Kind], rows: Sequence[tuple[Any, ...]]
    ) -> list[tuple[Any, ...]]:
        return self._execute_with(statement, *transposed(kinds, rows)) if rows else []

    def _execute_with(self, statement: str, *arrays: Array) -> list[tuple[Any, ...]]:
        cursor = self.conn.execute(statement, arrays)
        return cursor.fetchall() if cursor.description else []


def _key(item: tuple[Any, object]) -> Any:
    return item[0]


def _json(seen: Seen) -> str:
    """Return facets as the facts have them: {name: [stamp, body]}."""
    if not seen.facets:
        return "{}"
    entries = [
        f'{_quoted(name)}:["{stamp}",{str(body, "utf-8")}]'  # a stamp needs no escaping
        for name, (stamp, body) in seen.facets.items()
    ]
    return f"{{{','.join(entries)}}}"


_quoted = lru_cache(json.dumps)
