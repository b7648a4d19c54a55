"""The effect of a statement in its session, and of all statements of a session."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from lineage.columns.compaction import merge_columns
from lineage.sql.records import Flow
from lineage.sql.session_columns import rename_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.columns.compaction import ColumnLineage
    from lineage.sql.records import Mode, Name


@dataclass(frozen=True)
class Effect:
    """What a statement did in its session, with full names and without temporary tables.

    ``columns_unresolved`` are reasons why columns of outputs have no sources, although the tables
    have. ``flows`` of a statement in a transaction are pending: they are repeated in ``committed``
    or ``rolled_back`` of the statement that ends the transaction, and those that a ROLLBACK to a
    savepoint undoes in ``rolled_back`` of that one.
    """

    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    renames: tuple[tuple[Name, Name], ...] = ()
    drops: tuple[Name, ...] = ()
    unresolved: tuple[str, ...] = ()
    columns_unresolved: tuple[str, ...] = ()
    is_pending: bool = False
    ended: Literal["", "commit", "rollback"] = ""
    committed: tuple[Flow, ...] = ()
    rolled_back: tuple[Flow, ...] = ()


class _Write(NamedTuple):
    """What the writes of a table have in common that are one flow of a session."""

    target: Name
    mode: Mode
    from_files: bool


def merge_effects(effects: Iterable[Effect]) -> Effect:
    """Return what all statements of a session did: without what was rolled back.

    A table that was written and then renamed has its new name. A transaction that is still open
    at the end is not committed.
    """
    merged: dict[_Write, dict[Name, None]] = {}
    columns: dict[Name, ColumnLineage] = {}
    reads: dict[Name, None] = {}
    renames: list[tuple[Name, Name]] = []
    drops: dict[Name, None] = {}
    unresolved: dict[str, None] = {}
    without_columns: dict[str, None] = {}
    for effect in effects:
        flows = effect.committed if effect.is_pending or effect.ended else effect.flows
        if effect.ended == "commit":
            flows = (*effect.committed, *effect.flows)
        for flow in flows:
            write = _Write(flow.target, flow.mode, flow.from_files)
            merged.setdefault(write, {}).update(dict.fromkeys(flow.sources))
            if flow.columns is not None:
                columns[flow.target] = merge_columns(columns.get(flow.target), flow.columns)
        reads.update(dict.fromkeys(effect.reads))
        for old, new in effect.renames:
            if any(write.target == old for write in merged):
                merged = _rename_all(merged, old, new)
                columns = rename_tables(columns, old, new)
            else:
                renames.append((old, new))
        drops.update(dict.fromkeys(effect.drops))
        unresolved.update(dict.fromkeys(effect.unresolved))
        without_columns.update(dict.fromkeys(effect.columns_unresolved))
    flows = tuple(
        Flow(write.target, tuple(sources), write.mode, write.from_files, columns.get(write.target))
        for write, sources in merged.items()
    )
    return Effect(
        flows, tuple(reads), tuple(renames), tuple(drops), tuple(unresolved), tuple(without_columns)
    )


def _rename_all(
    merged: dict[_Write, dict[Name, None]], old: Name, new: Name
) -> dict[_Write, dict[Name, None]]:
    renamed: dict[_Write, dict[Name, None]] = {}
    for write, sources in merged.items():
        key = write._replace(target=new) if write.target == old else write
        renamed.setdefault(key, {}).update(
            {new if source == old else source: None for source in sources}
        )
    return renamed
