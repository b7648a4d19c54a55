"""A column and the rows it stands in: what each is made of, on the way up through a plan."""

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
# A column with more pairs, or with members nested deeper, loses its members.
MAX_PAIRS = 5_000
MAX_DEPTH = 40


class Column(NamedTuple):
    """A value with its dependencies, as a whole and by nested value where these are known.

    ``deps`` is what the whole value is made of. ``members`` are the nested values by name: the
    fields of a struct, ``_element`` of an array, ``key`` and ``value`` of a map. ``origin`` are
    columns of datasets that the value is: each of their nested fields is one of it, too. ``extra``
    is what every nested value depends on besides. ``length`` is what decides how many elements an
    array or a map has, None for all of ``deps``.

    A column without members and origin is opaque: a nested value depends on all of it.
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
        """Return what decides how many elements there are."""
        return self.deps if self.length is None else self.length

    def nested_value(self, name: str) -> Column:
        """Return the nested value of that name: of the whole value where it is not known."""
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
        """Return the value after one more step that leaves its nested values where they are."""
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
        """Return the value with more that decides all of it."""
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
        """Return the value with more that decides each of its nested values."""
        if self.is_opaque:
            return self
        return self._replace(extra=algebra.merge_deps([self.extra, extra]))


EMPTY = Column()


def of_source(source: Source, data_type: str | None = None) -> Column:
    """Return a column as it is. That of a plain type holds no nested values."""
    return of_sources([source], data_type)


def of_sources(sources: Iterable[Source], data_type: str | None = None) -> Column:
    """Return a column of several tables that is of each of them as it is."""
    deps = algebra.merge_deps(map(algebra.of_source, sources))
    return Column(deps, origin=NOTHING if data_type and "<" not in data_type else deps)


def nested_column(
    members: Iterable[tuple[str, Column]], deps: Deps, length: Deps | None = None
) -> Column:
    """Return a value that is made of nested ones; two of the same name are either of them."""
    named: dict[str, Column] = {}
    for name, member in members:
        named[name] = either_column([named[name], member]) if name in named else member
    return _bound_members(Column(deps, named, length=length))


def array_column(element: Column, deps: Deps, length: Deps | None = None) -> Column:
    """Return an array of such elements."""
    return nested_column([(ELEMENT, element)], deps, length)


def either_column(columns: Iterable[Column]) -> Column:
    """Return a value that is one of these, nobody knows which."""
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
    """Return a value that arrays give: where nothing of one is in it, the length of that one is.

    A constant, or a column beside the array, is there as often as the array has elements; zipped
    with a longer one, an array is filled up with nulls.
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
    """The members of all: one that lacks a name is taken as a whole for it."""
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
    """What nested values depend on besides: of an opaque value all that it depends on."""
    return algebra.merge_deps(
        column.deps if column.is_opaque else column.extra for column in alternatives
    )


def _find_member(members: Mapping[str, Column], name: str) -> Column | None:
    """The member of the name. Structs whose names differ in case alone may be of one type."""
    if name in members:
        return members[name]
    matches = [member for other, member in members.items() if other.casefold() == name.casefold()]
    return matches[0] if len(matches) == 1 else None


def _of_origin(origin: Deps, name: str) -> Column:
    """A nested value of columns. An element as a whole goes by the name of its array."""
    inner = algebra.member_of(origin, name)
    return Column(algebra.without_last(inner, ELEMENT), origin=inner)


def _bound_members(column: Column) -> Column:
    """The column, without its members where they are too many to carry through a plan."""
    if column.members is None or _count_pairs(column, MAX_DEPTH) <= MAX_PAIRS:
        return column
    return Column(column.deps, length=column.length)


def _count_pairs(column: Column, depth: int) -> int:
    """How much the column holds; more than the bound where it is too deep."""
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
    """The rows of an operator: its columns by place, and what decides which rows there are."""

    columns: tuple[Column, ...] = ()
    wide: Deps = NOTHING

    @cached_property
    def all_deps(self) -> Deps:
        """All columns together."""
        return algebra.merge_deps(column.deps for column in self.columns)


def replace_placeholders(rows: Rows, resolve: Callable[[Source], Column | None]) -> Rows:
    """Return the rows with what stood for a column of another query replaced by that column."""
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
