"""The effect of a statement in its session, and of all statements of a session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

from lineage.columns.compaction import merge_columns
from lineage.sql.records import Flow
from lineage.sql.session_columns import rename_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lineage.columns.compaction import ColumnLineage
    from lineage.sql.records import Mode, Name, Statement


@dataclass(frozen=True)
class Effect:
    """The effect of a statement in its session, with full names and without temporary tables.

    ``parts`` are the effects of the statements that it executed, such as those of the body of a
    routine, in their order; the other fields have all of them together. ``renames`` are one after
    the other, or at once if the statement ``swaps`` two tables.
    ``columns_unresolved`` are reasons why columns of outputs have no sources, although the tables
    have. A write in a transaction is pending: the effect is repeated in ``committed``
    of the statement that ends the transaction. ``rolled_back`` are the effects that a
    ROLLBACK undoes; those that are not pending had counted until then.
    """

    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    renames: tuple[tuple[Name, Name], ...] = ()
    swaps: bool = False
    drops: tuple[Name, ...] = ()
    unresolved: tuple[str, ...] = ()
    columns_unresolved: tuple[str, ...] = ()
    kind: str = ""
    parts: tuple[Effect, ...] = ()
    is_pending: bool = False
    ended: Literal["", "commit", "rollback"] = ""
    committed: tuple[Effect, ...] = ()
    rolled_back: tuple[Effect, ...] = ()

    @property
    def has_writes(self) -> bool:
        """Whether the statement changed rows or names of tables."""
        return bool(self.flows or self.renames or self.drops)

    @property
    def steps(self) -> tuple[Effect, ...]:
        """The effects one after the other: the parts, or the effect itself if it has none."""
        return self.parts or (self,)


class _Write(NamedTuple):
    """The common fields of the writes of a table that are one flow of a session."""

    target: Name
    mode: Mode
    from_files: bool
    is_view: bool


def merge_effects(effects: Iterable[Effect]) -> Effect:
    """Merge the effects of all statements of a session, without those rolled back.

    A table that was written and then renamed has its new name. A transaction that is still open
    at the end is not committed.
    """
    effects = list(effects)
    changes = _Changes()
    for effect in _lasting_effects(effects):
        for step in effect.steps:
            changes.add_step(step)
    reads = dict.fromkeys(name for effect in effects for name in effect.reads)
    unresolved = dict.fromkeys(each for effect in effects for each in effect.unresolved)
    columns = dict.fromkeys(each for effect in effects for each in effect.columns_unresolved)
    return Effect(
        flows=tuple(changes.list_flows()),
        reads=tuple(reads),
        renames=tuple(pair for renames in changes.renames for pair in renames.items()),
        drops=tuple(changes.drops),
        unresolved=tuple(unresolved),
        columns_unresolved=tuple(columns),
    )


def _lasting_effects(effects: Iterable[Effect]) -> list[Effect]:
    """Return the effects that count in the end, in the order in which they did."""
    lasting: list[Effect] = []
    for effect in effects:
        for undone in reversed(effect.rolled_back):
            if not undone.is_pending:
                last = len(lasting) - 1 - lasting[::-1].index(undone)
                del lasting[last]
        lasting += effect.committed
        if not effect.is_pending:
            lasting.append(effect)
    return lasting


@dataclass
class _Changes:
    """The writes, renamings and removals of statements, one after the other.

    ``written`` are the targets of the flows. ``renames`` are of other tables, and ``renamed`` their
    new names.
    """

    flows: dict[_Write, dict[Name, None]] = field(default_factory=dict)
    written: set[Name] = field(default_factory=set)
    columns: dict[Name, ColumnLineage] = field(default_factory=dict)
    renames: list[dict[Name, Name]] = field(default_factory=list)
    renamed: set[Name] = field(default_factory=set)
    drops: dict[Name, None] = field(default_factory=dict)

    def add_step(self, effect: Effect) -> None:
        for flow in effect.flows:
            write = _Write(flow.target, flow.mode, flow.from_files, flow.is_view)
            sources = self.flows.setdefault(write, {})
            sources.update(dict.fromkeys(flow.sources))
            self.written.add(flow.target)
            if flow.columns is not None:
                known = self.columns.get(flow.target)
                self.columns[flow.target] = merge_columns(known, flow.columns)
        for renames in group_renames(effect):
            self._rename_tables(renames)
        for name in effect.drops:
            self._drop_table(name)

    def list_flows(self) -> Iterator[Flow]:
        for write, sources in self.flows.items():
            columns = self.columns.get(write.target)
            yield Flow(write.target, tuple(sources), *write[1:3], columns, write.is_view)

    def _rename_tables(self, renames: Mapping[Name, Name]) -> None:
        """Give tables their new names at once; those that were not written are listed."""
        if before := {old: new for old, new in renames.items() if old not in self.written}:
            self.renames.append(before)
            self.renamed.update(before.values())
        renames = {old: new for old, new in renames.items() if old in self.written}
        if not renames:
            return
        flows: dict[_Write, dict[Name, None]] = {}
        for write, sources in self.flows.items():
            target = renames.get(write.target, write.target)
            renamed = flows.setdefault(write._replace(target=target), {})
            renamed.update(dict.fromkeys(renames.get(source, source) for source in sources))
        self.flows = flows
        self.written = {write.target for write in flows}
        self.columns = rename_tables(self.columns, renames)

    def _drop_table(self, name: Name) -> None:
        """Drop a table. The names that it had before leave no trace, unless one was read."""
        self.drops[name] = None
        if name not in self.renamed:
            return
        for renames in reversed(self.renames):
            old = next((old for old, new in renames.items() if new == name), None)
            if old is None:
                continue
            if any(name in sources for sources in self.flows.values()):
                break
            del renames[old]
            name = old
        self.renames = list(filter(None, self.renames))


def group_renames(change: Statement | Effect) -> Iterator[dict[Name, Name]]:
    """Yield the renames one after the other; those of an exchange together."""
    if change.swaps:
        yield dict(change.renames)
        return
    for old, new in change.renames:
        yield {old: new}
