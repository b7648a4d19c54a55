"""The spools of Spark applications in this process, such as a notebook."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lineage.errors import InvalidEvent
from lineage.spark.conversion.applications import Application
from lineage.spark.document import spool
from lineage.spark.document.parser import parse_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from openlineage.client.event_v2 import RunEvent

# An integer, because both methods of the JVM require one.
FLUSH_MILLISECONDS = 5000


def flush_listener() -> list[Path]:
    """Wait until the listener has written its documents; return the prefixes of its files.

    There is one path for each application of this process. The list is empty if this process
    started no Spark session, if the session has no listener, or if the listener sends to a
    collector.
    """
    pyspark = sys.modules.get("pyspark")
    context = getattr(pyspark, "SparkContext", None)
    gateway = getattr(context, "_gateway", None)
    if gateway is None:
        return []
    # Ignore errors if the JVM has ended, the session has no listener, or Spark changed an
    # interface. In these cases there are no files to read.
    with contextlib.suppress(Exception):
        _empty_bus(getattr(context, "_active_spark_context", None))
    with contextlib.suppress(Exception):
        files = gateway.jvm.io.lineage.spark.OwnSpools.flush(FLUSH_MILLISECONDS)
        return [Path(each) for each in files]
    return []


def _empty_bus(context: Any) -> None:
    """Wait until Spark's listeners have received all events so far."""
    if context is not None:
        context._jsc.sc().listenerBus().waitUntilEmpty(FLUSH_MILLISECONDS)


class SpoolReader:
    """A converter for the plan documents of one application, each once, while its files grow."""

    def __init__(self, files: Path) -> None:
        self._files = files
        self._application = Application()
        self._offsets: dict[Path, int] = {}

    def read_new_documents(self, bad: Callable[[InvalidEvent], None]) -> Iterator[list[RunEvent]]:
        """Yield the events of each document added since the last call.

        ``bad`` is called with each line that is not a plan document. Raises OSError.
        """
        added = self._files.parent.glob(f"{self._files.name}-*.jsonl")
        for spooled in spool.group_by_application(added):
            for path in spooled.files:
                for line in self._complete_lines(path):
                    try:
                        document = parse_document(line.decode(errors="replace"))
                    except InvalidEvent as error:
                        bad(InvalidEvent(f"{path}: {error.message}", error.hint))
                        continue
                    yield self._application.convert_document(document)

    def _complete_lines(self, path: Path) -> Iterator[bytes]:
        """Yield the complete lines; the driver may be writing the next one."""
        with path.open("rb") as file:
            file.seek(self._offsets.get(path, 0))
            for line in file:
                if not line.endswith(b"\n"):
                    return
                self._offsets[path] = file.tell()
                yield line
