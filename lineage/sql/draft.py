"""The record of a statement while it is read."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.sql.names import is_session_name
from lineage.sql.records import Flow, Statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.sql.cursor import Cursor
    from lineage.sql.records import Call, Handle, Mode, Name, Routine, Savepoint, View

# An ordered set of tables.
Sources: TypeAlias = "dict[Name, None]"
ReadText: TypeAlias = "Callable[[str, str], tuple[Statement, ...]]"
# The fields that a draft has in the same form as a statement. Branches are those of the text.
_SHARED_FIELDS = tuple(
    each.name for each in fields(Statement) if each.name not in ("shape", "flows", "branches")
)


@dataclass
class Draft:
    """The fields of `Statement` so far.

    ``uses_literal`` is set if a literal of the text determines a field: then other texts of the
    same shape may be different statements.
    """

    dialect: str
    kind: str = "OTHER"
    flows: dict[tuple[Name, Mode], Sources] = field(default_factory=dict)
    reads: Sources = field(default_factory=dict)
    temporary: Sources = field(default_factory=dict)
    from_files: set[tuple[Name, Mode]] = field(default_factory=set)  # flows whose rows files have
    views: set[Name] = field(default_factory=set)  # outputs that are views, without rows
    drops: list[Name] = field(default_factory=list)
    renames: list[tuple[Name, Name]] = field(default_factory=list)
    swaps: bool = False
    calls: list[Call] = field(default_factory=list)
    functions: Sources = field(default_factory=dict)
    may_call: Sources = field(default_factory=dict)
    declares: list[View] = field(default_factory=list)
    routine: Routine | None = None
    use: Name | None = None
    may_use: Name | None = None
    search_path: tuple[str, ...] | None = None
    lasts_until: Literal["", "commit", "return"] = ""
    resets: tuple[Literal["search_path", "tables", "handles"], ...] = ()
    attaches: Name | None = None
    detaches: str = ""
    transaction: Literal["", "begin", "commit", "rollback"] = ""
    chains: bool = False
    autocommit: Literal["", "on", "off"] = ""
    savepoint: Savepoint | None = None
    handle: Handle | None = None
    unresolved: dict[str, None] = field(default_factory=dict)
    uses_literal: bool = False

    def add_flow(
        self,
        target: Name,
        sources: Iterable[Name],
        mode: Mode,
        *,
        temporary: bool = False,
        from_files: bool = False,
    ) -> None:
        """Add an output; the sources of one that is already known are merged."""
        self.flows.setdefault((target, mode), {}).update(dict.fromkeys(sources))
        if from_files:
            self.from_files.add((target, mode))
        if temporary or is_session_name(target, self.dialect):
            self.temporary[target] = None

    def add_rename(self, old: Name, new: Name) -> None:
        """Add a new name of a table; one without a schema is in that of the old name."""
        self.renames.append((old, (*old[:-1], *new) if len(new) == 1 else new))

    def add_unresolved(self, reason: str) -> None:
        self.unresolved[reason] = None

    def to_statement(self, shape: str) -> Statement:
        """Return the record."""
        flows = tuple(
            Flow(
                name,
                tuple(known),
                mode,
                (name, mode) in self.from_files,
                is_view=name in self.views,
            )
            for (name, mode), known in self.flows.items()
        )
        own = {name: _freeze_value(getattr(self, name)) for name in _SHARED_FIELDS}
        return Statement(shape=shape, flows=flows, **own)


@dataclass
class Command:
    """A statement in the reading: its draft, its tokens, and how to read a text in it."""

    draft: Draft
    cursor: Cursor
    read_text: ReadText

    def read_literal(self, text: str) -> tuple[Statement, ...]:
        """Read the statements in a literal."""
        self.draft.uses_literal = True
        return self.read_text(text, self.draft.dialect)

    def read_query_text(self, text: str) -> None:
        """Read a query inside of the statement: its inputs are those of the statement."""
        for statement in self.read_text(text, self.draft.dialect):
            self.draft.reads.update(dict.fromkeys(statement.reads))
            self.draft.functions.update(dict.fromkeys(statement.functions))
            self.draft.may_call.update(dict.fromkeys(statement.may_call))
            for reason in statement.unresolved:
                self.draft.add_unresolved(reason)


def _freeze_value(value: Any) -> Any:
    return tuple(value) if isinstance(value, dict | list) else value
