"""Parse SQL by sqlglot, also texts with parameters whose form it does not know."""

from __future__ import annotations

import re

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from lineage.sql.parameters import separate_parameters

ADDS_COLUMNS = re.compile(r"\bWITH\s+SCHEMA\s+EVOLUTION\b", re.IGNORECASE)
IGNORES_VALUES = re.compile(r"\bOVERRIDING\s+USER\s+VALUE\b", re.IGNORECASE)
# Clauses that name no tables.
_UNKNOWN_CLAUSES = re.compile(
    r"\bON\s+COMMIT\s+(?:DROP|(?:DELETE|PRESERVE)\s+ROWS)\b"
    rf"|\bOVERRIDING\s+SYSTEM\s+VALUE\b|{IGNORES_VALUES.pattern}|{ADDS_COLUMNS.pattern}",
    re.IGNORECASE,
)
_DATA_OF_VIEW = re.compile(r"(?is)(\bMATERIALIZED\s+VIEW\b.*)\bWITH\s+(?:NO\s+)?DATA\b")
_FUNCTIONS = re.compile(
    r"(?i)((?:\bSELECT|\bFROM|\bJOIN|[,(=])\s*)\b(load|copy|apply|cache)(?=\s*\()"
)
_MARK = "_of_users"


def parse_tree(text: str, dialect: str | None) -> exp.Expr:
    """Return the tree of one statement. Raises an error of sqlglot."""
    return sqlglot.parse_one(separate_parameters(text, dialect), dialect=dialect)


def parse_statements(text: str, dialect: str) -> list[exp.Expr]:
    """Return the trees of all statements of a text. Raises an error of sqlglot.

    A text that it cannot parse is parsed without clauses that sqlglot does not know.
    """
    try:
        trees = _parse_marked(text, dialect)
        if not any(isinstance(tree, exp.Command) for tree in trees):
            return trees
    except SqlglotError:
        trees = []
    plain = _DATA_OF_VIEW.sub(r"\1", _UNKNOWN_CLAUSES.sub(" ", text))
    return trees if trees and plain == text else _parse_marked(plain, dialect)


def _parse_marked(text: str, dialect: str) -> list[exp.Expr]:
    """Parse a text, also with functions whose names begin statements: ``SELECT load()``."""
    marked = _FUNCTIONS.sub(rf"\1\2{_MARK}", text)
    try:
        trees = _parse_all(marked, dialect)
    except (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        # sqlglot raises these for some texts that its grammar does not cover
        raise ParseError("the text cannot be parsed") from error
    for tree in trees if marked != text else ():
        for function in tree.find_all(exp.Anonymous):
            function.set("this", function.name.removesuffix(_MARK))
    return trees


def _parse_all(text: str, dialect: str) -> list[exp.Expr]:
    trees = sqlglot.parse(separate_parameters(text, dialect), dialect=dialect)
    return [tree for tree in trees if tree is not None]
