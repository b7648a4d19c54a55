"""What distinguishes the SQL dialects, by their names in sqlglot."""

from __future__ import annotations

from dataclasses import dataclass

TSQL = frozenset({"tsql"})


@dataclass(frozen=True)
class Traits:
    """What distinguishes a dialect. The defaults are what most dialects have."""

    # `"…"` is a string, and names are in backticks.
    has_double_quoted_strings: bool = False


_MOST = Traits()
_TRAITS = {
    "bigquery": Traits(
        has_double_quoted_strings=True,
    ),
    "spark": Traits(
        has_double_quoted_strings=True,
    ),
    "databricks": Traits(
        has_double_quoted_strings=True,
    ),
    "hive": Traits(
        has_double_quoted_strings=True,
    ),
    "mysql": Traits(
        has_double_quoted_strings=True,
    ),
}


def traits_of(dialect: str | None) -> Traits:
    """Return the traits of a dialect; of others, such as None, those of most."""
    return _TRAITS.get(dialect or "", _MOST)
