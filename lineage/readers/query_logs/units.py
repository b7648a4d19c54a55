"""Fold the parts of a unit in order: the state of its session goes on from part to part."""

from __future__ import annotations

from dataclasses import InitVar, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from lineage.readers.query_logs.parts import Period, split_rows
from lineage.readers.query_logs.rows import begin_time
from lineage.readers.query_logs.run_events import run_events
from lineage.readers.query_logs.session_state import is_one_session, leaves_open, set_state
from lineage.readers.query_logs.storage import IDLE_SECONDS
from lineage.readers.query_logs.texts import decode_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lineage.readers.query_logs.folding import PartReader, Sessions
    from lineage.readers.query_logs.parts import Part
    from lineage.readers.query_logs.runs import Run
    from lineage.readers.query_logs.stored_rows import LoadedRow


class ImportedRun(NamedTuple):
    """A run and its events."""

    run: Run
    events: list[bytes]


def find_state_time(unit: str, statements: Iterable[tuple[str, str]]) -> str:
    """Return the first time at which a statement of a session set state; "" if none did.

    ``statements``: times, each with statements as they are stored.
    """
    if not is_one_session(unit):
        return ""
    return min((time for time, body in statements if body and _sets_state(body)), default="")


def find_open_time(parts: Iterable[Sequence[tuple[str, str]]]) -> str:
    """Return the first time at which a transaction began that is open at the end of a part.

    It is "" if there is none. ``parts``: times with statements as they are stored, in order.
    """
    for part in parts:
        last = next(
            (time for time, body in reversed(part) if begins_transaction(body) is not None), ""
        )
        if any(begins_transaction(body) for time, body in part if time == last):
            return last
    return ""


@lru_cache(maxsize=20_000)
def begins_transaction(body: str) -> bool | None:
    """Return whether stored statements leave a transaction open; None if they do not change it."""
    return leaves_open(decode_statements(body)) if body else None


@lru_cache(maxsize=20_000)
def _sets_state(body: str) -> bool:
    return set_state(decode_statements(body))


@dataclass
class UnitFolder:
    """Folds parts of a unit, each after those before it; none between two of them is left out.

    ``state_times``: the first times at which the session gained state that lasts over a pause, ""
    for none. Parts after one depend on all rows before them. These are folded once.
    """

    reader: PartReader
    state_times: InitVar[Iterable[str]]
    _sessions: Sessions | None = None

    def __post_init__(self, state_times: Iterable[str]) -> None:
        self._state_time = min(filter(None, state_times), default="")

    def fold_part(
        self,
        part: Part,
        rows: Iterable[LoadedRow],
        load_earlier: Callable[[], Iterable[LoadedRow]],
    ) -> list[ImportedRun]:
        """Return the runs of a part with their events.

        ``load_earlier`` returns the rows of the unit before it.
        """
        sessions: Sessions = {}
        if self._state_time and self._state_time < part.first:
            if self._sessions is None:
                self._sessions = self._follow_parts(part.unit, load_earlier())
            sessions = self._sessions
        runs = self.reader.fold_rows(part.unit, rows, has_ended=part.has_ended, sessions=sessions)
        return [ImportedRun(run, list(run_events(run))) for run in runs]

    def _follow_parts(self, unit: str, rows: Iterable[LoadedRow]) -> Sessions:
        """Return the sessions after the parts that rows give."""
        sessions: Sessions = {}
        for _, part in split_rows(((_period_of(each), each) for each in rows), IDLE_SECONDS):
            self.reader.fold_rows(unit, part, has_ended=False, sessions=sessions)
        return sessions


def _period_of(loaded: LoadedRow) -> Period:
    row = loaded.row
    return Period(begin_time(row.time, row.duration), row.time)
