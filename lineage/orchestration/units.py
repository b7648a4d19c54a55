"""The unit of a run: the job that can be started alone, which is that of the topmost run.

The statements of a Spark application are runs whose parent is the application: they are folded into
its job, and the application into the task that started it. A run that only groups runs which can be
started alone ends the way up: a DAG of Airflow groups tasks, an invocation of dbt groups models.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Fold: TypeAlias = Literal["self", "parent"]
FOLDS: tuple[Fold, ...] = ("self", "parent")


@dataclass(frozen=True, slots=True)
class UnitRule:
    """Jobs whose full name matches ``match`` are units (``self``) or parts of their parent."""

    match: str
    unit: Fold


@dataclass(frozen=True, slots=True)
class JobKind:
    """What decides about a job: its full name, job type and integration."""

    full_name: str
    type: str | None
    integration: str | None

    @property
    def is_group(self) -> bool:
        """Whether runs of the job only group runs that can be started alone."""
        kind, integration = (self.type or "").upper(), (self.integration or "").upper()
        return kind == "DAG" or (integration == "DBT" and kind == "JOB")


def find_unit(
    chain: Sequence[int], kinds: Mapping[int, JobKind], rules: Sequence[UnitRule] = ()
) -> int:
    """Return the unit of a run. ``chain``: its job, that of its parent run, and so on upward."""
    for job, parent in pairwise(chain):
        fold = _fold_of(kinds[job].full_name, rules)
        if fold == "self" or (fold is None and kinds[parent].is_group):
            return job
    return chain[-1]


def _fold_of(full_name: str, rules: Sequence[UnitRule]) -> Fold | None:
    """Return what the first rule that matches says, or None."""
    return next((rule.unit for rule in rules if fnmatchcase(full_name, rule.match)), None)
