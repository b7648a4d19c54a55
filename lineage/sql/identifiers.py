"""Names in literals: ``IDENTIFIER('schema.t')`` of Spark and Snowflake."""

from __future__ import annotations

from lineage.sql.cursor import Cursor, string_value
from lineage.sql.names import parse_name

_DIALECTS = frozenset({"spark", "databricks", "snowflake"})


def replace_identifiers(text: str, dialect: str) -> str:
    """Return a statement with the name itself for each ``IDENTIFIER('name')``."""
    if dialect not in _DIALECTS or "identifier" not in text.lower():
        return text
    tokens = Cursor(text, dialect).tokens
    parts, end = [], 0
    for place in range(len(tokens) - 3):
        word, opening, literal, closing = tokens[place : place + 4]
        is_call = word.kind == "word" and word.text.upper() == "IDENTIFIER"
        if not is_call or (opening.text, closing.text) != ("(", ")") or literal.kind != "string":
            continue
        name = string_value(literal.text, dialect)
        if parse_name(name, dialect):
            parts += [text[end : word.start], name]
            end = closing.start + 1
    return "".join([*parts, text[end:]])
