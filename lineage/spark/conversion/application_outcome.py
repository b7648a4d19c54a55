"""The outcome of an application, from its exit code, its driver or its last execution."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from openlineage.client.event_v2 import RunState

from lineage.spark.conversion.filters import read_selection
from lineage.spark.document.document import Document, Failure

if TYPE_CHECKING:
    from collections.abc import Mapping

# Value of the fact ``exitCode`` if the exit code is unknown.
UNKNOWN = "unknown"


@dataclass(frozen=True)
class ApplicationOutcome:
    """State and failure of an application's run; ``facts`` has its exit code, or ``unknown``."""

    state: RunState
    failure: Failure | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


def application_outcome(document: Document, exit_code: int | None = None) -> ApplicationOutcome:
    """Compute the outcome of an application from its ``application_end`` document.

    The first of these that is available determines the outcome:

    1. the ``exit_code`` of the process, if the caller waited for it
    2. the outcome of the driver that the JVM observed while it shut down
    3. the exit code with which Spark was stopped
    4. the outcome of the last execution
    """
    if exit_code is None and document.driver and document.driver.outcome != UNKNOWN.upper():
        return _of_driver(document)
    code = document.exit_code if exit_code is None else exit_code
    failure = _failure_of(document, code)
    # Spark reports 0 for every application that stops it, although the driver is still running.
    is_known = exit_code is not None or bool(code)
    return ApplicationOutcome(
        RunState.FAIL if failure else RunState.COMPLETE,
        failure,
        {"exitCode": code if is_known else UNKNOWN},
    )


def _of_driver(document: Document) -> ApplicationOutcome:
    assert document.driver
    outcome, error = document.driver.outcome, _quotable_failure(document, document.driver.error)
    if outcome == "COMPLETE":
        return ApplicationOutcome(RunState.COMPLETE, None, {"exitCode": 0})
    if outcome == "ABORT":
        message = "The driver was terminated by a signal."
        return ApplicationOutcome(RunState.ABORT, Failure("", message, None), {"exitCode": UNKNOWN})
    last = _last_failure(document)
    if error is None:
        message = "The driver ended with an exit code other than 0"
        message = f"{message}; the last execution failed with {last}" if last else f"{message}."
        error = Failure("", message, last.stack if last else None)
    return ApplicationOutcome(RunState.FAIL, error, {"exitCode": UNKNOWN})


def _failure_of(document: Document, exit_code: int | None) -> Failure | None:
    last = _last_failure(document)
    if exit_code is None:
        unknown = Failure("unknown", "The last execution failed.", None)
        return (last or unknown) if document.outcome == "FAIL" else None
    if exit_code == 0:
        return None
    message = f"Exit code {exit_code}"
    if last:
        return Failure("", f"{message}; the last execution failed with {last}", last.stack)
    return Failure("", message, None)


def _last_failure(document: Document) -> Failure | None:
    return _quotable_failure(document, document.error) if document.outcome == "FAIL" else None


def _quotable_failure(document: Document, failure: Failure | None) -> Failure | None:
    """Remove the message if the selection omits datasets, because it may name one of them."""
    if failure and read_selection(document.app.settings).is_limited:
        return Failure(failure.cls, "", None)
    return failure
