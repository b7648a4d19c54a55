"""How often a job of a cycle read a dataset after it had been written on that day."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from lineage.database.statements import StatementFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.query.session import Session


class ReadDaysRow(NamedTuple):
    """The days with reads by the reader of a step, and those with reads of new data."""

    number: int
    days: int
    days_after: int


class Step(NamedTuple):
    """A dataset, its writer and its reader."""

    before: int
    dataset: int
    after: int


_SQL = StatementFile(__file__)
_SELECT_READ_DAYS = _SQL.statement("select_read_days", ReadDaysRow)


def read_evidence(
    session: Session, steps: Sequence[Step], parts: Mapping[int, set[int]], since: str
) -> dict[Step, tuple[int, int]]:
    """Return for each step the days of reads, and of reads after a write on the same day.

    ``parts``: the jobs that are folded into a unit, and itself.
    """
    numbered = list(enumerate(dict.fromkeys(steps), start=1))
    readers = [(job, n) for n, step in numbered for job in sorted(parts[step.after])]
    writers = [(job, n) for n, step in numbered for job in sorted(parts[step.before])]
    rows = session.fetch(
        _SELECT_READ_DAYS,
        datasets=[step.dataset for _, step in numbered],
        readers=[job for job, _ in readers],
        reader_steps=[n for _, n in readers],
        writers=[job for job, _ in writers],
        writer_steps=[n for _, n in writers],
        since=since,
    )
    by_number = {row.number: (row.days, row.days_after) for row in rows}
    return {step: by_number.get(number, (0, 0)) for number, step in numbered}
