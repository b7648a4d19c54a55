"""Recordings inside tasks of Spark, and their way to the driver.

A capture sets a local property of its jobs, which Spark passes to their tasks. It names an
accumulator. Spark sends the values of accumulators with the result of a task, and drops those of
failed tasks.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import logging
import pickle
import queue
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.errors import UsageError
from lineage.records.parts import Part, PartKey
from lineage.records.recording import CaptureSettings, Recording

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark import SparkContext, TaskContext

PROPERTY = "spark.lineage.records.capture"

logger = logging.getLogger(__name__)

# Up to this partition, a task sends as many items as the capture stores. Beyond it the number
# decreases, so that many tasks together stay below spark.driver.maxResultSize.
UNLIMITED_PARTITIONS = 64


class TaskCapture(NamedTuple):
    """The capture of a job, as its tasks see it."""

    accumulator: int
    settings: CaptureSettings


def spark_context(spark: Any) -> Any:
    """Return the SparkContext of a session. Raises UsageError for Spark Connect."""
    try:
        return spark if hasattr(spark, "setLocalProperty") else spark.sparkContext
    except Exception as error:
        raise UsageError(
            "This session has no SparkContext, so its tasks cannot be recorded.",
            "Use a session that is not of Spark Connect.",
        ) from error


def current_task() -> TaskContext | None:
    """Return the context of the task of Spark that this process runs, or None."""
    module = sys.modules.get("pyspark.taskcontext")
    return module.TaskContext.get() if module else None


def task_capacity(capacity: int | None, partition: int) -> int | None:
    """Return the number of items that a task of this partition sends; None for all."""
    if capacity is None:
        return None
    return max(1, capacity * UNLIMITED_PARTITIONS // max(UNLIMITED_PARTITIONS, partition + 1))


def open_task_recording(context: TaskContext, node: str, source: str) -> Recording | None:
    """Return a recording that the task sends to the driver; None if its job is not captured."""
    text = context.getLocalProperty(PROPERTY)
    if not text:
        return None
    accumulator, settings = _decode_capture(text)
    key = PartKey(node, context.stageId(), context.partitionId())
    capacity = task_capacity(settings.capacity, key.partition)
    part = Part(key, context.taskAttemptId(), capacity)
    _parts_of_task(accumulator).append(part)
    return Recording(settings, source, part)


def encode_capture(capture: TaskCapture) -> str:
    """Return the value of the local property. Raises UsageError if the mask cannot be pickled."""
    from pyspark import cloudpickle

    try:
        data: bytes = cloudpickle.dumps(tuple(capture))  # type: ignore[no-untyped-call]
    except Exception as error:
        raise UsageError(
            f"The function of redact= cannot be sent to the tasks: {error}",
            "Use a function that refers to nothing but modules and plain values.",
        ) from error
    return base64.b64encode(data).decode()


@functools.lru_cache(maxsize=4)
def _decode_capture(text: str) -> TaskCapture:
    return TaskCapture(*pickle.loads(base64.b64decode(text)))


class _TaskParts(list[Part]):
    """The parts of a task. They are pickled when the task has ended.

    As bytes, so that the scheduler of Spark, which waits until the driver has unpickled the values
    of accumulators, does not wait for their decoding.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            return bytes, (pickle.dumps([part.to_tuple() for part in self], 5),)
        except Exception:  # noqa: BLE001 - an error of the recording must not fail the task
            return bytes, (b"",)


def _parts_of_task(accumulator: int) -> list[Part]:
    """Return the list that the task sends as the value of an accumulator."""
    from pyspark.accumulators import Accumulator, _accumulatorRegistry

    if accumulator not in _accumulatorRegistry:
        param: Any = DriverParam(None)
        Accumulator(accumulator, _TaskParts(), param)
    parts: list[Part] = _accumulatorRegistry[accumulator]._value
    return parts


class DriverParam:
    """Passes the parts of tasks to ``receive``; in place of an AccumulatorParam."""

    def __init__(self, receive: Callable[[bytes], None] | None) -> None:
        self.receive = receive

    def addInPlace(self, value: Any, update: bytes) -> Any:
        """Hand over an update. A capture that has ended ignores it."""
        if self.receive is not None:
            self.receive(update)
        return value


class JobProperty:
    """The local property of the jobs of this thread, and the parts of their tasks.

    ``receive`` is called with each part, in a thread of its own.
    """

    def __init__(
        self,
        context: SparkContext,
        settings: CaptureSettings,
        receive: Callable[[Part], None],
    ) -> None:
        self._context = context
        self._capacity = settings.capacity
        self._receive = receive
        self._updates: queue.Queue[bytes | None] = queue.Queue()
        self._param = DriverParam(self._updates.put)
        param: Any = self._param
        accumulator: Any = context.accumulator([], param)
        capture = TaskCapture(accumulator.aid, settings)
        self._before = context.getLocalProperty(PROPERTY)
        context.setLocalProperty(PROPERTY, encode_capture(capture))
        self._thread = threading.Thread(
            target=self._decode_updates, name="lineage-capture", daemon=True
        )
        self._thread.start()

    def wait_for_updates(self) -> None:
        """Wait until all that has arrived is decoded."""
        self._updates.join()

    def _decode_updates(self) -> None:
        while True:
            update = self._updates.get()
            try:
                if update is None:
                    return
                for values in pickle.loads(update) if update else ():
                    self._receive(Part.from_tuple(values, self._capacity))
            except Exception:
                logger.warning("Items of a task of Spark are not recorded.", exc_info=True)
            finally:
                self._updates.task_done()

    def remove_property(self) -> None:
        """Restore the property of before, and decode the rest. Later updates are ignored."""
        self._param.receive = None
        self._updates.put(None)
        self._thread.join()
        before: Any = self._before  # None removes the property
        # The application may have ended.
        with contextlib.suppress(Exception):
            self._context.setLocalProperty(PROPERTY, before)
