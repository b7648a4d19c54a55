"""The statements that sqlglot does not parse, or parses as text only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.alterations import read_alter, read_rename
from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.reasons import COMPOSED
from lineage.sql.records import DECLARE_TABLE, Call, Handle
from lineage.sql.settings import (
    read_attach,
    read_detach,
    read_discard,
    read_reset,
    read_set,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.sql.cursor import Cursor
    from lineage.sql.draft import Command
    from lineage.sql.records import Mode

# Sources of COPY that are values of the client.
SENT_BY_CLIENT = frozenset({"STDIN", "PSTDIN"})

# Statements that neither read rows of tables nor write them.
WITHOUT_ROWS = frozenset(
    {"PRINT", "THROW", "RAISERROR", "GRANT", "REVOKE", "DENY", "ANALYZE", "VACUUM", "FETCH", "OPEN"}
    | {"CLOSE", "WAITFOR", "SHOW", "DBCC", "CHECKPOINT", "LOCK", "LISTEN", "NOTIFY"}
    | {"UNLISTEN", "COMMENT", "DESCRIBE", "DESC", "KILL", "GOTO", "BREAK", "CONTINUE"}
    | {"CLUSTER", "REINDEX", "MSCK", "OPTIMIZE", "LIST", "LS", "PUT", "GET", "REMOVE", "RM"}
    | {"FLUSH", "INSTALL", "UNLOCK", "LEAVE", "ITERATE", "SIGNAL", "ENABLE", "DISABLE"}
    | {"RESIGNAL", "ASSERT", "RAISE", "NULL", "CLEAR", "ADD", "SECURITY", "UNSET"}
    | {"BACKUP", "REORG", "MOVE", "EXIT", "UNCACHE", "MASK"}
    | {"PRAGMA", "REVERT", "CHECK", "CHECKSUM", "REPAIR", "SHUTDOWN", "RECONFIGURE"}
)
# Objects that have no rows; CREATE and ALTER of them change no table.
_OBJECTS_WITHOUT_ROWS = frozenset(
    {"INDEX", "USER", "ROLE", "SCHEMA", "DATABASE", "STAGE", "FILE", "SEQUENCE", "TYPE"}
    | {"EXTENSION", "LOGIN", "STATISTICS", "WAREHOUSE", "POLICY", "PUBLICATION", "SUBSCRIPTION"}
    | {"DOMAIN", "CAST", "OPERATOR", "COLLATION", "AGGREGATE", "LANGUAGE", "TABLESPACE", "CATALOG"}
    | {"SERVER", "CREDENTIAL", "PARTITION", "INTEGRATION", "NETWORK", "TAG", "MASKING", "ROW"}
    | {"SECRET", "MODEL", "ASSEMBLY", "CERTIFICATE", "EVENT", "FULLTEXT", "RESOURCE", "DEFAULT"}
    | {"CAPACITY", "RESERVATION", "ASSIGNMENT", "SEARCH", "VECTOR", "LOCATION", "SHARE"}
    | {"DIRECTORY", "DIMENSION", "NOTIFICATION", "API", "VOLUME", "CONNECTION"}
    | {"APPLICATION", "COMPUTE", "ALERT", "GIT", "NOTEBOOK", "SECURITY", "PROCEDURE", "FUNCTION"}
)
# Objects of which ALTER changes no rows. CREATE of these has a statement that changes some.
_ALTERED_WITHOUT_ROWS = frozenset({"TASK", "PIPE", "STREAM", "TRIGGER", "DYNAMIC", "EXTERNAL"})
_MODIFIERS = frozenset(
    {"OR", "REPLACE", "ALTER", "TEMP", "TEMPORARY", "SECURE", "UNIQUE", "CLUSTERED", "IF", "NOT"}
    | {
        "NONCLUSTERED",
        "COLUMNSTORE",
        "EXTERNAL",
        "EXISTS",
        "GLOBAL",
        "LOCAL",
        "TRANSIENT",
        "FOREIGN",
    }
    | {"PUBLIC", "PRIMARY", "XML", "SPATIAL", "BITMAP", "TRUSTED", "CONCURRENTLY", "AGGREGATE"}
)


def read_without_rows(command: Command) -> bool:
    """Return whether a statement neither reads rows of tables nor writes them."""
    cursor = command.cursor
    cursor.place = 0
    if cursor.next_word in WITHOUT_ROWS:
        return True
    if cursor.next_word in ("CREATE", "ALTER", "DROP", "UNDROP"):
        command.draft.kind = cursor.next_word
        words = [t.text.upper() for t in cursor.tokens[1:8] if t.kind == "word"]
        objects = [word for word in words if word not in _MODIFIERS]
        if cursor.next_word == "ALTER" and words[:1] in (["TABLE"], ["VIEW"], ["MATERIALIZED"]):
            return {"SWITCH", "EXCHANGE", "MERGE", "APPEND", "AS"}.isdisjoint(words)
        if cursor.next_word == "ALTER" and words[0] in _ALTERED_WITHOUT_ROWS:
            return True
        return bool(objects) and objects[0] in _OBJECTS_WITHOUT_ROWS
    return False


def _read_call(command: Command) -> bool:
    cursor = command.cursor
    command.draft.kind = "CALL"
    name = cursor.take_name()
    if not name:
        command.draft.add_unresolved("the name of a called procedure is in a variable")
    else:
        command.draft.calls.append(Call(name))
    return True


def _read_execute(command: Command) -> bool:
    """Read EXECUTE: of a prepared statement in PostgreSQL, of a text elsewhere."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "CALL"
    has_text = not cursor.is_at_end and cursor.tokens[cursor.place].kind == "string"
    if cursor.take_words("IMMEDIATE") or has_text:
        text = cursor.take_string()
        if text is not None and cursor.token_text.upper() in ("", ";", "USING", "INTO"):
            draft.calls.append(Call(("execute immediate",), command.read_literal(text)))
        else:
            draft.add_unresolved(COMPOSED)
        return True
    if cursor.take_words("TASK"):
        draft.calls.append(Call(cursor.take_name()))
        return True
    if not (name := cursor.take_name()):
        draft.add_unresolved(COMPOSED)
        return True
    draft.handle = Handle("execute", ".".join(name))
    return True


def _read_prepare(command: Command) -> bool:
    cursor, draft = command.cursor, command.draft
    if not (name := cursor.take_name()):
        return False
    if cursor.next_word == "TRANSACTION":
        return False
    if cursor.take_words("FROM"):
        text = cursor.take_string()
        statements = command.read_literal(text) if text is not None else ()
        if text is None and draft.dialect in ("trino", "athena"):
            statements = command.read_text(cursor.rest_text, draft.dialect)
        elif text is None:
            draft.add_unresolved(COMPOSED)
    else:
        cursor.skip_parentheses()
        if not cursor.take_words("AS"):
            return False
        statements = command.read_text(cursor.rest_text, draft.dialect)
    draft.handle = Handle("prepare", ".".join(name), statements)
    return True


def _read_deallocate(command: Command) -> bool:
    command.cursor.take_words("PREPARE")
    command.draft.handle = Handle("release", ".".join(command.cursor.take_name()) or "*")
    return True


def _read_bulk_insert(command: Command) -> bool:
    command.draft.kind = "INSERT"
    if not command.cursor.take_words("INSERT") or not (name := command.cursor.take_name()):
        return False
    command.draft.add_flow(name, (), "append", from_files=True)
    return True


def _read_refresh(command: Command) -> bool:
    cursor = command.cursor
    if not cursor.take_words("MATERIALIZED", "VIEW"):
        return False
    cursor.take_words("CONCURRENTLY")
    command.draft.kind = "REFRESH"
    if not (name := cursor.take_name()):
        return False
    command.draft.add_flow(name, (), "overwrite")
    return True


def _read_unload(command: Command) -> bool:
    cursor = command.cursor
    if not cursor.take_mark("("):
        return False
    command.draft.kind = "COPY"
    if (text := cursor.take_string()) is not None:
        command.draft.uses_literal = True
        command.read_query_text(text)
    else:
        start = cursor.place
        cursor.place -= 1
        cursor.skip_parentheses()
        end = cursor.tokens[cursor.place - 1].start
        command.read_query_text(cursor.text[cursor.tokens[start].start : end])
    return True


def read_copy(command: Command) -> bool:
    """Read COPY t FROM, COPY t TO and T-SQL's COPY INTO t in forms that sqlglot does not parse."""
    cursor = command.cursor
    command.draft.kind = "COPY"
    if command.draft.dialect in TSQL:
        cursor.take_words("INTO")
    if not (name := cursor.take_name()):
        return False
    cursor.skip_parentheses()
    if cursor.take_words("FROM"):
        is_sent = cursor.next_word in SENT_BY_CLIENT
        command.draft.add_flow(name, (), "append", from_files=not is_sent)
    elif cursor.take_words("TO"):
        command.draft.reads[name] = None
    else:
        return False
    return True


def _read_load(command: Command) -> bool:
    """Read LOAD DATA … INTO TABLE t."""
    cursor = command.cursor
    if cursor.next_word not in ("DATA", "XML"):
        return command.draft.dialect == "duckdb"  # LOAD of an extension
    command.draft.kind = "LOAD"
    options = {token.text.upper() for token in cursor.tokens[:8]}
    if command.draft.dialect == "bigquery":
        return _read_loaded_files(command)
    if not cursor.skip_to("INTO") or not cursor.take_words("INTO", "TABLE"):
        return False
    if not (name := cursor.take_name()):
        return False
    mode: Mode = (
        "overwrite" if "OVERWRITE" in options else "merge" if "REPLACE" in options else "append"
    )
    mode = _mode_of_partitions(mode, cursor)
    while cursor.skip_to("SET"):
        is_charset = cursor.tokens[cursor.place - 1].text.upper() == "CHARACTER"
        cursor.place += 1
        if not is_charset:  # the assignments are read as comparisons
            command.read_query_text("SELECT " + cursor.rest_text)
    is_sent = command.draft.dialect == "mysql" and "LOCAL" in options
    command.draft.add_flow(name, command.draft.reads, mode, from_files=not is_sent)
    return True


def _mode_of_partitions(mode: Mode, cursor: Cursor) -> Mode:
    """Return the mode of a load into the table, or the partitions of it, before the cursor."""
    is_partial = mode == "overwrite" and cursor.next_word in ("PARTITION", "PARTITIONS")
    return "overwrite_partitions" if is_partial else mode


def _read_loaded_files(command: Command) -> bool:
    """Read BigQuery's LOAD DATA INTO t and LOAD DATA OVERWRITE t, with FROM FILES."""
    cursor = command.cursor
    cursor.place += 1
    mode: Mode = "overwrite" if cursor.next_word == "OVERWRITE" else "append"
    cursor.place += 1
    is_temporary = cursor.take_words("TEMP") or cursor.take_words("TEMPORARY")
    cursor.take_words("TABLE")
    if not (name := cursor.take_name()):
        return False
    mode = _mode_of_partitions(mode, cursor)
    command.draft.add_flow(name, (), mode, temporary=is_temporary, from_files=True)
    return True


def _read_declare(command: Command) -> bool:
    """Read the query of a cursor, and a table variable of T-SQL."""
    cursor, draft = command.cursor, command.draft
    if draft.dialect in TSQL and _declares_table(cursor):
        draft.kind = DECLARE_TABLE
        draft.add_flow((cursor.tokens[1].text.lower(),), (), "create")
        return True
    words = [token.text.upper() for token in cursor.tokens[:8] if token.kind == "word"]
    if "CURSOR" not in words or not cursor.skip_to("FOR"):
        return False
    cursor.take_words("FOR")
    if cursor.next_word in ("SELECT", "WITH"):
        command.read_query_text(cursor.rest_text)
    elif not cursor.is_at_end:
        draft.add_unresolved("the query of a cursor is composed at run time")
    return True


def _declares_table(cursor: Cursor) -> bool:
    """Return whether a statement is ``DECLARE @t TABLE (…)``."""
    words = [token.text.upper() for token in cursor.tokens[1:5]]
    return words[2 if words[1:2] == ["AS"] else 1 :][:2] == ["TABLE", "("]


def _read_explain(command: Command) -> bool:
    """Read EXPLAIN ANALYZE, which executes the statement; other forms do not."""
    cursor = command.cursor
    words = {t.text.upper() for t in cursor.tokens[1:6] if t.kind == "word"}
    if not traits_of(command.draft.dialect).executes_explained or "ANALYZE" not in words:
        return True
    if cursor.skip_parentheses() or cursor.take_words("ANALYZE"):
        cursor.take_words("VERBOSE")
        statements = command.read_text(cursor.rest_text, command.draft.dialect)
        command.draft.calls.append(Call(("explain analyze",), statements))
    return True


COMMANDS: dict[str, Callable[[Command], bool]] = {
    "CALL": _read_call,
    "EXECUTE": _read_execute,
    "PREPARE": _read_prepare,
    "DEALLOCATE": _read_deallocate,
    "BULK": _read_bulk_insert,
    "REFRESH": _read_refresh,
    "UNLOAD": _read_unload,
    "LOAD": _read_load,
    "RENAME": read_rename,
    "ALTER": read_alter,
    "SET": read_set,
    "RESET": read_reset,
    "DISCARD": read_discard,
    "ATTACH": read_attach,
    "DETACH": read_detach,
    "DECLARE": _read_declare,
    "EXPLAIN": _read_explain,
}
