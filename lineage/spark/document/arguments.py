"""The arguments of operators: what an object in ``args`` holds, as frozen records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.spark.document.json_fields import Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


@dataclass(frozen=True)
class Column:
    """A column of a table: its type is Spark's ``catalogString``."""

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
    """Files as Spark reads them. ``path_count`` is set where not all paths are listed.

    ``for_schema``: Spark's own look at the text of files whose columns it wants to know.
    """

    format: str | None
    paths: tuple[str, ...]
    path_count: int | None = None
    for_schema: bool = False


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


@dataclass(frozen=True)
class Identifier:
    """The name of a table, without the table; ``location`` where earlier plans told it."""

    catalog: str | None
    namespace: tuple[str, ...]
    name: str
    location: str | None = None


@dataclass(frozen=True)
class ConnectorTable:
    """A table of the connector API (DataSource V2).

    ``is_metadata``: its rows tell of another table (its snapshots, its files), whose properties
    these are. ``generated`` are the columns that the table makes of others as rows are written,
    with the paths of those.
    """

    cls: str
    name: str
    properties: Mapping[str, str] = field(default_factory=dict, hash=False)
    is_metadata: bool = False
    generated: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Jdbc:
    """What a JDBC relation reads: a table (or a subquery in its place) or a query.

    ``prepare`` is put before the query: the WITH clause of databases that take none in a subquery.
    """

    url: str
    dbtable: str | None
    query: str | None
    prepare: str | None = None


@dataclass(frozen=True)
class Relation:
    """A relation by its class, with the options that it was made with where they are known."""

    cls: str
    options: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class RddRoot:
    """An RDD that stands on no other: its class, and the paths that it reads where it says.

    ``more`` is true where there are paths that are not listed.
    """

    cls: str
    paths: tuple[str, ...] = ()
    more: bool = False


@dataclass(frozen=True)
class Rdd:
    """An RDD and what it starts from: operators that hold the same one have the same rows.

    ``source`` is ``kafka`` where Kafka's connector made it of the records of topics.
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
    """What only its class is known of, with its own arguments where it is one of Spark's."""

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


def value(raw: Any, path: str) -> Value:
    """Read one value of ``args``; raise InvalidEvent where a known object lacks a field."""
    if raw is None or isinstance(raw, bool | str):
        return raw
    if isinstance(raw, int):
        return ExpressionRef(raw)
    if isinstance(raw, list):
        return tuple(value(item, f"{path}[{place}]") for place, item in enumerate(raw))
    return _object(Fields(raw, path))


def values(fields: Fields) -> dict[str, Value]:
    """Read all values of an object of arguments."""
    return {name: value(raw, fields.at(name)) for name, raw in fields.value.items()}


def _object(fields: Fields) -> Value:
    kind = next(iter(fields.value), None)
    if kind == "value":
        number = fields.value["value"]
        return number if isinstance(number, int | float) else None
    if kind == "plan":
        return PlanRef(fields.need("plan", int))
    if kind == "class":
        args = fields.part("args") if "args" in fields.value else None
        return Other(fields.need("class", str), values(args) if args else {})
    if kind == "schema":
        return Schema(columns(fields, "schema"))
    if kind == "map":
        return values(fields.part("map"))
    read = READERS.get(kind or "")
    return read(fields.part(kind or "")) if read else Other(kind or "object")


def columns(fields: Fields, key: str) -> tuple[Column, ...]:
    """Read ``[[name, type, nullable, comment?], …]``."""
    return tuple(_columns(fields.take(key, list) or []))


def _columns(rows: list[Any]) -> Iterator[Column]:
    for row in rows:
        if isinstance(row, list) and len(row) >= 2:
            name, type, *rest = row
            yield Column(str(name), str(type), str(rest[1]) if len(rest) > 1 else None)


def _files(of: Fields) -> Files:
    # Spark resolves the paths of a reader, and tells its own look at them not to do it again.
    looks = of.text("format") == "text" and any(
        key.lower() == "__globpaths__" and value == "false"
        for key, value in of.strings("options").items()
    )
    return Files(of.text("format"), of.texts("paths"), of.take("pathCount", int), looks)


def _table(of: Fields) -> Table:
    return Table(
        catalog=of.text("catalog"),
        database=of.text("database"),
        name=of.need("name", str),
        type=of.text("type"),
        provider=of.text("provider"),
        location=of.text("location"),
        columns=columns(of, "columns"),
    )


def _identifier(of: Fields) -> Identifier:
    name = of.need("name", str)
    return Identifier(of.text("catalog"), of.texts("namespace"), name, of.text("location"))


def _connector_table(of: Fields) -> ConnectorTable:
    return ConnectorTable(
        of.need("class", str),
        of.text("name") or "",
        of.strings("properties"),
        of.take("metadata", bool) or False,
        _generated(of.part("generated")) if "generated" in of.value else {},
    )


def _generated(of: Fields) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {
        name: tuple(
            tuple(part for part in path if isinstance(part, str))
            for path in of.take(name, list) or ()
            if isinstance(path, list)
        )
        for name in of.value
    }


def _jdbc(of: Fields) -> Jdbc:
    return Jdbc(of.need("url", str), of.text("dbtable"), of.text("query"), of.text("prepareQuery"))


def _relation(of: Fields) -> Relation:
    options = of.strings("options")
    return Relation(of.need("class", str), {key.lower(): options[key] for key in options})


def _rdd(of: Fields) -> Rdd:
    return Rdd(of.need("id", int), tuple(map(_root, of.parts("roots"))), of.text("source"))


def _root(of: Fields) -> RddRoot:
    return RddRoot(of.need("class", str), of.texts("paths"), of.take("more", bool) or False)


def _source(of: Fields) -> Source:
    return Source(of.need("provider", str))


def _catalog(of: Fields) -> Catalog:
    return Catalog(of.need("name", str))


READERS: dict[str, Callable[[Fields], Value]] = {
    "files": _files,
    "table": _table,
    "identifier": _identifier,
    "v2": _connector_table,
    "jdbc": _jdbc,
    "relation": _relation,
    "rdd": _rdd,
    "catalog": _catalog,
    "source": _source,
}
