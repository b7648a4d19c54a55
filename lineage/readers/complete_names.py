"""Tables whose name is not complete are unresolved: another database may have such a table too."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.sql.dialects import traits_of
from lineage.sql.qualified_names import ambiguous_schema

if TYPE_CHECKING:
    from lineage.sql.effects import Effect
    from lineage.sql.records import Flow, Name


def omit_incomplete(effect: Effect, dialect: str) -> Effect:
    """Return an effect without the tables of which neither database nor schema are known."""
    if traits_of(dialect).has_one_database:
        return effect
    if effect.committed or effect.rolled_back:
        committed = tuple(omit_incomplete(each, dialect) for each in effect.committed)
        rolled_back = tuple(omit_incomplete(each, dialect) for each in effect.rolled_back)
        effect = replace(effect, committed=committed, rolled_back=rolled_back)
    if effect.parts:
        parts = tuple(omit_incomplete(each, dialect) for each in effect.parts)
        effect = replace(effect, parts=parts)
    incomplete = {name[-1]: None for name in _names_of(effect) if not _is_complete(name)}
    if not incomplete:
        return effect
    part = "schema" if traits_of(dialect).has_fixed_database else "database"
    reasons = (
        f"the {part} of {table} is not known"
        for table in incomplete
        if ambiguous_schema(table) not in effect.unresolved
    )
    return replace(
        effect,
        flows=_complete_flows(effect.flows),
        reads=tuple(filter(_is_complete, effect.reads)),
        renames=tuple(pair for pair in effect.renames if all(map(_is_complete, pair))),
        drops=tuple(filter(_is_complete, effect.drops)),
        unresolved=(*effect.unresolved, *reasons),
    )


def _names_of(effect: Effect) -> list[Name]:
    names = [*effect.reads, *effect.drops, *(name for pair in effect.renames for name in pair)]
    for flow in effect.flows:
        names += [flow.target, *flow.sources]
    return names


def _is_complete(name: Name) -> bool:
    return len(name) - name.count("") > 1


def _complete_flows(flows: tuple[Flow, ...]) -> tuple[Flow, ...]:
    """Return the flows into complete names; the columns of one that lost a source are not known."""
    complete = []
    for flow in flows:
        sources = tuple(filter(_is_complete, flow.sources))
        if sources != flow.sources:
            flow = replace(flow, sources=sources, columns=None)
        complete.append(flow)
    return tuple(flow for flow in complete if _is_complete(flow.target))
