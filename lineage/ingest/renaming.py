"""Write the decisions of a file of names into the log, for the names that the graph has."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.events.name_map import symlink_event
from lineage.ingest.writer import write_events
from lineage.naming import DatasetName

if TYPE_CHECKING:
    import psycopg

    from lineage.events.name_map import NameMap


class NameRow(NamedTuple):
    """A name of a dataset, and the name of the dataset that it resolves to."""

    namespace: str
    name: str
    canonical_namespace: str
    canonical_name: str


_SQL = StatementFile(__file__)
_SELECT_NAMES = _SQL.statement("select_names", NameRow)


def apply_name_map(conn: psycopg.Connection[Any], names: NameMap) -> int:
    """Write an event for each name that the file gives another, and return their number.

    Names that already resolve to the same dataset are skipped. A name that is an alias already
    keeps its owner, which becomes the alias: producers repeat their claim with each run. Raises
    UsageError if the file leads in a circle.
    """
    with translate_errors():
        rows = _SELECT_NAMES.fetch(conn)
    canonical = {
        DatasetName(row.namespace, row.name): DatasetName(
            row.canonical_namespace, row.canonical_name
        )
        for row in rows
    }
    aliases: dict[DatasetName, DatasetName] = {}
    for name in sorted(canonical):
        alias = canonical[name]
        target = names.map_name(name)
        if target != name and canonical.get(target, target) != alias:
            aliases.setdefault(alias, target)
        if (target := names.map_name(alias)) != alias:
            aliases[alias] = target
    events = [symlink_event(alias, target, names.time) for alias, target in aliases.items()]
    write_events(conn, map(json.dumps, events))
    return len(events)
