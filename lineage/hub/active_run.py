"""The run that a program records, and the current run of a thread or task."""

from __future__ import annotations

import functools
import os
import threading
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.errors import UsageError
from lineage.hub.configuration import LOG
from lineage.hub.emitter import get_emitter
from lineage.hub.events import (
    RUNNING,
    START,
    Dataset,
    Job,
    ParentRun,
    Run,
    RunEvent,
)
from lineage.hub.guard import guard_program
from lineage.hub.lane import SINK_THREADS
from lineage.hub.locations import dataset_at
from lineage.hub.observers import report_collected, start_collectors
from lineage.hub.outcomes import describe_end
from lineage.hub.output_facets import LIFECYCLE, WRITE_MODE, mode_facets
from lineage.hub.run_content import RunContent
from lineage.hub.run_process import RunProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextvars import Token
    from types import TracebackType

    from typing_extensions import Self

    from lineage.hub.events import Payload
    from lineage.hub.observers import Collector

F = TypeVar("F", bound="Callable[..., Any]")

_RUNNING_SECONDS = 30.0  # between two RUNNING events

CURRENT_RUN: ContextVar[ActiveRun | None] = ContextVar("lineage_run", default=None)
# Runs of observations outside of any current run; the last is the innermost.
PROCESS_RUNS: list[ActiveRun] = []


def current_run() -> ActiveRun | None:
    """Return the innermost run of this thread or task."""
    return CURRENT_RUN.get()


def claiming_run() -> ActiveRun | None:
    """Return the run that owns the current observation.

    It is the current run, else that of the process, except in the threads of sinks.
    """
    run = CURRENT_RUN.get()
    if run is not None and not run.has_ended:
        return run
    if PROCESS_RUNS and threading.get_ident() not in SINK_THREADS:
        return PROCESS_RUNS[-1]
    return None


class ActiveRun:
    """A run that collects its inputs and outputs; a ``with`` block starts and ends it.

    START has the datasets known so far; COMPLETE, FAIL and ABORT have all. While LINEAGE_ENABLED is
    off, nothing is collected. ``process``: whether observations without a current run belong to it.
    ``identity``: the run, if its id or its parent is known before.
    """

    def __init__(
        self,
        job: Job,
        facets: Mapping[str, Any] | None = None,
        *,
        process: bool = False,
        identity: Run | None = None,
    ) -> None:
        self.job = job
        self.identity = identity or Run(parent=None, facets=facets or {})
        self.content = RunContent()
        self.handlers: dict[str, Any] = {}  # of events of Python, for the audit hook
        self.own_directories: tuple[str, ...] = ()  # of the executor of the run: no data
        self._collectors: dict[str, Collector] = {}
        self.has_ended = False
        self._of_process = process
        self._process: RunProcess | None = None  # since START
        self._emitter = get_emitter()
        self._last_event = 0.0
        self._entered: Token[ActiveRun | None] | None = None

    @property
    def run_id(self) -> str:
        """The id of the run, a UUID."""
        return self.identity.run_id

    @property
    def is_recording(self) -> bool:
        """Whether observations are recorded: LINEAGE_ENABLED is on, and the run has not ended."""
        return self._emitter.enabled and not self.has_ended

    def reads(
        self,
        location: str | os.PathLike[str] | Dataset,
        *,
        namespace: str | None = None,
        rows: int | None = None,
        bytes: int | None = None,
    ) -> None:
        """Record an input: a URL, a path, or with ``namespace`` the name of a dataset."""
        if not self._emitter.enabled:
            return
        with guard_program():
            if _has_name(location):
                self.content.add_input(dataset_at(location, namespace), rows, bytes)
        self._emit_running()

    def writes(
        self,
        location: str | os.PathLike[str] | Dataset,
        *,
        namespace: str | None = None,
        rows: int | None = None,
        bytes: int | None = None,
        append: bool = False,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        """Record an output. ``columns``: their types by name. ``append``: earlier content stays."""
        if not self._emitter.enabled:
            return
        with guard_program():
            if _has_name(location):
                dataset = _written_dataset(dataset_at(location, namespace), append, columns)
                self.content.add_output(dataset, rows, bytes)
        self._emit_running()

    def add_observation(self, payload: Payload) -> None:
        """Record an observation of the run, without an event of its own.

        ``payload``: a FileIo, an HttpIo, a RelationalIo or a TransformSchema. One whose values are
        invalid is logged, and not recorded.
        """
        if self.is_recording:
            with guard_program():
                self.content.add_payload(payload)

    def _emit_running(self) -> None:
        is_due = self._last_event and time.monotonic() - self._last_event >= _RUNNING_SECONDS
        if is_due and not self._is_of_other_process():
            self._emit_event(RUNNING)

    def _is_of_other_process(self) -> bool:
        return self._process is not None and self._process.is_other()

    def environment(self) -> dict[str, str]:
        """Return the variables that make this run the parent of those of a child process."""
        name = self.job.name.replace("%", "%25").replace("/", "%2F")
        return {"LINEAGE_PARENT": f"{self.job.namespace}/{name}/{self.run_id}"}

    def wrap(self, function: F) -> F:
        """Return ``function`` with this run as the current one, for threads and executors."""

        @functools.wraps(function)
        def call_function(*args: Any, **named: Any) -> Any:
            with self.activate_run():
                return function(*args, **named)

        return call_function  # type: ignore[return-value]

    @contextmanager
    def activate_run(self) -> Iterator[Self]:
        """Make this the current run inside the block, without starting or ending it."""
        token = CURRENT_RUN.set(self)
        try:
            yield self
        finally:
            CURRENT_RUN.reset(token)

    def replace_facet(self, name: str, content: Mapping[str, Any]) -> None:
        """Set a facet of the run, which later events have."""
        self.identity = replace(self.identity, facets={**self.identity.facets, name: content})

    def start_run(self) -> None:
        """Emit START, and observe the run."""
        self.identity = replace(self.identity, parent=self.identity.parent or find_parent())
        self._emit_event(START)
        if not self._emitter.enabled:
            return
        self._process = RunProcess()
        self._collectors = start_collectors(self, self._emitter.settings.observe)
        if self._of_process:
            PROCESS_RUNS.append(self)

    def stop_observing(self) -> None:
        """Add the observations to the content, and stop observing."""
        self.handlers = {}
        collectors, self._collectors = self._collectors, {}
        report_collected(collectors, self.content)

    def end_run(self, error: BaseException | None = None) -> None:
        """Emit COMPLETE, FAIL, or ABORT for an interruption; once, not in a child of a fork."""
        if self.has_ended:
            return
        if self in PROCESS_RUNS:
            PROCESS_RUNS.remove(self)
        if self._is_of_other_process():
            self.handlers, self._collectors, self.has_ended = {}, {}, True
            return
        self.stop_observing()
        self.has_ended = True
        if self._emitter.enabled:
            self._emit_event(*describe_end(error))
        if self._process is not None:
            self._process.end_run()

    def _emit_event(self, type: str, error: str | None = None) -> None:
        self._last_event = time.monotonic()
        content = self.content
        inputs = tuple(content.inputs.values())
        outputs = content.complete_outputs(is_last=type not in (START, RUNNING))
        run = replace(self.identity, facets={**self.identity.facets, **content.observed_facet()})
        self._emitter.emit(RunEvent(type, run, self.job, inputs, outputs, error))

    def __enter__(self) -> Self:
        if self._entered is not None:
            raise UsageError(
                f"The run of {self.job.name} was started before; a run starts once.",
                "Make a run for each with block: with lineage.run(…).",
            )
        self.start_run()
        self._entered = CURRENT_RUN.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._entered is not None  # the block was entered
        try:
            CURRENT_RUN.reset(self._entered)
        except ValueError:  # a generator was suspended in the block and closed in another context
            CURRENT_RUN.set(None)
        self.end_run(error)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)


class Fetch(ActiveRun):
    """A run that reads one source and stores the result."""

    def stored(self, location: str | os.PathLike[str] | Dataset, **content: Any) -> None:
        """Record a stored output, with the parameters of ``ActiveRun.writes``."""
        self.writes(location, **content)


def _has_name(location: str | os.PathLike[str] | Dataset) -> bool:
    """Return whether a location is not empty: an empty path would be the working directory."""
    if location in ("", b""):
        LOG.warning("An empty location is not recorded.")
        return False
    return True


def _written_dataset(dataset: Dataset, append: bool, columns: Mapping[str, str] | None) -> Dataset:
    """Return an output with the facets of its write."""
    facets = dict(dataset.facets)
    if append:
        facets = {**mode_facets("append"), **facets}
    elif WRITE_MODE not in facets:
        facets.setdefault(LIFECYCLE, {LIFECYCLE: "OVERWRITE"})
    if columns is not None and (fields := _fields_of(columns)):
        facets["schema"] = {"fields": fields}
    return replace(dataset, facets=facets)


def _fields_of(columns: Any) -> list[dict[str, str]]:
    """Return the fields of ``df.dtypes``, of a schema of polars, or of any other mapping."""
    try:
        types = dict(columns)
    except (TypeError, ValueError) as error:
        LOG.warning("columns=%r are no types by name, and are not recorded: %s", columns, error)
        return []
    return [{"name": str(name), "type": str(type)} for name, type in types.items()]


def find_parent() -> ParentRun | None:
    """Return the current run or that of the process, else that of the environment.

    The variables are LINEAGE_PARENT and OPENLINEAGE_PARENT_ID.
    """
    if outer := CURRENT_RUN.get() or (PROCESS_RUNS[-1] if PROCESS_RUNS else None):
        root = outer.identity.parent and (outer.identity.parent.root or outer.identity.parent)
        return ParentRun(outer.run_id, outer.job, root)
    for variable in ("LINEAGE_PARENT", "OPENLINEAGE_PARENT_ID"):
        if text := os.environ.get(variable, "").strip():
            namespace, _, rest = text.rpartition("/")[0].rpartition("/")
            run_id = text.rpartition("/")[2]
            if variable == "LINEAGE_PARENT":
                rest = rest.replace("%2F", "/").replace("%25", "%")
            if namespace and rest and run_id:
                return ParentRun(run_id, Job(namespace, rest))
            LOG.warning(
                '%s is "%s" and should be namespace/name/run. It is not used.', variable, text
            )
    return None
