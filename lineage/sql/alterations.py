"""ALTER and RENAME in the forms that sqlglot does not parse: they move rows or names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY
from lineage.sql.settings import read_alter_session

if TYPE_CHECKING:
    from lineage.sql.draft import Command, Draft
    from lineage.sql.records import Name


# Objects that ALTER moves and renames as a whole; the words before the name.
_RELATIONS = (
    ("TABLE",), ("VIEW",), ("MATERIALIZED", "VIEW"), ("FOREIGN", "TABLE"), ("DYNAMIC", "TABLE"),
)  # fmt: skip
# Words that execute the query of a table again: of Hive, and of dynamic tables of Snowflake.
_REFRESHES = frozenset({("MATERIALIZED", "REBUILD"), ("DYNAMIC", "REFRESH")})

# Words after RENAME that are no column; sqlglot reads the new names of columns.
_NOT_COLUMNS = ("TO", "AS", "COLUMN", "INDEX", "KEY", "CONSTRAINT", "PARTITION")


def read_rename(command: Command) -> bool:
    """Read RENAME TABLE of MySQL, RENAME OBJECT of T-SQL, and RENAME of Oracle."""
    cursor, draft = command.cursor, command.draft
    is_table = cursor.take_words("TABLE") or cursor.take_words("OBJECT")
    if not is_table and draft.dialect != "oracle":
        return cursor.next_word == "USER"
    draft.kind = "RENAME"
    while True:
        old = cursor.take_name()
        if not old or not cursor.take_words("TO") or not (new := cursor.take_name()):
            return False
        draft.add_rename(old, new)
        if not cursor.take_mark(","):
            return cursor.is_at_end


def read_alter(command: Command) -> bool:
    """Read the actions of ALTER TABLE that move rows or names, and that sqlglot does not parse."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "ALTER"
    if cursor.take_words("SESSION"):
        return read_alter_session(command)
    if cursor.next_word in ("SCHEMA", "DATABASE"):
        return _read_schema(command)
    kind = next((words for words in _RELATIONS if cursor.take_words(*words)), None)
    if kind is None:
        return False
    cursor.take_words("IF", "EXISTS")
    if not (name := cursor.take_name()):
        return False
    if (kind[0], cursor.next_word) in _REFRESHES:
        draft.kind = "REFRESH"
        draft.add_flow(name, (), "overwrite")
        return True
    if cursor.take_words("SWITCH"):
        if not cursor.skip_to("TO") or not cursor.take_words("TO"):
            return False
        return _add_move(draft, name, cursor.take_name())
    if _renames_column(command):
        return True
    if cursor.take_words("RENAME") and (cursor.take_words("AS") or cursor.take_words("TO")):
        if not (new := cursor.take_name()) or not cursor.is_at_end:
            return False
        draft.kind = " ".join(("RENAME", *kind))
        draft.add_rename(name, new)
        return True
    if cursor.take_words("APPEND", "FROM"):
        return _add_move(draft, cursor.take_name(), name)
    if cursor.take_words("SET", "SCHEMA"):
        if schema := cursor.take_name():
            draft.kind = " ".join(("RENAME", *kind))
            draft.add_rename(name, (*name[:-2], *schema, name[-1]))
        return bool(schema)
    if cursor.take_words("ATTACH", "PARTITION") and draft.dialect in POSTGRES_FAMILY:
        return _add_move(draft, cursor.take_name(), name)
    return False


def _renames_column(command: Command) -> bool:
    """Return whether a statement is ``RENAME a TO b``, in which COLUMN is omitted."""
    cursor = command.cursor
    start = cursor.place
    is_column = cursor.take_words("RENAME") and cursor.next_word not in _NOT_COLUMNS
    is_column = is_column and bool(cursor.take_name()) and cursor.take_words("TO")
    cursor.place = start
    return is_column


def _read_schema(command: Command) -> bool:
    """Read ALTER of a schema or a database, which may give its tables other names."""
    cursor = command.cursor
    words = {token.text.upper() for token in cursor.tokens}
    is_renamed = cursor.tokens[-2].text.upper() in ("TO", "WITH") and words & {"RENAME", "SWAP"}
    if is_renamed:
        command.draft.add_unresolved("the new names of the tables of a schema are not followed")
        return True
    return cursor.take_words("SCHEMA") and _read_transfer(command)


def _read_transfer(command: Command) -> bool:
    """Read T-SQL's ``ALTER SCHEMA new TRANSFER [OBJECT ::] old.t``."""
    cursor, draft = command.cursor, command.draft
    schema = cursor.take_name()
    if not schema or not cursor.take_words("TRANSFER"):
        return False
    if cursor.tokens[cursor.place + 1 : cursor.place + 2] and cursor.take_words("OBJECT"):
        cursor.place += 2
    if not (name := cursor.take_name()):
        return False
    draft.kind = "RENAME"
    draft.add_rename(name, (*name[:-2], *schema, name[-1]))
    return True


def _add_move(draft: Draft, source: Name, target: Name) -> bool:
    """Add rows that move from a table to another."""
    if not source or not target:
        return False
    draft.reads[source] = None
    draft.add_flow(target, (source,), "append")
    return True
