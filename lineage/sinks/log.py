"""Events as records of the logger ``lineage.events``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from lineage.hub import encode_document

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LOG = logging.getLogger("lineage.events")


class LoggingSink:
    """Writes each event as JSON at level INFO."""

    def init(self, settings: Mapping[str, str]) -> None:
        """Do nothing: the program configures its loggers."""

    def accept(self, events: Sequence[Any]) -> None:
        """Log ``events``."""
        for event in events:
            LOG.info("%s", encode_document(event).decode())

    def shutdown(self) -> None:
        """Do nothing."""
