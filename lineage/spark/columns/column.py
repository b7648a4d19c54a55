"""A column and the rows it stands in: what each is made of, on the way up through a plan."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from lineage.spark.columns import algebra
from lineage.spark.columns.algebra import NOTHING, TRANSFORMATION, Deps, Source

if TYPE_CHECKING:
    from collections.abc import Mapping


class Taken(NamedTuple):
    """What a value is taken out of, an element of an array or a map, and what it has besides."""

    held: Deps
    besides: Deps = NOTHING

    def member(self, name: str) -> Column:
        """The field of the value where it is a struct."""
        held = algebra.member(self.held, name)
        deps = algebra.merged([algebra.applied(TRANSFORMATION, held), self.besides])
        return Column(deps, taken=Taken(held, self.besides))


class Column(NamedTuple):
    """What a column is made of, and what each member is where it is a struct made in the query.

    ``taken`` says more of a value that is an element of an array or a map.
    """

    deps: Deps = NOTHING
    members: Mapping[str, Column] | None = None
    taken: Taken | None = None


EMPTY = Column()


@dataclass(frozen=True)
class Rows:
    """The rows of an operator: its columns by place, and what decides which rows there are."""

    columns: tuple[Column, ...] = ()
    wide: Deps = NOTHING

    @cached_property
    def all(self) -> Deps:
        """All columns together."""
        return algebra.merged(column.deps for column in self.columns)


def taken_out(container: Deps, name: str, besides: Deps = NOTHING) -> Column:
    """What an array or a map holds under the name."""
    held = algebra.part(container, name)
    deps = algebra.merged([algebra.applied(TRANSFORMATION, container), besides])
    return Column(deps, taken=Taken(held, besides) if held else None)


def replaced(rows: Rows, known: Mapping[Source, Deps]) -> Rows:
    """The rows with the sources that stood for something else replaced."""
    return Rows(
        tuple(Column(algebra.substituted(column.deps, known)) for column in rows.columns),
        algebra.substituted(rows.wide, known),
    )
