"""The columns that a statement writes, and names of tables as those of datasets."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from lineage.columns.compaction import merge_columns
from lineage.naming import DatasetName

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lineage.columns.compaction import ColumnLineage
    from lineage.sql.records import Name


NO_TARGET = "the columns of the table that is written are not known"


class WrittenColumns(NamedTuple):
    """The columns that a statement writes, in order, and their sources.

    The datasets of the sources are names of tables as ``encode_table`` writes them. ``is_whole``:
    whether ``names`` are all columns of the table.
    """

    names: tuple[str, ...]
    lineage: ColumnLineage
    is_whole: bool = False


def merge_written(parts: Iterable[WrittenColumns | None]) -> WrittenColumns | None:
    """Return the columns that several changes of a table write; None if they write constants."""
    merged: WrittenColumns | None = None
    for part in parts:
        if merged is None or part is None:
            merged = merged or part
            continue
        names = tuple(dict.fromkeys((*merged.names, *part.names)))
        merged = WrittenColumns(names, merge_columns(merged.lineage, part.lineage))
    return merged


def encode_table(name: Name) -> DatasetName:
    """Return the name of a table as that of a dataset without a server."""
    return DatasetName("", json.dumps(name))


def decode_table(dataset: DatasetName) -> Name:
    """Return the name of a table that ``encode_table`` wrote."""
    return tuple(json.loads(dataset.name))


def find_column(names: Sequence[str], name: str) -> str | None:
    """Return the column as its table has it: of the same name, or the only one but for case."""
    if name in names:
        return name
    matches = [known for known in names if known.casefold() == name.casefold()]
    return matches[0] if len(matches) == 1 else None
