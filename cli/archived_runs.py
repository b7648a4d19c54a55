"""The note that an answer does not have the archived runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .output import terminal

if TYPE_CHECKING:
    from lineage.query.archive import RunArchive


def report_archive(archive: RunArchive | None) -> None:
    """Name the archive of runs on standard error, if there is one."""
    if archive:
        terminal.write_line(
            f"Runs from before {archive.before[:10]} are archived."
            f" Show them: {archive.list_command()}",
            err=True,
        )
