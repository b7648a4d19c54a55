"""The text of a Cypher query: its tokens, parameters and columns, and positions in it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from lineage.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# The tokens of AGE's scanner (ag_scanner.l). Spaces and comments are skipped.
_TOKEN = re.compile(
    r"""(?P<skip>//[^\n\r]*|/\*(?:[^*]|\*+[^*/])*\*+/|[ \t\n\v\f\r]+)"""
    r"""|(?P<string>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|(?P<word>[A-Za-z_\x80-\U0010ffff][$0-9A-Za-z_\x80-\U0010ffff]*|`[^`]*`)"""
    r"""|(?P<number>[0-9]+)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<other>\.\.|::|<>|[<>]=|=~|\|\||.)""",
    re.DOTALL,
)
_CHANGES = {"CREATE", "MERGE", "SET", "REMOVE", "DELETE"}
_ENDS = {"UNION", "ORDER", "SKIP", "LIMIT"}
# Start, end and new text of a replaced part of a query.
Edit: TypeAlias = tuple[int, int, str]
# A row is made by agtype_build_map(): functions have up to 100 arguments, two per column.
COLUMNS = 50
# Characters of a line that an excerpt has on each side of the position.
_AROUND = 60


@dataclass(frozen=True, slots=True)
class Token:
    """A token, its position ``at`` in the query, and ``depth``, the number of enclosing brackets.

    ``kind`` is string, word, property (a word after a dot), number, open, close or other.
    A bracket does not enclose itself.
    """

    kind: str
    text: str
    at: int
    depth: int

    @property
    def end_position(self) -> int:
        """The position after the token."""
        return self.at + len(self.text)

    @property
    def keyword(self) -> str:
        """The text of a word in upper case, for comparison with keywords; else empty."""
        return self.text.upper() if self.kind == "word" else ""


def tokenize(text: str) -> list[Token]:
    """Return the tokens of ``text`` without spaces and comments."""
    tokens: list[Token] = []
    depth = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "other"
        depth -= kind == "close"
        if kind == "word" and tokens and tokens[-1].text == ".":
            kind = "property"
        if kind != "skip":
            tokens.append(Token(kind, match.group(), match.start(), depth))
        depth += kind == "open"
    return tokens


def parameter_names(text: str) -> tuple[str, ...]:
    """Return the names after ``$``, each once, in their order."""
    tokens = tokenize(text)
    return tuple(
        dict.fromkeys(
            name.text.strip("`")
            for sign, name in pairwise(tokens)
            if sign.text == "$" and sign.end_position == name.at and name.kind in ("word", "number")
        )
    )


def single_statement(text: str) -> str:
    """Return ``text`` without semicolons at its end. Raises QueryError for a second statement."""
    tokens = tokenize(text)
    end = len(text)
    while tokens and tokens[-1].text == ";":
        end = tokens.pop().at
    for token in tokens:
        if token.text == ";":
            raise syntax_error(
                text, token.at, "A second statement begins", "Run each statement separately."
            )
    return text[:end]


def _no_result(text: str) -> QueryError:
    tokens = tokenize(text)
    words = {token.text.upper() for token in tokens if token.kind == "word"}
    if not tokens:
        return QueryError("There is no query.", "Write one: MATCH (d:Dataset) RETURN d.name")
    if words & _CHANGES:
        return QueryError(
            "The query would change the graph, which only events do.",
            "Omit CREATE, MERGE, SET, REMOVE and DELETE, and end it with RETURN.",
        )
    return QueryError(
        "The query returns nothing.", "End it with RETURN and the columns of the result."
    )


def returned_columns(text: str) -> tuple[str, ...]:
    """Return the names of the columns of ``text``. Raises QueryError if it returns none."""
    columns: list[str] | None = None
    for item in _returned_items(text):
        columns = [*(columns or []), _column_name(text, item)]
    if not columns or not all(columns):
        if (at := _last_unclosed_bracket(text)) is not None:
            raise syntax_error(text, at, "A bracket is not closed", "Close it.")
        raise _no_result(text)
    if "*" in columns:
        raise QueryError("RETURN * does not specify the columns.", "Name each column.")
    if len(columns) > COLUMNS:
        raise QueryError(
            f"The query returns {len(columns)} columns; the maximum is {COLUMNS}.",
            "Put several into a map: {a: n.a, b: n.b}.",
        )
    return tuple(columns)


def _last_unclosed_bracket(text: str) -> int | None:
    """Return the position of the last bracket that is not closed, or None."""
    opened: list[int] = []
    for token in tokenize(text):
        if token.kind == "open":
            opened.append(token.at)
        elif token.kind == "close" and opened:
            opened.pop()
    return opened[-1] if opened else None


def _returned_items(text: str) -> Iterator[list[Token]]:
    """Yield the tokens of each item of the last RETURN at the top level before any UNION."""
    items: list[list[Token]] | None = None
    for token in tokenize(text):
        word = token.keyword if token.depth == 0 else ""
        if word == "RETURN":
            items = [[]]
        elif items is None:
            continue
        elif word in _ENDS or token.text == ";":
            break
        elif token.text == "," and token.depth == 0:
            items.append([])
        elif not (word == "DISTINCT" and items == [[]]):
            items[-1].append(token)
    yield from items or []


def _column_name(text: str, item: list[Token]) -> str:
    if len(item) > 2 and item[-2].keyword == "AS":
        return item[-1].text.strip("`")
    parts: list[str] = []
    for before, token in zip([None, *item], item, strict=False):
        if before is not None and before.end_position < token.at:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)


def syntax_error(text: str, at: int, message: str, hint: str | None = None) -> QueryError:
    """Return an error with ``message`` for the position ``at``, with line, column and caret."""
    message = message.rstrip(".")
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return QueryError(
        f"{message[0].upper()}{message[1:]}, line {line} column {column}.",
        hint,
        _error_excerpt(text, at),
        (line, column),
    )


def _error_excerpt(text: str, at: int) -> tuple[str, str]:
    """Return the line of a position, or the part around it, and a line with a caret below it."""
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    first, last = max(start, at - _AROUND), min(end, at + _AROUND)
    before, after = _plain_line(text[first:at]), _plain_line(text[at:last])
    before = ("…" if first > start else "") + before
    mark = " " * sum(map(_character_width, before)) + "^"
    return before + after + ("…" if last < end else ""), mark


def _plain_line(line: str) -> str:
    """Replace characters that may move the cursor by spaces."""
    return "".join(character if character.isprintable() else " " for character in line)


def _character_width(character: str) -> int:
    """Return the number of terminal columns of a character."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


@dataclass(frozen=True, slots=True)
class Edited:
    """A query that was generated from another by edits.

    ``origins`` has for each part of it, in order: its start, the corresponding position in the
    other query, and whether it was copied from there.
    """

    query: str
    edits: tuple[Edit, ...]
    origins: tuple[tuple[int, int, bool], ...]

    @classmethod
    def unedited(cls, text: str) -> Edited:
        """Return the query without edits."""
        return cls(text, (), ((0, 0, True),))

    @classmethod
    def from_edits(
        cls,
        text: str,
        start: int,
        end: int,
        edits: Sequence[Edit],
        *,
        before: str = "",
        after: str = "",
    ) -> Edited:
        """Apply the edits between start and end. Raises QueryError if they overlap."""
        within = sorted((e for e in edits if start <= e[0] and e[1] <= end), key=lambda e: e[:2])
        parts, origins, at, length = [before], [(0, start, False)], start, len(before)
        for first, last, instead in within:
            if first < at:
                raise syntax_error(
                    text, first, "The query cannot be rewritten here", "Simplify the pattern."
                )
            origins += [(length, at, True), (length + first - at, first, False)]
            parts += [text[at:first], instead]
            length += first - at + len(instead)
            at = last
        origins += [(length, at, True), (length + end - at, end, False)]
        parts += [text[at:end], after]
        return cls("".join(parts), tuple(within), tuple(origins))

    def original_position(self, at: int) -> int:
        """Return the position in the other query that corresponds to ``at``."""
        begins, first, copied = max(o for o in self.origins if o[0] <= at)
        return first + at - begins if copied else first
