"""Logging of servers to stderr: each record is one line, with an indented traceback."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lineage.control_characters import escape_controls

if TYPE_CHECKING:
    from types import TracebackType

FORMAT = "%(asctime)s %(levelname)s %(message)s"


class EscapingFormatter(logging.Formatter):
    """Escapes control characters, so that no message can imitate the beginning of a record."""

    def formatMessage(self, record: logging.LogRecord) -> str:
        """Return the line of a record."""
        record.message = escape_controls(record.message)
        return super().formatMessage(record)

    def formatException(
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, ...],
    ) -> str:
        """Return a traceback, indented by two spaces."""
        text: str = super().formatException(ei)  # type: ignore[arg-type]
        return "\n".join(f"  {escape_controls(line)}" for line in text.split("\n"))


def log_to_stderr(level: int = logging.INFO) -> None:
    """Write the records of this package to stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(EscapingFormatter(FORMAT))
    logger = logging.getLogger("lineage")
    logger.handlers[:] = [handler]
    logger.setLevel(level)


def uvicorn_config() -> dict[str, Any]:
    """Return the logging configuration of uvicorn for records of the same format."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": "lineage.logs.EscapingFormatter", "format": FORMAT}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
        "loggers": {"uvicorn": {"handlers": ["stderr"], "level": "INFO", "propagate": False}},
    }
