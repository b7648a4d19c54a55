"""The run that a program records, and the current run of a thread or task."""

from __future__ import annotations

import functools
import os
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from lineage.hub.configuration import LOG
from lineage.hub.emitter import get_emitter
from lineage.hub.events import (
    ABORT,
    COMPLETE,
    FAIL,
    RUNNING,
    START,
    Dataset,
    Job,
    ParentRun,
    Run,
    RunEvent,
)
from lineage.hub.locations import dataset_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import TracebackType

    from typing_extensions import Self

F = TypeVar("F", bound="Callable[..., Any]")

_RUNNING_SECONDS = 30.0  # between two RUNNING events
_MOST_DATASETS = 1000  # of one side of a run; the directories of the others follow
_LIFECYCLE = "lifecycleStateChange"

_current: ContextVar[ActiveRun | None] = ContextVar("lineage_run", default=None)


def current_run() -> ActiveRun | None:
    """Return the innermost run of this thread or task."""
    return _current.get()


class ActiveRun:
    """A run that collects what it reads and writes; a ``with`` block starts and ends it.

    START has what is known then; COMPLETE, FAIL and ABORT have all datasets. While LINEAGE_ENABLED
    is off, nothing is collected. ``identity``: the run, if its id or its parent is known before.
    """

    def __init__(
        self, job: Job, facets: Mapping[str, Any] | None = None, *, identity: Run | None = None
    ) -> None:
        self.job = job
        self.identity = identity or Run(parent=None, facets=facets or {})
        self._inputs: dict[tuple[str, str], Dataset] = {}
        self._outputs: dict[tuple[str, str], Dataset] = {}
        self._left_out = 0
        self._emitter = get_emitter()
        self._last_event = 0.0
        self._has_ended = False
        self._entered: list[Any] = []

    @property
    def run_id(self) -> str:
        """The id of the run, a UUID."""
        return self.identity.run_id

    def reads(
        self,
        location: str | os.PathLike[str] | Dataset,
        *,
        namespace: str | None = None,
        rows: int | None = None,
        bytes: int | None = None,
    ) -> None:
        """Record an input: a URL, a path, or with ``namespace`` the name of a dataset."""
        self._add_dataset(self._inputs, dataset_at(location, namespace), rows, bytes)

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
        dataset = dataset_at(location, namespace)
        facets = dict(dataset.facets)
        if not append:
            facets.setdefault(_LIFECYCLE, {_LIFECYCLE: "OVERWRITE"})
        if columns:
            fields = [{"name": name, "type": type} for name, type in columns.items()]
            facets["schema"] = {"fields": fields}
        self._add_dataset(self._outputs, replace(dataset, facets=facets), rows, bytes)

    def _add_dataset(
        self,
        side: dict[tuple[str, str], Dataset],
        dataset: Dataset,
        rows: int | None,
        bytes: int | None,
    ) -> None:
        if not self._emitter.enabled:
            return
        key = (dataset.namespace, dataset.name)
        if key not in side and len(side) >= _MOST_DATASETS:
            self._left_out += 1
            dataset = Dataset(dataset.namespace, os.path.dirname(dataset.name) or "/")
            key, rows, bytes = (dataset.namespace, dataset.name), None, None
        known = side.get(key, dataset)
        side[key] = replace(
            known,
            facets={**known.facets, **dataset.facets},
            rows=_add_counts(known.rows, rows),
            bytes=_add_counts(known.bytes, bytes),
        )
        if self._last_event and time.monotonic() - self._last_event >= _RUNNING_SECONDS:
            self._emit_event(RUNNING)

    def environment(self) -> dict[str, str]:
        """Return the variables that make this run the parent of those of a child process."""
        return {"LINEAGE_PARENT": f"{self.job.namespace}/{self.job.name}/{self.run_id}"}

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
        token = _current.set(self)
        try:
            yield self
        finally:
            _current.reset(token)

    def replace_facet(self, name: str, content: Mapping[str, Any]) -> None:
        """Set a facet of the run, which later events have."""
        self.identity = replace(self.identity, facets={**self.identity.facets, name: content})

    def start_run(self) -> None:
        """Emit START."""
        self.identity = replace(self.identity, parent=self.identity.parent or find_parent())
        self._emit_event(START)

    def end_run(self, error: BaseException | None = None) -> None:
        """Emit COMPLETE, FAIL, or ABORT for an interruption; a second call does nothing."""
        if self._has_ended:
            return
        self._has_ended = True
        outcome = _outcome_of(error)
        message = f"{type(error).__name__}: {error}" if error and outcome != COMPLETE else None
        self._emit_event(outcome, message)

    def _emit_event(self, type: str, error: str | None = None) -> None:
        self._last_event = time.monotonic()
        run = self.identity
        if self._left_out:
            truncated = {"lineage_observed": {"truncated": self._left_out}}
            run = replace(run, facets={**run.facets, **truncated})
        inputs, outputs = tuple(self._inputs.values()), tuple(self._outputs.values())
        self._emitter.emit(RunEvent(type, run, self.job, inputs, outputs, error))

    def __enter__(self) -> Self:
        self.start_run()
        self._entered.append(_current.set(self))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            _current.reset(self._entered.pop())
        except ValueError:  # a generator was suspended in the block and closed in another context
            _current.set(None)
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
    """A run that reads one source and stores what it fetched."""

    def stored(self, location: str | os.PathLike[str] | Dataset, **content: Any) -> None:
        """Record what was stored, with the parameters of ``ActiveRun.writes``."""
        self.writes(location, **content)


def _add_counts(known: int | None, more: int | None) -> int | None:
    return known if more is None else more + (known or 0)


def _outcome_of(error: BaseException | None) -> str:
    if error is None or isinstance(error, GeneratorExit):
        return COMPLETE
    if isinstance(error, SystemExit):
        return COMPLETE if error.code in (None, 0) else ABORT
    asyncio = sys.modules.get("asyncio")
    is_cancelled = asyncio is not None and isinstance(error, asyncio.CancelledError)
    return ABORT if is_cancelled or isinstance(error, KeyboardInterrupt) else FAIL


def find_parent() -> ParentRun | None:
    """Return the current run, else that of LINEAGE_PARENT or OPENLINEAGE_PARENT_ID."""
    if outer := _current.get():
        root = outer.identity.parent and (outer.identity.parent.root or outer.identity.parent)
        return ParentRun(outer.run_id, outer.job, root)
    for variable in ("LINEAGE_PARENT", "OPENLINEAGE_PARENT_ID"):
        if text := os.environ.get(variable, "").strip():
            namespace, _, rest = text.rpartition("/")[0].rpartition("/")
            run_id = text.rpartition("/")[2]
            if namespace and rest and run_id:
                return ParentRun(run_id, Job(namespace, rest))
            LOG.warning(
                '%s is "%s" and should be namespace/name/run. It is not used.', variable, text
            )
    return None
