"""Commands and variables of sqlcmd in scripts for SQL Server."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from lineage.sql.placeholders import protected_spans

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_COMMAND = re.compile(
    r"^[ \t]*(?::(setvar|r|connect|on|out|error|list|listvar|reset|serverlist|help|xml|perftrace"
    r"|ed|quit|exit)\b|!!)[ \t]*([^\n]*)\n?",
    re.I | re.M,
)
_VARIABLE = re.compile(r"\$\((\w+)\)")


class SqlcmdPart(NamedTuple):
    """SQL with the values of variables, or the reason why a command is not read."""

    text: str = ""
    reason: str = ""


def split_sqlcmd(text: str) -> Iterator[SqlcmdPart]:
    """Yield the parts of a script between the commands, in which variables have their values.

    A variable without a value may be set by the command line of sqlcmd. It remains as it is.
    """
    values: dict[str, str] = {}
    protected = list(protected_spans(text, "tsql"))
    start = 0
    for match in _COMMAND.finditer(text):
        if any(begin < match.start() < end for begin, end in protected):
            continue
        yield SqlcmdPart(_replace_variables(text[start : match.start()], values))
        start = match.end()
        command, argument = (match[1] or "!!").lower(), match[2].strip()
        if command == "setvar":
            name, *value = argument.split(None, 1)
            values[name.lower()] = "".join(value).strip('"')
        elif command == "r":
            yield SqlcmdPart(reason="the file that :r names is not read")
        elif command == "connect":
            yield SqlcmdPart(reason="the server of :connect is not read")
    yield SqlcmdPart(_replace_variables(text[start:], values))


def _replace_variables(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: values.get(match[1].lower(), match[0]), text)
