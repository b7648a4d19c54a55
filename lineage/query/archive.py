"""The archive of runs: answers about times before it are refused, and traces end at it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from lineage.database.statements import StatementFile
from lineage.errors import NotFound, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.query.records import Run
    from lineage.query.session import Session


class ArchiveRow(NamedTuple):
    """The archive of runs."""

    before: str
    lakes: list[str]


class RunArchive(Struct, frozen=True):
    """Runs that ended before ``before`` (ISO 8601) are in the event lakes ``lakes``."""

    before: str
    lakes: tuple[str, ...]

    def list_command(self, *options: str) -> str:
        """Return the command that lists archived runs: a command for each lake."""
        return _list_command(self.lakes, *options)


def _list_command(lakes: Iterable[str], *options: str) -> str:
    words = (["lineage", "lake", "runs", lake, *options] for lake in lakes)
    return "; ".join(shlex.join(each) for each in words)


_SQL = StatementFile(__file__)
_SELECT_ARCHIVE = _SQL.statement("select_archive", ArchiveRow)
_SELECT_ARE_ARCHIVED = _SQL.statement("select_are_archived", bool)
_SELECT_END_AT_ARCHIVE = _SQL.statement("select_end_at_archive", bool)
_SELECT_BEGAN_BEFORE = _SQL.statement("select_began_before", bool)
_SELECT_ARCHIVED_RUNS = _SQL.statement("select_archived_runs", str)
_SELECT_LAKES_OF_RUN = _SQL.statement("select_lakes_of_run", str)


def read_archive(session: Session) -> RunArchive | None:
    """Return the archive of runs; None if no runs are archived."""
    row = session.fetch_one(_SELECT_ARCHIVE)
    return row and RunArchive(row.before, tuple(row.lakes))


def read_archive_since(session: Session, time: str | None) -> RunArchive | None:
    """Return the archive of runs if it has runs from after ``time``; None if ``time`` is None."""
    archive = read_archive(session)
    return archive if archive and time is not None and time < archive.before else None


def read_archive_of_runs(session: Session, runs: Sequence[int]) -> RunArchive | None:
    """Return the archive of runs if some of these are from before its time; ids of the graph.

    Earlier runs that such a run is compared with may be archived.
    """
    is_reached = session.fetch_one(_SELECT_ARE_ARCHIVED, runs=list(runs))
    return read_archive(session) if is_reached else None


def read_archive_of_reads(
    session: Session, executions: Sequence[tuple[int, int]]
) -> RunArchive | None:
    """Return the archive of runs if archived ones may have written what executions read."""
    runs, jobs = [run for run, _ in executions], [job for _, job in executions]
    is_reached = session.fetch_one(_SELECT_END_AT_ARCHIVE, runs=runs, jobs=jobs)
    return read_archive(session) if is_reached else None


def read_archive_during(session: Session, run: int) -> RunArchive | None:
    """Return the archive of runs if a run of the graph, by its id, began before its time.

    Its children, and the runs that checked its inputs, may be archived.
    """
    began_before = session.fetch_one(_SELECT_BEGAN_BEFORE, run=run)
    return read_archive(session) if began_before else None


def need_time_in_graph(session: Session, time: str) -> None:
    """Raise UsageError if runs from before a later time are archived.

    An archived run may have overwritten what an earlier one wrote, so that the runs in the graph
    alone would give a wrong answer.
    """
    archive = read_archive(session)
    if archive and time < archive.before:
        raise UsageError(
            f"{time[:19]}Z is too early: runs from before {archive.before[:10]} are archived,"
            " except those that `lineage runs` lists.",
            f"List them: {archive.list_command('--until', _shorten_time(time))}",
        )


def need_inputs_in_graph(session: Session, run: Run) -> None:
    """Raise UsageError if what a run read was written by runs that may be archived."""
    archive = read_archive(session)
    if archive and run.event_time and run.event_time < archive.before:
        raise UsageError(
            f"Run {run.run_id} ended before {archive.before[:10]}; runs from before that are"
            " archived.",
            f"List them: {archive.list_command('--until', _shorten_time(run.event_time))}",
        )


def need_run_in_graph(session: Session, run_id: str, *, is_prefix: bool = False) -> None:
    """Raise NotFound if a run is archived and is not in the graph.

    ``is_prefix``: ``run_id`` may also be a unique prefix of the id of an archived run.
    """
    if is_prefix and run_id:
        upper = f"{run_id}\U0010ffff"
        matches = session.fetch(_SELECT_ARCHIVED_RUNS, prefix=run_id, upper=upper)
        if len(matches) == 1:
            [run_id] = matches
    if lakes := session.fetch(_SELECT_LAKES_OF_RUN, run_id=run_id):
        command = _list_command(lakes, "--run", run_id)
        raise NotFound(f"Run {run_id} is archived.", f"Show it: {command}")


def _shorten_time(time: str) -> str:
    """Omit microseconds of 0 from a time, for a command that a user copies."""
    return time.replace(".000000", "")
