"""The window of runs that count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.errors import NotFound
from lineage.parameters import WINDOW_DAYS
from lineage.query.names import EMPTY, is_graph_empty
from lineage.query.time_arguments import time_of
from lineage.query.windows import window_of_days

if TYPE_CHECKING:
    from lineage.query.session import Session


def read_window(session: Session, since: str | None) -> tuple[str, str]:
    """Return the start of the window, by default 30 days before the newest event, and its end.

    Raises UsageError for another text than a time, and NotFound if there are no events.
    """
    begin, until = window_of_days(session, WINDOW_DAYS)
    if begin is None or until is None:
        raise NotFound("There are no jobs.", EMPTY if is_graph_empty(session) else None)
    return time_of(since) if since is not None else begin, until
