"""The SQL of questions about a run or a time: whose writes were there when something was read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError
from lineage.graph.answers import Dataset, Job, Link, Run
from lineage.graph.questions import RUN
from lineage.openlineage import times

if TYPE_CHECKING:
    from collections.abc import Iterable

_LINKS = """
SELECT l.distance, {reader}, d.id, d.namespace, d.name, l.version, {writer}, j.id, j.namespace,
       j.name, lineage.iso(l.written), l.exact
FROM {links} AS l
JOIN lineage.dataset d ON d.id = l.dataset
LEFT JOIN lineage.run r ON r.id = l.reader
LEFT JOIN lineage.run w ON w.id = l.writer
LEFT JOIN lineage.job j ON j.id = l.writer_job
ORDER BY l.distance, r.run_id NULLS FIRST, d.namespace, d.name, l.version, l.written, w.run_id,
         j.namespace, j.name
"""


def _asked(links: str) -> str:
    return (
        _LINKS.replace("{links}", links)
        .replace("{reader}", f"CASE WHEN r.id IS NOT NULL THEN {RUN} END")
        .replace("{writer}", f"CASE WHEN w.id IS NOT NULL THEN {RUN.replace('r.', 'w.')} END")
    )


OF_RUN = _asked(
    "lineage.links_of_run((SELECT id FROM lineage.run WHERE run_id = %(run_id)s), %(depth)s)"
)
AT = _asked("lineage.links_at(%(dataset)s, %(at)s::timestamptz, %(depth)s)")


def time(text: str) -> str:
    """Return a time as the database has it. Raises UsageError."""
    try:
        return times.normal(text)
    except ValueError as reason:
        raise UsageError(
            f'The time "{text}" {reason}.', "Write it as 2026-01-31T18:00:00Z, or with an offset."
        ) from None


def links(rows: Iterable[tuple[Any, ...]]) -> tuple[Link, ...]:
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
