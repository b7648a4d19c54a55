"""Statements whose tables the database itself reports, so that no text is parsed."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

Parts: TypeAlias = tuple[str, ...]


class ObservedFlow(NamedTuple):
    """A table that was written, its sources, and the mode of the write; "" if it is not known."""

    target: Parts
    sources: tuple[Parts, ...]
    mode: Any  # of a write: create, append, drop …
    from_files: bool = False  # whether the database read the rows from files
    is_view: bool = False  # whether the statement defined a view, which has no rows


class ObservedStatement(NamedTuple):
    """Inputs and outputs of a statement. ``id``: the database's id of the query.

    ``unresolved``: other changes, of tables that the database does not name.
    ``transaction``: whether it begins or ends one. ``renames``: old and new names of tables.
    ``swaps``: whether two tables exchange their names.
    """

    id: str
    flows: tuple[ObservedFlow, ...]
    reads: tuple[Parts, ...]
    unresolved: tuple[str, ...] = ()
    transaction: Any = ""  # begin, commit or rollback
    renames: tuple[tuple[Parts, Parts], ...] = ()
    swaps: bool = False
