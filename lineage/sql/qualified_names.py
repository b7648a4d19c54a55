"""Full names of tables: completed by the current database, schema and search path."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineage.sql.lexer import TSQL
from lineage.sql.names import is_session_name
from lineage.sql.system_tables import system_schema

if TYPE_CHECKING:
    from collections.abc import Collection

    from lineage.sql.records import Name, Statement

# Dialects with two levels of names: database and table.
_TWO_LEVELS = frozenset({"mysql", "hive"})
# Dialects in which USE with one part names a schema.
_USE_SCHEMA = frozenset({"spark", "databricks", "trino"})
# The schema that a database has from the start, where USE of a database selects it.
_DEFAULT_SCHEMAS = {"tsql": "dbo", "fabric": "dbo", "snowflake": "PUBLIC", "duckdb": "main"}
# Schemas of temporary tables.
_TEMPORARY_SCHEMAS = frozenset({"pg_temp", "temp", "global_temp"})


@dataclass(frozen=True)
class Place:
    """What completes names in a session: database, schemas, and the tables that are known.

    ``schemas`` are searched in order. ``tables`` are full names of a catalog; None if not known.
    """

    dialect: str
    database: str | None = None
    schemas: tuple[str, ...] = ()
    tables: Collection[Name] | None = None
    _complete: dict[Name, Name] = field(default_factory=dict, init=False, compare=False, repr=False)

    def complete_name(self, name: Name) -> Name:
        """Return the name with as many of database and schema as are known."""
        complete = self._complete.get(name)
        if complete is None:
            complete = self._complete[name] = self._complete_name(name)
        return complete

    def _complete_name(self, name: Name) -> Name:
        if is_session_name(name, self.dialect) or len(name) > 3:
            return name
        if self.dialect in _TWO_LEVELS:
            return (self.database, *name) if len(name) == 1 and self.database else name
        if len(name) == 3:
            default = _DEFAULT_SCHEMAS.get(self.dialect)
            return (name[0], default, name[2]) if not name[1] and default else name
        if len(name) == 2:
            return (self.database, *name) if self.database else name
        return self._complete_table(name)

    def _complete_table(self, name: Name) -> Name:
        schema = self._find_schema(name)
        if schema is None:
            return name
        return (self.database, schema, *name) if self.database else (schema, *name)

    def _find_schema(self, name: Name) -> str | None:
        """Return the schema of a name without one; None if the search path leaves it open."""
        if (schema := system_schema(name[0], self.dialect)) is not None:
            return schema
        if not self.schemas:
            return _DEFAULT_SCHEMAS.get(self.dialect) if self.database else None
        if len(self.schemas) == 1:
            return self.schemas[0]
        database = (self.database,) if self.database else ()
        for schema in self.schemas:
            if (*database, schema, *name) in (self.tables or ()):
                return schema
        return None

    def is_ambiguous(self, name: Name) -> bool:
        """Return whether the schema of a name depends on tables that are not known."""
        is_short = len(name) == 1 and not is_session_name(name, self.dialect)
        return is_short and len(self.schemas) > 1 and self._find_schema(name) is None

    def temporary_key(self, name: Name) -> Name:
        """Return the name by which a session finds a temporary table."""
        if len(name) == 1 and self.dialect not in ("snowflake", "mysql"):
            return name
        if name[0].lower() in _TEMPORARY_SCHEMAS:
            return name[-1:]
        return self.complete_name(name)

    def apply_use(self, statement: Statement) -> Place:
        """Return the place after USE or SET search_path."""
        if statement.search_path is not None:
            return replace(self, schemas=statement.search_path)
        use = statement.use
        if use is None:
            return self
        default = _DEFAULT_SCHEMAS.get(self.dialect)
        if len(use) == 1 and self.dialect in _USE_SCHEMA:
            return replace(self, schemas=use)
        if len(use) == 1:
            schemas = (default,) if default and self.dialect not in TSQL else self.schemas
            return replace(self, database=use[0], schemas=schemas)
        database = use[0] or self.database
        return replace(self, database=database, schemas=(use[1],))
