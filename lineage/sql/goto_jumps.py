"""Texts with GOTO, which is not followed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.lexer import tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.sql.branches import Places


def forget_jumps(every: Iterable[Places], text: str, dialect: str) -> None:
    """Count no arm as left if a text has GOTO: a way may lead from each to a label behind it."""
    if not _has_goto(text, dialect):
        return
    for places in every:
        for block, _ in places:
            block.jumps.clear()


def _has_goto(text: str, dialect: str) -> bool:
    if "GOTO" not in text.upper():
        return False
    tokens = tokenize_text(text, dialect)
    return any(token.kind == "word" and token.text.upper() == "GOTO" for token in tokens)
