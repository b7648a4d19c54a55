"""What a run read, or what was there at a time: whose writes were there when something was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.query.names import Names
from lineage.query.records import Dataset, Link, Moment, Run, job_of
from lineage.query.run_history import row_of_run
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOW = "SELECT lineage.iso(lineage.newest_event())"


class LinkRow(NamedTuple):
    """A dataset that a run read, or somebody would have, and who had written it."""

    distance: int
    reader: list[Any] | None
    dataset: int
    namespace: str
    name: str
    version: str | None
    writer: list[Any] | None
    job: int | None
    job_namespace: str | None
    job_name: str | None
    written: str | None
    exact: bool
    total: int


_RUN_CALLED = "SELECT lineage.run_record(r) FROM lineage.run r WHERE r.run_id = %s"

_SQL = StatementFile(__file__)
_SELECT_DEPENDENCIES = _SQL.statement("select_run_dependencies", LinkRow)
_SELECT_DEPENDENTS = _SQL.statement("select_run_dependents", LinkRow)
_SELECT_DEPENDENCIES_AT = _SQL.statement("select_dependencies_at", LinkRow)


class Moments(Names):
    """Questions about a run or a time.

    ``limit`` cuts the nearest links and counts the others. ``perhaps``: go also by writes that a
    newer one of the same job may have replaced.
    """

    def read_by(
        self,
        run_id: str,
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> Moment:
        """Return which runs had written what a run read, ``depth`` steps back or all the way."""
        run = self._run(run_id)
        rows = self._fetch(
            _SELECT_DEPENDENCIES, run_id=run.run_id, depth=depth, limit=limit, perhaps=perhaps
        )
        links, left_out = _read_links(rows)
        return Moment(run, None, depth, links, "upstream", perhaps, left_out)

    def read_from(
        self,
        run_id: str,
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> Moment:
        """Return which runs read what a run wrote, and what these wrote: ``depth`` steps on.

        A run reads what ``read_by`` says of it: no edge leads to a run that had read before.
        """
        run = self._run(run_id)
        rows = self._fetch(
            _SELECT_DEPENDENTS, run_id=run.run_id, depth=depth, limit=limit, perhaps=perhaps
        )
        links, left_out = _read_links(rows)
        return Moment(run, None, depth, links, "downstream", perhaps, left_out)

    def at(
        self,
        name: str,
        time: str | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> Moment:
        """Return of which runs' writes the dataset consisted at a time, and what they had read.

        ``time`` is ISO 8601, without an offset of the machine's zone; that of the newest event
        where it is left out. Raises UsageError where it is none.
        """
        root, moment = self._dataset_at(name, time)
        rows = self._fetch(
            _SELECT_DEPENDENCIES_AT,
            dataset=root.id,
            at=moment,
            depth=depth,
            limit=limit,
            perhaps=perhaps,
        )
        links, left_out = _read_links(rows)
        return Moment(root, moment, depth, links, "upstream", perhaps, left_out)

    def _dataset_at(self, name: str, time: str | None) -> tuple[Dataset, str]:
        """Return the dataset, and the time or that of the newest event."""
        if time is not None:
            moment = time_of(time)
        else:
            [(moment,)] = self._rows(_NOW, ())
        return self.resolve(name), moment

    def _run(self, run_id: str) -> Run:
        run_id = self.resolve_run(run_id)
        (run,) = row_of_run(self._rows(_RUN_CALLED, (run_id,)), run_id)
        return Run(*run)


def _read_links(rows: Sequence[LinkRow]) -> tuple[tuple[Link, ...], int]:
    """Return the rows of one of these statements as links, and how many more there are."""
    links = tuple(
        Link(
            row.distance,
            Run(*row.reader) if row.reader else None,
            Dataset(row.dataset, row.namespace, row.name),
            row.version,
            Run(*row.writer) if row.writer else None,
            job_of(row.job, row.job_namespace, row.job_name),
            row.written,
            row.exact,
        )
        for row in rows
    )
    return links, rows[0].total - len(links) if rows else 0
