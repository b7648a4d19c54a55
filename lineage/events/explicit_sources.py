"""Lineage facets of a run: the inputs that fed each output.

The inputs of an output are stored as a facet of the access. Of several events of the run, the
newest with such a facet wins, as with any facet. FEEDS uses these inputs; only outputs without the
facet are fed by all inputs of the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from msgspec import Raw

from lineage.openlineage import explicit_lineage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lineage.openlineage import ColumnLineage, ExplicitLineage, Facets, RunEvent
    from lineage.openlineage.events import Name

    Access: TypeAlias = tuple[tuple[Name, bool], Facets, ColumnLineage | None]

FACET = "lineage"
_NULL = Raw(b"null")


def of_run(event: RunEvent) -> ExplicitLineage | None:
    """Read the lineage facets of a run event; None if it has none."""
    of_job = event.job.facets.get(FACET, _NULL)
    of_outputs = tuple(
        (dataset.key, bytes(body))
        for dataset in event.outputs
        if (body := dataset.facets.get(FACET, _NULL)) != _NULL
    )
    if of_job == _NULL and not of_outputs:
        return None
    return explicit_lineage(event.job.key, bytes(of_job) if of_job != _NULL else None, of_outputs)


def accesses_of_run(
    reported: Sequence[Access], explicit: ExplicitLineage
) -> tuple[list[Access], tuple[Name, ...]]:
    """Return the accesses of a run with their explicit sources, and the datasets that these name.

    A target that is not reported as an output becomes one. A source that is not reported as an
    input does not become one: the other outputs of the run were not made from it.
    """
    result: list[Access] = []
    missing = dict(explicit.targets)
    for (name, is_output), facets, columns in reported:
        target = explicit.targets.get(name) if is_output else None
        if target is not None:
            missing.pop(name, None)
            facets = {**facets, FACET: Raw(target.shortest_body())}
            columns = target.columns or columns
        result.append(((name, is_output), facets, columns))
    for name, target in missing.items():
        result.append(((name, True), {FACET: Raw(target.shortest_body())}, target.columns))
    inputs = {name for (name, is_output), *_ in reported if not is_output}
    result += [((name, False), {}, None) for name in explicit.reads if name not in inputs]
    named = {*explicit.targets, *explicit.reads}
    named.update(*(target.sources for target in explicit.targets.values()))
    return result, tuple(sorted(named))
