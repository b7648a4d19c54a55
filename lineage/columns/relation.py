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

    def member(self, name: str) -> Column:
        """Return the nested value of that name: of the whole value where it is not known."""
        if self.is_opaque:
            return Column(self.deps)
        alternatives = [_of_origin(self.origin, name)] if self.origin else []
        if self.members is not None:
            known = _named(self.members, name)
            if known is None:
                return Column(self.deps)
            alternatives.append(known)
        return either(alternatives).besides(self.extra)

    def applied(self, how: How) -> Column:
        """Return the value after one more step that leaves its nested values where they are."""
        if how == IDENTITY:
            return self
        if self.is_opaque and self.length is None:
            return Column(algebra.applied(how, self.deps))
        members = self.members
        if members is not None:
            members = {name: member.applied(how) for name, member in members.items()}
        return Column(
            algebra.applied(how, self.deps),
            members,
            algebra.applied(how, self.origin),
            algebra.applied(how, self.extra),
            None if self.length is None else algebra.applied(how, self.length),
        )

    def besides(self, extra: Deps) -> Column:
        """Return the value with more that decides all of it."""
        if not extra:
            return self
        if self.is_opaque and self.length is None:
            return Column(algebra.merged([self.deps, extra]))
        return Column(
            algebra.merged([self.deps, extra]),
            self.members,
            self.origin,
            NOTHING if self.is_opaque else algebra.merged([self.extra, extra]),
            None if self.length is None else algebra.merged([self.length, extra]),
        )

    def nested_besides(self, extra: Deps) -> Column:
        """Return the value with more that decides each of its nested values."""
        if self.is_opaque:
            return self
        return self._replace(extra=algebra.merged([self.extra, extra]))


EMPTY = Column()


def of_source(source: Source, data_type: str | None = None) -> Column:
    """Return a column as it is. That of a plain type holds no nested values."""
    return of_sources([source], data_type)


def of_sources(sources: Iterable[Source], data_type: str | None = None) -> Column:
    """Return a column of several tables that is of each of them as it is."""
    deps = algebra.merged(map(algebra.of, sources))
    return Column(deps, origin=NOTHING if data_type and "<" not in data_type else deps)


def nested(members: Iterable[tuple[str, Column]], deps: Deps, length: Deps | None = None) -> Column:
    """Return a value that is made of nested ones; two of the same name are either of them."""
    named: dict[str, Column] = {}
    for name, member in members:
        named[name] = either([named[name], member]) if name in named else member
    return _bounded(Column(deps, named, length=length))


def array(element: Column, deps: Deps, length: Deps | None = None) -> Column:
    """Return an array of such elements."""
    return nested([(ELEMENT, element)], deps, length)


def either(columns: Iterable[Column]) -> Column:
    """Return a value that is one of these, nobody knows which."""
    alternatives = [column for column in columns if column.deps or column.members is not None]
    if len(alternatives) < 2 or all(column is alternatives[0] for column in alternatives):
        return alternatives[0] if alternatives else EMPTY
    known = [column for column in alternatives if not column.is_opaque]
    length = None
    if any(column.length is not None for column in alternatives):
        length = algebra.merged(column.decides_length for column in alternatives)
    elif not known:
        return Column(algebra.merged(column.deps for column in alternatives))
    return _bounded(
        Column(
            algebra.merged(column.deps for column in alternatives),
            _members([column for column in known if column.members is not None]),
            algebra.merged(column.origin for column in known),
            _extra(alternatives) if known else NOTHING,
            length,
        )
    )


def anchored(column: Column, length: Deps, how: How) -> Column:
    """Return a value that arrays give: where nothing of one is in it, the length of that one is.

    A constant, or a column beside the array, is there as often as the array has elements; zipped
    with a longer one, an array is filled up with nulls.
    """
    bases = algebra.bases(column.deps)
    missing = frozenset(dep for dep in length if algebra.base(dep.source) not in bases)
    if len(missing) == len(length):
        return column.besides(algebra.applied(how, length))
    members = column.members
    if members is not None:
        members = {name: anchored(member, length, how) for name, member in members.items()}
    return column._replace(members=members).besides(algebra.applied(CONDITIONAL, missing))


def _members(known: list[Column]) -> Mapping[str, Column] | None:
    """The members of all: one that lacks a name is taken as a whole for it."""
    if not known:
        return None
    names = dict.fromkeys(name for column in known for name in column.members or ())
    return {
        name: either(_named(column.members or {}, name) or Column(column.deps) for column in known)
        for name in names
    }


def _extra(alternatives: list[Column]) -> Deps:
    """What nested values depend on besides: of an opaque value all that it depends on."""
    return algebra.merged(
        column.deps if column.is_opaque else column.extra for column in alternatives
    )


def _named(members: Mapping[str, Column], name: str) -> Column | None:
    """The member of the name. Structs whose names differ in case alone may be of one type."""
    if name in members:
        return members[name]
    alike = [member for other, member in members.items() if other.casefold() == name.casefold()]
    return alike[0] if len(alike) == 1 else None


def _of_origin(origin: Deps, name: str) -> Column:
    """A nested value of columns. An element as a whole goes by the name of its array."""
    inner = algebra.member(origin, name)
    return Column(algebra.without_last(inner, ELEMENT), origin=inner)


def _bounded(column: Column) -> Column:
    """The column, without its members where they are too many to carry through a plan."""
    if column.members is None or _pairs(column, MAX_DEPTH) <= MAX_PAIRS:
        return column
    return Column(column.deps, length=column.length)


def _pairs(column: Column, depth: int) -> int:
    """How much the column holds; more than the bound where it is too deep."""
    if not depth:
        return MAX_PAIRS + 1
    pairs = 1 + len(column.deps) + len(column.origin) + len(column.extra)
    for member in (column.members or {}).values():
        pairs += _pairs(member, depth - 1)
        if pairs > MAX_PAIRS:
            break
    return pairs


@dataclass(frozen=True)
class Rows:
    """The rows of an operator: its columns by place, and what decides which rows there are."""

    columns: tuple[Column, ...] = ()
    wide: Deps = NOTHING

    @cached_property
    def all(self) -> Deps:
        """All columns together."""
        return algebra.merged(column.deps for column in self.columns)


def replaced(rows: Rows, resolve: Callable[[Source], Column | None]) -> Rows:
    """Return the rows with what stood for a column of another query replaced by that column."""
    columns = tuple(_replaced(column, resolve) for column in rows.columns)
    return Rows(columns, _resolved(rows.wide, resolve))


def _replaced(column: Column, resolve: Callable[[Source], Column | None]) -> Column:
    members = column.members
    if members is not None:
        members = {name: _replaced(member, resolve) for name, member in members.items()}
    known = [(dep, found) for dep in column.origin if (found := resolve(dep.source)) is not None]
    rest = Column(
        _resolved(column.deps, resolve),
        members,
        column.origin - {dep for dep, _ in known},
        _resolved(column.extra, resolve),
        None if column.length is None else _resolved(column.length, resolve),
    )
    if not known:
        return rest
    alternatives = [found.applied(dep.how) for dep, found in known]
    value = either(alternatives if rest.is_opaque else [rest, *alternatives])
    extra = NOTHING if value.is_opaque else algebra.merged([value.extra, rest.extra])
    return Column(rest.deps, value.members, value.origin, extra, rest.length)


def _resolved(deps: Deps, resolve: Callable[[Source], Column | None]) -> Deps:
    def known(source: Source) -> Deps | None:
        column = resolve(source)
        return None if column is None else column.deps

    return algebra.substituted(deps, known)
