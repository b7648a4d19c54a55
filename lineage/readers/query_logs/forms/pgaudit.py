"""Lines of pgaudit in the logs of PostgreSQL.

A statement of a client has a line for itself, for each statement that it runs, and with
pgaudit.log_relation for each table. All have its number. The format is that of pgaudit's README.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from collections import Counter

PREFIX = "AUDIT: "
# Type, numbers of statement and part, class, command, type and name of the object, text, parameter.
_FIELDS = 9
_SEVERAL = re.compile(r";\s*\S")
# The queries of foreign keys in ri_triggers.c of PostgreSQL: rows that they read are no values.
_KEY_CHECK = re.compile(
    r"SELECT 1 FROM (?:ONLY )?\".* OPERATOR\(.* FOR KEY SHARE OF x"
    r"|SELECT 1 FROM \(SELECT .* OPERATOR\(.* FOR KEY SHARE OF x\) x1 HAVING .*"
    r"|SELECT fk\.\".* FROM (?:ONLY )?\".*\" fk LEFT OUTER JOIN (?:ONLY )?\".* OPERATOR\(.*",
    re.DOTALL,
)


class AuditedText(NamedTuple):
    """The text of a statement. ``is_nested``: whether another statement of the client ran it."""

    text: str
    is_nested: bool


@dataclass
class AuditLines:
    """Reads the lines of a log: each statement once. ``passed_over``: counts those of objects."""

    passed_over: Counter[str]
    # Of each session: the number of its last statement, and the texts of its lines.
    _last: dict[str, tuple[str, set[str]]] = field(default_factory=dict)

    def read_line(self, message: str, session: str, place: str) -> AuditedText | None:
        """Return the statement of a line; None if another line has it. Raises InvalidEvent."""
        kind, number, _, statement_class, command, _, _, text, _ = _split_line(message, place)
        # The query of EXECUTE has the text of PREPARE; EXECUTE has a line of its own.
        is_prepared = text[:7].upper() == "PREPARE" and not command.startswith("PREPARE")
        if statement_class == "ROLE" or is_prepared or text == "<previously logged>":
            return None
        if is_key_check(text):
            return None
        last, texts = self._last.get(session, ("", set()))
        if text in texts and (last == number or _SEVERAL.search(text)):
            return None
        if kind != "SESSION":
            self.passed_over["pgaudit's object audit"] += 1
            return None
        if text == "<not logged>":
            raise InvalidEvent(
                f"{place}: pgaudit does not log the text of the statement.",
                "Set pgaudit.log_statement = on.",
            )
        is_nested = last == number
        self._last[session] = number, {*texts, text} if is_nested else {text}
        return AuditedText(text, is_nested)

    def end_statement(self, session: str) -> None:
        """Forget the last statement of a session, which failed."""
        self._last.pop(session, None)


def is_key_check(text: str) -> bool:
    """Return whether a query is one by which PostgreSQL checks a foreign key."""
    return bool(_KEY_CHECK.fullmatch(text))


def _split_line(message: str, place: str) -> list[str]:
    try:
        [fields] = csv.reader([message.removeprefix(PREFIX)], strict=True)
    except (csv.Error, ValueError):
        fields = []
    if len(fields) == _FIELDS + 1:
        # A function would be a line after its statements, or none if it failed.
        raise InvalidEvent(
            f"{place}: pgaudit logs statements in the order of their ends.",
            "Set pgaudit.log_rows = off.",
        )
    if len(fields) != _FIELDS:
        raise InvalidEvent(f"{place}: The line is not one of pgaudit.")
    return fields
