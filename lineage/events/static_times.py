"""Times of events that report a setting or a computed value, not something that ran."""

from __future__ import annotations

from datetime import datetime, timedelta

from lineage.openlineage.timestamps import of_datetime


def next_static_time(first_seen: str, revision: str | None) -> str:
    """Return a time later than that of the facet with ``revision``, independent of the clock.

    Without a previous facet, this is the time of the entity's first event. A setting applies to all
    runs and is not itself a run. A later time would change the time at which the entity was last
    seen. It would also move the windows of impact and stats, which end at the newest event.
    """
    if revision is None:
        return first_seen
    before = datetime.fromisoformat(revision.split()[0].rstrip("Z"))
    return max(first_seen, of_datetime(before + timedelta(microseconds=1)))
