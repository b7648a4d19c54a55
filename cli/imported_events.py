"""Write the events of an import into the graph, or print them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from .output import render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.events.name_map import NameMap
    from lineage.naming import DatasetName


def print_events(events: Iterable[Mapping[str, Any]], names: NameMap | None) -> str:
    """Print events as JSON lines, then those of the file of names; return their number as text."""
    from lineage.events.name_map import names_of_event

    count = 0
    mentioned: set[DatasetName] = set()
    for event in events:
        terminal.write_line(json.dumps(event, ensure_ascii=False))
        mentioned.update(names_of_event(event) if names else ())
        count += 1
    for event in names.symlink_events(mentioned) if names else ():
        terminal.write_line(json.dumps(event, ensure_ascii=False))
        count += 1
    return render.count_of(count, "event")


def write_imported(
    events: Iterable[Mapping[str, Any]], names: NameMap | None, dsn: str | None
) -> str:
    """Write events into the graph, and apply the file of names; return their numbers as text."""
    from lineage.database.connection import connect
    from lineage.ingest.renaming import apply_name_map
    from lineage.ingest.writer import write_events

    with connect(dsn, autocommit=True) as conn:
        written = write_events(conn, map(json.dumps, events))
        renamed = apply_name_map(conn, names) if names else 0
    text = render.count_of(written.count, "event")
    if written.duplicate_count:
        text += f", {written.duplicate_count:,} of them already stored"
    return f"{text}; {render.count_of(renamed, 'dataset')} renamed by the map" if renamed else text
