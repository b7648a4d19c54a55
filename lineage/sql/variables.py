"""Variables, records and cursors: the tables from which a statement reads by them.

A variable has the tables of the query that assigned it last, after a branch those of each that may
have been the last. A statement that uses it reads these tables, as if the query were part of it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.assigned_names import find_assignment
from lineage.sql.branches import BranchedState
from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.temporary_rows import TemporaryRows
from lineage.sql.used_names import find_used
from lineage.sql.value_parts import values_of_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.draft import Sources
    from lineage.sql.records import Flow, Name, Statement
    from lineage.sql.splitting import Piece

_DROPPED = "a variable has values of a temporary table that was dropped or written again"
_UNSURE = "whether a name is of a column or a variable is not known"


def trace_variables(
    pieces: Sequence[Piece], known: Sequence[tuple[Statement, ...]], dialect: str
) -> list[tuple[Statement, ...]]:
    """Return the statements of each piece of one text, with the tables of the variables used."""
    if traits_of(dialect).has_signs and any("@" in piece.text for piece in pieces):
        pieces = [find_assignment(piece, dialect) for piece in pieces]
    if not any(piece.assigned for piece in pieces):
        return list(known)
    variables = _Variables(dialect)
    return [
        tuple(variables.follow_piece(piece, statements))
        for piece, statements in zip(pieces, known, strict=True)
    ]


class _State(NamedTuple):
    """The tables that each variable has; ``lost`` has why those of some are not known."""

    sources: dict[str, Sources]
    lost: dict[str, str]
    rows: dict[Name, Sources]  # of temporary tables

    def copy_values(self) -> _State:
        return _State(dict(self.sources), dict(self.lost), dict(self.rows))


def _join_states(states: Sequence[_State]) -> _State:
    """Return the state after one of several ways."""
    sources: dict[str, Sources] = {}
    lost: dict[str, str] = {}
    for state in states:
        lost |= state.lost
        for name, tables in state.sources.items():
            before = sources.get(name)
            sources[name] = before | tables if before and before is not tables else tables
    known = set.intersection(*(set(state.rows) for state in states))
    rows = {name: _merge_sources(state.rows[name] for state in states) for name in known}
    return _State(sources, lost, rows)


def _merge_sources(each: Iterable[Sources]) -> Sources:
    return dict.fromkeys(name for sources in each for name in sources)


class _Variables:
    """The variables of a text; ``hidden`` has the values of those that others of a block hide."""

    def __init__(self, dialect: str) -> None:
        self.dialect = dialect
        self.sources: dict[str, Sources] = {}
        self.lost: dict[str, str] = {}
        self.hidden: dict[str, list[tuple[Sources, str]]] = {}
        self.temporary = TemporaryRows()
        self.branches = BranchedState(_State.copy_values, _join_states)

    def _enter_branches(self, piece: Piece) -> None:
        state = _State(self.sources, self.lost, self.temporary.sources)
        state = self.branches.enter_branches(piece.branches, state)
        self.sources, self.lost, self.temporary.sources = state

    def follow_piece(self, piece: Piece, statements: tuple[Statement, ...]) -> Iterator[Statement]:
        """Yield the statements with the variables they use, and assign those of the piece."""
        self._enter_branches(piece)
        used: Sources = {}
        reason = ""
        if self.dialect in TSQL and piece.text[:7].upper() == "DECLARE":
            for name in piece.assigned:  # in the batch before
                self.sources.pop(name, None)
        if self.sources and (piece.assigned or any(map(self._may_use, statements))):
            names, is_unsure = self._find_used(piece.values or piece.text, statements)
            reason = next((self.lost[name] for name in names if name in self.lost), "")
            reason = reason or (_UNSURE if is_unsure else "")
            for name in names:
                used |= self.sources[name]
        traced = [
            _with_variables(each, used, reason) if self._may_use(each) else each
            for each in statements
        ]
        yield from traced
        for statement in traced:
            self.temporary.follow_statement(statement)
            self._forget_written(statement)
        self._follow_scopes(piece)
        read = dict.fromkeys(_values_of(statements))
        for name, part in zip(piece.assigned, piece.parts, strict=False):
            names, _ = self._find_used(part, ())
            sources = values_of_part(part, piece.text, read, self.dialect)
            for each in names:
                sources |= self.sources[each]
            lost = next((self.lost[each] for each in names if each in self.lost), "")
            self._assign_names(piece._replace(assigned=(name,)), sources, lost)
        if piece.assigned and not piece.parts:
            self._assign_names(piece, used | read, reason)

    def _may_use(self, statement: Statement) -> bool:
        """Return whether values of variables may go into an output.

        A text may have parameters, and INSERT … EXEC the rows of a query.
        """
        has_rows = self.dialect in TSQL and statement.kind == "SELECT"
        return has_rows or bool(statement.flows) or any(each.statements for each in statement.calls)

    def _find_used(self, text: str, statements: Iterable[Statement]) -> tuple[list[str], bool]:
        """Return the variables with tables that a text uses, and whether it may use others.

        Tokens are read only if the text may use one. In a query without tables all are sure.
        """
        folded = text.lower()
        known = {
            name
            for name, had in self.sources.items()
            if name in folded and (had or name in self.lost)
        }
        if not known:
            return [], False
        names = find_used(text, self.dialect, known)
        has_columns = any(
            each.reads or any(flow.mode != "append" for flow in each.flows) for each in statements
        )
        unsure = [name for name in names.unsure if name not in names.sure]
        return ([*names.sure], bool(unsure)) if has_columns else ([*names.sure, *unsure], False)

    def _follow_scopes(self, piece: Piece) -> None:
        """Hide the variables of outer blocks, and give those that are released their values."""
        for name in piece.declared:
            values = self.sources.pop(name, {}), self.lost.pop(name, "")
            self.hidden.setdefault(name, []).append(values)
        for name in piece.released:
            if self.hidden.get(name):
                self.sources[name], reason = self.hidden[name].pop()
                self.lost.pop(name, None)
                self.lost |= {name: reason} if reason else {}

    def _assign_names(self, piece: Piece, sources: Sources, reason: str) -> None:
        for name in piece.assigned:
            before = self.sources.get(name, {}) if piece.adds else {}
            self.sources[name] = before | self.temporary.resolve_tables(sources)
            if reason:
                self.lost[name] = reason
            elif not piece.adds:
                self.lost.pop(name, None)

    def _forget_written(self, statement: Statement) -> None:
        """Follow temporary tables: a session resolves their names when it applies a statement."""
        gone = {*statement.drops} & self.temporary.names
        gone |= {
            flow.target
            for flow in statement.flows
            if flow.target in self.temporary.names
            and (flow.mode in ("create", "overwrite") or statement.empties_tables)
        }
        if gone:
            for name, had in self.sources.items():
                if not gone.isdisjoint(had):
                    self.sources[name] = {each: None for each in had if each not in gone}
                    self.lost[name] = _DROPPED


def _with_variables(statement: Statement, used: Sources, reason: str) -> Statement:
    """Return a statement whose outputs have the tables of variables too."""
    if not (used or reason):
        return statement
    calls = tuple(
        replace(call, statements=tuple(_with_variables(s, used, reason) for s in call.statements))
        for call in statement.calls
    )
    if not statement.flows:
        reads = used if statement.kind == "SELECT" else {}
        return replace(
            statement, calls=calls, reads=tuple({**dict.fromkeys(statement.reads), **reads})
        )
    if reason:
        statement = replace(statement, unresolved=(*statement.unresolved, reason))
    return replace(
        statement,
        reads=tuple(dict.fromkeys((*statement.reads, *used))),
        flows=tuple(_add_sources(flow, used) for flow in statement.flows),
        calls=calls,
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
