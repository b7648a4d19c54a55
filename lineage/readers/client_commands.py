"""Commands of psql, mysql and sqlcmd in scripts, which the server does not see."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.dialects import POSTGRES_FAMILY, TSQL
from lineage.sql.lexer import token_pattern
from lineage.sql.placeholders import protected_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COMMAND = re.compile(r"\\([A-Za-z_!?+.]*)[ \t]*([^\n]*)\n?")
# The data of COPY … FROM stdin follow its line, up to a line with \. alone.
_COPY = re.compile(r"^[ \t]*\\?COPY\b[^;]*?\bFROM\s+P?STDIN\b[^;\n]*(?:;|$)[ \t]*\n?", re.I | re.M)
_END_OF_DATA = re.compile(r"^\\\.[ \t]*\r?$\n?", re.M)
# Commands of mysql, which end at their line.
_MYSQL = re.compile(
    r"^[ \t]*(?:(delimiter|use|source|system|tee|notee|pager|nopager|prompt|warnings|nowarning)\b"
    r"|\\\.)[ \t]*([^\n]*)\n?",
    re.I | re.M,
)
# What ends a statement of mysql beside its delimiter.
_ENDING = r"\\[gG]\b"
_CONNECTED = re.compile(r"[\"']?([^\s\"'=:]+)[\"']?(?:\s|$)")
_SQLCMD = re.compile(
    r"^[ \t]*(?::(setvar|r|connect|on|out|error|list|listvar|reset|serverlist|help|xml|perftrace"
    r"|ed|quit|exit)\b|!!)[ \t]*([^\n]*)\n?",
    re.I | re.M,
)
_VARIABLE = re.compile(r"\$\((\w+)\)")
_INCLUDED = frozenset({"i", "ir", "include", "include_relative"})


class ScriptPart(NamedTuple):
    """SQL of a script, or the database to which it connects, or the reason why it is not read."""

    text: str = ""
    database: str = ""
    reason: str = ""


def split_script(text: str, dialect: str) -> Iterator[ScriptPart]:
    """Yield the parts of a script in order, without commands that name no table."""
    if dialect in POSTGRES_FAMILY:
        yield from _split_copies(text, dialect)
    elif dialect == "mysql":
        yield from _split_delimiters(text)
    elif dialect in TSQL:
        yield from _split_sqlcmd(text)
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
    r"""Read the commands of psql, which begin with a backslash.

    Tokens are read again from the line after a command, which may have an odd quote.
    """
    start = 0
    while (following := _find_command(text, start, dialect)) is not None:
        command, is_inside = following
        # \g and its family run the statement before them.
        end = ";\n" if is_inside and command[1][:1] == "g" else ""
        yield ScriptPart(_bind_strings(text[start : command.start()], dialect) + end)
        yield from _read_command(command[1], command[2].strip())
        start = command.end()
    yield ScriptPart(_bind_strings(text[start:], dialect))


def _find_command(text: str, start: int, dialect: str) -> tuple[re.Match[str], bool] | None:
    """Return the next command, and whether it is inside of a statement."""
    is_inside = False
    for token in token_pattern(dialect).finditer(text, start):
        if token.lastgroup in ("space", "comment"):
            continue
        if token[0] == "\\" and (command := _COMMAND.match(text, token.start())):
            return command, is_inside
        is_inside = token[0] != ";"
    return None


def _bind_strings(text: str, dialect: str) -> str:
    """Return a text in which psql's ``:'variable'`` is a string."""
    parts: list[str] = []
    for token in token_pattern(dialect).finditer(text):
        is_bound = token.lastgroup == "string" and parts[-1:] == [":"] and parts[-2:-1] != [":"]
        if is_bound and token[0].startswith("'"):
            parts.pop()
        parts.append(token[0])
    return "".join(parts)


def _read_command(name: str, argument: str) -> Iterator[ScriptPart]:
    if name in ("c", "connect"):
        match = _CONNECTED.match(argument)
        if match is None:
            yield ScriptPart(reason="the database of \\connect is not read")
        elif match[1] != "-":
            yield ScriptPart(database=match[1])
    elif name == "copy":
        yield ScriptPart(" ".join(("COPY", argument)))
    elif name == "gexec":
        yield ScriptPart(reason="the statements that \\gexec runs are not known")
    elif name in _INCLUDED:
        yield ScriptPart(reason=f"the file that \\{name} names is not read")


def _split_delimiters(text: str) -> Iterator[ScriptPart]:
    """Split at the delimiters that mysql is told; the reader of statements splits at semicolons.

    Other commands are read where a statement may begin.
    """
    start, delimiter = 0, ";"
    commands = list(_MYSQL.finditer(text))
    masked = _mask_protected(text) if commands else text
    statement = searched = 0  # where the statement before the command begins
    for match in commands:
        command, argument = (match[1] or "source").lower(), match[2].strip()
        if command == "delimiter" and argument:
            yield from _split_at(text[start : match.start()], delimiter)
            start, delimiter = match.end(), argument.split()[0]
            statement = searched = start
            continue
        ends = re.compile(rf"{re.escape(delimiter)}|{_ENDING}")
        for end in ends.finditer(masked, searched, match.start()):
            statement = end.end()
        searched = match.start()
        before = masked[statement:searched]
        argument = argument.removesuffix(delimiter).strip()
        is_line = not before.strip() and masked[match.start() : match.end()].strip()
        if not is_line or delimiter in argument or (command == "use" and " " in argument):
            continue
        yield from _split_at(text[start : match.start()], delimiter)
        start = statement = searched = match.end()
        if command == "use":
            yield ScriptPart(f"USE {argument}")
        elif command == "source":
            yield ScriptPart(reason="the file that source names is not read")
    yield from _split_at(text[start:], delimiter)


def _mask_protected(text: str) -> str:
    """Return a text with spaces in place of strings, comments and names in quotes."""
    return "".join(
        " " * len(token[0]) if token.lastgroup in ("string", "comment", "quoted") else token[0]
        for token in token_pattern("mysql").finditer(text)
    )


def _split_at(text: str, delimiter: str) -> Iterator[ScriptPart]:
    r"""Split at a delimiter, and at ``\g`` and ``\G``, which end a statement too."""
    ends = _ENDING if delimiter == ";" else rf"{re.escape(delimiter)}|{_ENDING}"
    start = 0
    masked = _mask_protected(text) if re.search(ends, text) else ""
    for match in re.finditer(ends, masked):
        yield ScriptPart(text[start : match.start()])
        start = match.end()
    yield ScriptPart(text[start:])


def _split_sqlcmd(text: str) -> Iterator[ScriptPart]:
    """Read the commands of sqlcmd, which are lines; its variables get their values.

    A variable without a value may be set by the command line of sqlcmd. It remains as it is.
    """
    commands = list(_SQLCMD.finditer(text))
    protected = list(protected_spans(text, "tsql")) if commands else []
    values: dict[str, str] = {}
    start = 0
    for match in commands:
        if any(begin < match.start() < end for begin, end in protected):
            continue
        yield ScriptPart(_replace_variables(text[start : match.start()], values))
        start = match.end()
        command, argument = (match[1] or "!!").lower(), match[2].strip()
        if command == "setvar" and argument:
            name, *value = argument.split(None, 1)
            values[name.lower()] = "".join(value).strip('"')
        elif command == "r":
            yield ScriptPart(reason="the file that :r names is not read")
        elif command == "connect":
            yield ScriptPart(reason="the server of :connect is not read")
    yield ScriptPart(_replace_variables(text[start:], values))


def _replace_variables(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values.get(match[1].lower(), match[0]), text)
