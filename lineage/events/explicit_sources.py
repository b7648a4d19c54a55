"""What lineage facets say of a run: which of what it read fed which of what it wrote.

What they say of an output is kept with the access, as a facet of its own: of several events of the
run the newest that says something holds, as with any facet. FEEDS asks there before it takes all
that was read for all that was written.
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
    """Return what the lineage facets of a run event say; None where it has none."""
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
    """Return the accesses of a run with what is explicit of them, and the datasets it names.

    A target that is no output is one. A source that is no input is none: what else the run wrote
    was not made from it.
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
