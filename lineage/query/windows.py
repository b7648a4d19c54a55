"""The window of time before the newest event in which runs count."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.query.session import Session

_WINDOW = """
SELECT lineage.iso8601(t.latest - make_interval(days => %s)), lineage.iso8601(t.latest)
FROM (SELECT lineage.latest_event_time() AS latest OFFSET 0) AS t
"""


def window_of_days(session: Session, days: int) -> tuple[str | None, str | None]:
    """Return the start and the end of the days before the newest event; None if there is none."""
    [(since, until)] = session.fetch_rows(_WINDOW, (days,))
    return since, until
