"""Reports to the listener of exceptions that end a Python driver; the JVM cannot observe them."""

from __future__ import annotations

import contextlib
import re
import sys
import threading
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

# Read by io.lineage.spark.DriverExit.
PROPERTY = "io.lineage.spark.driverError"

_SECONDS = 5.0
# Maximum length of a message. The listener reads more (LongText), replaces secrets, then removes
# the middle.
_MAX_MESSAGE_LENGTH = 150_000
_QUOTED = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"")

_is_watching = False


def watch_exceptions() -> None:
    """Report uncaught exceptions of this process to the listener."""
    global _is_watching
    if _is_watching:
        return
    _is_watching = True
    previous = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        with contextlib.suppress(Exception):
            _set_property(describe_exception(error, trace))
        previous(kind, error, trace)

    sys.excepthook = hook


def describe_exception(error: BaseException, trace: TracebackType | None) -> str:
    """Format class, message and stack frames, without source lines, which may contain literals.

    Errors of Spark quote the statement, so quoted text in them is replaced.
    """
    kind = type(error)
    message = str(error).split("\nJVM stacktrace:")[0]
    if kind.__module__.split(".")[0] in ("pyspark", "py4j"):
        message = _QUOTED.sub("?", message.split("\n")[0])
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    frames = [
        f'  File "{at.filename}", line {at.lineno}, in {at.name}'
        for at in traceback.extract_tb(trace)
    ]
    return "\n".join([f"{name}: {_message_beginning(message)}" if message else name, *frames])


def _message_beginning(message: str) -> str:
    """Truncate a message at the end of a line or before a quote, never within a literal."""
    if len(message) <= _MAX_MESSAGE_LENGTH:
        return message
    head = message[:_MAX_MESSAGE_LENGTH]
    end = head.rfind("\n")
    if end < 0 and (quote := re.search("['\"]", head)):
        end = quote.start()
    return head[: end if end >= 0 else None] + "\n... (the rest is left out)"


def _set_property(text: str) -> None:
    """Set a JVM property if a JVM responds within a timeout, because this process is ending."""
    pyspark = sys.modules.get("pyspark")
    gateway = getattr(getattr(pyspark, "SparkContext", None), "_gateway", None)
    if gateway is None:
        return

    def set_property() -> None:
        with contextlib.suppress(Exception):
            gateway.jvm.java.lang.System.setProperty(PROPERTY, text)

    thread = threading.Thread(target=set_property, daemon=True)
    thread.start()
    thread.join(_SECONDS)
