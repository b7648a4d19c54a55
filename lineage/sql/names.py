"""Names of tables in statements: their parts, folded by the rule of the dialect."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.dialects import POSTGRES_FAMILY, TSQL, traits_of
from lineage.sql.lexer import tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from lineage.sql.lexer import Token
    from lineage.sql.records import Name

_FILE_ENDINGS = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xlsx", ".gz", ".zst")
_OPENING = {"`": "`", '"': '"', "[": "]"}


def ignore_case(name: Sequence[str]) -> Name:
    """Return the parts of a name without case."""
    return tuple(part.casefold() for part in name)


def index_names(names: Iterable[Name]) -> dict[Name, Name | None]:
    """Return names by their parts without case; None if two differ by case only."""
    folded: dict[Name, Name | None] = {}
    for name in names:
        key = ignore_case(name)
        folded[key] = None if key in folded else name
    return folded


def fold_part(part: str, dialect: str, *, quoted: bool) -> str:
    """Return a part of a name as the database compares it. Paths of files are kept."""
    case = traits_of(dialect).case
    if case == "as_written" or "/" in part:
        return part
    if case == "upper_unquoted":
        return part if quoted else part.upper()
    if case == "lower_unquoted" and quoted:
        return part
    return part.lower()


def fold_stored(part: str, dialect: str) -> str:
    """Return a part of a name that a server reports, as names in statements are folded."""
    return fold_part(part, dialect, quoted=True)


def table_name(table: exp.Expr | None, dialect: str) -> Name | None:
    """Return the name of a table; None for a function, a stage or a file."""
    if not isinstance(table, exp.Table):
        return None
    parts: list[str] = []
    for key in ("catalog", "db", "this"):
        value = table.args.get(key)
        if value is None or (value == "" and not parts):
            continue
        for part in _flat_parts(value):
            text = _part_text(part, dialect)
            if text is None:
                return None
            parts.append(text)
    if not parts or not parts[-1] or _is_file(table, dialect):
        return None
    return _shorten_temporary(tuple(parts))


def _flat_parts(value: object) -> Iterator[object]:
    if isinstance(value, exp.Dot):
        yield from _flat_parts(value.this)
        yield from _flat_parts(value.args["expression"])
    else:
        yield value


def _part_text(part: object, dialect: str) -> str | None:
    if part == "":
        return ""
    if isinstance(part, exp.Parameter) and isinstance(part.this, exp.Var | exp.Identifier):
        return "@" + fold_part(part.this.name, dialect, quoted=False)
    if not isinstance(part, exp.Identifier):
        return None
    mark = "##" if part.args.get("global_") else "#" if part.args.get("temporary") else ""
    return mark + fold_part(part.name, dialect, quoted=bool(part.args.get("quoted")))


def _is_file(table: exp.Table, dialect: str) -> bool:
    """Return whether the database reads the name as that of a file."""
    name = table.name.lower()
    if table.db:
        return False
    if dialect in ("spark", "databricks"):  # FROM '/path' in COPY INTO
        return "/" in name
    return dialect == "duckdb" and (name.endswith(_FILE_ENDINGS) or "://" in name)


def _shorten_temporary(name: Name) -> Name:
    """Return ``#t`` for ``tempdb..#t``: a temporary table has no other database."""
    return name[-1:] if name[-1].startswith("#") else name


def parse_name(text: str, dialect: str) -> Name:
    """Return the parts of a name in a text: ``db.schema."a table"``; () if it is not a name."""
    tokens = [token for token in tokenize_text(text, dialect) if token.kind != "space"]
    name, after = take_name(tokens, 0, dialect)
    return name if after == len(tokens) else ()


def take_name(tokens: Sequence[Token], start: int, dialect: str) -> tuple[Name, int]:
    """Return the name at a position of tokens without spaces, and the position after it."""
    parts: list[str] = []
    place = start
    expects_part = True
    while place < len(tokens):
        token = tokens[place]
        if token.text == "." and token.kind == "other":
            if expects_part:
                parts.append("")
            expects_part = True
        elif expects_part and token.kind in ("word", "quoted", "string"):
            if token.kind == "string" and not is_quoted_name(token.text, dialect):
                break
            parts += _token_parts(token, dialect)
            expects_part = False
        else:
            break
        place += 1
    if expects_part or not parts:
        return (), start
    return _shorten_temporary(tuple(parts)), place


@cache
def is_quoted_name(text: str, dialect: str) -> bool:
    """Return whether a string of the lexer, ``"…"``, is a name in the dialect."""
    return text[:1] == '"' and dialect in ("spark", "databricks", "hive")


def _token_parts(token: Token, dialect: str) -> list[str]:
    if token.kind == "word":
        return [fold_part(token.text, dialect, quoted=False)]
    closing = _OPENING[token.text[0]]
    inner = token.text[1:-1].replace(closing * 2, closing)
    parts = inner.split(".") if dialect == "bigquery" else [inner]
    return [fold_part(part, dialect, quoted=True) for part in parts]


def is_session_name(name: Name, dialect: str) -> bool:
    """Return whether the name alone shows that a table is temporary: ``#t``, ``##t``, ``@t``.

    BigQuery has ``_SESSION.t``, and PostgreSQL ``pg_temp.t``.
    """
    if dialect == "bigquery":
        return len(name) > 1 and name[-2].upper() == "_SESSION"
    if dialect in POSTGRES_FAMILY and name[-2:-1] == ("pg_temp",):
        return True
    mark = name[-1]
    return mark.startswith("#" if dialect == "redshift" else ("@", "#")) and dialect in (
        *TSQL,
        "redshift",
    )
