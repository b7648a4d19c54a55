"""Sources of a column: columns of datasets, each with its transformation."""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from lineage.naming import DatasetName


class Kind(Enum):
    """The kinds of OpenLineage's column lineage: direct kinds first, from weakest to strongest."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    CONDITIONAL = "CONDITIONAL"
    FILTER = "FILTER"
    GROUP_BY = "GROUP_BY"
    JOIN = "JOIN"
    SORT = "SORT"
    WINDOW = "WINDOW"

    __hash__ = object.__hash__  # identity is sufficient, and Enum's own hash is slow

    @property
    def is_direct(self) -> bool:
        return self in STRENGTH


_ORDER = {kind: place for place, kind in enumerate(Kind)}
STRENGTH = {Kind.IDENTITY: 0, Kind.TRANSFORMATION: 1, Kind.AGGREGATION: 2}


class How(NamedTuple):
    """A transformation: its kind, and whether it hides the value (masking)."""

    kind: Kind
    masking: bool = False

    def composed_after(self, inner: How) -> How:
        """Return the composition of this transformation after ``inner``.

        Of two direct kinds the stronger is used. An indirect kind stays indirect. Of two indirect
        kinds the outer one is used, except that WINDOW always stays WINDOW.
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
    """A column of a dataset, or its nested field at the path ``inside``.

    ``is_ambiguous`` is true if the dataset has another column whose name begins like a path in this
    one.
    """

    dataset: DatasetName
    column: str
    inside: tuple[str, ...] = ()
    is_ambiguous: bool = False

    @property
    def facet_path(self) -> str:
        """The name of the field in a facet."""
        return column_path((self.column, *self.inside), is_ambiguous=self.is_ambiguous)


def column_path(parts: Sequence[str], *, is_ambiguous: bool = False) -> str:
    """Return a column name unchanged, or the dotted path of a nested field; quote names with dots.

    Fields in the elements of arrays and maps are below ``_element``, ``key`` and ``value``, as in a
    schema facet. The SQL function ``lineage.schema_fields()`` uses the same format.
    """
    if len(parts) == 1:
        return parts[0]
    return ".".join(
        f"`{part.replace('`', '``')}`" if is_ambiguous or "." in part or "`" in part else part
        for part in parts
    )


def ambiguous_names(names: Iterable[str]) -> set[str]:
    """Return the columns that have a path which another column may have as its name."""
    known = tuple(names)
    dotted = [name for name in known if "." in name]
    return {name for name in known if any(other.startswith(f"{name}.") for other in dotted)}


class Outer(NamedTuple):
    """A column of the query around a subquery, resolved when the walk reaches that query."""

    id: int
    inside: tuple[str, ...] = ()


class Loop(NamedTuple):
    """A column of the previous step of a recursive query; place -1 represents its row set."""

    id: int
    place: int
    inside: tuple[str, ...] = ()


Source: TypeAlias = Field | Outer | Loop


class Dependency(NamedTuple):
    """One source and its transformation."""

    source: Source
    how: How


Deps: TypeAlias = frozenset[Dependency]
NOTHING: Deps = frozenset()


def of_source(source: Source) -> Deps:
    """Return a dependency on the source itself."""
    return frozenset([Dependency(source, IDENTITY)])


def merge_deps(parts: Iterable[Deps]) -> Deps:
    """Merge all parts."""
    distinct = [part for part in dict.fromkeys(parts) if part]
    return distinct[0] if len(distinct) == 1 else NOTHING.union(*distinct)


def apply_step(how: How, deps: Deps) -> Deps:
    """Return the sources after one more step."""
    steps = {inner: how.composed_after(inner) for inner in {inner for _, inner in deps}}
    if all(inner == both for inner, both in steps.items()):
        return deps
    return frozenset(Dependency(source, steps[inner]) for source, inner in deps)


def member_of(deps: Deps, name: str) -> Deps:
    """Return the nested fields with that name, of columns that are the value itself."""
    return frozenset(
        Dependency(source._replace(inside=(*source.inside, name)), how) for source, how in deps
    )


def substitute_sources(deps: Deps, resolve: Callable[[Source], Deps | None]) -> Deps:
    """Replace placeholder sources by the sources that ``resolve`` returns for them."""
    resolved = {dep: resolve(dep.source) for dep in deps}
    if all(known is None for known in resolved.values()):
        return deps
    return merge_deps(
        frozenset([dep]) if known is None else apply_step(dep.how, known)
        for dep, known in resolved.items()
    )


def without_last(deps: Deps, name: str) -> Deps:
    """Remove trailing path elements with that name from the sources."""

    def shortened(source: Source) -> Source:
        end = len(source.inside)
        while end and source.inside[end - 1] == name:
            end -= 1
        return source._replace(inside=source.inside[:end])

    return frozenset(Dependency(shortened(source), how) for source, how in deps)


def base_column(source: Source) -> Source:
    """Return the column of a source, without its nested path."""
    return source._replace(inside=())


def base_columns(deps: Deps) -> set[Source]:
    """Return the columns of the sources, without nested paths."""
    return {base_column(source) for source, _ in deps}


def fields_of(deps: Deps) -> dict[Field, list[How]]:
    """Return each column with all its transformations, in a fixed order; omit placeholders."""
    fields: dict[Field, list[How]] = {}
    known = ((dep.source, dep.how) for dep in deps if isinstance(dep.source, Field))
    for source, how in sorted(known, key=lambda dep: (dep[0], _ORDER[dep[1].kind], dep[1].masking)):
        fields.setdefault(source, []).append(how)
    return fields
