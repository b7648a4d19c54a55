"""Columns and rows of operators with their dependencies, while a plan is evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lineage.columns import algebra
from lineage.columns.algebra import CONDITIONAL, IDENTITY, NOTHING, Deps, How

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from lineage.columns.algebra import Source

ELEMENT, KEY, VALUE = "_element", "key", "value"
# A column with more dependencies, or with members nested deeper, loses its members.
MAX_PAIRS = 5_000
MAX_DEPTH = 40


class Column(NamedTuple):
    """A value with its dependencies, as a whole and, if known, for each nested value.

    ``deps`` are the dependencies of the whole value. ``members`` are the nested values by name: the
    fields of a struct, ``_element`` of an array, ``key`` and ``value`` of a map. ``origin`` are
    columns of datasets whose nested fields are nested values of this value, too. ``extra`` are
    additional dependencies of every nested value. ``length`` are the dependencies of the number of
    elements of an array or a map; None means all of ``deps``.

    A column without members and origin is opaque: each nested value depends on all of it.
    """

    deps: Deps = NOTHING
    members: Mapping[str, Column] | None = None
    origin: Deps = NOTHING
    extra: Deps = NOTHING
    length: Deps | None = None

    @property
    def is_opaque(self) -> bool:
        return self.members is None and not self.origin

    @property
    def decides_length(self) -> Deps:
        """The dependencies of the number of elements."""
        return self.deps if self.length is None else self.length

    def nested_value(self, name: str) -> Column:
        """Return the nested value of that name, with all dependencies if the name is not known."""
        if self.is_opaque:
            return Column(self.deps)
        alternatives = [_of_origin(self.origin, name)] if self.origin else []
        if self.members is not None:
            known = _find_member(self.members, name)
            if known is None:
                return Column(self.deps)
            alternatives.append(known)
        return either_column(alternatives).with_extra(self.extra)

    def apply_step(self, how: How) -> Column:
        """Return the value after one more step, which keeps its nested values."""
        if how == IDENTITY:
            return self
        if self.is_opaque and self.length is None:
            return Column(algebra.apply_step(how, self.deps))
        members = self.members
        if members is not None:
            members = {name: member.apply_step(how) for name, member in members.items()}
        return Column(
            algebra.apply_step(how, self.deps),
            members,
            algebra.apply_step(how, self.origin),
            algebra.apply_step(how, self.extra),
            None if self.length is None else algebra.apply_step(how, self.length),
        )

    def with_extra(self, extra: Deps) -> Column:
        """Return the value with additional dependencies of all of it."""
        if not extra:
            return self
        if self.is_opaque and self.length is None:
            return Column(algebra.merge_deps([self.deps, extra]))
        return Column(
            algebra.merge_deps([self.deps, extra]),
            self.members,
            self.origin,
            NOTHING if self.is_opaque else algebra.merge_deps([self.extra, extra]),
            None if self.length is None else algebra.merge_deps([self.length, extra]),
        )

    def with_nested_extra(self, extra: Deps) -> Column:
        """Return the value with additional dependencies of each nested value."""
        if self.is_opaque:
            return self
        return self._replace(extra=algebra.merge_deps([self.extra, extra]))


EMPTY = Column()


def of_source(source: Source, data_type: str | None = None) -> Column:
    """Return an unchanged column of a source. An atomic type has no nested values."""
    return of_sources([source], data_type)


def of_sources(sources: Iterable[Source], data_type: str | None = None) -> Column:
    """Return a column that is an unchanged column of each of several tables."""
    deps = algebra.merge_deps(map(algebra.of_source, sources))
    return Column(deps, origin=NOTHING if data_type and "<" not in data_type else deps)


def nested_column(
    members: Iterable[tuple[str, Column]], deps: Deps, length: Deps | None = None
) -> Column:
    """Build a value from nested values; two of the same name are alternatives."""
    named: dict[str, Column] = {}
    for name, member in members:
        named[name] = either_column([named[name], member]) if name in named else member
    return _bound_members(Column(deps, named, length=length))


def array_column(element: Column, deps: Deps, length: Deps | None = None) -> Column:
    """Build an array of such elements."""
    return nested_column([(ELEMENT, element)], deps, length)


def either_column(columns: Iterable[Column]) -> Column:
    """Build a value that is one of these alternatives."""
    alternatives = [column for column in columns if column.deps or column.members is not None]
    if len(alternatives) < 2 or all(column is alternatives[0] for column in alternatives):
        return alternatives[0] if alternatives else EMPTY
    known = [column for column in alternatives if not column.is_opaque]
    length = None
    if any(column.length is not None for column in alternatives):
        length = algebra.merge_deps(column.decides_length for column in alternatives)
    elif not known:
        return Column(algebra.merge_deps(column.deps for column in alternatives))
    return _bound_members(
        Column(
            algebra.merge_deps(column.deps for column in alternatives),
            _common_members([column for column in known if column.members is not None]),
            algebra.merge_deps(column.origin for column in known),
            _extra_deps(alternatives) if known else NOTHING,
            length,
        )
    )


def anchor_length(column: Column, length: Deps, how: How) -> Column:
    """Return a value computed from arrays, with the dependencies on their length.

    ``how`` applies if the value has none of the sources of ``length``: a constant, or a column
    beside the array, is repeated for each element. If only some sources are missing, the value
    depends on these conditionally: a shorter zipped array is padded with nulls. The same applies
    to each member.
    """
    bases = algebra.base_columns(column.deps)
    missing = frozenset(dep for dep in length if algebra.base_column(dep.source) not in bases)
    if len(missing) == len(length):
        return column.with_extra(algebra.apply_step(how, length))
    members = column.members
    if members is not None:
        members = {name: anchor_length(member, length, how) for name, member in members.items()}
    return column._replace(members=members).with_extra(algebra.apply_step(CONDITIONAL, missing))


def _common_members(known: list[Column]) -> Mapping[str, Column] | None:
    """Merge the members of all columns; one without a name contributes its whole value."""
    if not known:
        return None
    names = dict.fromkeys(name for column in known for name in column.members or ())
    return {
        name: either_column(
            _find_member(column.members or {}, name) or Column(column.deps) for column in known
        )
        for name in names
    }


def _extra_deps(alternatives: list[Column]) -> Deps:
    """Return the additional dependencies of nested values; for an opaque value, all of its own."""
    return algebra.merge_deps(
        column.deps if column.is_opaque else column.extra for column in alternatives
    )


def _find_member(members: Mapping[str, Column], name: str) -> Column | None:
    """Return the member of the name. Names of structs of one type may differ in case only."""
    if name in members:
        return members[name]
    matches = [member for other, member in members.items() if other.casefold() == name.casefold()]
    return matches[0] if len(matches) == 1 else None


def _of_origin(origin: Deps, name: str) -> Column:
    """Return a nested value of columns. The dependencies of an element name its array."""
    inner = algebra.member_of(origin, name)
    return Column(algebra.without_last(inner, ELEMENT), origin=inner)


def _bound_members(column: Column) -> Column:
    """Return the column, without its members if they exceed the limit."""
    if column.members is None or _count_pairs(column, MAX_DEPTH) <= MAX_PAIRS:
        return column
    return Column(column.deps, length=column.length)


def _count_pairs(column: Column, depth: int) -> int:
    """Count the dependencies in the column; return more than the limit if it is too deep."""
    if not depth:
        return MAX_PAIRS + 1
    pairs = 1 + len(column.deps) + len(column.origin) + len(column.extra)
    for member in (column.members or {}).values():
        pairs += _count_pairs(member, depth - 1)
        if pairs > MAX_PAIRS:
            break
    return pairs


@dataclass(frozen=True)
class Rows:
    """The rows of an operator: its columns by position, and the dependencies of its row set."""

    columns: tuple[Column, ...] = ()
    wide: Deps = NOTHING

    @cached_property
    def all_deps(self) -> Deps:
        """The dependencies of all columns, merged."""
        return algebra.merge_deps(column.deps for column in self.columns)


def replace_placeholders(rows: Rows, resolve: Callable[[Source], Column | None]) -> Rows:
    """Replace placeholders for columns of another query by these columns."""
    columns = tuple(_replace_in_column(column, resolve) for column in rows.columns)
    return Rows(columns, _resolve_deps(rows.wide, resolve))


def _replace_in_column(column: Column, resolve: Callable[[Source], Column | None]) -> Column:
    members = column.members
    if members is not None:
        members = {name: _replace_in_column(member, resolve) for name, member in members.items()}
    known = [
        (dep, resolved) for dep in column.origin if (resolved := resolve(dep.source)) is not None
    ]
    rest = Column(
        _resolve_deps(column.deps, resolve),
        members,
        column.origin - {dep for dep, _ in known},
        _resolve_deps(column.extra, resolve),
        None if column.length is None else _resolve_deps(column.length, resolve),
    )
    if not known:
        return rest
    alternatives = [resolved.apply_step(dep.how) for dep, resolved in known]
    value = either_column(alternatives if rest.is_opaque else [rest, *alternatives])
    extra = NOTHING if value.is_opaque else algebra.merge_deps([value.extra, rest.extra])
    return Column(rest.deps, value.members, value.origin, extra, rest.length)


def _resolve_deps(deps: Deps, resolve: Callable[[Source], Column | None]) -> Deps:
    def known(source: Source) -> Deps | None:
        column = resolve(source)
        return None if column is None else column.deps

    return algebra.substitute_sources(deps, known)
