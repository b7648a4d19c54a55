"""The arguments of operators, the objects in ``args``, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.spark.document.json_fields import Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True)
class Column:
    """A column of a table; its type is Spark's ``catalogString``."""

    name: str
    type: str
    comment: str | None = None


@dataclass(frozen=True)
class ExpressionRef:
    """An index in the plan's expressions."""

    index: int


@dataclass(frozen=True)
class PlanRef:
    """An index in the plan's nodes."""

    index: int


@dataclass(frozen=True)
class Files:
    """Files that Spark reads. ``path_count`` is set if not all paths are listed.

    ``for_schema`` is true if Spark reads the files only to infer their columns. ``options`` are the
    names of the reader's options, in lower case.
    """

    format: str | None
    paths: tuple[str, ...]
    path_count: int | None = None
    for_schema: bool = False
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table or view of the session catalog."""

    catalog: str | None
    database: str | None
    name: str
    type: str | None
    provider: str | None
    location: str | None
    columns: tuple[Column, ...] = ()

    @property
    def is_view(self) -> bool:
        return self.type == "VIEW"

    @property
    def is_external(self) -> bool:
        return self.type == "EXTERNAL"


@dataclass(frozen=True)
class Identifier:
    """The name of a table without its definition.

    ``location`` is set if earlier plans of the application determine it. ``is_managed`` is true if
    they show that DROP removes the files of the table.
    """

    catalog: str | None
    namespace: tuple[str, ...]
    name: str
    location: str | None = None
    is_managed: bool = False


@dataclass(frozen=True)
class ConnectorTable:
    """A table of the connector API (DataSource V2).

    ``is_metadata`` is true if its rows describe another table, for example its snapshots or files.
    ``properties`` are then those of that table.
    ``generated`` maps each column that the table computes on write to the paths of its source
    columns.
    """

    cls: str
    name: str
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    is_metadata: bool = False
    generated: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Jdbc:
    """The input of a JDBC relation: a table (or a subquery in its place) or a query.

    ``prepare`` precedes the query: the WITH clause, for databases that allow none in a subquery.
    """

    url: str
    dbtable: str | None
    query: str | None
    prepare: str | None = None


@dataclass(frozen=True)
class Relation:
    """A relation by its class, with its options if they are known."""

    cls: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class RddRoot:
    """An RDD without parents: its class, and its paths if it has any.

    ``more`` is true if there are paths that are not listed.
    """

    cls: str
    paths: tuple[str, ...] = ()
    more: bool = False


@dataclass(frozen=True)
class Rdd:
    """An RDD and its roots; operators with the same RDD have the same rows.

    ``source`` is ``kafka`` if Kafka's connector created it from the records of topics.
    """

    id: int
    roots: tuple[RddRoot, ...] = ()
    source: str | None = None


@dataclass(frozen=True)
class Source:
    """A data source by its name."""

    provider: str


@dataclass(frozen=True)
class Catalog:
    """A catalog by its name in the settings."""

    name: str


@dataclass(frozen=True)
class Other:
    """An object known only by its class, with its arguments if the class is one of Spark's."""

    cls: str
    args: Mapping[str, Value] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Schema:
    columns: tuple[Column, ...]


Value: TypeAlias = (
    "ExpressionRef | PlanRef | Files | Table | Identifier | ConnectorTable | Jdbc | Relation"
    " | Catalog | Rdd | Source | Other | Schema | str | bool | float | tuple[Value, ...]"
    " | dict[str, Value] | None"
)


def read_value(raw: Any, path: str) -> Value:
    """Parse one value of ``args``; raise InvalidEvent if a known object lacks a field."""
    if raw is None or isinstance(raw, bool | str):
        return raw
    if isinstance(raw, int):
        return ExpressionRef(raw)
    if isinstance(raw, list):
        return tuple(read_value(item, f"{path}[{place}]") for place, item in enumerate(raw))
    return _read_object(Fields(raw, path))


def read_values(fields: Fields) -> dict[str, Value]:
    """Parse all values of an object of arguments."""
    return {name: read_value(raw, fields.path_of(name)) for name, raw in fields.value.items()}


def _read_object(fields: Fields) -> Value:
    kind = next(iter(fields.value), None)
    if kind == "value":
        number = fields.value["value"]
        return number if isinstance(number, int | float) else None
    if kind == "plan":
        return PlanRef(fields.require("plan", int))
    if kind == "class":
        args = fields.get_part("args") if "args" in fields.value else None
        return Other(fields.require("class", str), read_values(args) if args else {})
    if kind == "schema":
        return Schema(read_columns(fields, "schema"))
    if kind == "map":
        return read_values(fields.get_part("map"))
    read = READERS.get(kind or "")
    return read(fields.get_part(kind or "")) if read else Other(kind or "object")


def read_columns(fields: Fields, key: str) -> tuple[Column, ...]:
    """Parse ``[[name, type, nullable, comment?], …]``."""
    return tuple(_read_rows(fields.get_optional(key, list) or []))


def _read_rows(rows: list[Any]) -> Iterator[Column]:
    for row in rows:
        if isinstance(row, list) and len(row) >= 2:
            name, type, *rest = row
            yield Column(str(name), str(type), str(rest[1]) if len(rest) > 1 else None)


def _read_files(of: Fields) -> Files:
    # Spark disables globbing of the resolved paths when it infers the columns of a reader.
    looks = of.get_text("format") == "text" and any(
        key.lower() == "__globpaths__" and value == "false"
        for key, value in of.get_strings("options").items()
    )
    return Files(
        of.get_text("format"),
        of.get_texts("paths"),
        of.get_optional("pathCount", int),
        looks,
        tuple(sorted({key.lower() for key in of.get_strings("options")})),
    )


def _read_table(of: Fields) -> Table:
    return Table(
        catalog=of.get_text("catalog"),
        database=of.get_text("database"),
        name=of.require("name", str),
        type=of.get_text("type"),
        provider=of.get_text("provider"),
        location=of.get_text("location"),
        columns=read_columns(of, "columns"),
    )


def _read_identifier(of: Fields) -> Identifier:
    name = of.require("name", str)
    return Identifier(
        of.get_text("catalog"),
        of.get_texts("namespace"),
        name,
        of.get_text("location"),
        of.get_optional("managed", bool) or False,
    )


def _connector_table(of: Fields) -> ConnectorTable:
    return ConnectorTable(
        of.require("class", str),
        of.get_text("name") or "",
        of.get_strings("properties"),
        of.get_optional("metadata", bool) or False,
        _read_generated(of.get_part("generated")) if "generated" in of.value else {},
    )


def _read_generated(of: Fields) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {
        name: tuple(
            tuple(part for part in path if isinstance(part, str))
            for path in of.get_optional(name, list) or ()
            if isinstance(path, list)
        )
        for name in of.value
    }


def _read_jdbc(of: Fields) -> Jdbc:
    return Jdbc(
        of.require("url", str),
        of.get_text("dbtable"),
        of.get_text("query"),
        of.get_text("prepareQuery"),
    )


def _read_relation(of: Fields) -> Relation:
    options = of.get_strings("options")
    return Relation(of.require("class", str), {key.lower(): options[key] for key in options})


def _read_rdd(of: Fields) -> Rdd:
    return Rdd(
        of.require("id", int),
        tuple(map(_read_rdd_root, of.get_parts("roots"))),
        of.get_text("source"),
    )


def _read_rdd_root(of: Fields) -> RddRoot:
    return RddRoot(
        of.require("class", str), of.get_texts("paths"), of.get_optional("more", bool) or False
    )


def _read_source(of: Fields) -> Source:
    return Source(of.require("provider", str))


def _read_catalog(of: Fields) -> Catalog:
    return Catalog(of.require("name", str))


READERS: dict[str, Callable[[Fields], Value]] = {
    "files": _read_files,
    "table": _read_table,
    "identifier": _read_identifier,
    "v2": _connector_table,
    "jdbc": _read_jdbc,
    "relation": _read_relation,
    "rdd": _read_rdd,
    "catalog": _read_catalog,
    "source": _read_source,
}
