"""Remove or rewrite clauses that sqlglot does not parse; the tables of the statement stay the same.

The patterns are applied only to a statement that cannot be parsed as it is, without its comments
and, where no literal names a table, without the content of its strings.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from lineage.sql.dialects import TSQL
from lineage.sql.lexer import tokenize_text

if TYPE_CHECKING:
    from collections.abc import Iterator

_Rule: TypeAlias = tuple[str, str]

# Parentheses with their content, to a depth of three.
_PARENTHESES = r"\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)"
# The same without a query: their content names no table.
_ARGUMENTS = _PARENTHESES.replace("[^()]", r"(?:(?!\bSELECT\b)[^()])")
_NAME = r"[^\s(),;]+"
# The row of a cursor is one of several: a DELETE of it is none of all rows.
_ALL: tuple[_Rule, ...] = ((r"\bWHERE\s+CURRENT\s+OF\s+[\w@:]+", " WHERE 1 = 1 "),)
_TSQL: tuple[_Rule, ...] = (
    (rf"\bOPTION\s*{_PARENTHESES}\s*;?\s*\Z", " "),
    (r"\bWITH\s+CHECK\s+OPTION\b", " "),
    (r"\bWITH\s+(?:SCHEMABINDING|VIEW_METADATA|ENCRYPTION)\b(?:\s*,\s*\w+)*", " "),
    (rf"\bWITH\s+XMLNAMESPACES\s*{_PARENTHESES}\s*,", "WITH "),
    (rf"\bWITH\s+XMLNAMESPACES\s*{_PARENTHESES}", " "),
    (rf"\bWITH\s*{_PARENTHESES}", " "),  # hints, options of a new table, columns of OPENJSON
    (
        r"\b(INNER|LEFT|RIGHT|FULL)((?:\s+OUTER)?)\s+(?:HASH|LOOP|MERGE|REMOTE)\s+JOIN\b",
        r"\1\2 JOIN",
    ),
    (r"([\w@#$\].\"]+)\s*([+\-*/%&|^])=", r"\1 = \1 \2"),
)
_POSTGRES: tuple[_Rule, ...] = (
    (r"(\A\s*COPY\b.*?\bFROM\b.*?)\bWHERE\b.*\Z", r"\1"),
    (r"(\bUSING\s*\(\s*\w+(?:\s*,\s*\w+)*\s*\))\s+AS\s+\w+", r"\1"),
    (
        (
            r"\A\s*CREATE\s+(?:OR\s+REPLACE\s+)?RECURSIVE\s+VIEW\s+((?:[\w\"]+\.)*)([\w\"]+)\s*"
            r"(\([^()]*\))\s*AS\s+(.*?);?\s*\Z"
        ),
        r"CREATE VIEW \1\2 AS WITH RECURSIVE \2 \3 AS (\4) SELECT * FROM \2",
    ),
    (r"\bU&'", "'"),
)
_REDSHIFT: tuple[_Rule, ...] = (
    (
        r"\bREMOVE\s+DUPLICATES\b",  # of MERGE, which replaces the rows that match
        "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT ROW",
    ),
)
_VARIABLE = r"(?:@?[\w$.]+|`[^`]+`)"
_MYSQL: tuple[_Rule, ...] = (
    (
        (
            r"\bINTO\s+(?:OUTFILE|DUMPFILE)\s+'[^']*'(?:\s+(?:CHARACTER\s+SET\s+\w+|FIELDS|COLUMNS|LINES"
            r"|TERMINATED|STARTING|OPTIONALLY|ENCLOSED|ESCAPED|BY|'(?:[^'\\]|\\.)*'))*"
        ),
        " ",
    ),
    (
        rf"\bINTO\s+{_VARIABLE}(?:\s*,\s*{_VARIABLE})*(?=\s+(?:FROM|FOR|LOCK)\b|\s*;?\s*\Z)",
        " ",
    ),
    (
        (
            r"\b(?:FORCE|IGNORE|USE)\s+(?:INDEX|KEY)(?:\s+FOR\s+(?:JOIN|ORDER\s+BY|GROUP\s+BY))?"
            r"\s*\([^()]*\)"
        ),
        " ",
    ),
    (r"\bPARTITION\s*\(\s*\w+(?:\s*,\s*\w+)*\s*\)", " "),
    (r"\bSELECT(?:\s+(?:STRAIGHT_JOIN|HIGH_PRIORITY|SQL_\w+))+", "SELECT"),
    (r"\b(?:REPLACE|IGNORE)\s+AS\s+SELECT\b", "AS SELECT"),
)
_BIGQUERY: tuple[_Rule, ...] = (
    (
        rf"\bFOR\s+SYSTEM_TIME\s+AS\s+OF\s+(?:TIMESTAMP\s*'[^']*'|\w+\s*{_PARENTHESES}|'[^']*'|@\w+)",
        " ",
    ),
    (r"\bCREATE\s+SNAPSHOT\s+TABLE\b", "CREATE TABLE"),
    (r"\b(?:rb|br)(?=['\"])", "b"),
    (
        r"(,|\bJOIN\b)\s*(\w+(?:\.\w+)+)\s+(?:AS\s+)?(\w+)\s+WITH\s+OFFSET\b",
        r"\1 UNNEST(\2) AS \3 WITH OFFSET",
    ),
    (rf"\bOPTIONS\s*{_PARENTHESES}", " "),
)
_SNOWFLAKE: tuple[_Rule, ...] = (
    (
        r"\b(?:AT|BEFORE)\s*\(\s*(?:TIMESTAMP|OFFSET|STATEMENT|STREAM)\s*=>(?:[^()]|\([^()]*\))*\)",
        " ",
    ),
    (r"\bCOPY\s+GRANTS\b", " "),
    (r"\bINTO\s+:\w+(?:\s*,\s*:\w+)*", " "),
    (
        (
            rf"\A\s*CREATE\s+(?:OR\s+REPLACE\s+)?STREAM\s+(?:IF\s+NOT\s+EXISTS\s+)?({_NAME})\s.*?\bON\s+"
            rf"(?:EXTERNAL\s+|DYNAMIC\s+)?(?:TABLE|VIEW)\s+({_NAME}).*\Z"
        ),
        r"CREATE MATERIALIZED VIEW \1 AS SELECT * FROM \2",  # a stream has rows that it keeps
    ),
)
_SPARK: tuple[_Rule, ...] = (
    (r"(\bPARTITION\s*\([^()]*\))\s+IF\s+NOT\s+EXISTS\b", r"\1"),
    (
        (
            r"\bINSERT\s+OVERWRITE\s+(?:LOCAL\s+)?DIRECTORY\s+(?:'[^']*'\s+)?(?:USING\s+\w+\s+)?"
            rf"(?:OPTIONS\s*{_PARENTHESES}\s*)?(?=SELECT|WITH|FROM)"
        ),
        " ",
    ),
    (
        rf"\b(?:SHALLOW|DEEP)\s+CLONE\s+({_NAME})(?:\s+(?:VERSION|TIMESTAMP)\s+AS\s+OF\s+\S+)?",
        r"AS SELECT * FROM \1",
    ),
    (r"\bREPEATABLE\s*\([^()]*\)", " "),
    (
        rf"\b(UNION|INTERSECT|EXCEPT|MINUS)((?:\s+(?:ALL|DISTINCT))?)\s+TABLE\s+({_NAME})",
        r"\1\2 SELECT * FROM \3",
    ),
)
# Options between the name of a table or a materialized view and its query.
_ORACLE_OPTIONS = (
    r"(?:NO)?PARALLEL(?:\s*\(\s*DEGREE\s+\S+\s*\)|\s+(?:\d+|\?))?|(?:NO)?LOGGING|(?:NO)?CACHE"
    r"|(?:ROW\s+STORE\s+|COLUMN\s+STORE\s+)?COMPRESS(?:\s+BASIC|\s+ADVANCED|\s+FOR\s+\w+"
    r"(?:\s+(?:LOW|HIGH))?)?|NOCOMPRESS|TABLESPACE\s+\w+|PCTFREE\s+\S+|BUILD\s+(?:IMMEDIATE|DEFERRED)"
    r"|(?:NEVER\s+)?REFRESH|FAST|COMPLETE|FORCE|ON\s+(?:COMMIT|DEMAND|STATEMENT)"
    r"|WITH\s+(?:PRIMARY\s+KEY|ROWID)|(?:ENABLE|DISABLE)\s+QUERY\s+REWRITE"
    r"|(?:ENABLE|DISABLE)\s+ROW\s+MOVEMENT"
)
_ORACLE: tuple[_Rule, ...] = (
    (
        (
            r"(\A\s*CREATE\s+(?:TABLE|MATERIALIZED\s+VIEW)\s+"
            rf"{_NAME}(?:\s*\([^()]*\))?)(?:\s+(?:{_ORACLE_OPTIONS}))+\s+AS\b"
        ),
        r"\1 AS",
    ),
    (r"\bLOG\s+ERRORS\b.*\Z", " "),
    (r"\bRETURN(?:ING)?\b(?:(?!\bSELECT\b).)*\bINTO\b.*\Z", " "),
    (
        r"\bDELETE\s+WHERE\b(.*?)(?=\bWHEN\s+(?:NOT\s+)?MATCHED\b|;?\s*\Z)",
        r" WHEN MATCHED AND \1 THEN DELETE ",
    ),
    (r"(\A\s*TRUNCATE\s+.*?)\s+(?:DROP|REUSE)\s+(?:ALL\s+)?STORAGE\b", r"\1"),
    (
        r"(\A\s*CREATE\s+(?:OR\s+REPLACE\s+)?)(?:(?:NO\s*)?FORCE|(?:NON)?EDITIONABLE|\s)+\bVIEW\b",
        r"\1 VIEW",
    ),
)
_RULES = {
    **dict.fromkeys(TSQL, _TSQL),
    "postgres": _POSTGRES,
    "redshift": _REDSHIFT,
    "mysql": _MYSQL,
    "bigquery": _BIGQUERY,
    "snowflake": _SNOWFLAKE,
    **dict.fromkeys(("spark", "databricks", "hive"), _SPARK),
    "oracle": _ORACLE,
}
# Sources in whose place others have the same tables, but not the same columns.
_SOURCES: dict[str, tuple[_Rule, ...]] = {
    **dict.fromkeys(
        TSQL,
        (
            (
                rf"\bCHANGETABLE\s*\(\s*(?:CHANGES|VERSION)\s+({_NAME})\s*,(?:[^()]|\([^()]*\))*\)",
                r"\1",
            ),
            (r"\bOPENROWSET\s*\(\s*BULK\b(?:[^()]|\([^()]*\))*\)", "(SELECT 1 AS BulkColumn)"),
        ),
    ),
    "postgres": ((rf"\b(?:JSON_TABLE|XMLTABLE)\s*{_ARGUMENTS}", "(SELECT 1 AS x)"),),
    "mysql": ((rf"\bJSON_TABLE\s*{_ARGUMENTS}", "(SELECT 1 AS x)"),),
    "duckdb": ((rf"\bAS\s+PIVOT\s+({_NAME})\s+ON\b.*\Z", r"AS SELECT * FROM \1"),),
}


def simplify_text(text: str, dialect: str, *, keeps_columns: bool = False) -> str:
    """Return a statement without the clauses that sqlglot does not parse.

    ``keeps_columns``: whether the columns stay the same too. Then some of the clauses remain.
    """
    plain = "".join(_plain_tokens(text, dialect))
    simple = plain
    for pattern, replacement in _patterns_of(dialect, keeps_columns=keeps_columns):
        simple = pattern.sub(replacement, simple)
    return text if simple == plain else simple


def _plain_tokens(text: str, dialect: str) -> Iterator[str]:
    """Yield the tokens of a text, in which no comment and no string is like a clause."""
    names_tables = dialect == "duckdb" or "IDENTIFIER" in text.upper()
    for token in tokenize_text(text, dialect):
        if token.kind == "comment":
            yield " "
        elif token.kind == "string" and not names_tables and token.text.endswith("'"):
            yield "'x'"
        else:
            yield token.text


@cache
def _patterns_of(dialect: str, *, keeps_columns: bool) -> list[tuple[re.Pattern[str], str]]:
    flags = re.IGNORECASE | re.DOTALL
    sources = () if keeps_columns else _SOURCES.get(dialect, ())
    rules = (*_ALL, *_RULES.get(dialect, ()), *sources)
    return [(re.compile(each, flags), to) for each, to in rules]
