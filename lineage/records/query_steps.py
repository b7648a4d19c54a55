"""Operators of a query with the marked rows that reach and leave them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Marks = frozenset[int]


@dataclass(frozen=True)
class Step:
    """An operator of the query, with the marked rows that reach it and leave it.

    Marked rows are numbered as in ``Followed.rows``. ``detail`` is the condition, the grouping
    expressions or the name of the source, as SQL. The last step is the ``Result``. ``inputs`` are
    the numbers of the steps whose rows it receives. ``rows`` counts all output rows; it is None if
    no marked row can reach the operator, which then did not run. ``arrived`` are the marked rows in
    its input, ``alive`` those in its output, and ``ended`` those in no output row. ``failed`` has,
    for each part of a filter's condition, the marked rows that do not meet it; a part that calls
    Python or a subquery is not in it.
    """

    operator: str
    detail: str
    inputs: tuple[int, ...]
    rows: int | None
    arrived: Marks
    alive: Marks
    ended: Marks
    failed: dict[str, Marks] = field(default_factory=dict)

    def conditions_of(self, mark: int) -> list[str]:
        """Return the unmet parts of the condition for a row that ended here, or all of it."""
        failed = [text for text, marks in self.failed.items() if mark in marks]
        return failed or [self.detail]


class Observation(NamedTuple):
    """Observations of the rewriter at an operator; sets of marked rows are bits."""

    operator: str
    detail: str
    inputs: Sequence[int]
    rows: int | None
    alive: int
    conditions: Sequence[str]
    passing: Sequence[int]


def read_steps(observations: Iterable[Observation]) -> list[Step]:
    """Return the steps of observations, each after its inputs."""
    steps: list[Step] = []
    for seen in observations:
        alive = marks_of(seen.alive)
        arrived = frozenset[int]().union(*(steps[number].alive for number in seen.inputs))
        arrived = arrived if seen.inputs else alive
        step = Step(
            operator=seen.operator,
            detail=seen.detail,
            inputs=tuple(seen.inputs),
            rows=seen.rows,
            arrived=arrived,
            alive=alive,
            ended=arrived - alive,
            failed={
                text: arrived - marks_of(bits)
                for text, bits in zip(seen.conditions, seen.passing, strict=True)
            },
        )
        steps.append(step)
    return steps


def ends_of(mark: int, steps: Iterable[Step]) -> list[Step]:
    """Return the steps at which a marked row ends.

    A row that is used twice can end at one step and go on at another.
    """
    return [step for step in steps if mark in step.ended]


def marks_of(bits: int) -> Marks:
    """Return the numbers of the bits that are set in a signed number of 64 bits."""
    return frozenset(number for number in range(64) if bits >> number & 1)
