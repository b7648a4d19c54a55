"""The selection of reported datasets by ``spark.lineage.datasets.allow`` and ``.deny``."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineage.columns.algebra import Field

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from lineage.columns.algebra import Dependency, Deps
    from lineage.columns.compaction import ColumnLineage
    from lineage.naming import DatasetName
    from lineage.spark.commands.effects import Output
    from lineage.spark.datasets.resolver import Dataset

ALLOW = "spark.lineage.datasets.allow"
DENY = "spark.lineage.datasets.deny"


@dataclass(frozen=True)
class DatasetSelection:
    """Patterns of full dataset names. Without a list, all datasets are reported."""

    allow: re.Pattern[str] | None = None
    deny: re.Pattern[str] | None = None

    @property
    def is_limited(self) -> bool:
        """Return whether a list may exclude datasets."""
        return bool(self.allow or self.deny)

    def includes_dataset(self, dataset: Dataset) -> bool:
        """Return whether the dataset is reported.

        It is denied if one of its names matches the deny list. Otherwise it is allowed if one of
        its names matches the allow list, or if there is no allow list.
        """
        names = [name.full_name for name in (dataset.name, *dataset.tables)]
        if self.deny and any(self.deny.fullmatch(name) for name in names):
            return False
        return not self.allow or any(self.allow.fullmatch(name) for name in names)

    def filter_output(self, output: Output, filtered: frozenset[DatasetName]) -> Output:
        """Return the output without references to excluded datasets."""
        previous = output.previous
        if previous and not self._is_allowed(previous):
            previous = None
        columns = output.columns and self._filter_columns(output.columns, filtered)
        return replace(output, previous=previous, columns=columns)

    def _filter_columns(
        self, lineage: ColumnLineage, filtered: frozenset[DatasetName]
    ) -> ColumnLineage:
        fields = {name: _remove_sources(deps, filtered) for name, deps in lineage.fields.items()}
        return replace(lineage, fields=fields, rows=_remove_sources(lineage.rows, filtered))

    def _is_allowed(self, name: DatasetName) -> bool:
        if self.deny and self.deny.fullmatch(name.full_name):
            return False
        return not self.allow or bool(self.allow.fullmatch(name.full_name))


def read_selection(settings: Mapping[str, str]) -> DatasetSelection:
    """Read the lists from the settings of an application."""
    return DatasetSelection(
        _compile_patterns(settings.get(ALLOW, "")), _compile_patterns(settings.get(DENY, ""))
    )


def _compile_patterns(text: str) -> re.Pattern[str] | None:
    """Compile a comma-separated list; ``*`` matches any characters, ``?`` matches one."""
    patterns = [pattern.strip() for pattern in text.split(",") if pattern.strip()]
    return re.compile("|".join(map(_pattern_expression, patterns)), re.DOTALL) if patterns else None


def _pattern_expression(pattern: str) -> str:
    # Merge adjacent stars: a separate ``.*`` for each would cause excessive backtracking.
    parts = re.split(r"(\*+|\?)", pattern)
    meant = {"*": ".*", "?": "."}
    return "".join(meant.get(part[:1]) or re.escape(part) for part in parts)


def _remove_sources(deps: Deps, filtered: Iterable[DatasetName]) -> Deps:
    def is_included(dep: Dependency) -> bool:
        return not isinstance(dep.source, Field) or dep.source.dataset not in filtered

    return frozenset(filter(is_included, deps))
