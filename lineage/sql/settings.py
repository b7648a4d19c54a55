"""Settings of a session: the search path and autocommit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.commands import Command

# Words before the name of a variable of the session in SET.
_SESSION_WORDS = frozenset({"SET", "SESSION", "LOCAL", ",", "."})
_ON = frozenset({"1", "ON", "TRUE"})
_OFF = frozenset({"0", "OFF", "FALSE"})


def read_set(command: Command) -> bool:
    """Read SET search_path; PostgreSQL's other settings name no tables."""
    cursor, draft = command.cursor, command.draft
    if draft.dialect == "mysql":
        read_autocommit(command)
        return False
    if cursor.next_word in ("LOCAL", "SESSION"):
        cursor.place += 1
    if cursor.take_words("SEARCH_PATH"):
        return _read_search_path(command)
    if cursor.take_words("SCHEMA"):
        return _read_search_path(command) if cursor.take_mark("=") else _read_one_schema(command)
    return draft.dialect in ("postgres", "redshift") and "(" not in cursor.rest_text


def _read_one_schema(command: Command) -> bool:
    text = command.cursor.take_string()
    command.draft.uses_literal = True
    command.draft.kind = "USE"
    if text is not None:
        command.draft.search_path = (text,)
    return text is not None


def _read_search_path(command: Command) -> bool:
    cursor, draft = command.cursor, command.draft
    if not (cursor.take_mark("=") or cursor.take_words("TO")):
        return False
    schemas: list[str] = []
    while not cursor.is_at_end:
        if (text := cursor.take_string()) is not None:
            draft.uses_literal = True
            schemas += [part.strip() for part in text.split(",")]
        elif name := cursor.take_name():
            schemas.append(name[-1])
        elif not cursor.take_mark(","):
            return False
    draft.kind = "USE"
    draft.search_path = tuple(schema for schema in schemas if schema != "$user")
    return True


def read_alter_session(command: Command) -> bool:
    """Read the settings of ALTER SESSION; the others name no tables. It is no definition."""
    cursor, draft = command.cursor, command.draft
    draft.kind = "OTHER"
    if cursor.take_words("UNSET"):
        words = {token.text.upper() for token in cursor.tokens}
        draft.autocommit = "on" if "AUTOCOMMIT" in words else ""
        return True
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
        if value in _ON | _OFF:
            draft.autocommit = "on" if value in _ON else "off"
        else:
            draft.add_unresolved("whether autocommit is on is not known")
