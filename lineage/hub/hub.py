"""The hub: passes each event to the lane of each sink."""

from __future__ import annotations

import atexit

# Imported now: a thread that loads a sink while the program ends could not import it any more.
import concurrent.futures.thread  # noqa: F401
import os
import sys
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

from lineage.hub import loading
from lineage.hub.configuration import LOG, Settings
from lineage.hub.delivery import Retries
from lineage.hub.emitted import Emitted, is_protected
from lineage.hub.lane import SINK_THREADS, Lane
from lineage.hub.report import Report

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lineage.hub.delivery import MakeSink

_NOT_QUEUED = Emitted(None, ())
# Sinks of the parent process: closing them in a child would end the parent's connections.
_OF_PARENT: list[object] = []


class Hub:
    """Queues events and passes them to sinks, each in a thread of its own.

    ``sinks``: the function that creates each sink, by its id; or a function that returns them,
    which is called for the first event. ``emit`` does nothing unless ``settings.enabled``.
    """

    def __init__(
        self,
        sinks: Mapping[str, MakeSink] | Callable[[], Mapping[str, MakeSink]],
        settings: Settings,
        retries: Retries | None = None,
    ) -> None:
        self.enabled = settings.enabled
        self.settings = settings
        self._sinks = sinks
        self._retries = retries or Retries()
        self._lanes: list[Lane] | None = None
        self._lock = threading.RLock()
        self._report: Report | None = None
        if self.enabled:
            _ALL_HUBS.add(self)

    def emit(self, event: Any) -> Emitted:
        """Queue ``event`` for each sink and return at once; awaited, return its outcomes.

        ``event``: a LineageEvent, a RunEvent, an event of ``openlineage-python``, or a dictionary
        or JSON text of OpenLineage. It must not be changed afterwards. Raises TypeError for
        anything else, and nothing for reasons of delivery.
        """
        if not self.enabled:
            return _NOT_QUEUED
        protected = is_protected(event)
        lanes = self._lanes
        if lanes is None:
            lanes = self._create_lanes()
        if threading.get_ident() in SINK_THREADS:
            return _NOT_QUEUED
        emitted = Emitted(event, lanes)
        for lane in lanes:
            lane.put_event(emitted, protected=protected)
        return emitted

    def _create_lanes(self) -> list[Lane]:
        with self._lock:
            if self._lanes is None:
                sinks = self._sinks() if callable(self._sinks) else self._sinks
                self._sinks = sinks
                self._lanes = [
                    Lane(sink_id, make, self.settings, self._retries)
                    for sink_id, make in sinks.items()
                ]
                _register_with_multiprocessing(is_child=True)
                _register_with_celery()
            return self._lanes

    def flush(self, timeout: float = 10.0) -> Report:
        """Send all events emitted before, for up to ``timeout`` seconds. Raises nothing."""
        deadline = time.monotonic() + timeout
        lanes = self._lanes or []
        positions = [lane.stop_lingering() for lane in lanes]
        done = [
            lane.wait_settled(position, deadline)
            for lane, position in zip(lanes, positions, strict=True)
        ]
        return self._build_report(is_done=all(done))

    def shutdown(self, timeout: float | None = None) -> Report:
        """Send all events, for up to ``timeout`` seconds; spool the rest; close the sinks.

        The default of ``timeout`` is LINEAGE_FLUSH_SECONDS. A second call returns the first report.
        """
        with self._lock:
            if self._report is not None:
                return self._report
            seconds = self.settings.flush_seconds if timeout is None else timeout
            deadline = time.monotonic() + seconds
            lanes = self._lanes or []
            for lane in lanes:
                lane.begin_stop()
            try:
                for lane in lanes:
                    lane.finish_stop(deadline)
            except KeyboardInterrupt:  # a second Ctrl-C ends the wait, and loses nothing
                for lane in lanes:
                    lane.finish_stop(0.0)
            self._report = self._build_report(is_done=True)
            if spooled := sum(each.spooled for each in self._report.sinks.values()):
                LOG.warning(
                    "%d events are stored in %s. Ingest them: lineage ingest %s",
                    spooled,
                    self.settings.spool,
                    self.settings.spool,
                )
            return self._report

    def _build_report(self, *, is_done: bool) -> Report:
        counts = {lane.sink_id: lane.report_counts() for lane in self._lanes or []}
        return Report(counts, is_done)

    def restart_after_fork(self) -> None:
        """Start with empty queues and new sinks: the events in the queues are the parent's."""
        self._lock = threading.RLock()
        _OF_PARENT.append(self._lanes)
        self._lanes = None
        self._report = None


_ALL_HUBS: weakref.WeakSet[Hub] = weakref.WeakSet()


def _shutdown_all() -> None:
    for hub in list(_ALL_HUBS):
        hub.shutdown()


def _restart_all() -> None:
    loading.after_fork_in_child()
    SINK_THREADS.clear()
    for hub in list(_ALL_HUBS):
        hub.restart_after_fork()


def _prepare_fork() -> None:
    _register_with_multiprocessing()
    _register_with_celery()
    loading.before_fork()


def _finalize_child(_: object) -> None:
    """Shut down at the end of a child of multiprocessing, which runs no ``atexit`` functions."""
    util = sys.modules["multiprocessing.util"]
    util.Finalize(None, _shutdown_all, exitpriority=100)


_registered: list[object] = []


def _register_with_multiprocessing(*, is_child: bool = False) -> None:
    """Register for the end of children, once, if the program has imported multiprocessing."""
    util = sys.modules.get("multiprocessing.util")
    if util is None:
        return
    if not _registered:
        _registered.append(util)
        util.register_after_fork(_ALL_HUBS, _finalize_child)
    process = sys.modules.get("multiprocessing.process")
    if is_child and process is not None and process.parent_process() is not None:
        util.Finalize(None, _shutdown_all, exitpriority=100)


def _register_with_celery() -> None:
    """Register for the end of workers of Celery, if it is imported: they end by ``os._exit``."""
    signals = sys.modules.get("celery.signals")
    ended = getattr(signals, "worker_process_shutdown", None)  # absent while the module loads
    if ended is not None:  # a second registration does nothing
        ended.connect(_end_celery_worker, weak=False)


def _end_celery_worker(**_: object) -> None:
    _shutdown_all()


atexit.register(_shutdown_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_prepare_fork,
        after_in_parent=loading.after_fork_in_parent,
        after_in_child=_restart_all,
    )
