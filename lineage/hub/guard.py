"""Keep errors of recording away from the program."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from lineage.hub.configuration import LOG
from lineage.redaction import redact_text

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def guard_program() -> Iterator[None]:
    """Log an exception of the block instead of raising it."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 - recording must not affect the program
        message = redact_text(str(error))
        LOG.warning("An access is not recorded: %s: %s", type(error).__name__, message)
