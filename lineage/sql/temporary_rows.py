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
        self._sources: dict[Name, Sources] = {}

    def resolve_tables(self, names: Iterable[Name]) -> Sources:
        """Return the tables, with those of its rows in place of a temporary table."""
        resolved: Sources = {}
        for name in names:
            resolved |= self._sources.get(name, {name: None})
        return resolved

    def follow_statement(self, statement: Statement, *, adds: bool) -> None:
        """Follow the changes of a statement; ``adds``: whether it may not be executed."""
        self.names.update(statement.temporary)
        moves = statement.use or statement.may_use or statement.search_path is not None
        if moves or statement.calls or statement.renames:
            self._sources.clear()
            return
        for flow in statement.flows:
            if flow.target in self.names:
                is_known = not (statement.functions or statement.unresolved)
                is_new = flow.mode in ("create", "overwrite") or statement.kind == "TRUNCATE"
                self._write_rows(flow, is_known=is_known, is_new=is_new and not adds)
        for name in statement.drops:
            self._sources.pop(name, None)

    def _write_rows(self, flow: Flow, *, is_known: bool, is_new: bool) -> None:
        before = {} if is_new else self._sources.get(flow.target)
        added = self.resolve_tables(name for name in flow.sources if name != flow.target)
        if is_known and before is not None and self.names.isdisjoint(added):
            self._sources[flow.target] = before | added
        else:
            self._sources.pop(flow.target, None)
