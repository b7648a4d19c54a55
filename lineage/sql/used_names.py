"""The names of variables, records and cursors whose values a statement of a block uses."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.sql.cursor import Cursor
from lineage.sql.dialects import traits_of

if TYPE_CHECKING:
    from collections.abc import Container

    from lineage.sql.lexer import Token

_CHANGES = frozenset({"UPDATE", "DELETE", "MERGE"})
_AFTER_TABLES = frozenset(
    {"WHERE", "SET", "GROUP", "HAVING", "ORDER", "LIMIT", "QUALIFY", "WINDOW", "UNION", "EXCEPT"}
    | {"INTERSECT", "WHEN", "RETURNING", "START", "CONNECT", "FETCH", "OFFSET", "VALUES"}
)
_BEFORE_TABLE = frozenset({"ONLY", "LATERAL"})
# Words before a value, which is no alias there.
_BEFORE_VALUE = frozenset(
    {"ALL", "AND", "ANY", "AS", "BETWEEN", "BY", "CASE", "DISTINCT", "DIV", "ELSE", "FROM", "IN"}
    | {"INTERVAL", "IS", "LIKE", "ILIKE", "RLIKE", "REGEXP", "MOD", "NOT", "ON", "OR", "OVER"}
    | {"SELECT", "SOME", "THEN", "TOP", "WHEN", "XOR", "RETURN", "OPEN", "ARRAY", "REVERSE"}
)


@dataclass
class _Level:
    """The content of parentheses: its clause, and whether names of columns may be there."""

    clause: str = ""
    is_query: bool = False


@dataclass
class UsedNames:
    """The variables whose values a statement uses; ``unsure`` may be columns of its tables."""

    sure: dict[str, None] = field(default_factory=dict)
    unsure: dict[str, None] = field(default_factory=dict)


def find_used(text: str, dialect: str, known: Container[str]) -> UsedNames:
    """Return the known variables whose values a statement uses."""
    return _UseReader(text, dialect, known).read_names()


def list_tables(text: str, dialect: str) -> set[str]:
    """Return the last parts of the names of tables in queries, and of aliases, in lower case."""
    reader = _UseReader(text, dialect, ())
    reader.read_names()
    return reader.hidden


class _UseReader:
    """Reads a statement; the names of its tables and their aliases are no variables."""

    def __init__(self, text: str, dialect: str, known: Container[str]) -> None:
        self.cursor = Cursor(text, dialect)
        self.tokens = self.cursor.tokens
        self.known = known
        self.levels = [_Level()]
        self.hidden: set[str] = set()
        self.hidden_after: set[str] = set()
        self.used = UsedNames()
        self.is_call = False

    def read_names(self) -> UsedNames:
        while not self.cursor.is_at_end:
            place = self.cursor.place
            token = self.tokens[place]
            self.cursor.place += 1
            if token.text == "(":
                self.levels.append(_Level(is_query=self.levels[-1].is_query))
            elif token.text == ")":
                if len(self.levels) > 1:
                    self.levels.pop()
            elif token.text == ",":
                if self.levels[-1].clause == "tables":
                    self._take_table()
            elif token.kind == "word" and not self._follow_word(token.text.upper(), place):
                self._read_name(token, place)
        for names in (self.used.sure, self.used.unsure):
            for name in self.hidden & names.keys():
                del names[name]
        return self.used

    def _follow_word(self, word: str, place: int) -> bool:
        """Follow the clauses of a query; return whether the word is one of SQL."""
        level = self.levels[-1]
        if self._text_at(place - 1) == ".":
            return False
        if word == "SELECT":
            level.clause, level.is_query = "list", True
        elif word in _CHANGES:
            level.clause, level.is_query = "change", True
            if word == "UPDATE":
                self._take_table()
        elif word == "INSERT":
            if self.cursor.next_word not in ("INTO", "VALUES"):
                self._take_target()
        elif word == "INTO":
            self._take_target()
        elif word in ("FROM", "JOIN", "USING"):
            self._begin_tables(word, self._text_at(place - 1))
        elif word in _AFTER_TABLES:
            if level.clause in ("tables", "change"):
                level.clause = "rest"
        elif word in ("EXEC", "EXECUTE", "CALL"):
            self.is_call = True
        else:
            return False
        return True

    def _begin_tables(self, word: str, before: str) -> None:
        level = self.levels[-1]
        if not level.clause or before == "DISTINCT":  # EXTRACT(day FROM x), EXECUTE … USING x
            return
        if word == "USING" and level.clause == "tables" and self.cursor.skip_parentheses():
            return
        level.clause = "tables"
        self._take_table()

    def _take_target(self) -> None:
        """Advance past the table of INSERT and its columns, which are no variables."""
        has_table = self._take_table(hides=self.levels[-1].clause == "change")
        if has_table and self._text_at(self.cursor.place + 1) not in ("SELECT", "WITH"):
            self.cursor.skip_parentheses()

    def _take_table(self, *, hides: bool = True) -> bool:
        """Advance past the name of a table and its alias, which hide variables."""
        cursor = self.cursor
        while cursor.next_word in _BEFORE_TABLE:
            cursor.place += 1
        if cursor.next_word in ("SELECT", "SET", "OF", "VALUES"):
            return False
        if cursor.next_word[:1] == "@" and self._text_at(cursor.place + 1) == ".":
            return False  # FROM @x.nodes(…)
        name = cursor.take_name()
        if not name or (hides and cursor.token_text == "("):
            return False
        if hides:
            self.hidden.add(name[-1].lower())
            cursor.take_words("AS")
            if cursor.next_word.lower() in self.known:
                self.hidden.add(cursor.next_word.lower())
                cursor.place += 1
        return True

    def _read_name(self, token: Token, place: int) -> None:
        name = token.text.lower()
        if name not in self.known or self._is_other(place):
            return
        if self._is_alias(place):
            is_last = len(self.levels) == 1 and self.levels[0].clause == "list"
            (self.hidden_after if is_last else self.hidden).add(name)
        elif name not in self.hidden_after:
            if self._is_sure(place):
                self.used.sure[name] = None
            elif self.cursor.dialect != "snowflake":  # there only :x is a variable in a query
                self.used.unsure[name] = None

    def _is_other(self, place: int) -> bool:
        """Return whether a name is a target of SET, a parameter, a function or a part."""
        before, after = self._text_at(place - 1), self._text_at(place + 1)
        if before == ".":
            return True
        if before == ":":  # of JSON, or a cast
            first = self.tokens[place - 2] if place > 1 else None
            if first and first.start + len(first.text) == self.tokens[place - 1].start:
                return first.kind in ("word", "quoted") or first.text in (":", ")", "]")
        if after == ":" and self._text_at(place + 2) == "=":
            return True
        if after == "=":
            is_named = self._text_at(place + 2) == ">" or self.is_call
            return is_named or before in ("SET", "SELECT", ",")
        if self.is_call and after in ("OUT", "OUTPUT"):
            return True
        if self.tokens[place].text[0] == "@":
            return False  # also in @x.value(…)
        if after == "." and self._text_at(place + 3) == "(":
            return True
        # A name at the start is of a cursor: FOR r IN c(1).
        return after == "(" and place > 0 and self.cursor.dialect != "oracle"

    def _is_alias(self, place: int) -> bool:
        """Return whether a name is of a column or a query of WITH, which hides a variable."""
        if not place or self.tokens[place].text[0] == "@":
            return False
        before, word = self.tokens[place - 1], self._text_at(place - 1)
        if word in ("AS", ")", "WITH", "RECURSIVE"):
            return True
        if self._text_at(place + 1) == "AS" and self._text_at(place + 2) == "(":
            return True
        is_value = before.kind in ("word", "quoted", "string", "number")
        return self.levels[-1].clause == "list" and is_value and word not in _BEFORE_VALUE

    def _is_sure(self, place: int) -> bool:
        """Return whether a name cannot be of a column."""
        is_variable = traits_of(self.cursor.dialect).prefers_variables
        if is_variable or not self.levels[-1].is_query:
            return True
        is_element = self.cursor.dialect == "oracle" and self._text_at(place + 1) == "("
        return is_element or self._text_at(place - 1) == ":" or self._text_at(place + 1) == "."

    def _text_at(self, place: int) -> str:
        return self.tokens[place].text.upper() if 0 <= place < len(self.tokens) else ""
