"""Results of live traces and of dry runs, in the form in which they are saved."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from lineage.records import gateway
from lineage.records.fidelity import Fidelity
from lineage.records.row_keys import position_columns
from lineage.records.trace_writer import MAX_WITNESSES, ContributingRows, TraceResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import DataFrame

    from lineage.records.dry_run import TraceAnswer
    from lineage.records.traces import Trace

# Traced rows whose values are saved, as a dry run returns at most.
_MAX_VALUES = 20


def result_of_trace(trace: Trace, dataset: str, run: str | None = None) -> TraceResult:
    """Return the result of a live trace of rows of ``dataset``; reads contributing rows."""
    condition, columns = _describe_condition(trace)
    return TraceResult(
        dataset=dataset,
        condition=condition,
        columns=columns,
        way="live",
        fidelity=trace.fidelity,
        reasons=trace.reasons,
        rows=trace.row_count,
        sources=[
            ContributingRows(1, dataset, source, count, _read_witnesses(trace, source))
            for source, count in trace.counts.items()
        ],
        run=run,
        reproduced=trace.reproduced,
        values=_read_rows(trace.rows, _MAX_VALUES),
    )


def results_of_dry_run(answers: Iterable[TraceAnswer], condition: str) -> list[TraceResult]:
    """Return a result for each write of the table of the question.

    Answers for the writes that precede it follow that of the write; they are part of its result.
    """
    by_write: list[list[TraceAnswer]] = []
    for answer in answers:
        if answer.depth == 1:
            by_write.append([])
        by_write[-1].append(answer)
    return [_result_of_write(parts, condition) for parts in by_write]


def _result_of_write(answers: list[TraceAnswer], condition: str) -> TraceResult:
    first, order = answers[0], list(Fidelity)
    return TraceResult(
        dataset=first.target,
        condition=condition,
        columns=condition_columns(condition),
        way="dry run",
        fidelity=max((answer.fidelity for answer in answers), key=order.index),
        reasons=list(dict.fromkeys(reason for answer in answers for reason in answer.reasons)),
        rows=first.rows,
        sources=[
            ContributingRows(
                answer.depth, answer.target, source.dataset, source.rows, source.witnesses
            )
            for answer in answers
            for source in answer.sources
        ],
        reproduced=_reproduced_by_all(answers),
        values=first.values,
    )


def _reproduced_by_all(answers: Iterable[TraceAnswer]) -> bool | None:
    """Return whether the rows of each answer came again, None if this is not known of one."""
    results = {answer.reproduced for answer in answers}
    return False if False in results else None if None in results else True


def condition_columns(condition: str) -> list[str]:
    """Return the columns that a condition names, as SQL of Spark; none if it cannot be parsed."""
    import sqlglot
    from sqlglot import errors, expressions

    try:
        parsed = sqlglot.parse_one(condition, dialect="spark")
    except errors.SqlglotError:
        return []
    names = (
        ".".join(part.name for part in each.parts) for each in parsed.find_all(expressions.Column)
    )
    return list(dict.fromkeys(names))


def _describe_condition(trace: Trace) -> tuple[str, list[str]]:
    """Return the text of a condition, and its columns."""
    from pyspark.sql import Row

    where: Any = trace.where
    if isinstance(where, str):
        return where, condition_columns(where)
    if isinstance(where, Row):
        where = dict(zip(trace.frame.columns, where, strict=True))
    if isinstance(where, dict):
        return " AND ".join(f"{name} <=> {value!r}" for name, value in where.items()), list(where)
    return _describe_column(trace.frame.where(where))


def _describe_column(filtered: DataFrame) -> tuple[str, list[str]]:
    """Return the condition of a filter as SQL, and its columns."""
    node: Any = filtered._jdf.queryExecution().analyzed()
    while node.nodeName() != "Filter":
        node = node.children().head()
    references = node.condition().references().toSeq()
    names = [references.apply(number).name() for number in range(references.size())]
    return node.condition().sql(), list(dict.fromkeys(names))


def _read_witnesses(trace: Trace, source: str) -> list[dict[str, Any]]:
    if not trace.counts[source]:
        return []
    return _read_rows(trace.witnesses(source, MAX_WITNESSES), MAX_WITNESSES)


def _read_rows(frame: DataFrame, limit: int) -> list[dict[str, Any]]:
    """Return the first rows as JSON objects, as a dry run does."""
    # Sorted by position, so that the rows that are saved do not depend on the partitions.
    position = position_columns(frame.columns)
    ordered = frame.orderBy(*position) if {*position} <= {*frame.columns} else frame
    texts = gateway.records_of(frame.sparkSession).json(ordered._jdf, limit)
    return list(map(json.loads, texts))
