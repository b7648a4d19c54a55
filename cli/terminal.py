"""Lines for people, on stdout and stderr: what a terminal would obey is shown as an escape."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from lineage.control_characters import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.errors import LineageError


def write_line(text: str, *, err: bool = False) -> None:
    """Write one line, whatever is in ``text``."""
    click.echo(escape_controls(text), err=err)


def write_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Write lines; one that has a line break in it is still one."""
    if text := "\n".join(map(escape_controls, lines)):
        click.echo(text, err=err)


def write_error(error: LineageError, before: str = "Error: ") -> None:
    """Write an error to stderr; what it lists is a line each."""
    first, *others = error.lines
    write_line(f"{before}{first}", err=True)
    for line in others:  # a caret under a query stands right only if tabs stay
        click.echo("  " + escape_controls(line, keep="\t"), err=True)


def is_terminal() -> bool:
    """Whether stdout is read by a person."""
    return sys.stdout.isatty()
