"""Keeps what is said of the columns of one dataset to a size that can be sent and kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.columns import algebra
from lineage.columns.algebra import NOTHING, Deps

if TYPE_CHECKING:
    from collections.abc import Mapping

# A facet of as many is some 4 MB.
MOST = 20_000


@dataclass(frozen=True)
class ColumnLineage:
    """What each written column is made of, by name, and what stands for all: what decides the rows.

    ``is_widened`` where some columns have sources among those for all which they are not made of.
    """

    fields: Mapping[str, Deps] = field(default_factory=dict)
    rows: Deps = NOTHING
    is_widened: bool = False


def bound_size(lineage: ColumnLineage) -> ColumnLineage:
    """Say once for all columns what many have in common, where each for itself would be too much.

    A function over whole rows makes each of its columns of all columns it is given: 500 of 500.
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
