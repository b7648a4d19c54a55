"""Outcomes of rows of a source: where they go on, where they end, and by which condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.errors import Ambiguous
from lineage.records import gateway
from lineage.records.conditions import condition_errors
from lineage.records.fidelity import Fidelity, Label, parse_label, worst_of
from lineage.records.names import numbers_of_source
from lineage.records.predicates import condition_of
from lineage.records.query_steps import Marks, Observation, Step, ends_of, read_steps
from lineage.records.replays import labels_of_caches, replay_inputs

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

    from lineage.query.session import Session
    from lineage.records.replays import ReplayedInputs


class Followed:
    """The way of marked rows through the operators of a query.

    ``rows`` are the marked rows, at most 64. ``steps`` are the operators at which rows can end,
    each after its inputs. ``alive`` are the marked rows that are part of the result. ``fidelity``
    is how far the steps are those of the rows, and ``reasons`` are its limits, such as
    ``opaque:MapInPandas``. If more than 64 rows match, it is ``sampled``.
    """

    def __init__(
        self, frame: DataFrame, source: str, where: Any, inputs: ReplayedInputs | None = None
    ) -> None:
        self._spark = frame.sparkSession
        plan = inputs.plan if inputs else gateway.plan_of(frame)
        sources = list(plan.datasets())
        number, *others = numbers_of_source(source, sources)
        self.source: str = sources[number]
        if others:
            raise Ambiguous(f"The query reads {self.source} with several sets of columns.", [])
        condition = condition_of(gateway.frame_of(self._spark, plan.source(number)), where)
        with condition_errors(where):
            self._followed = gateway.records_of(self._spark).follow(plan, number, condition._jc)
        self.rows: list[Row] = gateway.frame_of(self._spark, self._followed.rows()).collect()
        labels = [*inputs.labels] if inputs else labels_of_caches(frame)
        labels += [parse_label(line) for line in self._followed.labels()]
        if self._followed.isTruncated():
            labels.append(Label(Fidelity.SAMPLED, f"marked:first {len(self.rows)} rows"))
        self.steps: list[Step] = read_steps(map(_observation_of, self._followed.steps()))
        self.alive: Marks = self.steps[-1].alive
        self.fidelity: Fidelity = worst_of(labels)
        self.reasons: list[str] = [label.reason for label in labels]

    def ends_of(self, mark: int) -> list[Step]:
        """Return the steps at which a marked row ends, by its number.

        A row that is used twice can end at one step and go on at another.
        """
        return ends_of(mark, self.steps)

    def result_rows(self) -> DataFrame:
        """Return the rows of the result that are made of marked rows."""
        return gateway.frame_of(self._spark, self._followed.results())


def follow(
    frame: DataFrame,
    source: str,
    where: str | Column | Row | dict[str, Any],
    *,
    table: str | None = None,
    target: Session | str | None = None,
    force: bool = False,
) -> Followed:
    """Determine the outcomes of rows of a source in a query, operator by operator.

    The query runs once more, with one bit for each of at most 64 rows of ``source`` that match
    ``where``. It runs completely, because the rows may meet any others. ``table``, ``target`` and
    ``force`` are those of ``trace``: the dataset to which the frame was written, with whose run the
    sources are compared. Raises ``NotFound`` and ``Ambiguous`` for the name of the source, and
    ``UsageError``, ``StaleInputs`` and ``DatabaseError`` as ``trace`` does.
    """
    inputs = replay_inputs(frame, table, target, force=force) if table else None
    return Followed(frame, source, where, inputs)


def _observation_of(step: Any) -> Observation:
    return Observation(
        operator=step.operator(),
        detail=step.detail(),
        inputs=list(step.inputs()),
        rows=step.rows(),
        alive=step.alive(),
        conditions=list(step.conditions()),
        passing=list(step.passing()),
    )
