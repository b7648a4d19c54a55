"""How a run ends: by the exception that leaves it."""

from __future__ import annotations

import sys

from lineage.hub.events import ABORT, COMPLETE, FAIL

# Modules whose class ``Exit`` ends a program as SystemExit does, and ``Abort`` as Ctrl-C does.
_COMMAND_LINES = ("click.exceptions", "typer.exceptions")


def describe_end(error: BaseException | None) -> tuple[str, str | None]:
    """Return the type of the last event, and its message unless it is COMPLETE."""
    outcome = _outcome_of(error)
    return outcome, None if error is None or outcome == COMPLETE else _message_of(error)


def _outcome_of(error: BaseException | None) -> str:
    if error is None or isinstance(error, GeneratorExit):
        return COMPLETE
    if isinstance(error, SystemExit):
        return COMPLETE if error.code in (None, 0) else ABORT
    if _is_instance(error, "Exit", *_COMMAND_LINES):
        return COMPLETE if getattr(error, "exit_code", 0) == 0 else ABORT
    is_interrupted = (
        isinstance(error, KeyboardInterrupt)
        or _is_instance(error, "CancelledError", "asyncio")
        or _is_instance(error, "Abort", *_COMMAND_LINES)
    )
    return ABORT if is_interrupted else FAIL


def _is_instance(error: BaseException, name: str, *modules: str) -> bool:
    """Return whether an error is of a class of these modules, as far as they are imported."""
    classes = (getattr(sys.modules.get(module), name, None) for module in modules)
    return any(isinstance(each, type) and isinstance(error, each) for each in classes)


def _message_of(error: BaseException) -> str:
    kind = type(error).__name__
    try:
        return f"{kind}: {error}"
    except Exception:  # noqa: BLE001 - the program may handle its error without its text
        return f"{kind}: <exception str() failed>"
