"""Events as JSON lines in a file of this process, for ``lineage ingest``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.hub import encode_document
from lineage.hub.configuration import hub_spool
from lineage.hub.spool import Spool

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_LIMIT = 1 << 50  # the disk is the limit


class FileSink:
    """Appends to a file ``events-*.jsonl`` in the directory LINEAGE_HUB_SPOOL."""

    largest_batch = 1000

    def __init__(self) -> None:
        self._file: Spool | None = None

    def init(self, settings: Mapping[str, str]) -> None:
        """Choose the file, which the first event creates."""
        self._file = Spool(hub_spool(settings), "events", _LIMIT)

    def accept(self, events: Sequence[Any]) -> None:
        """Append ``events`` in one write. Raises OSError if the disk does not take them."""
        assert self._file is not None
        if not self._file.append_lines([encode_document(event) + b"\n" for event in events]):
            raise OSError(self._file.error)

    def shutdown(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close_file()
