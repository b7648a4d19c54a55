"""A position in the tokens of a statement, for statements that sqlglot does not parse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.sql.lexer import tokenize_text
from lineage.sql.names import take_name

if TYPE_CHECKING:
    from lineage.sql.lexer import Token
    from lineage.sql.records import Name


class Cursor:
    """Reads tokens without spaces and comments from left to right."""

    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self.place = 0
        self.tokens: list[Token] = [
            token
            for token in tokenize_text(text, dialect)
            if token.kind not in ("space", "comment")
        ]

    @property
    def is_at_end(self) -> bool:
        return self.place >= len(self.tokens)

    @property
    def token_text(self) -> str:
        """The next token; "" at the end."""
        return "" if self.is_at_end else self.tokens[self.place].text

    @property
    def next_word(self) -> str:
        """The next token in upper case, if it is a word without quotes; else ""."""
        if self.is_at_end or self.tokens[self.place].kind != "word":
            return ""
        return self.tokens[self.place].text.upper()

    @property
    def rest_text(self) -> str:
        """The text from the next token on."""
        return "" if self.is_at_end else self.text[self.tokens[self.place].start :]

    def take_words(self, *words: str) -> bool:
        """Advance past the words if they are next, and return whether they are."""
        end = self.place + len(words)
        following = self.tokens[self.place : end]
        if [t.text.upper() for t in following if t.kind == "word"] != list(words):
            return False
        self.place = end
        return True

    def take_mark(self, mark: str) -> bool:
        """Advance past a sign if it is next, and return whether it is."""
        if self.token_text != mark:
            return False
        self.place += 1
        return True

    def take_name(self) -> Name:
        """Advance past a name and return it; () if there is none."""
        name, self.place = take_name(self.tokens, self.place, self.dialect)
        return name

    def take_string(self) -> str | None:
        """Advance past a string and return its value; None if there is none."""
        if self.is_at_end or self.tokens[self.place].kind != "string":
            return None
        self.place += 1
        return string_value(self.tokens[self.place - 1].text, self.dialect)

    def skip_parentheses(self) -> bool:
        """Advance past ``( … )`` if it is next, and return whether it is."""
        if self.token_text != "(":
            return False
        depth = 0
        while not self.is_at_end:
            depth += (self.token_text == "(") - (self.token_text == ")")
            self.place += 1
            if depth == 0:
                break
        return True

    def skip_to(self, *words: str) -> bool:
        """Advance to the first of the words outside of parentheses; to the end if none is there."""
        while not self.is_at_end:
            if self.next_word in words:
                return True
            if not self.skip_parentheses():
                self.place += 1
        return False


def string_value(literal: str, dialect: str) -> str:
    """Return the value of a string literal: ``'it''s'``, ``N'…'``, ``q'[…]'``, ``$$…$$``."""
    if literal.startswith("$"):
        tag_end = literal.index("$", 1) + 1
        return literal[tag_end:-tag_end]
    if literal.lstrip("nN").startswith(("q'", "Q'")):
        return literal[literal.index("'") + 2 : -2]
    quote = '"' if literal.endswith('"') else "'"
    start = literal.index(quote)
    mark = (
        quote * 3 if literal[start:].startswith(quote * 3) and len(literal) > start + 5 else quote
    )
    body = literal[start + len(mark) : -len(mark)]
    if mark == quote:
        body = body.replace(quote * 2, quote)
    if dialect in ("mysql", "bigquery", "spark", "databricks", "hive", "snowflake", "redshift") or (
        start and literal[0] in "eE"
    ):
        body = body.replace("\\" + quote, quote).replace("\\n", "\n").replace("\\\\", "\\")
    return body
