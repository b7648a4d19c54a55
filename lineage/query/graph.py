"""All queries of the graph, from Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.eventlog.listing import list_events
from lineage.parameters import WINDOW_DAYS
from lineage.query.arguments import need_in_range
from lineage.query.assets import ModelFilter, read_model
from lineage.query.columns import trace_columns
from lineage.query.dataset_columns import list_dataset_columns
from lineage.query.dataset_diff import diff_dataset
from lineage.query.datasets import trace_datasets
from lineage.query.details import describe_dataset, describe_job, describe_run
from lineage.query.filters import ALL
from lineage.query.health import find_cycles, find_orphans
from lineage.query.impact import find_impact
from lineage.query.job_history import RUNS, find_job_history
from lineage.query.jobs import trace_jobs
from lineage.query.listing import list_datasets, list_jobs
from lineage.query.neighbours import find_neighbours
from lineage.query.overdue import find_overdue
from lineage.query.paths import find_paths
from lineage.query.quality import check_quality, check_run_quality
from lineage.query.ranking import rank_datasets
from lineage.query.root_cause import find_root_cause
from lineage.query.run_diff import diff_runs
from lineage.query.run_history import EVERY_RUN, list_dataset_runs, list_job_runs, list_runs
from lineage.query.run_steps import trace_run_steps, trace_steps_at
from lineage.query.runs import trace_runs, trace_runs_at
from lineage.query.search import search_names
from lineage.query.session import Session
from lineage.query.stats import collect_stats
from lineage.query.subgraph import find_subgraph
from lineage.query.time_arguments import time_of
from lineage.query.timeline import BINS, find_timeline

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from types import TracebackType

    import psycopg
    from typing_extensions import Self

    from lineage.eventlog.listing import LoggedEvent
    from lineage.model import LineageGraph
    from lineage.query.cypher.execution import Rows, Table
    from lineage.query.dataset_columns import DatasetColumns
    from lineage.query.dataset_diff_records import Diff
    from lineage.query.details import DatasetDetails, JobDetails, RunDetails
    from lineage.query.filters import Filters
    from lineage.query.health import Cycles, Orphans
    from lineage.query.impact_records import Impact
    from lineage.query.job_history import JobHistory
    from lineage.query.listing import ListedDataset, ListedJob
    from lineage.query.neighbours import Neighbours
    from lineage.query.overdue import Overdue
    from lineage.query.paths import Paths
    from lineage.query.quality import Quality
    from lineage.query.ranking import DatasetRanking
    from lineage.query.records import (
        ColumnTrace,
        Direction,
        JobTrace,
        OneWay,
        Run,
        Trace,
    )
    from lineage.query.root_cause import RootCause
    from lineage.query.run_diff import RunDiff
    from lineage.query.run_history import Access, JobRun, RunFilter
    from lineage.query.run_records import RunLineage
    from lineage.query.run_steps import RunSteps
    from lineage.query.search import Hit, Kind
    from lineage.query.stats import Stats
    from lineage.query.subgraph import Subgraph
    from lineage.query.time_arguments import TimeArgument
    from lineage.query.timeline import Timeline

CYPHER_SECONDS = 30.0


class Graph:
    """The graph of datasets, jobs and runs. Each method is a query.

    ``name`` of a dataset is its full name, an alias, or any suffix of these after ``/``, ``.`` or
    ``:``; of a job its namespace and name, or any suffix of the name. A run is named by its id, a
    unique prefix of its id, or a job or dataset, which stands for its last run. A time is ISO 8601;
    without an offset, in the time zone of this machine; or a datetime with a time zone. ``depth``
    is the maximum number of edges to follow and ``limit`` the maximum number of entries returned;
    None for both means all.

    Methods raise NotFound and Ambiguous for a name, UsageError for another value, and DatabaseError
    for errors of the database.
    """

    def __init__(self, dsn: str | None = None) -> None:
        """Connect to ``dsn``, LINEAGE_DSN or the private server.

        Raises DatabaseUnavailable, UsageError.
        """
        self.session = Session(dsn)

    @classmethod
    def over(cls, conn: psycopg.Connection[Any]) -> Self:
        """Return the graph on a connection in autocommit mode that the caller owns."""
        graph = cls.__new__(cls)
        graph.session = Session.over(conn)
        return graph

    def close(self) -> None:
        """Close the connection; the next query opens it again."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # Lineage

    def upstream(self, name: str, depth: int | None = None, filters: Filters = ALL) -> Trace:
        """Return the datasets upstream of a dataset."""
        return trace_datasets(self.session, name, "upstream", depth, filters)

    def downstream(self, name: str, depth: int | None = None, filters: Filters = ALL) -> Trace:
        """Return the datasets downstream of a dataset."""
        return trace_datasets(self.session, name, "downstream", depth, filters)

    def dataset_lineage(
        self,
        name: str,
        direction: Direction = "upstream",
        depth: int | None = None,
        filters: Filters = ALL,
    ) -> Trace:
        """Return the datasets upstream or downstream of a dataset, or ``both``."""
        return trace_datasets(self.session, name, direction, depth, filters)

    def neighbours(
        self,
        name: str,
        direction: Direction = "both",
        filters: Filters = ALL,
        *,
        text: str = "",
        offset: int = 0,
        time: TimeArgument | None = None,
    ) -> Neighbours:
        """Return the datasets one edge upstream or downstream of a dataset, or ``both``.

        Each has the exact numbers of its own neighbours. ``text``: only names that contain it.
        ``filters.limit`` and ``offset`` apply to each direction. ``time``: the edges that existed
        then.
        """
        return find_neighbours(
            self.session, name, direction, filters, text=text, offset=offset, time=time
        )

    def subgraph(
        self,
        datasets: Sequence[str],
        columns_of: Sequence[str] = (),
        filters: Filters = ALL,
        *,
        time: TimeArgument | None = None,
    ) -> Subgraph:
        """Return the edges between datasets, and between the columns of those in ``columns_of``.

        ``filters.limit``: maximum number of edges between columns. ``time``: the edges that existed
        then.
        """
        return find_subgraph(self.session, datasets, columns_of, filters, time=time)

    def timeline(
        self,
        datasets: Sequence[str],
        start: TimeArgument | None = None,
        end: TimeArgument | None = None,
        *,
        bins: int = BINS,
        observed: bool = False,
        limit: int | None = None,
    ) -> Timeline:
        """Return the writes and failures of datasets over time, and the changes of their edges.

        ``start``, ``end``: by default the first and the last access or change. ``bins``: number of
        parts, from 1 to 500. ``limit``: maximum number of changes.
        """
        return find_timeline(
            self.session, datasets, start, end, bins=bins, observed=observed, limit=limit
        )

    def column_lineage(
        self,
        name: str,
        column: str,
        direction: OneWay = "upstream",
        depth: int | None = None,
        *,
        direct_only: bool = False,
        observed: bool = False,
        limit: int | None = None,
    ) -> ColumnTrace:
        """Return the columns upstream or downstream of a column.

        ``column``: name of the column; path of a nested one. ``direct_only``: do not follow edges
        that only filter, join, group or sort. ``observed``: ignore edges that only a design
        reports. ``limit``: maximum number of edges.
        """
        return trace_columns(
            self.session, name, column, direction, depth,
            direct_only=direct_only, observed=observed, limit=limit,
        )  # fmt: skip

    def job_lineage(
        self,
        name: str,
        direction: OneWay = "upstream",
        depth: int | None = None,
        filters: Filters = ALL,
    ) -> JobTrace:
        """Return the jobs upstream or downstream of a job or a dataset."""
        return trace_jobs(self.session, name, direction, depth, filters)

    def run_lineage(
        self,
        run_id: str,
        direction: OneWay = "upstream",
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> RunLineage:
        """Return the runs upstream of a run, whose writes it read, or the runs downstream.

        ``perhaps``: also follow writes that a newer write of the same job may have replaced.
        """
        return trace_runs(self.session, run_id, direction, depth, limit=limit, perhaps=perhaps)

    def run_steps(
        self,
        run_id: str,
        direction: OneWay = "upstream",
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> RunSteps:
        """Return the result of ``run_lineage`` with the runs of each job combined into steps."""
        return trace_run_steps(self.session, run_id, direction, depth, limit=limit, perhaps=perhaps)

    def dataset_lineage_at(
        self,
        name: str,
        time: TimeArgument | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> RunLineage:
        """Return the runs whose writes were visible in a dataset at a time, and their upstream.

        ``time``: None for the time of the latest event. ``perhaps`` is as in ``run_lineage``.
        """
        return trace_runs_at(self.session, name, time, depth, limit=limit, perhaps=perhaps)

    def dataset_steps_at(
        self,
        name: str,
        time: TimeArgument | None = None,
        depth: int | None = None,
        *,
        limit: int | None = None,
        perhaps: bool = False,
    ) -> RunSteps:
        """Return the result of ``dataset_lineage_at`` with runs combined as in ``run_steps``."""
        return trace_steps_at(self.session, name, time, depth, limit=limit, perhaps=perhaps)

    def paths(
        self,
        source: str,
        target: str,
        *,
        all_paths: bool = False,
        observed: bool = False,
        min_confidence: float = 0,
        limit: int | None = None,
    ) -> Paths:
        """Return the shortest paths from one dataset to another, or all with ``all_paths``.

        If there is none, return the paths from ``target`` to ``source``. ``observed``: ignore edges
        that only a design reports. ``min_confidence``: ignore declared edges below it. ``limit``:
        maximum number of edges.
        """
        return find_paths(
            self.session, source, target, all_paths=all_paths, observed=observed,
            min_confidence=min_confidence, limit=limit,
        )  # fmt: skip

    # Analysis

    def impact(
        self,
        name: str,
        column: str | None = None,
        depth: int | None = None,
        *,
        window_days: int = WINDOW_DAYS,
        limit: int | None = None,
        observed: bool = False,
        min_confidence: float = 0,
    ) -> Impact:
        """Return the datasets, jobs and owners that depend on a dataset or on one of its columns.

        Reads and writes are counted over ``window_days`` days before the latest event.
        ``observed``: ignore edges that only a design reports. ``min_confidence``: ignore declared
        edges below it.
        """
        return find_impact(
            self.session,
            name,
            column,
            depth,
            window_days=window_days,
            limit=limit,
            observed=observed,
            min_confidence=min_confidence,
        )  # fmt: skip

    def root_cause(
        self,
        run_id: str,
        depth: int | None = None,
        *,
        last_failed: bool = False,
        limit: int | None = None,
    ) -> RootCause:
        """Return possible causes of a run's failure, delay or bad result.

        ``last_failed``: resolve the name of a job or dataset to its last run that failed.
        """
        return find_root_cause(self.session, run_id, depth, last_failed=last_failed, limit=limit)

    def dataset_diff(
        self,
        name: str,
        start: TimeArgument,
        end: TimeArgument,
        depth: int | None = None,
        *,
        limit: int | None = None,
    ) -> Diff:
        """Return the changes between two times in the writes visible in a dataset and upstream."""
        return diff_dataset(self.session, name, start, end, depth, limit=limit)

    def run_diff(self, before: str, after: str, *, limit: int | None = None) -> RunDiff:
        """Return the differences of two runs: inputs, outputs, facets, state and duration."""
        return diff_runs(self.session, before, after, limit=limit)

    def rank_datasets(self, limit: int | None = None, *, observed: bool = False) -> DatasetRanking:
        """Return the datasets that the most other datasets depend on, by PageRank."""
        return rank_datasets(self.session, limit, observed=observed)

    def orphans(self, limit: int | None = None) -> Orphans:
        """Return datasets without readers or writers, and jobs that never wrote."""
        return find_orphans(self.session, limit)

    def cycles(self, limit: int | None = None, *, observed: bool = False) -> Cycles:
        """Return the cycles of datasets, and the datasets that feed themselves."""
        return find_cycles(self.session, limit, observed=observed)

    def stats(self, window_days: int = 30, limit: int | None = 10) -> Stats:
        """Return the sizes of the graph and of the log, and the most used sources."""
        return collect_stats(self.session, window_days, limit)

    def quality(
        self,
        name: str,
        *,
        upstream: bool = False,
        failed: bool = False,
        depth: int | None = None,
        limit: int | None = None,
    ) -> Quality:
        """Return the latest result of each check of a dataset.

        ``upstream``: include the datasets upstream, up to ``depth`` edges away. ``failed``: return
        only checks that failed.
        """
        return check_quality(
            self.session, name, upstream=upstream, failed=failed, depth=depth, limit=limit
        )

    def run_quality(
        self, run_id: str, *, failed: bool = False, limit: int | None = None
    ) -> Quality:
        """Return the checks made by a run, and the last ones of its inputs before it read."""
        return check_run_quality(self.session, run_id, failed=failed, limit=limit)

    # Entities

    def dataset(self, name: str) -> DatasetDetails:
        """Return the details of a dataset."""
        return describe_dataset(self.session, name)

    def dataset_columns(
        self,
        name: str,
        text: str = "",
        *,
        observed: bool = False,
        limit: int | None = None,
        offset: int = 0,
    ) -> DatasetColumns:
        """Return the columns of a dataset, with the numbers of columns one edge away.

        ``text``: only names that contain it. ``observed``: do not count edges that only a design
        reports.
        """
        return list_dataset_columns(
            self.session, name, text, observed=observed, limit=limit, offset=offset
        )

    def job(self, name: str) -> JobDetails:
        """Return the details of a job."""
        return describe_job(self.session, name)

    def run(self, run_id: str) -> RunDetails:
        """Return the details of a run."""
        return describe_run(self.session, run_id)

    def runs(
        self, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
    ) -> tuple[JobRun, ...]:
        """Return the runs of all jobs, the last to begin first."""
        return list_runs(self.session, limit, where, offset=offset)

    def dataset_runs(
        self, name: str, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
    ) -> tuple[Access, ...]:
        """Return the runs that read or wrote a dataset, newest first."""
        return list_dataset_runs(self.session, name, limit, where, offset=offset)

    def job_runs(
        self, name: str, limit: int = 20, where: RunFilter = EVERY_RUN, *, offset: int = 0
    ) -> tuple[Run, ...]:
        """Return the runs of a job, newest first."""
        return list_job_runs(self.session, name, limit, where, offset=offset)

    def job_history(self, name: str, limit: int = RUNS) -> JobHistory:
        """Return the newest runs of a job, with the durations and rows expected of them."""
        return find_job_history(self.session, name, limit)

    def overdue_jobs(self, time: TimeArgument | None = None, limit: int | None = None) -> Overdue:
        """Return the jobs whose next run is overdue at a time, by default now."""
        return find_overdue(self.session, time, limit)

    def datasets(
        self,
        text: str = "",
        limit: int = 100,
        *,
        namespaces: Sequence[str] = (),
        tags: Sequence[str] = (),
        offset: int = 0,
    ) -> tuple[ListedDataset, ...]:
        """Return datasets whose full name contains ``text``, ignoring case, sorted by name."""
        return list_datasets(
            self.session, text, limit, namespaces=namespaces, tags=tags, offset=offset
        )

    def jobs(
        self,
        text: str = "",
        limit: int = 100,
        *,
        namespaces: Sequence[str] = (),
        tags: Sequence[str] = (),
        types: Sequence[str] = (),
        offset: int = 0,
    ) -> tuple[ListedJob, ...]:
        """Return jobs whose full name contains ``text``, ignoring case, sorted by name."""
        return list_jobs(
            self.session, text, limit,
            namespaces=namespaces, tags=tags, types=types, offset=offset,
        )  # fmt: skip

    def search(
        self, text: str, kinds: Sequence[Kind] | None = None, limit: int = 50
    ) -> tuple[Hit, ...]:
        """Return datasets, jobs and columns that match all words of ``text``, best first."""
        return search_names(self.session, text, kinds, limit)

    def events(
        self,
        limit: int = 100,
        *,
        run: str | None = None,
        since: TimeArgument | None = None,
        rejected: bool = False,
        offset: int = 0,
    ) -> tuple[LoggedEvent, ...]:
        """Return the latest events of the log: of a run, since a time, or the rejected ones."""
        need_in_range(limit=limit, offset=offset)
        since = None if since is None else time_of(since)
        listed = list_events(
            self.session.connection, limit,
            run=run, since=since, rejected=rejected, offset=offset,
        )  # fmt: skip
        return tuple(listed)

    # Graph models

    def model(
        self,
        *,
        system: Sequence[str] = (),
        node_type: Sequence[str] = (),
        environment: Sequence[str] = (),
        around: str | None = None,
        depth: int | None = None,
    ) -> LineageGraph:
        """Return the stored graph models of streaming platforms as one.

        ``system``, ``node_type``, ``environment``: only nodes with one of these values.
        ``around``: only nodes connected with this node, dataset or job, by at most ``depth`` edges.
        """
        filters = ModelFilter(system, node_type, environment)
        return read_model(self.session, filters, around, depth)

    # Cypher

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
        """Run a read-only Cypher query, for at most ``timeout`` seconds. Raises QueryError.

        ``offset``: number of rows to skip. ``limit``: maximum number of rows. ``characters``:
        maximum total length of the rows as JSON; at least one row is returned. ``omitted`` of the
        result: number of rows after those returned.
        """
        from lineage.query.cypher.read import read_table
        from lineage.query.cypher.row_window import Window

        window = Window(limit, offset, characters)
        return read_table(self.session, text, params or {}, timeout, window)

    def cypher_rows(
        self,
        text: str,
        params: Mapping[str, Any] | None = None,
        timeout: float = CYPHER_SECONDS,
        *,
        limit: int,
    ) -> AbstractContextManager[Rows]:
        """Run a read-only Cypher query and fetch its rows during iteration.

        No other query can run until the block ends. Raises QueryError, also during iteration.
        """
        from lineage.query.cypher.read import open_rows
        from lineage.query.cypher.row_window import Window

        return open_rows(self.session, text, params or {}, timeout, Window(limit))
