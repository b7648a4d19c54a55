"""Read the statements of a text, with a memory of shapes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from lineage.sql.assigned_names import split_variables
from lineage.sql.blocks import split_block, starts_block
from lineage.sql.branches import place_statements
from lineage.sql.dialects import TSQL
from lineage.sql.dropped_names import mark_dropped_names
from lineage.sql.pieces import read_piece
from lineage.sql.plsql import split_script
from lineage.sql.records import DELETE_ALL
from lineage.sql.shapes import cut_open_literal, shape_of
from lineage.sql.splitting import Piece, split_batch, split_statements
from lineage.sql.transactions import resolve_batch, resolve_rollbacks, resolve_variables
from lineage.sql.variables import trace_variables

if TYPE_CHECKING:
    from lineage.sql.records import Statement

MEMORY_SIZE = 4096
# MySQL executes the text in these comments.
_CONDITIONAL_COMMENT = re.compile(r"/\*!\d*(.*?)\*/", re.DOTALL)
_ROW_COUNT = re.compile(r"\bSET\s+ROWCOUNT\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Text:
    """A text in the memory, where texts of one shape are equal."""

    shape: str
    text: str = field(compare=False)


def read_statements(text: str, dialect: str) -> tuple[Statement, ...]:
    """Return the statements of a text, in order.

    ``dialect`` is sqlglot's name: tsql, postgres, snowflake, bigquery, spark, mysql, duckdb and
    others. A text that cannot be parsed gives a statement with a reason in ``unresolved``. The
    statements of the last texts are remembered by their shape, if no literal determines them.
    """
    if dialect == "mysql" and "/*!" in text:
        text = _CONDITIONAL_COMMENT.sub(r" \1 ", text)
    known = _remember_text(_Text(shape_of(text, dialect), text), dialect)
    return known if known is not None else _read_text(text, dialect)[0]


@lru_cache(maxsize=MEMORY_SIZE)
def _remember_text(text: _Text, dialect: str) -> tuple[Statement, ...] | None:
    """Return the statements of all texts of a shape; None if literals determine them."""
    statements, uses_literal = _read_text(text.text, dialect)
    return None if uses_literal else statements


@lru_cache(maxsize=MEMORY_SIZE)
def _remember_piece(text: _Text, dialect: str) -> tuple[Statement, ...] | None:
    drafts = list(read_piece(text.text, dialect, read_statements))
    if any(draft.uses_literal for draft in drafts):
        return None
    return tuple(draft.to_statement(text.shape) for draft in drafts)


def _read_text(text: str, dialect: str) -> tuple[tuple[Statement, ...], bool]:
    """Return the statements of a text, and whether literals determine one of them."""
    statements: list[Statement] = []
    uses_literal = False
    are_conditional: list[bool] = []
    pieces = _split_text(text, dialect)
    known = []
    is_cut = False
    for piece in pieces:
        shape = shape_of(piece.text, dialect)
        remembered = _remember_piece(_Text(shape, piece.text), dialect)
        if remembered is None:
            uses_literal = True
            drafts = read_piece(piece.text, dialect, read_statements)
            remembered = tuple(draft.to_statement(shape) for draft in drafts)
        if is_cut:  # the piece may be of the literal that does not end
            remembered = tuple(replace(each, shape="'?'") for each in remembered)
        elif (visible := cut_open_literal(shape, dialect)) != shape:
            is_cut = True
            remembered = tuple(replace(each, shape=visible) for each in remembered)
        known.append(remembered)
    if dialect in TSQL and _limits_rows(pieces):
        known = [tuple(map(_keep_rows, each)) for each in known]
    for piece, traced in zip(pieces, trace_variables(pieces, known, dialect), strict=True):
        statements += place_statements(traced, piece.branches)
        are_conditional += [piece.is_conditional] * len(traced)
    if dialect in TSQL:
        statements = resolve_variables(statements, [piece.text for piece in pieces])
        statements = resolve_batch(statements, are_conditional)
    elif any(are_conditional):
        statements = resolve_rollbacks(statements, are_conditional, dialect)
    return tuple(mark_dropped_names(statements, dialect)), uses_literal


def _limits_rows(pieces: list[Piece]) -> bool:
    """Return whether a DELETE may be of some rows only: SET ROWCOUNT 100."""
    return any(_ROW_COUNT.search(piece.text) for piece in pieces)


def _keep_rows(statement: Statement) -> Statement:
    """Return the statement as a DELETE of some rows, if it is one of all rows."""
    return replace(statement, kind="DELETE") if statement.kind == DELETE_ALL else statement


def _split_text(text: str, dialect: str) -> list[Piece]:
    """Return the statements of a text, also those in its blocks."""
    if dialect == "oracle":
        return list(split_script(text))
    if dialect in TSQL:
        return split_batch(text, dialect)
    pieces = split_statements(text, dialect)
    if any(starts_block(piece, dialect) for piece in pieces):
        return list(split_block(text, dialect))
    if dialect == "mysql" and "@" in text:
        return [part for piece in pieces for part in split_variables(piece, dialect)]
    return list(map(Piece, pieces))
