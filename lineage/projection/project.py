"""From logged events to facts and graph: one batch, a fixed number of statements."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from lineage.database import binary_copy
from lineage.database.binary_arrays import (
    adapt_arrays,
    execute,
    flags,
    moments,
    numbers,
    optional_numbers,
    texts,
)
from lineage.errors import DatabaseError
from lineage.projection import (
    aliases,
    column_mappings,
    copy,
    declared,
    derives,
    feeds,
    statements,
    summary,
)
from lineage.projection.entities import Names
from lineage.projection.facets import as_json
from lineage.projection.runs import RunRows
from lineage.projection.summary import Runs

if TYPE_CHECKING:
    from collections.abc import Iterable

    import psycopg

    from lineage.database.binary_arrays import Array
    from lineage.events.merge import Batch

    Row = tuple[Any, ...]

# Shared by projections; held alone by one that changes which names are one dataset, since that
# touches runs of other batches. The number is "lineage" on the keys of a telephone.
_LOCK = 5463243
_SHARED = "SELECT pg_advisory_xact_lock_shared(%s)"
_ALONE = "SELECT pg_advisory_xact_lock(%s)"

_EXECUTION = (numbers, numbers, moments, moments)
_ACCESS = (numbers, numbers, numbers, flags, moments, moments, texts, optional_numbers)

_FEEDING = "SELECT id FROM lineage.run WHERE id = ANY (%s::bigint[]) AND feeding"


class MustBeAlone(Exception):
    """The batch changes which names are one dataset, or states a design.

    It is to be done again in a new transaction, alone.
    """


def project(conn: psycopg.Connection[Any], batch: Batch, *, alone: bool = False) -> None:
    """Fold ``batch`` into the facts and draw what it touched, in the caller's transaction.

    Rows are locked in one order, so that writers never wait for each other in a ring: new datasets,
    jobs and runs, then runs that were there before, mappings, datasets and jobs that were there
    before, and the summary, each sorted by key. What a run is counted for is read after its row is
    locked, so that two writers of two halves of one run cannot both miss the other's half.

    Raises MustBeAlone; the transaction has then to be rolled back.
    """
    adapt_arrays(conn)
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
        # What designs state is compared with what runs show, which others may be writing.
        if batch.designs or aliases.changes(conn, batch.aliases):
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
        self.names = Names(conn, batch)
        self.datasets, self.jobs = self.names.datasets, self.names.jobs
        self.vertices, self.vertex_of = self.names.vertices, self.names.vertex_of
        self.run_rows = RunRows(conn, batch)
        self.runs, self.known = self.run_rows.ids, self.run_rows.known

    def run(self) -> None:
        repointed = self._claim() if self.alone else []
        self.run_rows.merge()
        times = self._merge_executions()
        moves = aliases.repoint(self.conn, repointed) if repointed else aliases.NO_MOVES
        runs = Runs(
            self.run_rows.said,
            self.known,
            self.run_rows.counted,
            self.run_rows.feeding,
            self._counted(moves.runs),
        )
        ids = column_mappings.Ids(self.datasets, self.jobs, self.runs)
        explicit = {self.runs[run_id] for run_id in self.batch.explicit}
        feeding = feeds.Change(self.conn, runs, self._named(), explicit)
        deriving = derives.Change(
            self.conn,
            runs,
            column_mappings.noted(self.conn, self.batch, ids, self.known | runs.moved),
        )
        if repointed:
            aliases.move(self.conn, moves)
            self.vertices |= {*moves.old.values(), *moves.new.values()}
            self.vertex_of |= moves.new
        accesses, not_drawn = self._merge_accesses()
        self._merge_explicit()
        stated, named = column_mappings.merge(self.conn, self.batch, ids, self.known)
        if moves.new:
            named += column_mappings.named(self.conn, moves.new)
        summary.set_feeding(self.conn, self.known & (self.run_rows.counted ^ self.run_rows.feeding))
        self.names.merge()
        if not self.alone and self._claim():
            raise MustBeAlone
        schemas = self._draw(not_drawn.union(moves.runs))
        column_mappings.draw(self.conn, named, schemas, {*moves.old.values(), *moves.new.values()})
        feeding.count(accesses, times)
        deriving.count(stated, times)
        self._merge_dependencies()
        if self.batch.designs or moves.new:
            declared.apply(self.conn, self.batch, ids, moves)

    def _claim(self) -> list[tuple[int, int]]:
        return aliases.claim(self.conn, self.batch.aliases, self.datasets)

    def _merge_executions(self) -> dict[tuple[int, int], tuple[str, str]]:
        """Return when runs were first and last seen as work of a job, of which the batch speaks."""
        rows = sorted(
            (self.runs[run_id], self.jobs[job], work.first, work.last)
            for (run_id, job), work in self.batch.executions.items()
        )
        new, others = self._divided(self._without_known_parents(rows))
        copy.executions(self.conn, new)
        merged = execute(self.conn, statements.EXECUTIONS, _EXECUTION, others)
        parents = sorted(
            (self.runs[child], self.runs[parent]) for child, parent in self.batch.parents
        )
        execute(self.conn, statements.PARENTS, (numbers, numbers), parents)
        # Without times are parents, as others name them.
        times = {(run, job): (first, last) for run, job, first, last in rows if first and last}
        times.update((row[:2], row[2:]) for row in merged if row[:2] in times)
        return times

    def _without_known_parents(self, rows: list[Row]) -> list[Row]:
        """Leave out what says no more than is there: many name it, and would lock it."""
        parents = [row[:2] for row in rows if row[2] is None and row[0] in self.known]
        there = set(execute(self.conn, statements.EXECUTIONS_THERE, (numbers, numbers), parents))
        return [row for row in rows if row[2] or row[:2] not in there] if there else rows

    def _divided(self, rows: list[Row]) -> tuple[list[Row], list[Row]]:
        """Divide rows, each of a run: what nobody else can have written, if it is much, and others.

        A run that was not there before is ours, and not committed yet.
        """
        new = [row for row in rows if row[0] not in self.known]
        if len(new) < binary_copy.MANY:
            return [], rows
        return new, [row for row in rows if row[0] in self.known] if len(new) < len(rows) else []

    def _merge_accesses(self) -> tuple[list[tuple[int, int, int, bool]], set[int]]:
        """Return run, job, vertex and output of each access, and the runs that are to be drawn."""
        runs, jobs, datasets, vertex_of = self.runs, self.jobs, self.datasets, self.vertex_of
        rows = [
            (
                runs[run_id],
                jobs[job],
                datasets[dataset],
                output,
                seen.first,
                seen.last,
                as_json(seen),
            )
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
        copy.accesses(self.conn, (row[:-1] for row in new))
        self._draw_accesses(row for row in new if row[-1] is not None)
        execute(self.conn, statements.ACCESSES, _ACCESS, others)
        return (
            [(run, job, vertex_of[dataset], output) for run, job, dataset, output, *_ in rows],
            {row[0] for row in stated if row[-1] is None},
        )

    def _merge_dependencies(self) -> None:
        rows = sorted(
            (self.jobs[upstream], self.jobs[downstream], seen.first, seen.last)
            for (upstream, downstream), seen in self.batch.dependencies.items()
        )
        execute(self.conn, statements.DEPENDENCIES, (numbers, numbers, moments, moments), rows)

    def _merge_explicit(self) -> None:
        """Note which runs name datasets in lineage facets alone: they may get another vertex."""
        rows = sorted(
            (self.runs[run_id], self.datasets[name])
            for run_id, names in self.batch.explicit.items()
            for name in names
        )
        execute(self.conn, statements.EXPLICIT, (numbers, numbers), rows)

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
        copy.inputs(self.conn, inputs)
        copy.outputs(self.conn, outputs)
        execute(self.conn, statements.DRAW_ACCESSES, _ACCESS, told)

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

    def _execute_with(self, statement: str, *arrays: Array) -> list[tuple[Any, ...]]:
        cursor = self.conn.execute(statement, arrays)
        return cursor.fetchall() if cursor.description else []
