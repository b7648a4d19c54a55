"""Write lines for people to stdout and stderr, with control characters escaped."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import traceback
from typing import TYPE_CHECKING

import click

from lineage.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.errors import LineageError

NO_PAGER = "lineage.no_pager"
WIDE = "lineage.wide"


def write_line(text: str, *, err: bool = False) -> None:
    """Write one line, even if ``text`` contains line breaks."""
    click.echo(escape_controls(text), err=err)


def write_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Write lines; line breaks within a line are escaped."""
    if text := "\n".join(map(escape_controls, lines)):
        if err:
            click.echo(text, err=True)
        else:
            write_text(f"{text}\n")


def write_fitting_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Write lines of names, which are shortened to the width of a terminal."""
    from .fitting import shorten_lines

    write_lines(shorten_lines(map(escape_controls, lines), line_width()), err=err)


def write_text(text: str) -> None:
    """Write a text to stdout, through a pager if a terminal cannot show all of it."""
    pager = _pager_command() if is_terminal() and text.count("\n") >= terminal_size().lines else []
    if not (pager and _show_paged(text, pager)):
        click.echo(text, nl=False, color=True)  # else click removes text that looks like a colour


def write_error(error: LineageError, before: str = "Error: ") -> None:
    """Write an error to stderr, with one line for each item that it lists."""
    first, *others = error.lines
    write_line(f"{before}{first}", err=True)
    for line in others:  # tabs remain, to align the caret below a query
        click.echo("  " + escape_controls(line, keep="\t"), err=True)


def is_of_output(error: OSError) -> bool:
    """Return whether an error is of stdout or stderr, which only ``click.echo`` writes."""
    frames = traceback.walk_tb(error.__traceback__)
    return any(frame.f_code is click.echo.__code__ for frame, _ in frames)


def discard_output() -> None:
    """Drop the output that stdout could not write; Python would try that again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_closed_streams() -> None:
    """Use /dev/null for standard streams that the calling process closed, as some daemons do."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def is_terminal() -> bool:
    """Return whether stdout is a terminal."""
    return sys.stdout.isatty()


def terminal_size() -> os.terminal_size:
    """Return the numbers of columns and lines of the terminal."""
    return shutil.get_terminal_size()


def line_width() -> int | None:
    """Return the maximum length of a line of a table; None means any length."""
    return None if not is_terminal() or is_wide() else terminal_size().columns


def is_wide() -> bool:
    """Return whether --wide was given, which disables shortening."""
    return _is_set(WIDE)


def _is_set(setting: str) -> bool:
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(setting))


def _pager_command() -> list[str]:
    """Return the command of the pager; empty if it is disabled or not installed."""
    if _is_set(NO_PAGER) or os.environ.get("NO_PAGER"):
        return []
    command = shlex.split(os.environ.get("PAGER", "less"))
    return command if command and command != ["cat"] and shutil.which(command[0]) else []


def _show_paged(text: str, pager: list[str]) -> bool:
    """Show a text in the pager; return whether the pager started."""
    # As git does: exit at once if the text fits, keep colours, leave the text on the screen.
    environment = {"LESS": "FRX", **os.environ}
    try:
        process = subprocess.Popen(pager, stdin=subprocess.PIPE, env=environment)
    except OSError:
        return False
    try:
        process.communicate(text.encode("utf-8", "backslashreplace"))
    except KeyboardInterrupt:  # the pager handles it
        process.wait()
    return True
