"""Reference implementation of the schedules of jobs, computed from the list of their runs."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from statistics import median
from typing import NamedTuple


class Started(NamedTuple):
    """A run: its start, and its nominal time if it reported one, in seconds."""

    start: int
    nominal: int | None = None

    @property
    def scheduled(self) -> int:
        """The nominal time, or the start if none was reported or it is later."""
        return self.start if self.nominal is None else min(self.nominal, self.start)


def last_runs(runs: list[Started], until: int, count: int) -> list[Started]:
    """Return the last ``count`` of the runs that began by then, and those that began with them."""
    began = sorted((run for run in runs if run.start <= until), reverse=True, key=lambda r: r.start)
    return [run for run in began if run.start >= began[min(count, len(began)) - 1].start]


def lag_limit(runs: list[Started], until: int) -> float | None:
    """Return the greatest delay of a start after its nominal time that is no backfill.

    None if none of the last 21 runs reported a nominal time.
    """
    newest = last_runs(runs, until, 21)
    if all(run.nominal is None for run in newest):
        return None
    times = sorted({run.scheduled for run in newest})
    steps = [later - earlier for earlier, later in pairwise(times)]
    least = min(run.start - run.scheduled for run in newest)
    return least + 3 * median(steps) if steps else inf


def schedule(runs: list[Started], until: int) -> list[Started]:
    """Return the last 21 runs that follow the schedule, by their scheduled times."""
    limit = lag_limit(runs, until)
    if limit is None:
        times = {run.start for run in runs if run.start <= until}
        return [Started(each) for each in sorted(times)[-21:]]
    near = [run for run in runs if run.start - run.scheduled <= limit]
    near = last_runs(near, until, 60)
    first = {
        Started(run.start, run.scheduled)
        for run in near
        if not any(e.start < run.start and e.scheduled >= run.scheduled for e in near)
    }
    return sorted(first, key=lambda run: run.scheduled)[-21:]


def overdue_since(runs: list[Started], now: int) -> float | None:
    """Return the time by which the next run was expected; None if the job is not overdue."""
    followed = schedule(runs, now)
    intervals = [later.scheduled - earlier.scheduled for earlier, later in pairwise(followed)]
    if len(intervals) < 5:
        return None
    usual = median(intervals)
    spread = median([abs(each - usual) for each in intervals])
    greatest = usual + max(4 * spread, usual / 2, 60)
    began = max(run.start for run in followed)
    return began + greatest if greatest < now - began <= 20 * greatest else None
