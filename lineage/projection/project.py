"""From logged events to facts and graph: one batch, a fixed number of statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.projection import aliases, declared, derives, feeds, summary
from lineage.projection.accesses import add_explicit_sources, write_accesses
from lineage.projection.column_mappings import read_existing_mappings, write_column_mappings
from lineage.projection.dependencies import merge_dependencies
from lineage.projection.edges import write_access_edges
from lineage.projection.entities import Names
from lineage.projection.executions import merge_executions
from lineage.projection.fields import select_columns_of_names, write_fields
from lineage.projection.locks import lock_exclusively, lock_shared, prepare_transaction
from lineage.projection.rows import EntityIds, Ids, RunIds
from lineage.projection.runs import RunRows
from lineage.projection.summary import Runs
from lineage.projection.vertices import write_dataset_vertices

if TYPE_CHECKING:
    import psycopg

    from lineage.events.merge import Batch

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
    prepare_transaction(conn)
    # Before any table: who waits for a rebuild must hold none that it empties.
    if alone:
        lock_exclusively(conn)
    else:
        lock_shared(conn)
        # What designs state is compared with what runs show, which others may be writing.
        if batch.designs or aliases.changes(conn, batch.aliases):
            raise MustBeAlone
    _Projection(conn, batch, alone).run()


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
        ids = self._ids()
        times = merge_executions(self.conn, self.batch, ids)
        moves = aliases.repoint(self.conn, repointed) if repointed else aliases.NO_MOVES
        runs = Runs(
            self.run_rows.said,
            self.known,
            self.run_rows.counted,
            self.run_rows.feeding,
            self._counted(moves.runs),
        )
        explicit = {self.runs[run_id] for run_id in self.batch.explicit}
        feeding = feeds.Change(self.conn, runs, self._named(), explicit)
        deriving = derives.Change(
            self.conn,
            runs,
            read_existing_mappings(self.conn, self.batch, ids, self.known | runs.moved),
        )
        if repointed:
            aliases.move(self.conn, moves)
            self.vertices |= {*moves.old.values(), *moves.new.values()}
            self.vertex_of |= moves.new
        accesses = write_accesses(self.conn, self.batch, ids)
        add_explicit_sources(self.conn, self.batch, ids)
        mappings = write_column_mappings(self.conn, self.batch, ids)
        named = [*mappings.new_columns]
        if moves.new:
            named += select_columns_of_names(self.conn, moves.new)
        summary.set_feeding(self.conn, self.known & (self.run_rows.counted ^ self.run_rows.feeding))
        self.names.merge()
        if not self.alone and self._claim():
            raise MustBeAlone
        schemas = write_dataset_vertices(self.conn, self.vertices)
        write_access_edges(self.conn, accesses.runs_to_rewrite | set(moves.runs))
        write_fields(self.conn, named, schemas, {*moves.old.values(), *moves.new.values()})
        feeding.count(accesses.keys, times)
        deriving.count(mappings.reported, times)
        merge_dependencies(self.conn, self.batch, ids)
        if self.batch.designs or moves.new:
            declared.apply(self.conn, self.batch, ids, moves)

    def _ids(self) -> Ids:
        names = self.names
        return Ids(
            EntityIds(names.datasets, names.jobs, names.vertex_of, set(), set()),
            RunIds(self.runs, self.known, set()),
        )

    def _claim(self) -> list[aliases.ReassignedRow]:
        return aliases.claim(self.conn, self.batch.aliases, self.datasets)

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
