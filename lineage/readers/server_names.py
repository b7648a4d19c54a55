"""Names of datasets of a server, by the OpenLineage naming spec."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.compaction import ColumnLineage
from lineage.errors import UsageError
from lineage.naming import DatasetName, of_path, redact_url
from lineage.sql.written_columns import decode_table

if TYPE_CHECKING:
    from lineage.columns.algebra import Deps
    from lineage.sql.records import Name

# The parts of a full name of a table without the server, at most.
_MAX_PARTS = 3
# Those of a table of Spark by its path: parquet.`s3://bucket/path`.
_PARTS_OF_PATH = 2
_URL = re.compile(r"[A-Za-z][\w+.-]*:/")


@dataclass(frozen=True)
class ServerNames:
    """The namespace of a server. A linked server has the same scheme and its own host."""

    namespace: str
    _known: dict[Name, DatasetName] = field(default_factory=dict, compare=False, repr=False)

    def name_dataset(self, parts: Name) -> DatasetName:
        """Return the name of a table; four parts begin with a linked server."""
        name = self._known.get(parts)
        if name is None:
            name = self._known[parts] = self._build_name(parts)
        return name

    def name_columns(self, columns: ColumnLineage | None) -> ColumnLineage | None:
        """Return the sources of columns with the names of their datasets."""
        if columns is None:
            return None

        def name_source(source: algebra.Source) -> Deps:
            assert isinstance(source, algebra.Field)
            named = self.name_dataset(decode_table(source.dataset))
            return algebra.of_source(source._replace(dataset=named))

        fields = {
            column: algebra.substitute_sources(deps, name_source)
            for column, deps in columns.fields.items()
        }
        rows = algebra.substitute_sources(columns.rows, name_source)
        return ColumnLineage(fields, rows, columns.is_widened)

    def _build_name(self, parts: Name) -> DatasetName:
        if len(parts) > _MAX_PARTS and parts[0]:
            scheme = self.namespace.partition("://")[0]
            return DatasetName(f"{scheme}://{parts[0].lower()}", ".".join(parts[1:]))
        if len(parts) == _PARTS_OF_PATH and _URL.match(parts[-1]):
            return of_path(parts[-1])
        return DatasetName(self.namespace, ".".join(part for part in parts if part))


def check_namespace(namespace: str) -> str:
    """Return a namespace without credentials. Raises UsageError if it is empty."""
    plain = redact_url(namespace.strip().rstrip("/"))
    if not plain:
        raise UsageError("The namespace is empty.", "Give the server: postgres://HOST:5432.")
    return plain
