"""All questions to the graph, from Python."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors
from lineage.graph import logged
from lineage.questions.asked_times import time_of
from lineage.questions.causes import Causes
from lineage.questions.columns import Columns
from lineage.questions.compared import Compared
from lineage.questions.details import Details
from lineage.questions.facts import Facts
from lineage.questions.health import Health
from lineage.questions.impact import Impacts
from lineage.questions.jobs import JobTraces
from lineage.questions.listing import Listing
from lineage.questions.paths import Walks
from lineage.questions.run_steps import RunStepQuestions
from lineage.questions.runs import Runs
from lineage.questions.search import Search
from lineage.questions.traces import Traces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.graph.logged import Logged
    from lineage.questions.cypher import Rows, Table

CYPHER_SECONDS = 30.0


def connect(dsn: str | None = None) -> Provenance:
    """Return a connection that answers questions: to ``dsn``, LINEAGE_DSN or the private server.

    Raises DatabaseUnavailable, UsageError.
    """
    return Provenance(dsn)


class Provenance(
    Impacts, Traces, JobTraces, Columns, Causes, Compared, RunStepQuestions, Walks, Health, Details,
    Runs, Search, Facts, Listing,
):  # fmt: skip
    """Answers questions about where data came from and what it feeds."""

    def events(
        self,
        limit: int = 100,
        *,
        run: str | None = None,
        since: str | None = None,
        failed: bool = False,
    ) -> tuple[Logged, ...]:
        """Return the newest events of the log: of a run, since a time, or those set aside.

        Raises UsageError where ``since`` is no time.
        """
        since = since and time_of(since)
        found = logged.listed(self._connection(), limit, run=run, since=since, failed=failed)
        return tuple(found)

    def cypher(
        self,
        text: str,
        params: Mapping[str, Any] | None = None,
        timeout: float = CYPHER_SECONDS,
        *,
        limit: int | None = None,
        offset: int = 0,
        characters: int | None = None,
    ) -> Table:
        """Run a Cypher query that reads; it may take ``timeout`` seconds. Raises QueryError.

        With ``limit`` no more rows from ``offset`` on are held, and of these as many as have no
        more than ``characters`` as JSON, but one at least; ``left_out`` counts those behind them.
        """
        from lineage.questions import cypher
        from lineage.questions.cypher_window import Window

        try:
            with errors():
                return cypher.run(
                    self._connection(),
                    text,
                    params or {},
                    timeout,
                    Window(limit, offset, characters),
                )
        except Exception:
            self.close()
            raise

    @contextlib.contextmanager
    def cypher_rows(
        self,
        text: str,
        params: Mapping[str, Any] | None = None,
        timeout: float = CYPHER_SECONDS,
        *,
        limit: int,
    ) -> Iterator[Rows]:
        """Run a Cypher query that reads, whose rows are fetched as they are iterated.

        No other question may be asked meanwhile. Raises QueryError, also in the iteration.
        """
        from lineage.questions import cypher
        from lineage.questions.cypher_text import columns
        from lineage.questions.cypher_window import Window

        window = Window(limit)
        try:
            with errors():
                texts = cypher.stream(self._connection(), text, params or {}, timeout, window)
                with contextlib.closing(texts):
                    yield cypher.Rows(columns(text), texts, window)
        except Exception:
            self.close()
            raise
