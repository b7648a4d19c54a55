"""What distinguishes the SQL dialects, by their names in sqlglot."""

from __future__ import annotations

from dataclasses import dataclass

TSQL = frozenset({"tsql"})


@dataclass(frozen=True)
class Traits:
    """What distinguishes a dialect. The defaults are what most dialects have."""

    # `"…"` is a string, and names are in backticks.
    has_double_quoted_strings: bool = False
    # A backslash escapes in strings.
    has_backslash_escapes: bool = False


_MOST = Traits()
_TRAITS = {
    "snowflake": Traits(
        has_backslash_escapes=True,
    ),
    "bigquery": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
    ),
    "spark": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
    ),
    "databricks": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
    ),
    "hive": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
    ),
    "mysql": Traits(
        has_double_quoted_strings=True,
        has_backslash_escapes=True,
    ),
    "clickhouse": Traits(
        has_backslash_escapes=True,
    ),
}


def traits_of(dialect: str | None) -> Traits:
    """Return the traits of a dialect; of others, such as None, those of most."""
    return _TRAITS.get(dialect or "", _MOST)
