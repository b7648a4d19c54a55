"""The rows of its sources that a row of a frame is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.records import gateway
from lineage.records.conditions import condition_errors
from lineage.records.fidelity import Fidelity, Label, labels_after_check, parse_label, worst_of
from lineage.records.names import numbers_of_source
from lineage.records.predicates import condition_of, uncompared_columns
from lineage.records.replays import labels_of_caches, replay_inputs

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, Row

    from lineage.query.session import Session
    from lineage.records.replays import ReplayedInputs


class Check(NamedTuple):
    """The result of running the query again on the named rows alone.

    ``reproduced``: whether the traced rows came again. ``left_out``: how many further runs each
    lacked one of the named rows. ``changed``: in how many of them the traced rows were others. A
    row that contributes need not change the result: the maximum of two equal values stays.
    """

    reproduced: bool
    left_out: int
    changed: int


class Trace:
    """The rows of a frame that match a condition, with the rows that they are made of.

    ``rows`` are the traced rows, and ``row_count`` is their number. ``counts`` has the number of
    distinct contributing rows of each source; sources without any are in it with 0. ``frame`` and
    ``where`` are those of the question, and ``reproduced`` is the result of the check, None before.
    More than ten traced rows are cached until ``close()``, or the end of a ``with`` block.
    """

    def __init__(self, frame: DataFrame, where: Any, inputs: ReplayedInputs | None = None) -> None:
        from pyspark.sql import Row

        self._spark = frame.sparkSession
        condition = condition_of(frame, where)
        self._plan = inputs.plan if inputs else gateway.plan_of(frame)
        self.frame: DataFrame = frame
        self.where: Any = where
        self.reproduced: bool | None = None
        self._is_verified = False
        is_peeled = isinstance(where, Row) and self._plan.isLimited()
        records = gateway.records_of(self._spark)
        with condition_errors(where):
            frame.where(condition)  # its errors name the columns of the user only
            self._trace = records.trace(self._plan, condition._jc, is_peeled)
            self.row_count: int = self._trace.rowCount()
        self._sources = list(self._plan.datasets())
        self._labels = [*inputs.labels] if inputs else labels_of_caches(frame)
        self._labels += [parse_label(line) for line in self._trace.labels()]
        if is_peeled and self.row_count > 1:
            self._labels.append(Label(Fidelity.SUPERSET, "limit:equal rows beyond it"))
        if isinstance(where, Row) and not self.row_count:
            self._labels.append(Label(Fidelity.UNKNOWN, "condition:no row is equal to it"))
        if self.row_count > 1 and (columns := uncompared_columns(frame, where)):
            self._labels.append(Label(Fidelity.SUPERSET, f"condition:without {', '.join(columns)}"))
        self.rows: DataFrame = gateway.frame_of(self._spark, self._trace.rows())
        self.counts: dict[str, int] = dict.fromkeys(self._sources, 0)
        self._counts: dict[int, int] = dict(self._trace.counts())
        for number, count in self._counts.items():
            self.counts[self._sources[number]] += count

    @property
    def fidelity(self) -> Fidelity:
        """How far the named rows are the contributing rows.

        The first access runs the check, unless more than 1,000 rows were traced or they are made of
        more than 250,000 rows: the fidelity is then unverified until ``check()`` is called.
        """
        return worst_of(self._read_labels())

    @property
    def reasons(self) -> list[str]:
        """Limits or explanations of the fidelity, such as ``opaque:MapInPandas``."""
        return [label.reason for label in self._read_labels()]

    def _read_labels(self) -> list[Label]:
        if self.reproduced is None and not self._is_verified:
            self.reproduced = self._trace.verify()
            self._is_verified = True
        return labels_after_check(self._labels, self.row_count, reproduced=self.reproduced)

    def witnesses(self, source: str, limit: int | None = None) -> DataFrame:
        """Return contributing rows of a source, with all its columns.

        ``source`` is the name of a source, or an end of it that is unique, such as
        ``silver/flights``. ``_file`` and ``_row_index`` are its file and its position there, if the
        format has them. Rows of other formats are found by their content, so that equal rows are
        all returned; ``limit`` counts them once. Of a source that is read with several sets of
        columns, a row has null in those that it lacks. Raises ``NotFound`` and ``Ambiguous``.
        """
        frames = []
        for number in numbers_of_source(source, self._sources):
            rows = self._trace.witnesses(number, -1 if limit is None else limit)
            frames.append(gateway.frame_of(self._spark, rows))
            if limit is not None:
                limit = max(0, limit - self._counts.get(number, 0))
        return gateway.unite_frames(frames)

    def check(self, leave_out: int = 0) -> Check:
        """Run the query again on the named rows alone, and without single ones of them.

        ``leave_out`` is the number of rows that are left out, each in a run of its own. All traced
        rows are compared, and they and the ids of the named rows are read into the driver.
        """
        self.reproduced = reproduced = bool(self._trace.comesAgain())
        ids = self._trace.ids(leave_out) if leave_out else []
        changed = sum(not self._trace.comesAgainWithout(row.get(0), row.get(1)) for row in ids)
        return Check(reproduced, len(ids), changed)

    def save(
        self,
        dataset: str,
        target: Session | str | None = None,
        *,
        run: str | None = None,
        values: bool = False,
    ) -> str:
        """Store the trace as one of rows of ``dataset``, and return its id.

        ``target`` is a session, a DSN, or None for LINEAGE_DSN or the private server. ``run`` is
        the run that wrote the rows, if it is known. Of the condition its columns are stored and a
        hash, of at most 1,000 contributing rows their positions, and exact counts. With ``values``
        the condition and the values of the rows are stored, too. Raises NotFound and Ambiguous for
        names, UsageError, DatabaseError.
        """
        from lineage.records.trace_results import result_of_trace
        from lineage.records.trace_writer import save_trace

        return save_trace(result_of_trace(self, dataset, run), target, with_values=values)

    def close(self) -> None:
        """Remove the traced rows from the cache."""
        self._trace.close()

    def __enter__(self) -> Trace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def trace(
    frame: DataFrame,
    where: str | Column | Row | dict[str, Any],
    *,
    table: str | None = None,
    target: Session | str | None = None,
    force: bool = False,
) -> Trace:
    """Find the rows of the sources that the rows of ``frame`` with a condition are made of.

    The query runs again with the ids of its rows, on the sources as they are now. If rows of the
    frame are cached and their files have changed, the fidelity is stale. ``where`` is SQL text, a
    ``Column``, a ``Row`` of the frame or a dictionary of column values.

    ``table``: the dataset to which the frame was written. Then the sources are compared with those
    of the runs that wrote it, in the graph of ``target``: a session, a DSN, or None for
    LINEAGE_DSN or the private server. Files that were added since are left out. If the sources
    differ otherwise, StaleInputs is raised, or with ``force`` the fidelity is stale.

    Raises ``UsageError`` for a condition that does not fit the frame, and for frames of Spark
    Connect and streams; DatabaseError.
    """
    return Trace(frame, where, replay_inputs(frame, table, target, force=force) if table else None)
