"""Full names of tables: completed by the current database, schema and search path."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.names import is_session_name
from lineage.sql.system_tables import system_schema

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from lineage.sql.records import Name, Statement

# Schemas of temporary tables.
_TEMPORARY_SCHEMAS = frozenset({"pg_temp", "temp", "global_temp", "_session"})


@dataclass(frozen=True)
class Place:
    """The context of names in a session: database, schemas, and the tables that are known.

    ``schemas`` are searched in order; ``start_schemas`` are those of the start of the session, and
    ``lasting_schemas`` those after the transaction if it has a search path of its own.
    ``attached`` are databases of DuckDB, each with the schema that it has from the start.
    ``tables`` are full names of a catalog; None if not known. ``schemas_of_tables`` are its schemas
    by database and table, ``known_schemas`` with their databases. ``created`` are the tables that
    the session created, if its path has several schemas.
    """

    dialect: str
    database: str | None = None
    schemas: tuple[str, ...] = ()
    tables: Collection[Name] | None = None
    start_schemas: tuple[str, ...] = ()
    lasting_schemas: tuple[str, ...] | None = None
    attached: tuple[Name, ...] = ()
    schemas_of_tables: Mapping[tuple[str, str], Collection[str]] = field(
        default_factory=dict, compare=False, repr=False
    )
    known_schemas: Collection[tuple[str, str]] = field(default=(), compare=False, repr=False)
    created: frozenset[Name] = frozenset()
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
        if traits_of(self.dialect).has_two_levels:
            return (self.database, *name) if len(name) == 1 and self.database else name
        if len(name) == 3:
            default = traits_of(self.dialect).schema_after_use
            return (name[0], default, name[2]) if not name[1] and default else name
        if len(name) == 2:
            if traits_of(self.dialect).has_tables_by_path and "/" in name[-1]:
                return name
            for database, *schema in self.attached:
                if database == name[0]:
                    return (database, *schema, name[1])
            return (self.database, *name) if self.database else name
        return self._complete_table(name)

    def _complete_table(self, name: Name) -> Name:
        schema = self._find_schema(name)
        if schema is None:
            return name
        return (self.database, schema, *name) if self.database else (schema, *name)

    def _find_schema(self, name: Name) -> str | None:
        """Return the schema of a name without one; None if the search path leaves it open.

        A schema before that of a new table may have a table of its name, unless a catalog has it.
        """
        if (schema := system_schema(name[0], self.dialect)) is not None:
            return schema
        if not self.schemas:
            return (self.database and traits_of(self.dialect).schema_after_use) or None
        if len(self.schemas) == 1:
            return None if self._is_elsewhere(name[0]) else self.schemas[0]
        database = (self.database,) if self.database else ()
        is_known = True
        for schema in self.schemas:
            complete = (*database, schema, *name)
            if complete in (self.tables or ()) or (is_known and complete in self.created):
                return schema
            is_known = is_known and (self.database, schema) in self.known_schemas
        return None

    def complete_new_name(self, name: Name) -> Name:
        """Return the full name of a table that a statement creates."""
        if len(name) != 1 or not self._has_path or (schema := self._find_first_schema()) is None:
            return self.complete_name(name)
        return (self.database, schema, *name) if self.database else (schema, *name)

    def complete_renamed(self, old: Name, new: Name) -> tuple[Name, Name]:
        """Return the full names of a table that is renamed; in PostgreSQL, it keeps its schema."""
        complete = self.complete_name(old)
        if traits_of(self.dialect).has_fixed_database and len(new) == 1 < len(complete):
            return complete, (*complete[:-1], *new)
        return complete, self.complete_name(new)

    @property
    def _has_path(self) -> bool:
        """Whether a search path of PostgreSQL has several schemas."""
        return traits_of(self.dialect).has_fixed_database and len(self.schemas) > 1

    def _find_first_schema(self) -> str | None:
        """Return the first schema of the path; None if the catalog does not show that it exists."""
        first = self.schemas[0]
        databases = {database for database, _ in self.known_schemas}
        is_missing = (self.database, first) not in self.known_schemas
        if first.startswith(("pg_", "$")) or (is_missing and self.database in databases):
            return None
        return first

    def change_tables(self, created: Collection[Name], removed: Collection[Name]) -> Place:
        """Return the place after a statement that creates and removes tables."""
        if not self._has_path or not (created or self.created.intersection(removed)):
            return self
        return replace(self, created=self.created.difference(removed).union(created))

    @property
    def is_at_start(self) -> bool:
        """Whether the search path is that of the start of the session."""
        return self.schemas == self.start_schemas

    def _is_elsewhere(self, table: str) -> bool:
        """Return whether only other schemas than that of the start have a table.

        Then the path may be another one, by an option of the connection or of its role.
        """
        is_fixed = traits_of(self.dialect).has_fixed_database
        if not is_fixed or not self.is_at_start or not self.database:
            return False
        known = self.schemas_of_tables.get((self.database, table), self.schemas)
        return self.schemas[0] not in known

    def is_ambiguous(self, name: Name) -> bool:
        """Return whether the schema of a name depends on tables that are not known."""
        is_short = len(name) == 1 and not is_session_name(name, self.dialect)
        return is_short and bool(self.schemas) and self._find_schema(name) is None

    def temporary_key(self, name: Name) -> Name:
        """Return the name by which a session finds a temporary table."""
        if len(name) == 1 and self.dialect not in ("snowflake", "mysql"):
            return name
        if name[0].lower() in _TEMPORARY_SCHEMAS:
            return name[-1:]
        return self.complete_name(name)

    def apply_statement(self, statement: Statement) -> Place:
        """Return the place after a statement, such as USE or SET search_path."""
        place = self._apply_path(statement)
        if (attached := statement.attaches) is not None or statement.detaches:
            name = attached[0] if attached else statement.detaches
            others = tuple(each for each in self.attached if each[0] != name)
            place = replace(place, attached=(*others, attached) if attached else others)
        if statement.may_use is not None:
            is_local = statement.lasts_until == "commit"
            place = place._may_use(statement.may_use, is_local=is_local)
        return place if statement.use is None else place._use_database(statement.use)

    def end_transaction(self) -> Place:
        """Return the place after a transaction, which may have had a search path of its own."""
        if self.lasting_schemas is None:
            return self
        return replace(self, schemas=self.lasting_schemas, lasting_schemas=None)

    def open_local_path(self) -> Place:
        """Return the place if it is not certain whether the transaction with its path has ended."""
        if self.lasting_schemas in (None, self.schemas):
            return self
        return self._apply_schemas((), is_local=True)

    def _apply_path(self, statement: Statement) -> Place:
        path = statement.search_path
        if path is None and "search_path" in statement.resets:
            path = self.start_schemas
        if path is None:
            return self
        return self._apply_schemas(path, is_local=statement.lasts_until == "commit")

    def _apply_schemas(self, schemas: tuple[str, ...], *, is_local: bool) -> Place:
        lasting = self.schemas if self.lasting_schemas is None else self.lasting_schemas
        return replace(self, schemas=schemas, lasting_schemas=lasting if is_local else None)

    def _use_database(self, use: Name) -> Place:
        default = traits_of(self.dialect).schema_after_use
        if len(use) == 1 and traits_of(self.dialect).uses_schemas:
            return replace(self, schemas=use)
        attached = next((each for each in self.attached if each[0] == use[0]), None)
        if len(use) == 1 and attached:
            return replace(self, database=use[0], schemas=attached[1:])
        if len(use) == 1:
            schemas = (default,) if default and self.dialect not in TSQL else self.schemas
            return replace(self, database=use[0], schemas=schemas)
        database = use[0] or self.database
        return replace(self, database=database, schemas=(use[1],))

    def _may_use(self, use: Name, *, is_local: bool) -> Place:
        """Return the place if it is not certain whether the database or schema is used."""
        if traits_of(self.dialect).has_fixed_database:
            return self._apply_schemas((), is_local=is_local)
        used = self._use_database(use)
        if used.database != self.database:
            return replace(self, database=None, schemas=())
        return replace(self, schemas=tuple(dict.fromkeys((*used.schemas, *self.schemas))))


def ambiguous_schema(table: str) -> str:
    """Return why the schema of a table is not known."""
    return f"the schema of {table} depends on the search path"
