"""What changed in results where one column had other values, against what the lineage claims."""

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
    """With other values in ``column``, these results of a case changed, or had other rows."""

    column: str
    results: list[str]
    has_other_rows: bool


def read(file: Path) -> dict[str, list[Change]]:
    """The changes by case, as a job wrote them."""
    changes: dict[str, list[Change]] = defaultdict(list)
    for case, *change in json.loads(file.read_text()):
        changes[case].append(Change(*change))
    return changes


def unclaimed(
    changes: list[Change], columns: Mapping[str, set[Edge]], rows: set[Edge]
) -> list[tuple[str, str]]:
    """Each column with a result that it changed and that is not said to depend on it."""
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
