"""The unit of a run: the job that can be started alone, which is that of the topmost run.

The statements of a Spark application are runs whose parent is the application: they are folded into
its job, and the application into the task that started it. A run that only groups runs which can be
started alone ends the way up: a DAG of Airflow groups tasks, an invocation of dbt groups models.
Where such a run reports no events of its own, the type of its task or model ends it.
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

# The types of jobs of dbt that can be started alone.
_NODES = ("MODEL", "SEED", "SNAPSHOT", "TEST")


@dataclass(frozen=True, slots=True)
class UnitRule:
    """Jobs whose full name matches ``match`` are units (``self``) or parts of their parent."""

    match: str
    unit: Fold


@dataclass(frozen=True, slots=True)
class JobKind:
    """The facts that select the unit of a job: its full name, job type and integration."""

    full_name: str
    type: str | None
    integration: str | None

    @property
    def is_group(self) -> bool:
        """Whether runs of the job only group runs that can be started alone."""
        kind, integration = self._type_and_integration()
        return kind == "DAG" or (integration == "DBT" and kind == "JOB")

    def is_grouped_by(self, parent: JobKind) -> bool:
        """Whether a run of the job can be started alone, and one of ``parent`` only groups it."""
        if parent.is_group:
            return True
        kind, integration = self._type_and_integration()
        if integration == "AIRFLOW":
            return kind == "TASK"
        return integration == "DBT" and kind in _NODES and parent.type is None

    def _type_and_integration(self) -> tuple[str, str]:
        return (self.type or "").upper(), (self.integration or "").upper()


def find_unit(
    chain: Sequence[int], kinds: Mapping[int, JobKind], rules: Sequence[UnitRule] = ()
) -> int:
    """Return the unit of a run. ``chain``: its job, that of its parent run, and so on upward."""
    for job, parent in pairwise(chain):
        fold = _fold_of(kinds[job].full_name, rules)
        if fold == "self" or (fold is None and kinds[job].is_grouped_by(kinds[parent])):
            return job
    return chain[-1]


def _fold_of(full_name: str, rules: Sequence[UnitRule]) -> Fold | None:
    """Return the fold of the first matching rule, or None."""
    return next((rule.unit for rule in rules if fnmatchcase(full_name, rule.match)), None)
