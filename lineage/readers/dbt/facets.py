"""Facets of OpenLineage that describe datasets and jobs of dbt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.readers.facets import build_facet
from lineage.redaction import is_secret_name, redact_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.openlineage.facet_schemas import Holder
    from lineage.readers.dbt.files import CatalogTable, ColumnInfo
    from lineage.readers.facets import Facets

# Types of datasets by materialization, and by the type in the catalog.
_TYPES = {
    "table": ("TABLE", None),
    "incremental": ("TABLE", None),
    "base table": ("TABLE", None),
    "dynamic_table": ("TABLE", "DYNAMIC"),
    "view": ("VIEW", None),
    "materialized_view": ("VIEW", "MATERIALIZED"),
    "materialized view": ("VIEW", "MATERIALIZED"),
}

# Write modes by type of node or materialization, and by strategy of an incremental model.
_MODES = {
    "table": "overwrite",
    "view": "overwrite",
    "seed": "overwrite",
    "snapshot": "update",
}
_STRATEGIES = {
    "append": "append",
    "merge": "update",
    "delete+insert": "update",
    "microbatch": "update",
    "insert_overwrite": "overwrite_partitions",
}


def description_facet(description: str | None, holder: Holder) -> Facets:
    """Return the description of a dataset or a job, or nothing."""
    if not description or not description.strip():
        return {}
    return build_facet("documentation", holder, description=description.strip())


def tags_facet(tags: Iterable[str], meta: Mapping[str, Any], holder: Holder) -> Facets:
    """Return the tags of a node, and the plain values of its ``meta`` as tags with a value.

    Owners are a facet of their own. Values of keys that name secrets are left out.
    """
    entries = [{"key": tag, "value": "true", "source": "DBT"} for tag in dict.fromkeys(tags)]
    entries += [
        {"key": key, "value": _tag_value(value), "source": "DBT_META"}
        for key, value in sorted(meta.items())
        if key != "owner" and isinstance(value, str | int | float) and not is_secret_name(key)
    ]
    return build_facet("tags", holder, tags=entries) if entries else {}


def _tag_value(value: str | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return redact_text(str(value))


def owners_facet(owners: Iterable[str], holder: Holder) -> Facets:
    """Return the owners of a dataset or a job, or nothing."""
    names = [{"name": owner} for owner in dict.fromkeys(owners)]
    return build_facet("ownership", holder, owners=names) if names else {}


def schema_facet(described: Mapping[str, ColumnInfo], table: CatalogTable | None) -> Facets:
    """Return the columns that the catalog has, else those that the project describes.

    Descriptions are those of the project, matched without case, as databases fold names.
    """
    columns = {column.name.casefold(): column for column in described.values()}
    if table is None:
        fields = [(column.name, column.data_type) for column in described.values()]
    else:
        ordered = sorted(table.columns.values(), key=lambda column: column.index)
        fields = [(column.name, column.type) for column in ordered]
    entries = []
    for name, kind in fields:
        entry = {"name": name, "type": kind}
        if (info := columns.get(name.casefold())) and info.description:
            entry["description"] = info.description
        entries.append({key: value for key, value in entry.items() if value})
    return build_facet("schema", "dataset", fields=entries) if entries else {}


def type_facet(kind: str) -> Facets:
    """Return whether a dataset is a table or a view; nothing for an unknown kind."""
    if (names := _TYPES.get(kind.lower())) is None:
        return {}
    return build_facet("datasetType", "dataset", datasetType=names[0], subType=names[1])


def statistics_facet(response: Mapping[str, Any]) -> Facets:
    """Return the number of rows that the adapter reports as written.

    A view has -1. Snowflake reports one row for each statement that is no DML, with the code
    SUCCESS.
    """
    rows = response.get("rows_affected")
    if isinstance(rows, str) and rows.isdigit():
        rows = int(rows)
    if not isinstance(rows, int) or rows < 0 or response.get("code") == "SUCCESS":
        return {}
    return build_facet("outputStatistics", "output", rowCount=rows)


def write_facet(kind: str, strategy: str | None, *, full_refresh: bool) -> Facets:
    """Return the write mode of a materialization; nothing if the files do not determine it.

    ``strategy`` is that of an incremental model. The first run of such a model creates it, which
    dbt does not report.
    """
    mode = _MODES.get(kind)
    if kind == "incremental":
        mode = "overwrite" if full_refresh else _STRATEGIES.get(strategy or "")
    return build_facet("lineage_write", "output", mode=mode) if mode else {}
