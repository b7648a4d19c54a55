"""Variables, records and cursors: the tables from which a statement reads by them.

A variable has the tables of the query that assigned it last, or in a branch, may have. A statement
that uses it reads these tables, as if the query were part of the statement.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.assigned_names import find_assignment, find_used
from lineage.sql.lexer import TSQL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.draft import Sources
    from lineage.sql.records import Flow, Name, Statement
    from lineage.sql.splitting import Piece

# Dialects in which variables of a session have a sign before their names.
_WITH_SIGNS = TSQL | {"mysql"}
_DROPPED = "a variable has values of a temporary table that was dropped or written again"


def trace_variables(
    pieces: Sequence[Piece], known: Sequence[tuple[Statement, ...]], dialect: str
) -> list[tuple[Statement, ...]]:
    """Return the statements of each piece of one text, with the tables of the variables used."""
    if dialect in _WITH_SIGNS and any("@" in piece.text for piece in pieces):
        pieces = [find_assignment(piece, dialect) for piece in pieces]
    if not any(piece.assigned for piece in pieces):
        return list(known)
    variables = _Variables(dialect)
    return [
        tuple(variables.follow_piece(piece, statements))
        for piece, statements in zip(pieces, known, strict=True)
    ]


class _Variables:
    """The tables that each variable has; those in ``lost`` had temporary tables that are gone."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.sources: dict[str, Sources] = {}
        self.lost: set[str] = set()
        self.temporary: set[Name] = set()

    def follow_piece(self, piece: Piece, statements: tuple[Statement, ...]) -> Iterator[Statement]:
        """Yield the statements with what they use, and assign the variables of the piece."""
        used: Sources = {}
        is_lost = False
        if self.dialect in TSQL and piece.text[:7].upper() == "DECLARE":
            for name in piece.assigned:  # in the batch before
                self.sources.pop(name, None)
        if self.sources and (piece.assigned or any(each.flows for each in statements)):
            names = self._find_used(piece.values or piece.text)
            is_lost = not self.lost.isdisjoint(names)
            for name in names:
                used |= self.sources[name]
        for statement in statements:
            yield _with_variables(statement, used, is_lost=is_lost)
        for statement in statements:
            self._forget_written(statement)
        if piece.assigned:
            self._assign_names(piece, used | dict.fromkeys(_values_of(statements)), is_lost=is_lost)

    def _find_used(self, text: str) -> list[str]:
        """Return the variables with tables that a text uses; tokens are read only if it may."""
        folded = text.lower()
        names = {name for name, had in self.sources.items() if had and name in folded}
        return find_used(text, self.dialect, names) if names else []

    def _assign_names(self, piece: Piece, sources: Sources, *, is_lost: bool) -> None:
        for name in piece.assigned:
            before = self.sources.get(name, {}) if piece.adds else {}
            self.sources[name] = before | sources
            if is_lost:
                self.lost.add(name)
            elif not piece.adds:
                self.lost.discard(name)

    def _forget_written(self, statement: Statement) -> None:
        """Follow temporary tables: a session resolves their names when it applies a statement."""
        self.temporary.update(statement.temporary)
        gone = {*statement.drops} & self.temporary
        gone |= {
            flow.target
            for flow in statement.flows
            if flow.target in self.temporary
            and (flow.mode in ("create", "overwrite") or statement.kind == "TRUNCATE")
        }
        if gone:
            self.lost |= {name for name, had in self.sources.items() if not gone.isdisjoint(had)}


def _with_variables(statement: Statement, used: Sources, *, is_lost: bool) -> Statement:
    """Return a statement whose outputs have the tables of variables too."""
    if not statement.flows or not (used or is_lost):
        return statement
    if is_lost:
        return replace(statement, unresolved=(*statement.unresolved, _DROPPED))
    return replace(
        statement,
        reads=tuple(dict.fromkeys((*statement.reads, *used))),
        flows=tuple(_add_sources(flow, used) for flow in statement.flows),
    )


def _add_sources(flow: Flow, used: Iterable[Name]) -> Flow:
    """Add sources to an output; an UPDATE of rows by their keys has no source in its own table."""
    is_own = flow.mode in ("update", "delete")
    others = (name for name in used if not is_own or name != flow.target)
    sources = tuple(dict.fromkeys((*flow.sources, *others)))
    return replace(flow, sources=sources, from_variables=True)


def _values_of(statements: Iterable[Statement]) -> Iterator[Name]:
    """Yield the tables whose values statements return: of queries, and of RETURNING."""
    for statement in statements:
        yield from statement.reads
        yield from statement.written_tables
        for call in statement.calls:
            yield from _values_of(call.statements)
