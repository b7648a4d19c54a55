"""Commands of psql and mysql in scripts, which the server does not see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.lexer import token_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_PSQL = frozenset({"postgres", "redshift"})
_COMMAND = re.compile(r"\\([A-Za-z_!?+.]*)[ \t]*([^\n]*)\n?")
# The data of COPY … FROM stdin follow its line, up to a line with \. alone.
_COPY = re.compile(r"^[ \t]*\\?COPY\b[^;]*?\bFROM\s+P?STDIN\b[^;\n]*(?:;|$)[ \t]*\n?", re.I | re.M)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*\r?$\n?", re.M)
_DELIMITER = re.compile(r"^[ \t]*DELIMITER[ \t]+(\S+)[ \t]*\r?$\n?", re.I | re.M)
_CONNECTED = re.compile(r"[\"']?([^\s\"'=:]+)[\"']?(?:\s|$)")
_INCLUDED = frozenset({"i", "ir", "include", "include_relative"})


class ScriptPart(NamedTuple):
    """SQL of a script, or the database to which it connects, or the reason why it is not read."""

    text: str = ""
    database: str = ""
    reason: str = ""


def split_script(text: str, dialect: str) -> Iterator[ScriptPart]:
    """Yield the parts of a script in order, without commands that name no table."""
    if dialect in _PSQL:
        yield from _split_copies(text, dialect)
    elif dialect == "mysql":
        yield from _split_delimiters(text)
    else:
        yield ScriptPart(text)


def _split_copies(text: str, dialect: str) -> Iterator[ScriptPart]:
    """Leave out the data of COPY, which may be like SQL."""
    start = 0
    while match := _COPY.search(text, start):
        yield from _split_commands(text[start : match.end()], dialect)
        end = _END_OF_DATA.search(text, match.end())
        if end is None:
            yield ScriptPart(reason="the data of COPY do not end")
            return
        start = end.end()
    yield from _split_commands(text[start:], dialect)


def _split_commands(text: str, dialect: str) -> Iterator[ScriptPart]:
    r"""Read the commands of psql: a backslash at the beginning of a statement.

    Tokens are read again from the line after a command, which may have an odd quote.
    """
    start, position = 0, 0
    while (command := _find_command(text, position, dialect)) is not None:
        yield ScriptPart(text[start : command.start()])
        yield from _read_command(command[1], command[2].strip())
        start = position = command.end()
    yield ScriptPart(text[start:])


def _find_command(text: str, position: int, dialect: str) -> re.Match[str] | None:
    is_start = True
    for token in token_pattern(dialect).finditer(text, position):
        if token.lastgroup in ("space", "comment"):
            continue
        if is_start and token[0] == "\\":
            return _COMMAND.match(text, token.start())
        is_start = token[0] == ";"
    return None


def _read_command(name: str, argument: str) -> Iterator[ScriptPart]:
    if name in ("c", "connect"):
        match = _CONNECTED.match(argument)
        if match is None:
            yield ScriptPart(reason="the database of \\connect is not read")
        elif match[1] != "-":
            yield ScriptPart(database=match[1])
    elif name == "copy":
        yield ScriptPart(" ".join(("COPY", argument)))
    elif name in _INCLUDED:
        yield ScriptPart(reason=f"the file that \\{name} names is not read")


def _split_delimiters(text: str) -> Iterator[ScriptPart]:
    """Split at the delimiters that mysql is told; the reader of statements splits at semicolons."""
    start, delimiter = 0, ";"
    for match in _DELIMITER.finditer(text):
        yield from _split_at(text[start : match.start()], delimiter)
        start, delimiter = match.end(), match[1]
    yield from _split_at(text[start:], delimiter)


def _split_at(text: str, delimiter: str) -> Iterator[ScriptPart]:
    if delimiter == ";":
        yield ScriptPart(text)
        return
    masked = "".join(
        " " * len(token[0]) if token.lastgroup in ("string", "comment", "quoted") else token[0]
        for token in token_pattern("mysql").finditer(text)
    )
    start = 0
    while (end := masked.find(delimiter, start)) >= 0:
        yield ScriptPart(text[start:end])
        start = end + len(delimiter)
    yield ScriptPart(text[start:])
