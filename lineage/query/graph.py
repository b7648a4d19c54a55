"""All questions to the graph, from Python."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors
from lineage.eventlog import listing
from lineage.query.columns import Columns
from lineage.query.datasets import Traces
from lineage.query.details import Details
from lineage.query.evidence import Facts
from lineage.query.health import Health
from lineage.query.impact import Impacts
from lineage.query.jobs import JobTraces
from lineage.query.listing import Listing
from lineage.query.paths import Walks
from lineage.query.root_cause import Causes
from lineage.query.run_diff import Compared
from lineage.query.run_history import Runs
from lineage.query.run_steps import RunStepQuestions
from lineage.query.search import Search
from lineage.query.time_arguments import time_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.eventlog.listing import Logged
    from lineage.query.cypher.execution import Rows, Table

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
        found = listing.listed(self._connection(), limit, run=run, since=since, failed=failed)
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
        from lineage.query.cypher import execution
        from lineage.query.cypher.row_window import Window

        try:
            with errors():
                return execution.run(
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
        from lineage.query.cypher import execution
        from lineage.query.cypher.lexer import columns
        from lineage.query.cypher.row_window import Window

        window = Window(limit)
        try:
            with errors():
                texts = execution.stream(self._connection(), text, params or {}, timeout, window)
                with contextlib.closing(texts):
                    yield execution.Rows(columns(text), texts, window)
        except Exception:
            self.close()
            raise
