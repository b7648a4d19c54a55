"""Events of jobs in three months, for the event lake."""

from __future__ import annotations

import json

from support.events.builders import run_event

MONTHS = ("2025-01", "2025-02", "2025-03")


def in_month(event: str, month: int) -> str:
    """Return the event at the same time of a month of 2025."""
    body = json.loads(event)
    return json.dumps({**body, "eventTime": f"2025-{month:02}{body['eventTime'][7:]}"})


def by_its_second(event: str) -> str:
    """Move an event from the second n of the common day to the first day of month n + 1."""
    body = json.loads(event)
    second = int(body["eventTime"][-3:-1])
    return json.dumps({**body, "eventTime": f"2025-{second + 1:02}-01T00:00:00Z"})


def first_of(month: int) -> str:
    """Return the time of the events on the first day of a month."""
    return f"2025-{month:02}-01T00:00:00.000000Z"


def three_months() -> list[str]:
    """Return 36 events of four jobs in three months; each run has a START and a COMPLETE."""
    return [
        in_month(run_event(f"r{month}{n}", kind, n, f"job{n % 4}", reads, (f"t{n % 4}",)), month)
        for month in (1, 2, 3)
        for n in range(6)
        for kind, reads in (("START", ()), ("COMPLETE", (f"s{n % 3}", "common")))
    ]
