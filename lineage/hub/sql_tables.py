"""The tables that the SQL text of an observation reads and writes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.hub.loading import loading_modules

if TYPE_CHECKING:
    from lineage.hub.events import RelationalIo

# Dialects of sqlglot by the scheme of the namespace, or by the namespace itself.
_DIALECTS = {
    "bigquery": "bigquery",
    "databricks": "databricks",
    "duckdb": "duckdb",
    "hive": "hive",
    "mssql": "tsql",
    "mysql": "mysql",
    "oracle": "oracle",
    "postgres": "postgres",
    "postgresql": "postgres",
    "redshift": "redshift",
    "snowflake": "snowflake",
    "spark": "spark",
    "sqlite": "sqlite",
    "sqlserver": "tsql",
    "trino": "trino",
}


@dataclass
class SqlTables:
    """Names of tables; ``outputs`` have the tables that their values use.

    ``views``: the outputs that are only defined, without rows.
    ``unresolved``: sentences about what the text does not determine.
    """

    inputs: list[str] = field(default_factory=list)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    views: set[str] = field(default_factory=set)
    drops: list[str] = field(default_factory=list)
    renames: list[tuple[str, str]] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)


def read_tables(payload: RelationalIo) -> SqlTables:
    """Read the SQL of an observation in the dialect of its namespace."""
    scheme = payload.namespace.partition(":")[0].lower()
    dialect = _DIALECTS.get(scheme)
    if dialect is None:
        return SqlTables(unresolved=[f'The dialect of "{scheme}" is not known.'])
    with loading_modules():  # sqlglot, in the thread of a sink
        from lineage.sql import Session, merge_effects, read_statements

    session = Session(dialect, payload.catalog, payload.schema)
    statements = read_statements(payload.sql or "", dialect)
    effect = merge_effects([session.apply_statement(each) for each in statements])
    tables = SqlTables(unresolved=list(dict.fromkeys(effect.unresolved)))
    tables.inputs = list(dict.fromkeys(map(".".join, effect.reads)))
    for flow in effect.flows:
        sources = tables.outputs.setdefault(".".join(flow.target), [])
        sources += [name for each in flow.sources if (name := ".".join(each)) not in sources]
    rows = {".".join(flow.target) for flow in effect.flows if not flow.is_view}
    tables.views = tables.outputs.keys() - rows
    tables.drops = [name for each in effect.drops if (name := ".".join(each)) not in tables.outputs]
    tables.renames = [(".".join(old), ".".join(new)) for old, new in effect.renames]
    return tables
