"""What became of rows of a source: where they go on, where they end, and by which condition."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.records import gateway
from lineage.records.conditions import reported
from lineage.records.fidelity import Fidelity, Label, parse_label, worst_of
from lineage.records.names import match_source
from lineage.records.predicates import condition_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

Marks = frozenset[int]


@dataclass(frozen=True)
class Step:
    """An operator of the query, with the marked rows that reach it and leave it.

    Marked rows are numbered as in ``Followed.rows``. ``detail`` is the condition, the grouping
    expressions or the name of the source, as SQL. ``rows`` counts all output rows. ``arrived`` are
    the marked rows in its input, ``alive`` those in its output. ``failed`` has, for each part of a
    filter's condition, the marked rows that do not meet it; a part that calls Python or a subquery
    is not in it.
    """

    operator: str
    detail: str
    inputs: tuple[int, ...]
    rows: int
    arrived: Marks
    alive: Marks
    failed: dict[str, Marks] = field(default_factory=dict)

    @property
    def ended(self) -> Marks:
        """The marked rows that are part of no output row."""
        return self.arrived - self.alive

    def conditions_of(self, mark: int) -> list[str]:
        """Return what a row that ended here did not meet: parts of the condition, or all of it."""
        failed = [text for text, marks in self.failed.items() if mark in marks]
        return failed or [self.detail]


class Followed:
    """The way of marked rows through the operators of a query.

    ``rows`` are the marked rows, at most 64. ``steps`` are the operators at which rows can end,
    each after its inputs. If more than 64 rows match, ``fidelity`` is ``sampled``.
    """

    def __init__(self, frame: DataFrame, source: str, where: Any) -> None:
        self._spark = frame.sparkSession
        plan = gateway.plan_of(frame)
        sources = list(plan.datasets())
        self.source: str = match_source(source, sources)
        number = sources.index(self.source)
        condition = condition_of(gateway.frame_of(self._spark, plan.source(number)), where)
        with reported(where):
            self._followed = gateway.records_of(self._spark).follow(plan, number, condition._jc)
        self.rows: list[Row] = gateway.frame_of(self._spark, self._followed.rows()).collect()
        self._labels = [parse_label(line) for line in self._followed.labels()]
        if self._followed.isTruncated():
            self._labels.append(Label(Fidelity.SAMPLED, f"marked:first {len(self.rows)} rows"))
        self.steps: list[Step] = []
        for step in self._followed.steps():
            self.steps.append(self._read_step(step))

    def _read_step(self, step: Any) -> Step:
        inputs = tuple(step.inputs())
        alive = marks_of(step.alive())
        arrived = frozenset().union(*(self.steps[number].alive for number in inputs))
        failed = {
            text: arrived - marks_of(bits)
            for text, bits in zip(step.conditions(), step.passing(), strict=True)
        }
        is_leaf = not inputs
        return Step(
            operator=step.operator(),
            detail=step.detail(),
            inputs=inputs,
            rows=step.rows(),
            arrived=alive if is_leaf else arrived,
            alive=alive,
            failed=failed,
        )

    @property
    def fidelity(self) -> Fidelity:
        """How far the steps are those of the rows."""
        return worst_of(self._labels)

    @property
    def reasons(self) -> list[str]:
        """What limits the fidelity, such as ``opaque:MapInPandas``."""
        return [label.reason for label in self._labels]

    @property
    def ended(self) -> dict[int, list[Step]]:
        """For each marked row, by its number, the steps at which it ends.

        A row that is used twice can end at one step and go on at another.
        """
        numbers = range(len(self.rows))
        return {number: [s for s in self.steps if number in s.ended] for number in numbers}

    @property
    def alive(self) -> Marks:
        """The marked rows that are part of the result."""
        return self.steps[-1].alive if self.steps else frozenset()

    @property
    def results(self) -> DataFrame:
        """The rows of the result that are made of marked rows."""
        return gateway.frame_of(self._spark, self._followed.results())


def follow(frame: DataFrame, source: str, where: str | Column | Row | dict[str, Any]) -> Followed:
    """Find what becomes of rows of a source in a query, operator by operator.

    The query runs once more, with one bit for each of at most 64 rows of ``source`` that match
    ``where``. It runs completely, because the rows may meet any others. Raises ``NotFound`` and
    ``Ambiguous`` for the name of the source, and ``UsageError`` as ``trace`` does.
    """
    return Followed(frame, source, where)


def marks_of(bits: int) -> Marks:
    """Return the numbers of the bits that are set in a signed number of 64 bits."""
    return frozenset(number for number in range(64) if bits >> number & 1)
