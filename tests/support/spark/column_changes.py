"""Changes of results caused by other values of one column, compared with the reported lineage."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from support.spark.value_variations import touches

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from support.cases.columns import Edge


class Change(NamedTuple):
    """The results of a case that changed with other values in ``column``."""

    column: str
    results: list[str]
    has_other_rows: bool


def read(file: Path) -> dict[str, list[Change]]:
    """Read the changes by case from the file of a job."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for case, *change in json.loads(file.read_text()):
        changes[case].append(Change(*change))
    return changes


def unclaimed(
    changes: list[Change], columns: Mapping[str, set[Edge]], rows: set[Edge]
) -> list[tuple[str, str]]:
    """Return each (column, result) that changed without a dependency in the lineage."""
    missed = []
    for column, results, has_other_rows in changes:
        if touches(_names(rows), column):
            continue
        found = [name for name in results if not touches(_names(columns.get(name, set())), column)]
        missed += [(column, name) for name in found]
        if has_other_rows:
            missed.append((column, "the number of rows"))
    return missed


def _names(edges: set[Edge]) -> set[str]:
    return {name for name, _, _ in edges}
