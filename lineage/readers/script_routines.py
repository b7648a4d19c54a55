"""The routines that scripts create: known to all scripts of an import; those that none calls."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineage.readers.report import UnresolvedStatement
from lineage.sql.catalogs import Catalog, undetermined_body

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.records import Name, Statement
    from lineage.sql.sessions import Session

_UNCALLED = "no script calls it, so that its statements do not count"


@dataclass
class ScriptRoutines:
    """Routines by their full names, those that have writes, and the statements that may call."""

    bodies: dict[Name, tuple[Statement, ...]] = field(default_factory=dict)
    writing: list[tuple[str, Statement]] = field(default_factory=list)
    outside: list[Statement] = field(default_factory=list)

    def add_statements(self, place: str, session: Session, statements: Sequence[Statement]) -> None:
        """Add the routines and statements of a script; the session has its current names."""
        for each in statements:
            if each.routine is not None and any(map(_has_writes, each.routine.statements)):
                self.writing.append((place, each))
            elif each.routine is None:
                self.outside.append(each)
            if each.routine or each.use or each.may_use or each.search_path is not None:
                session.apply_statement(each)

    def add_session(self, session: Session) -> None:
        """Add the routines that a session created; two of one name are not told apart."""
        for name, body in session.created_routines.items():
            known = self.bodies.get(name, body)
            self.bodies[name] = body if known == body else undetermined_body(name)

    def extend_catalog(self, catalog: Catalog | None) -> Catalog | None:
        """Return the catalog of the server with the routines."""
        return replace(catalog or Catalog(), declared=self.bodies) if self.bodies else catalog

    def list_uncalled(self) -> Iterator[UnresolvedStatement]:
        """Yield the routines with writes that no statement outside of them leads to."""
        bodies: dict[str, list[Statement]] = {}
        for _, each in self.writing:
            assert each.routine is not None
            bodies.setdefault(_last_part(each.routine.name), []).extend(each.routine.statements)
        reached: set[str] = set()
        pending = set(_names_of_calls(self.outside))
        while pending:
            reached |= pending
            following = [each for name in pending for each in bodies.get(name, ())]
            pending = {*_names_of_calls(following)} - reached
        for place, each in self.writing:
            assert each.routine is not None
            if _last_part(each.routine.name) not in reached or each.kind == "CREATE TRIGGER":
                beginning = f"{each.kind} {'.'.join(each.routine.name)}"
                yield UnresolvedStatement(place, beginning, _UNCALLED)


def _has_writes(statement: Statement) -> bool:
    """Return whether a statement changes a table, or may execute one that does."""
    has_writes = statement.flows or statement.renames or statement.drops
    return bool(has_writes or statement.calls or statement.handle)


def _names_of_calls(statements: Iterable[Statement]) -> Iterator[str]:
    """Yield the last parts of the names of routines that statements call."""
    for statement in statements:
        yield from map(_last_part, (*statement.functions, *statement.may_call))
        for call in statement.calls:
            yield _last_part(call.routine)
            yield from _names_of_calls(call.statements)
        if statement.handle is not None:
            yield from _names_of_calls(statement.handle.statements)


def _last_part(name: Name) -> str:
    return name[-1].lower()
