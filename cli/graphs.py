"""Answers that are graphs: as a tree, as rows, in the notations of other tools, as events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage import export

from . import render

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FORMS = ("tree", *render.ROWS, *export.NOTATIONS)


def emit(
    answers: Sequence[Any],
    form: str,
    shown: Sequence[str],
    picture: Callable[[], str],
    dsn: str | None,
) -> None:
    """Write answers as ``form``; ``picture`` draws the tree, ``shown`` are a table's columns."""
    if form == "tree":
        click.echo(picture())
    elif form in export.NOTATIONS:
        click.echo(export.text(export.graph(*answers), form), nl=False)
    else:
        render.emit_rows([row for answer in answers for row in export.rows(answer)], form, shown)
