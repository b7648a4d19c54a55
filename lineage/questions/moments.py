"""What a run read, or what was there at a time: whose writes were there when something was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.questions.answers import Dataset, Job, Link, Moment, Run
from lineage.questions.asked_times import time_of
from lineage.questions.names import Names
from lineage.questions.runs import RUN, row_of_run

if TYPE_CHECKING:
    from collections.abc import Sequence

_RUN_CALLED = f"SELECT {RUN} FROM lineage.run r WHERE r.run_id = %s"  # noqa: S608 - constants

_NOW = "SELECT lineage.iso(lineage.newest_event())"

# What is cut is counted by the server: rows that are not shown do not leave it.
_LINKS = """
SELECT l.distance, {reader}, l.dataset, l.namespace, l.name, l.version, {writer}, j.id, j.namespace,
       j.name, lineage.iso(l.written), l.exact, l.total
FROM (
    SELECT l.*, d.namespace, d.name, count(*) OVER () AS total, row_number() OVER (
               ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.version, l.written,
                        w.run_id, j.namespace, j.name) AS number
    FROM {links} AS l
    JOIN lineage.dataset d ON d.id = l.dataset
    LEFT JOIN lineage.run r ON r.id = l.reader
    LEFT JOIN lineage.run w ON w.id = l.writer
    LEFT JOIN lineage.job j ON j.id = l.{far}_job
    ORDER BY number LIMIT %(limit)s) AS l
LEFT JOIN lineage.run r ON r.id = l.reader
LEFT JOIN lineage.run w ON w.id = l.writer
LEFT JOIN lineage.job j ON j.id = l.{far}_job
ORDER BY l.number
"""
_RUN = "(SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s, %(perhaps)s"


def _asked(links: str, far: str = "writer") -> str:
    return (
        _LINKS.replace("{links}", links)
        .replace("{far}", far)
        .replace("{reader}", f"CASE WHEN r.id IS NOT NULL THEN {RUN} END")
        .replace("{writer}", f"CASE WHEN w.id IS NOT NULL THEN {RUN.replace('r.', 'w.')} END")
    )


_OF_RUN = _asked(f"lineage.links_of_run({_RUN})")
_FROM_RUN = _asked(f"lineage.links_from_run({_RUN})", far="reader")
_AT = _asked("lineage.links_at(%(dataset)s, %(at)s::timestamptz, %(depth)s, %(perhaps)s)")


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
        given = {"run_id": run.run_id, "depth": depth, "limit": limit, "perhaps": perhaps}
        links, left_out = _links(self._rows(_OF_RUN, given))
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
        given = {"run_id": run.run_id, "depth": depth, "limit": limit, "perhaps": perhaps}
        links, left_out = _links(self._rows(_FROM_RUN, given))
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
        given = {"dataset": root.id, "at": moment, "depth": depth, "limit": limit}
        links, left_out = _links(self._rows(_AT, {**given, "perhaps": perhaps}))
        return Moment(root, moment, depth, links, "upstream", perhaps, left_out)

    def _dataset_at(self, name: str, time: str | None) -> tuple[Dataset, str]:
        """Return the dataset, and the time or that of the newest event."""
        moment = time_of(time) if time is not None else self._rows(_NOW, ())[0][0]
        return self.resolve(name), moment

    def _run(self, run_id: str) -> Run:
        run_id = self.resolve_run(run_id)
        return Run(*row_of_run(self._rows(_RUN_CALLED, (run_id,)), run_id)[0])


def _links(rows: Sequence[tuple[Any, ...]]) -> tuple[tuple[Link, ...], int]:
    """Return the rows of one of these statements as links, and how many more there are."""
    links = tuple(
        Link(
            row[0],
            Run(*row[1]) if row[1] else None,
            Dataset(*row[2:5]),
            row[5],
            Run(*row[6]) if row[6] else None,
            Job(*row[7:10]) if row[7] else None,
            *row[10:12],
        )
        for row in rows
    )
    return links, rows[0][12] - len(links) if rows else 0
