"""The tables whose rows the temporary tables of one text have, as far as the text shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.sql.draft import Sources
    from lineage.sql.records import Flow, Name, Statement


class TemporaryRows:
    """Follows statements, and discards tables that may have other rows."""

    def __init__(self) -> None:
        self.names: set[Name] = set()
        self.sources: dict[Name, Sources] = {}

    def resolve_tables(self, names: Iterable[Name]) -> Sources:
        """Return the tables, with those of its rows in place of a temporary table."""
        resolved: Sources = {}
        for name in names:
            resolved |= self.sources.get(name, {name: None})
        return resolved

    def follow_statement(self, statement: Statement) -> None:
        """Follow the changes of a statement."""
        self.names.update(statement.temporary)
        moves = statement.use or statement.may_use or statement.search_path is not None
        if moves or statement.calls or statement.renames:
            self.sources = {}
            return
        for flow in statement.flows:
            if flow.target in self.names:
                is_known = not (statement.functions or statement.unresolved)
                is_new = flow.mode in ("create", "overwrite") or statement.empties_tables
                self._write_rows(flow, is_known=is_known, is_new=is_new)
        for name in statement.drops:
            self.sources.pop(name, None)

    def _write_rows(self, flow: Flow, *, is_known: bool, is_new: bool) -> None:
        before = {} if is_new else self.sources.get(flow.target)
        added = self.resolve_tables(name for name in flow.sources if name != flow.target)
        if is_known and before is not None and self.names.isdisjoint(added):
            self.sources[flow.target] = before | added
        else:
            self.sources.pop(flow.target, None)
