"""Files of a catalog: the columns, views and routines of a server, by their full names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from lineage.errors import InvalidEvent, UsageError
from lineage.readers.files import find_source_files, open_sources, read_table, table_columns
from lineage.readers.query_logs.forms.form import optional_text, required_text
from lineage.readers.scripts import change_time
from lineage.sql.dialects import traits_of
from lineage.sql.names import fold_stored
from lineage.sql.system_tables import is_system_table

if TYPE_CHECKING:
    from lineage.readers.files import OnBad, Record
    from lineage.sql.records import Name

ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson")

_LANGUAGES = frozenset({"", "SQL", "PLPGSQL"})
_TABLE = ("table_catalog", "table_schema", "table_name")
_MODULE = ("database_name", "schema_name", "object_name")


class Definition(NamedTuple):
    """The text of a view or routine. ``text``: None if it is not known, or not SQL."""

    place: str
    text: str | None


@dataclass
class CatalogFiles:
    """The content of the files of a catalog. ``time``: the last change of the newest file.

    Objects of the system are left out. A routine has a definition for each of its signatures.
    """

    dialect: str
    columns: dict[Name, list[tuple[int, str, str]]] = field(default_factory=dict)
    views: dict[Name, Definition] = field(default_factory=dict)
    routines: dict[Name, list[Definition]] = field(default_factory=dict)
    time: str = ""

    @classmethod
    def read_files(cls, sources: tuple[str, ...], dialect: str, on_bad: OnBad) -> CatalogFiles:
        """Read files by the names of their columns. Raises UsageError for an unknown form."""
        catalog = cls(dialect)
        for source in open_sources(find_source_files(sources, ENDINGS), on_bad):
            names = set(table_columns(source))
            add = next((add for known, add in _FORMS.items() if names >= set(known)), None)
            if add is None:
                raise UsageError(
                    f"{source.name} is not an export of a catalog.",
                    "Export information_schema.columns, .views or .routines, or object_name and"
                    " definition of sys.sql_modules.",
                )
            catalog.time = max(catalog.time, change_time(source.name))
            for number, record in read_table(source, on_bad):
                try:
                    add(catalog, record, f"{source.name}:{number}")
                except InvalidEvent as error:
                    on_bad(error)
        return catalog

    def _name_object(self, record: Record, names: tuple[str, str, str], place: str) -> Name | None:
        """Return the full name of an object; None if it is one of the system, or temporary.

        Raises InvalidEvent if the record lacks a part of the name.
        """
        database, *inside = names
        parts = [required_text(record, name, place) for name in inside]
        traits = traits_of(self.dialect)
        if traits.has_catalog_database:
            parts.insert(0, required_text(record, database, place))
        # MySQL's table_catalog is always def.
        elif not traits.has_two_levels and (text := optional_text(record, database)):
            parts.insert(0, text)
        name = tuple(fold_stored(part, self.dialect) for part in parts)
        is_temporary = self.dialect == "postgres" and name[-2].startswith("pg_temp_")
        return None if is_temporary or is_system_table(name, self.dialect) else name

    def _add_column(self, record: Record, place: str) -> None:
        if (table := self._name_object(record, _TABLE, place)) is not None:
            ordinal = optional_text(record, "ordinal_position")
            number = int(ordinal) if ordinal.isdigit() else 0
            column = required_text(record, "column_name", place)
            type = optional_text(record, "data_type")
            self.columns.setdefault(table, []).append((number, column, type))

    def _add_view(self, record: Record, place: str) -> None:
        if (view := self._name_object(record, _TABLE, place)) is not None:
            text = _read_definition(record, "view_definition", place)
            self.views[view] = Definition(place, text)

    def _add_routine(self, record: Record, place: str) -> None:
        # Snowflake has functions and procedures in two tables.
        kind = next(
            each for each in ("routine", "function", "procedure") if f"{each}_name" in record
        )
        names = f"{kind}_catalog", f"{kind}_schema", f"{kind}_name"
        if (routine := self._name_object(record, names, place)) is None:
            return
        definitions = self.routines.setdefault(routine, [])
        language = "external_language" if kind == "routine" else f"{kind}_language"
        if optional_text(record, language).upper() not in _LANGUAGES:
            # PostgreSQL: an IMMUTABLE function does no lookups in tables.
            is_pure = optional_text(record, "is_deterministic") == "YES"
            known = "" if is_pure and self.dialect == "postgres" else None
            definitions.append(Definition(place, known))
            return
        definitions.append(Definition(place, None))
        text = _read_definition(record, f"{kind}_definition", place)
        definitions[-1] = Definition(place, text)

    def _add_module(self, record: Record, place: str) -> None:
        if (name := self._name_object(record, _MODULE, place)) is None:
            return
        definition = Definition(place, _read_definition(record, "definition", place))
        if "VIEW" in optional_text(record, "type_desc").upper():
            self.views[name] = definition
        else:
            self.routines.setdefault(name, []).append(definition)


def _read_definition(record: Record, name: str, place: str) -> str:
    """Return the text of a view or routine. Raises InvalidEvent if the server did not report it."""
    if text := optional_text(record, name):
        return text
    raise InvalidEvent(
        f"{place}: {name} is empty.",
        "The role may not read it, or the body is BEGIN ATOMIC: export pg_get_functiondef().",
    )


_FORMS = {
    ("table_name", "column_name"): CatalogFiles._add_column,
    ("table_name", "view_definition"): CatalogFiles._add_view,
    ("routine_name", "routine_definition"): CatalogFiles._add_routine,
    ("function_name", "function_definition"): CatalogFiles._add_routine,
    ("procedure_name", "procedure_definition"): CatalogFiles._add_routine,
    ("object_name", "definition"): CatalogFiles._add_module,
}
