"""CREATE TABLE with options that sqlglot does not parse: a table without rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.records import IF_ABSENT

if TYPE_CHECKING:
    from lineage.sql.draft import Command

_TEMPORARY = frozenset({"TEMP", "TEMPORARY"})
_MODIFIERS = frozenset(
    {"OR", "REPLACE", "GLOBAL", "LOCAL", "TRANSIENT", "EXTERNAL", "FOREIGN", "UNLOGGED", "VOLATILE"}
    | {"HYBRID", "ICEBERG"}
)
# Words by which a new table has the rows of others.
_COPYING = frozenset({"SELECT", "CLONE", "AS"})


def read_new_table(command: Command) -> bool:
    """Read CREATE TABLE name (columns) options; return whether it is one without a query."""
    cursor, draft = command.cursor, command.draft
    cursor.place = 0
    if not cursor.take_words("CREATE"):
        return False
    is_temporary = False
    while cursor.next_word in _MODIFIERS | _TEMPORARY:
        is_temporary = is_temporary or cursor.next_word in _TEMPORARY
        cursor.place += 1
    if not cursor.take_words("TABLE"):
        return False
    may_exist = cursor.take_words("IF", "NOT", "EXISTS")
    name = cursor.take_name()
    if not name or cursor.token_text != "(":
        return False
    start = cursor.place
    cursor.skip_parentheses()
    words = [token.text.upper() for token in cursor.tokens if token.kind == "word"]
    after = {token.text.upper() for token in cursor.tokens[cursor.place :]}
    if "SELECT" in words or not after.isdisjoint(_COPYING) or cursor.place == start:
        return False
    draft.kind = "CREATE TABLE" + IF_ABSENT * may_exist
    draft.add_flow(name, (), "create", temporary=is_temporary)
    return True
