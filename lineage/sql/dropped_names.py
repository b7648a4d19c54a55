"""DROP TABLE IF EXISTS before a temporary table: ``DROP …; CREATE TEMP TABLE stage``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.sql.records import Name, Statement

_IF_EXISTS = re.compile(r"(?i)\s*DROP\s+TABLE\s+IF\s+EXISTS\b")


def mark_dropped_names(statements: Iterable[Statement], dialect: str) -> list[Statement]:
    """Return the statements of a text, in which drops of temporary tables are marked.

    A script that may be executed twice in a session drops the table of the first time. Its name has
    no schema, and the text does not use it before it creates the table.
    """
    marked = list(statements)
    if dialect not in POSTGRES_FAMILY:
        return marked
    used: set[Name] = set()
    drops: dict[Name, int] = {}
    for place, statement in enumerate(marked):
        created = {flow.target for flow in statement.flows if flow.mode == "create"}
        for name in created.intersection(statement.temporary, drops):
            dropping = marked[drops[name]]
            marked[drops[name]] = replace(dropping, temporary=(*dropping.temporary, name))
        used.update(statement.reads, statement.written_tables, *statement.renames)
        if _IF_EXISTS.match(statement.shape):
            drops |= dict.fromkeys((name for name in statement.drops if len(name) == 1), place)
        drops = {name: of for name, of in drops.items() if name not in used}
    return marked
