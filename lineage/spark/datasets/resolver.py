"""Resolution of paths, tables and identifiers of a plan to named datasets."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineage import naming
from lineage.naming import DatasetName
from lineage.spark.document.arguments import Column, ConnectorTable, Files, Identifier, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

SESSION_CATALOG = "spark_catalog"
# Connectors whose tables have a name in the specification only with a location or a catalog.
NAMED_OTHERWISE = ("org.apache.spark.", "org.apache.iceberg.", "io.delta.")
PYTHON = "org.apache.spark.sql.execution.datasources.v2.python.PythonTable"


@dataclass(frozen=True)
class Dataset:
    """A dataset with the facts about it in a plan.

    ``tables`` are its other names, as a table, and ``table`` is its name in the catalog.
    ``locations`` are the paths that were read or written, if the name covers more than those.
    ``kind`` is FILE, TABLE, VIEW or TOPIC. ``is_presumed`` is true if the name is the default
    location of a new table, and no write there was observed. ``is_unlocated`` is true for a table
    of which only the name is known, not the location.
    """

    name: DatasetName
    kind: str
    tables: tuple[DatasetName, ...] = ()
    columns: tuple[Column, ...] = ()
    format: str | None = None
    locations: tuple[str, ...] = ()
    table: str | None = None
    is_presumed: bool = False
    is_unlocated: bool = False

    @property
    def display_label(self) -> str:
        """The table's name if it is a table, else the dataset's name."""
        return self.table or self.name.name

    def merge_with(self, other: Dataset) -> Dataset:
        """Return this dataset, completed by facts of the other."""
        return replace(
            self,
            tables=tuple(dict.fromkeys((*self.tables, *other.tables))),
            columns=self.columns or other.columns,
            format=self.format or other.format,
            locations=tuple(dict.fromkeys((*self.locations, *other.locations))),
            is_presumed=self.is_presumed and other.is_presumed,
        )


@dataclass(frozen=True)
class Unresolved:
    """A possible dataset in a plan, and the reason why it could not be named."""

    operator: str
    reason: str
    detail: str | None = None


ResolvedDataset = Dataset | Unresolved


@dataclass(frozen=True)
class DatasetResolver:
    """The rules for names of datasets, by the settings of the application (``app.conf``).

    ``topics`` are the topics that were read, by the index of the reading operator.
    """

    conf: Mapping[str, str] = field(default_factory=dict)
    topics: Mapping[int, tuple[str, ...]] = field(default_factory=dict)

    @property
    def _default_fs(self) -> str | None:
        return self.conf.get("fs.defaultFS")

    @property
    def _metastore_namespace(self) -> str | None:
        """The namespace of a remote metastore, which may have tables outside this warehouse."""
        if self.conf.get("spark.sql.catalogImplementation") != "hive":
            return None
        uris = self.conf.get("hive.metastore.uris")
        return naming.hive_namespace(uris) if uris else None

    @property
    def _warehouse_path(self) -> str:
        return self.conf.get("spark.sql.warehouse.dir") or "spark-warehouse"

    def resolve_path(self, path: str, file_format: str | None = None) -> Dataset:
        """Resolve a path to its dataset, and the path of a partition to the whole dataset."""
        exact = naming.of_path(self._absolute_path(path), self._default_fs)
        whole = exact._replace(name=naming.without_partitions(exact.name))
        parts = () if whole == exact else (path,)
        return Dataset(whole, "FILE", format=file_format, locations=parts)

    def _absolute_path(self, path: str) -> str:
        """Complete a relative path of a streaming query, as Hadoop does on local disks."""
        directory = self.conf.get("user.dir")
        is_local = (self._default_fs or "file:").startswith("file:")
        if directory and is_local and not re.match(r"/|[A-Za-z][\w+.-]*:", path):
            return f"{directory}/{path}"
        return path

    def resolve_files(self, operator: str, files: Files) -> Iterator[ResolvedDataset]:
        """Resolve the datasets of the files of a relation, each once."""
        datasets: dict[DatasetName, Dataset] = {}
        for path in files.paths:
            dataset = self.resolve_path(path, files.format)
            known = datasets.get(dataset.name)
            datasets[dataset.name] = known.merge_with(dataset) if known else dataset
        yield from datasets.values()
        if files.path_count is not None:
            detail = f"{len(files.paths)} of {files.path_count} paths are known"
            yield Unresolved(operator, "more paths than a plan document lists", detail)

    def resolve_table(self, table: Table, location: str | None = None) -> Dataset:
        """Resolve a session catalog table by its location, or else by its default location.

        ``location`` is a path in the command itself.
        """
        alias = self._catalog_alias(table.database, table.name)
        columns, kind = table.columns, "VIEW" if table.is_view else "TABLE"
        if table.is_view:
            return Dataset(alias, kind, columns=columns)
        if table.location:
            name = naming.of_uri(table.location, self._default_fs)
        elif location:
            name = naming.of_path(location, self._default_fs)
        else:
            name = self._default_location(table.database, table.name) or alias
        return Dataset(
            name,
            kind,
            self._catalog_aliases(alias, name),
            columns,
            table.provider,
            table=alias.name,
            is_presumed=not (table.location or location),
        )

    def at_location(self, dataset: Dataset, name: DatasetName) -> Dataset:
        """Move a table from its presumed location to its actual one."""
        alias = dataset.tables[0] if dataset.tables else dataset.name
        return replace(
            dataset, name=name, tables=self._catalog_aliases(alias, name), is_presumed=False
        )

    def move_to(self, dataset: Dataset, location: str) -> Dataset:
        """Move a table to another location, with its names in the catalog."""
        name = naming.of_path(location, self._default_fs)
        tables = dataset.tables
        if not tables and dataset.is_unlocated:
            tables = (dataset.name,)
        elif not tables and dataset.table:
            database, _, table = dataset.table.rpartition(".")
            tables = (self._catalog_alias(database, table),)
        return replace(dataset, name=name, tables=tables, is_presumed=False, is_unlocated=False)

    def resolve_new_table(self, identifier: Identifier, location: str | None = None) -> Dataset:
        """Resolve a new table by the location in the command, or else by Spark's default rule."""
        database = identifier.namespace[-1] if identifier.namespace else None
        if database == "delta" and "/" in identifier.name:
            return self.resolve_path(identifier.name, database)
        if identifier.catalog in (None, SESSION_CATALOG):
            known = None if location else identifier.location
            table = Table(None, database, identifier.name, None, None, known, ())
            return self.resolve_table(table, location)
        name = self._foreign_name(
            str(identifier.catalog), ".".join((*identifier.namespace, identifier.name))
        )
        dataset = Dataset(name, "TABLE")
        place = self._catalog_directory(identifier)
        if location:
            place = naming.of_path(location, self._default_fs)
        return replace(dataset, name=place, tables=(name,)) if place else dataset

    def resolve_existing_table(self, identifier: Identifier) -> Dataset:
        """Resolve an existing table; without a location, by its name alone.

        Its location need not be in the warehouse. With a shared metastore the reported location is
        ignored, because it may have changed since.
        """
        is_of_session = identifier.catalog in (None, SESSION_CATALOG)
        if self._metastore_namespace:
            return self.resolve_new_table(replace(identifier, location=None))
        dataset = self.resolve_new_table(identifier)
        return self._without_location(dataset) if is_of_session and dataset.is_presumed else dataset

    def resolve_optional_table(self, table: Table) -> Dataset:
        """Resolve a table of CREATE IF NOT EXISTS; a Hive table may have existed before."""
        dataset = self.resolve_table(table)
        is_persistent = self.conf.get("spark.sql.catalogImplementation") == "hive"
        if is_persistent and dataset.is_presumed and not self._metastore_namespace:
            return self._without_location(dataset)
        return dataset

    def _without_location(self, dataset: Dataset) -> Dataset:
        (alias,) = dataset.tables
        return replace(dataset, name=alias, tables=(), is_presumed=False, is_unlocated=True)

    def _catalog_directory(self, identifier: Identifier) -> DatasetName | None:
        """Return the directory of a table in an Iceberg catalog of type ``hadoop``."""
        key = f"spark.sql.catalog.{identifier.catalog}"
        warehouse = self.conf.get(f"{key}.warehouse")
        is_iceberg = self.conf.get(key, "").startswith("org.apache.iceberg.")
        if not (is_iceberg and warehouse and self.conf.get(f"{key}.type") == "hadoop"):
            return None
        path = "/".join((warehouse.rstrip("/"), *identifier.namespace, identifier.name))
        return naming.of_path(path, self._default_fs)

    def resolve_view(self, identifier: Identifier, columns: Iterable[Column] = ()) -> Dataset:
        """Resolve a view, which has no location."""
        database = identifier.namespace[-1] if identifier.namespace else None
        return Dataset(
            self._catalog_alias(database, identifier.name), "VIEW", columns=tuple(columns)
        )

    def connector_table(
        self,
        operator: str,
        table: ConnectorTable,
        identifier: Identifier | None,
        options: Mapping[str, str] | None = None,
    ) -> ResolvedDataset:
        """Resolve a table of the connector API by its location, or else by catalog and identifier.

        A table without a catalog is named by its source and the options it was read with.
        """
        if identifier and any("/" in part for part in (*identifier.namespace, identifier.name)):
            identifier = None  # a path instead of a name
        elif identifier:
            identifier = _without_selector(identifier, table)
        alias = self.resolve_new_table(identifier) if identifier and identifier.catalog else None
        provider = table.properties.get("provider")
        if location := table.properties.get("location"):
            name = naming.of_path(location, self._default_fs)
            if alias is None:
                return Dataset(name, "TABLE", format=provider)
            if alias.is_presumed:
                return replace(self.at_location(alias, name), format=provider)
            tables = alias.tables or (alias.name,)
            return replace(alias, name=name, tables=tables, format=provider)
        if alias:
            return replace(alias, format=provider)
        source = table.name if table.cls == PYTHON else table.cls
        if source.startswith(NAMED_OTHERWISE):
            return Unresolved(operator, "a connector's table without a location", table.cls)
        return Dataset(naming.of_source(source, table.name, options or {}), "TABLE")

    def _catalog_alias(self, database: str | None, name: str) -> DatasetName:
        namespace = self._metastore_namespace or naming.warehouse_namespace(
            self._warehouse_path, self._default_fs
        )
        return DatasetName(namespace, f"{database or 'default'}.{name}")

    def _default_location(self, database: str | None, name: str) -> DatasetName | None:
        """Return the default location of a table, in a database without a location of its own."""
        if self._metastore_namespace:
            return None  # locations of databases in a shared metastore are unknown
        folder = "" if database in (None, "default") else f"/{database}.db"
        return naming.of_uri(f"{self._warehouse_path.rstrip('/')}{folder}/{name}", self._default_fs)

    def _catalog_aliases(self, alias: DatasetName, name: DatasetName) -> tuple[DatasetName, ...]:
        """Return the alias if other applications can use it.

        Without a shared metastore, other applications can name only tables inside the warehouse.
        """
        warehouse = naming.of_uri(self._warehouse_path, self._default_fs)
        is_inside = warehouse.namespace == name.namespace and name.name.startswith(
            f"{warehouse.name}/"
        )
        return (alias,) if alias != name and (self._metastore_namespace or is_inside) else ()

    def _foreign_name(self, catalog: str, name: str) -> DatasetName:
        """Name a table of another catalog by its service, warehouse, or else the catalog's name."""
        key = f"spark.sql.catalog.{catalog}"
        if url := self.conf.get(f"{key}.url"):
            return naming.of_jdbc(url, name)
        if uri := self.conf.get(f"{key}.uri"):
            namespace = naming.hive_namespace(uri) if uri.startswith("thrift:") else None
            return DatasetName(namespace or naming.redact_url(uri).rstrip("/"), name)
        if warehouse := self.conf.get(f"{key}.warehouse"):
            return DatasetName(naming.warehouse_namespace(warehouse, self._default_fs), name)
        return DatasetName(catalog, name)


def _without_selector(identifier: Identifier, table: ConnectorTable) -> Identifier:
    """Return ``db.t`` for Iceberg's ``db.t.branch_b``, ``db.t.files`` and ``db.t.changes``.

    The table of a branch or tag is named ``db.t``; that of ``db.t.files`` is marked as metadata.
    """
    if table.properties.get("provider") != "iceberg" or not identifier.namespace:
        return identifier
    *namespace, last = identifier.namespace
    is_selected = table.name != identifier.name and table.name.endswith(f".{last}")
    if table.is_metadata or is_selected or table.cls.endswith(".SparkChangelogTable"):
        return replace(identifier, namespace=tuple(namespace), name=last)
    return identifier
