"""Settings of a session: the context of names, and autocommit."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from lineage.sql.dialects import POSTGRES_FAMILY
from lineage.sql.names import fold_stored, parse_name
from lineage.sql.placeholders import has_placeholder

if TYPE_CHECKING:
    from lineage.sql.cursor import Cursor
    from lineage.sql.draft import Command, Draft

# Possible databases after USE of a variable: the current one is then not known.
UNKNOWN_PLACE = ("",)
_USE_OF_VARIABLE = "the database of USE is in a variable or an expression"
_PATH_OF_VARIABLE = "the search path is in a variable or an expression"
# First characters of parameters: ``?``, ``%s``, ``$1``, ``:a``.
_PARAMETER_MARKS = ("?", "%", "$", ":")
# Words before the name of a variable of the session in SET.
_SESSION_WORDS = frozenset({"SET", "SESSION", "LOCAL", ",", "."})
# The schema that a database attached to DuckDB has from the start, by its type.
_START_SCHEMAS = {"DUCKDB": "main", "SQLITE": "main", "POSTGRES": "public"}
_ON = frozenset({"1", "ON", "TRUE"})
_OFF = frozenset({"0", "OFF", "FALSE"})


def report_unknown_use(draft: Draft) -> None:
    """Report a database that is not known; the names after it are not completed."""
    draft.add_unresolved(_USE_OF_VARIABLE)
    draft.may_use = UNKNOWN_PLACE


def read_set(command: Command) -> bool:
    """Read SET of the context of names, and of autocommit; others name no tables."""
    cursor, draft = command.cursor, command.draft
    if draft.dialect == "mysql":
        read_autocommit(command)
        return False
    if draft.dialect == "bigquery" and cursor.next_word.startswith("@@DATASET"):
        return _read_dataset(command)
    if draft.dialect in ("spark", "databricks") and cursor.take_words("CATALOG"):
        return _read_catalog(command)
    is_local = cursor.take_words("LOCAL")
    if not is_local:
        cursor.take_words("SESSION")
    if is_local and cursor.next_word in ("SEARCH_PATH", "SCHEMA"):
        draft.lasts_until = "commit"
    if cursor.take_words("SEARCH_PATH"):
        return read_search_path(command) and cursor.is_at_end
    if cursor.take_words("SCHEMA"):
        has_sign = cursor.token_text == "=" or cursor.next_word == "TO"
        return read_search_path(command) if has_sign else _read_one_schema(command)
    return draft.dialect in POSTGRES_FAMILY and "(" not in cursor.rest_text


def read_tsql_option(command: Command) -> None:
    """Read SET IMPLICIT_TRANSACTIONS of T-SQL; other options name no tables."""
    command.cursor.place = 1
    if command.cursor.take_words("IMPLICIT_TRANSACTIONS"):
        command.draft.autocommit = "off" if command.cursor.next_word == "ON" else "on"


def _read_dataset(command: Command) -> bool:
    """Read BigQuery's @@dataset_id and @@dataset_project_id."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "USE"
    is_project = cursor.next_word == "@@DATASET_PROJECT_ID"
    cursor.place += 1
    value = cursor.take_string() if cursor.take_mark("=") else None
    if value is None or not cursor.is_at_end:
        report_unknown_use(draft)
    else:
        draft.uses_literal = True
        draft.use = (value,) if is_project else ("", value)
    return True


def _read_catalog(command: Command) -> bool:
    """Read SET CATALOG of Spark, which also selects the schema that a catalog starts with."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "USE"
    text = cursor.take_string()
    name = cursor.take_name() if text is None else (fold_stored(text, draft.dialect),)
    draft.uses_literal = text is not None
    if name and cursor.is_at_end:
        draft.use = (name[-1], "default")
    else:
        report_unknown_use(draft)
    return True


def _read_one_schema(command: Command) -> bool:
    text = command.cursor.take_string()
    command.draft.uses_literal = True
    command.draft.kind = "USE"
    if text is not None:
        command.draft.search_path = (text,)
        return True
    return _read_parameter(command)


def _read_parameter(command: Command) -> bool:
    """Read a search path with a parameter: its value is not known."""
    cursor, draft = command.cursor, command.draft
    if not cursor.token_text.startswith(_PARAMETER_MARKS):
        return False
    draft.kind = "USE"
    draft.add_unresolved(_PATH_OF_VARIABLE)
    draft.may_use = UNKNOWN_PLACE
    cursor.place = len(cursor.tokens)
    return True


def read_search_path(command: Command) -> bool:
    """Read ``= a, b``, ``TO a, b`` or ``TO DEFAULT`` after the name of the search path."""
    cursor, draft = command.cursor, command.draft
    if not (cursor.take_mark("=") or cursor.take_words("TO")):
        return False
    draft.kind = "USE"
    if cursor.take_words("DEFAULT"):
        draft.resets = ("search_path",)
        return True
    schemas: list[str] = []
    while True:
        if (text := cursor.take_string()) is not None:
            draft.uses_literal = True
            if draft.dialect == "duckdb" and "," not in text and "." in text:
                draft.use = parse_name(text, draft.dialect)  # a database and a schema
                return cursor.is_at_end and len(draft.use) == 2
            schemas += [part.strip() for part in text.split(",")]
        elif name := cursor.take_name():
            schemas.append(name[-1])
        else:
            return _read_parameter(command)
        if not cursor.take_mark(","):
            break
    if has_placeholder(schemas):
        draft.add_unresolved(_PATH_OF_VARIABLE)
        draft.may_use = UNKNOWN_PLACE
    else:
        draft.search_path = _without_system(schemas)
    return True


def _without_system(schemas: list[str]) -> tuple[str, ...]:
    """Return a search path without schemas that have no tables of users, unless one is first."""
    users = [each for each in schemas if each != "$user"]
    path = (*users[:1], *(each for each in users[1:] if each not in ("pg_temp", "pg_catalog")))
    # Whether new tables are in the schema of the user is open, if the path has two others.
    return ("$user", *path) if len(path) > 1 and schemas[0] == "$user" else path


def read_set_config(command: Command) -> None:
    """Read SELECT set_config('search_path', …): it sets the path as SET does."""
    cursor, draft = command.cursor, command.draft
    for place, token in enumerate(cursor.tokens):
        if token.text.lower() != "set_config":
            continue
        cursor.place = place + 1
        draft.uses_literal = True
        setting = cursor.take_string() if cursor.take_mark("(") else None
        if setting is not None and setting.lower() != "search_path":
            continue
        value = cursor.take_string() if cursor.take_mark(",") else None
        is_followed = cursor.take_mark(",")
        last = cursor.next_word if is_followed else _last_argument(cursor)
        draft.lasts_until = "commit" if last == "TRUE" else ""
        if setting is None or value is None or last not in ("TRUE", "FALSE"):
            draft.add_unresolved("the search path that set_config sets is not known")
            draft.may_use = UNKNOWN_PLACE
            return
        names = (parse_name(part.strip(), draft.dialect) for part in value.split(","))
        draft.search_path = _without_system([name[-1] for name in names if name])


def _last_argument(cursor: Cursor) -> str:
    """Return the last word before the end of the parentheses in which the cursor is."""
    depth = 1
    word = ""
    for token in cursor.tokens[cursor.place :]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if not depth:
            break
        word = token.text.upper()
    return word


def read_reset(command: Command) -> bool:
    """Read RESET: the search path returns to that of the start."""
    if command.cursor.next_word in ("SEARCH_PATH", "SCHEMA", "ALL"):
        command.draft.kind = "USE"
        command.draft.resets = ("search_path",)
    return True


def read_discard(command: Command) -> bool:
    """Read PostgreSQL's DISCARD, which resets the session or drops its temporary tables."""
    if command.cursor.next_word == "ALL":
        command.draft.resets = ("search_path", "tables", "handles")
    elif command.cursor.next_word in ("TEMP", "TEMPORARY"):
        command.draft.resets = ("tables",)
    return True


def read_attach(command: Command) -> bool:
    """Read DuckDB's ATTACH; without a name, the database has that of its file."""
    cursor, draft = command.cursor, command.draft
    for words in (("OR", "REPLACE"), ("DATABASE",), ("IF", "NOT", "EXISTS")):
        cursor.take_words(*words)
    if draft.dialect != "duckdb" or (path := cursor.take_string()) is None:
        return True
    draft.uses_literal = True
    file = PurePath(path.strip(":").rpartition(":")[2])
    name = cursor.take_name() if cursor.take_words("AS") else (fold_stored(file.stem, "duckdb"),)
    if not name:
        return False
    options = [token.text.upper() for token in cursor.tokens[cursor.place :]]
    kind = options[options.index("TYPE") + 1].strip("'") if "TYPE" in options[:-1] else "DUCKDB"
    schema = _START_SCHEMAS.get(kind)
    draft.attaches = (name[-1], schema) if schema else name[-1:]
    return True


def read_detach(command: Command) -> bool:
    """Read DuckDB's DETACH."""
    cursor = command.cursor
    cursor.take_words("DATABASE")
    cursor.take_words("IF", "EXISTS")
    command.draft.detaches = ".".join(cursor.take_name())
    return True


def read_create_schema(command: Command) -> bool:
    """Read CREATE SCHEMA and DATABASE of Snowflake, which make it the current one.

    Whether they do so if it exists already is not known.
    """
    cursor, draft = command.cursor, command.draft
    cursor.place = 1
    cursor.take_words("OR", "REPLACE")
    cursor.take_words("TRANSIENT")
    kind = cursor.next_word
    cursor.place += 1
    if (
        draft.dialect == "snowflake"
        and kind in ("SCHEMA", "DATABASE")
        and cursor.next_word != "ROLE"
    ):
        may_exist = cursor.take_words("IF", "NOT", "EXISTS")
        name = cursor.take_name()
        if not name or has_placeholder(name):
            report_unknown_use(draft)
            return False
        use = ("", *name) if kind == "SCHEMA" and len(name) == 1 else name
        draft.use, draft.may_use = (None, use) if may_exist else (use, None)
    return False


def read_alter_session(command: Command) -> bool:
    """Read the settings of ALTER SESSION; the others name no tables. It is no definition."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "OTHER"
    if cursor.take_words("UNSET"):
        words = {token.text.upper() for token in cursor.tokens}
        draft.autocommit = "on" if "AUTOCOMMIT" in words else ""
        return True
    if cursor.take_words("SET", "CURRENT_SCHEMA"):  # of Oracle
        return read_search_path(command)
    read_autocommit(command)
    return True


def read_autocommit(command: Command) -> None:
    """Read the value that the statement gives to autocommit; MySQL's SET may have several."""
    cursor, draft = command.cursor, command.draft
    words = [token.text.upper() for token in cursor.tokens]
    for place, word in enumerate(words[:-2]):
        is_global = words[place - 2] in ("@@GLOBAL", "@@PERSIST", "@@PERSIST_ONLY")
        if word.removeprefix("@@") != "AUTOCOMMIT" or words[place - 1] not in _SESSION_WORDS:
            continue
        if words[place - 1] == "." and is_global:
            continue
        value = words[place + 3 if words[place + 1] == ":" else place + 2].strip("'\"")
        draft.uses_literal = True
        # Dumps restore the value from a variable, and servers start with on.
        is_on = value in _ON or value == "DEFAULT" or value.startswith("@")
        if is_on or value in _OFF:
            draft.autocommit = "on" if is_on else "off"
        else:
            draft.add_unresolved("whether autocommit is on is not known")
