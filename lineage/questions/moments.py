"""What a run read, or what was there at a time: whose writes were there when something was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.openlineage import times
from lineage.questions.answers import Dataset, Job, Link, Moment, Run
from lineage.questions.names import Names
from lineage.questions.runs import RUN, row_of_run

if TYPE_CHECKING:
    from collections.abc import Iterable

_RUN_CALLED = f"SELECT {RUN} FROM lineage.run r WHERE r.run_id = %s"  # noqa: S608 - constants

_NOW = "SELECT lineage.iso(lineage.newest_event())"

_LINKS = """
SELECT l.distance, {reader}, d.id, d.namespace, d.name, l.version, {writer}, j.id, j.namespace,
       j.name, lineage.iso(l.written), l.exact
FROM {links} AS l
JOIN lineage.dataset d ON d.id = l.dataset
LEFT JOIN lineage.run r ON r.id = l.reader
LEFT JOIN lineage.run w ON w.id = l.writer
LEFT JOIN lineage.job j ON j.id = l.{far}_job
ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.version, l.written, w.run_id,
         j.namespace, j.name
"""


def _asked(links: str, far: str = "writer") -> str:
    return (
        _LINKS.replace("{links}", links)
        .replace("{far}", far)
        .replace("{reader}", f"CASE WHEN r.id IS NOT NULL THEN {RUN} END")
        .replace("{writer}", f"CASE WHEN w.id IS NOT NULL THEN {RUN.replace('r.', 'w.')} END")
    )


_OF_RUN = _asked(
    "lineage.links_of_run((SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s)"
)
_FROM_RUN = _asked(
    "lineage.links_from_run((SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s)",
    far="reader",
)
_AT = _asked("lineage.links_at(%(dataset)s, %(at)s::timestamptz, %(depth)s)")


class Moments(Names):
    """Questions about a run or a time."""

    def read_by(self, run_id: str, depth: int | None = None) -> Moment:
        """Return which runs had written what a run read, ``depth`` steps back or all the way."""
        run = self._run(run_id)
        rows = self._rows(_OF_RUN, {"run_id": run_id, "depth": depth})
        return Moment(run, None, depth, _links(rows))

    def read_from(self, run_id: str, depth: int | None = None) -> Moment:
        """Return which runs read what a run wrote, and what these wrote: ``depth`` steps on.

        A run reads what ``read_by`` says of it: no edge leads to a run that had read before.
        """
        run = self._run(run_id)
        rows = self._rows(_FROM_RUN, {"run_id": run_id, "depth": depth})
        return Moment(run, None, depth, _links(rows), "downstream")

    def at(self, name: str, time: str | None = None, depth: int | None = None) -> Moment:
        """Return of which runs' writes the dataset consisted at a time, and what they had read.

        ``time`` is ISO 8601, UTC where it has no offset, that of the newest event where it is left
        out. Raises UsageError where it is none.
        """
        moment = moment_of(time) if time is not None else self._rows(_NOW, ())[0][0]
        root = self.resolve(name)
        rows = self._rows(_AT, {"dataset": root.id, "at": moment, "depth": depth})
        return Moment(root, moment, depth, _links(rows))

    def _run(self, run_id: str) -> Run:
        return Run(*row_of_run(self._rows(_RUN_CALLED, (run_id,)), run_id)[0])


def moment_of(text: str) -> str:
    """Return a time as the database has it; a date is its beginning. Raises UsageError."""
    try:
        return times.normal(text if len(text) > len("2026-01-31") else f"{text}T00:00:00Z")
    except ValueError as reason:
        raise UsageError(
            f'The time "{text}" {reason}.', "Write it as 2026-01-31T18:00:00Z, or with an offset."
        ) from None


def _links(rows: Iterable[tuple[Any, ...]]) -> tuple[Link, ...]:
    """Return the rows of one of these statements as links."""
    return tuple(
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
