"""Answers on stdout: trees and tables for people, JSON and JSON lines for programs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def emit_rows(rows: Iterable[Mapping[str, Any]], form: str, columns: Sequence[str]) -> None:
    """Write ``rows`` as ``form``: ``table``, ``json`` (one array) or ``jsonl`` (an object a line)."""
    if form == "jsonl":
        for row in rows:
            click.echo(json_text(row))
    elif form == "json":
        click.echo(json_text(list(rows), indent=2))
    else:
        click.echo(table(rows, columns))


def json_text(value: object, indent: int | None = None) -> str:
    """Return ``value`` as JSON; text stays readable, unknown values become text."""
    return json.dumps(value, indent=indent, ensure_ascii=False, default=str)


def table(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Return ``rows`` as a table of ``columns``; lists and maps in a cell are JSON."""
    from tabulate import tabulate

    return tabulate(
        [[_cell(row.get(column)) for column in columns] for row in rows],
        headers=columns,
        tablefmt="simple",
        disable_numparse=True,
    )


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json_text(value)


def tree(root: str, children: Callable[[str], Sequence[str]], label: Callable[[str], str]) -> str:
    """Draw the graph below ``root``; what was drawn before is named again, but not what is below it."""
    lines = [label(root)]
    seen = {root}

    def draw(parent: str, indent: str) -> None:
        below = children(parent)
        for at, node in enumerate(below):
            last = at == len(below) - 1
            again = node in seen and bool(children(node))
            lines.append(
                f"{indent}{'└── ' if last else '├── '}{label(node)}{' ↑' if again else ''}"
            )
            if node not in seen:
                seen.add(node)
                draw(node, indent + ("    " if last else "│   "))

    draw(root, "")
    return "\n".join(lines)
