"""Progress of long commands on the last line of stderr, if that is a terminal."""

from __future__ import annotations

import sys
import time

import click


class ProgressLine:
    """A line that is overwritten by the next."""

    def __init__(self) -> None:
        self.is_visible = sys.stderr.isatty()
        self._is_written = False
        self._start = time.monotonic()

    def show(self, done: int, what: str, of: str = "") -> None:
        """Show the number of processed items, their noun, and the rate per second."""
        if self.is_visible:
            seconds = max(time.monotonic() - self._start, 0.001)
            text = f"{done:,} {what}{of and f', {of}'}, {done / seconds:,.0f} a second"
            click.echo(f"\r\033[K{text}", err=True, nl=False)
            self._is_written = True

    def restart(self) -> None:
        """Restart the measurement of the rate."""
        self._start = time.monotonic()

    def clear(self) -> None:
        """Remove the line, so that another can be written."""
        if self._is_written:
            click.echo("\r\033[K", err=True, nl=False)
            self._is_written = False


def of_total(done: int, total: int) -> str:
    """Return the percentage of a total; empty if the total is not known."""
    return f"{min(done, total) * 100 // total} % of {total:,}" if total else ""


def of_bytes(done: int, total: int) -> str:
    """Return the processed part of ``total`` bytes; empty if the total is not known."""
    return f"{min(done, total) / 1e6:,.1f} of {total / 1e6:,.1f} MB" if total else ""
