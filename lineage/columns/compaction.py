"""Limit the size of the column lineage of one dataset."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import NOTHING, Deps

if TYPE_CHECKING:
    from collections.abc import Mapping

# A facet with this many inputs has about 4 MB.
MOST = 20_000


@dataclass(frozen=True)
class ColumnLineage:
    """The sources of each written column, by name, and those of the row set.

    ``is_widened`` is true if some columns do not depend on all sources in ``rows``.
    """

    fields: Mapping[str, Deps] = field(default_factory=dict)
    rows: Deps = NOTHING
    is_widened: bool = False


def bound_size(lineage: ColumnLineage) -> ColumnLineage:
    """Move sources that many columns share to the dataset level, if there would be too many.

    A function over whole rows derives each output column from all input columns, for example 500
    from 500.
    """
    left = sum(map(len, lineage.fields.values()))
    if left <= MOST:
        return lineage
    groups: dict[Deps, list[str]] = {}
    for name, deps in lineage.fields.items():
        groups.setdefault(deps, []).append(name)
    fields, common = dict(lineage.fields), [lineage.rows]
    for deps, names in sorted(groups.items(), key=lambda group: -len(group[0]) * len(group[1])):
        if left > MOST:
            left -= len(deps) * len(names)
            common.append(deps)
            for name in names:
                del fields[name]
    return ColumnLineage(fields, algebra.merge_deps(common), is_widened=len(groups) > 1)


def merge_columns(before: ColumnLineage | None, new: ColumnLineage) -> ColumnLineage:
    """Return the sources of the columns of both."""
    if before is None:
        return new
    fields = dict(before.fields)
    for name, deps in new.fields.items():
        fields[name] = algebra.merge_deps([fields.get(name, NOTHING), deps])
    return bound_size(ColumnLineage(fields, algebra.merge_deps([before.rows, new.rows])))
