"""What a column is made of: columns of datasets, each with what became of it on the way."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lineage.naming import DatasetName


class Kind(Enum):
    """The kinds of OpenLineage's column lineage: the direct ones first, weakest first."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    CONDITIONAL = "CONDITIONAL"
    FILTER = "FILTER"
    GROUP_BY = "GROUP_BY"
    JOIN = "JOIN"
    SORT = "SORT"
    WINDOW = "WINDOW"

    __hash__ = object.__hash__  # each is one object; that of Enum is slow

    @property
    def is_direct(self) -> bool:
        return self in STRENGTH


STRENGTH = {Kind.IDENTITY: 0, Kind.TRANSFORMATION: 1, Kind.AGGREGATION: 2}


class How(NamedTuple):
    """What becomes of a value: its kind, and whether it can no longer be read from the result."""

    kind: Kind
    masking: bool = False

    def composed_after(self, inner: How) -> How:
        """Return what this does to a value to which ``inner`` was done before.

        Of two direct kinds the stronger counts. What is indirect stays so; of two indirect kinds
        the outer one counts, but a window's partition and order stay that.
        """
        return _compose_steps(self, inner)


@cache
def _compose_steps(outer: How, inner: How) -> How:
    return How(_compose_kinds(outer.kind, inner.kind), outer.masking or inner.masking)


def _compose_kinds(outer: Kind, inner: Kind) -> Kind:
    if outer.is_direct and inner.is_direct:
        return max(outer, inner, key=STRENGTH.__getitem__)
    if outer.is_direct or Kind.WINDOW in (outer, inner):
        return Kind.WINDOW if Kind.WINDOW in (outer, inner) else inner
    return outer


IDENTITY = How(Kind.IDENTITY)
TRANSFORMATION = How(Kind.TRANSFORMATION)
AGGREGATION = How(Kind.AGGREGATION)
CONDITIONAL = How(Kind.CONDITIONAL)
FILTER = How(Kind.FILTER)
GROUP_BY = How(Kind.GROUP_BY)
JOIN = How(Kind.JOIN)
SORT = How(Kind.SORT)
WINDOW = How(Kind.WINDOW)


class Field(NamedTuple):
    """A column of a dataset, or the nested field that ``inside`` leads to.

    ``is_ambiguous`` where the dataset has another column whose name begins like a path in this one.
    """

    dataset: DatasetName
    column: str
    inside: tuple[str, ...] = ()
    is_ambiguous: bool = False

    @property
    def facet_path(self) -> str:
        """The name that it goes by in a facet."""
        return column_path((self.column, *self.inside), is_ambiguous=self.is_ambiguous)


def column_path(parts: Sequence[str], *, is_ambiguous: bool = False) -> str:
    """A column by its name as it is; a nested field with dots between, names with dots quoted.

    Fields of the elements of arrays and maps are below ``_element``, ``key`` and ``value``, as they
    are in a schema facet. ``lineage.schema_fields()`` writes the same.
    """
    if len(parts) == 1:
        return parts[0]
    return ".".join(
        f"`{part.replace('`', '``')}`" if is_ambiguous or "." in part or "`" in part else part
        for part in parts
    )


def ambiguous_names(names: Iterable[str]) -> set[str]:
    """The columns of a dataset some path in which another column may have as its name."""
    known = tuple(names)
    dotted = [name for name in known if "." in name]
    return {name for name in known if any(other.startswith(f"{name}.") for other in dotted)}


class Outer(NamedTuple):
    """A column of the query around a subquery, known once the walk is there."""

    id: int
    inside: tuple[str, ...] = ()


class Loop(NamedTuple):
    """A column of the round before, in a recursive query; place -1 is what decided its rows."""

    id: int
    place: int
    inside: tuple[str, ...] = ()


Source: TypeAlias = Field | Outer | Loop


class Dependency(NamedTuple):
    """One source and what became of it."""

    source: Source
    how: How


Deps: TypeAlias = frozenset[Dependency]
NOTHING: Deps = frozenset()


def of_source(source: Source) -> Deps:
    """The column itself."""
    return frozenset([Dependency(source, IDENTITY)])


def merge_deps(parts: Iterable[Deps]) -> Deps:
    """All of the parts together."""
    distinct = [part for part in dict.fromkeys(parts) if part]
    return distinct[0] if len(distinct) == 1 else NOTHING.union(*distinct)


def apply_step(how: How, deps: Deps) -> Deps:
    """What is left of the sources after one more step."""
    steps = {inner: how.composed_after(inner) for _, inner in deps}
    if all(inner == both for inner, both in steps.items()):
        return deps
    return frozenset(Dependency(source, steps[inner]) for source, inner in deps)


def member_of(deps: Deps, name: str) -> Deps:
    """The nested fields of that name, of columns that are the value itself."""
    return frozenset(
        Dependency(source._replace(inside=(*source.inside, name)), how) for source, how in deps
    )


def substitute_sources(deps: Deps, resolve: Callable[[Source], Deps | None]) -> Deps:
    """Return the sources with those that stood for something else replaced by what they are."""
    resolved = {dep: resolve(dep.source) for dep in deps}
    if all(known is None for known in resolved.values()):
        return deps
    return merge_deps(
        frozenset([dep]) if known is None else apply_step(dep.how, known)
        for dep, known in resolved.items()
    )


def without_last(deps: Deps, name: str) -> Deps:
    """The sources without that name at the end of their paths."""

    def shortened(source: Source) -> Source:
        end = len(source.inside)
        while end and source.inside[end - 1] == name:
            end -= 1
        return source._replace(inside=source.inside[:end])

    return frozenset(Dependency(shortened(source), how) for source, how in deps)


def base_column(source: Source) -> Source:
    """Return the column that a source is, or lies in."""
    return source._replace(inside=())


def base_columns(deps: Deps) -> set[Source]:
    """Return the columns that the sources are, or lie in."""
    return {base_column(source) for source, _ in deps}


def fields_of(deps: Deps) -> dict[Field, list[How]]:
    """Each column with all that is done to it, in a fixed order; placeholders are left out."""
    fields: dict[Field, list[How]] = {}
    order = {kind: place for place, kind in enumerate(Kind)}
    known = ((dep.source, dep.how) for dep in deps if isinstance(dep.source, Field))
    for source, how in sorted(known, key=lambda dep: (dep[0], order[dep[1].kind], dep[1].masking)):
        fields.setdefault(source, []).append(how)
    return fields
