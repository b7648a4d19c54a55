"""Rows of diffs and root causes: one for each change, difference and cause."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.export.registry import Row
    from lineage.query.causes import Cause
    from lineage.query.dataset_diff_records import Diff
    from lineage.query.run_diff import RunDiff


def of_dataset(diff: Diff) -> Iterator[Row]:
    """Yield a row for each change: an entity added or removed, or a value before and after."""
    for d in diff.datasets:
        yield _diff_row(d.change, "dataset", d.distance, d.dataset, d.dataset.full_name)
    for j in diff.jobs:
        yield _diff_row(j.change, "job", j.distance, None, j.job.full_name)
    for w in diff.writes:
        yield _diff_row(w.change, "run", w.distance, w.write.dataset, w.write.run.run_id) | {
            "job": w.write.job.full_name,
            "state": w.write.run.state,
            "written": w.write.written,
            "version": w.write.version,
            "mode": w.write.mode,
            "rows": w.write.rows,
            "bytes": w.write.bytes,
            "matched_by": w.write.matched_by,
        }
    for s in diff.schemas:
        if not (s.before_known and s.after_known):
            yield _diff_row(
                "unknown", "schema", s.distance, s.dataset, None,
                before="known" if s.before_known else "not known",
                after="known" if s.after_known else "not known",
            )  # fmt: skip
        for c in s.columns:
            yield _diff_row(
                c.change, "column", s.distance, s.dataset, c.name, before=c.before, after=c.after
            )
    for r in diff.rows:
        yield _diff_row(
            "changed", "rows", r.distance, r.dataset, None, before=r.before.rows, after=r.after.rows
        )


def _diff_row(
    change: str,
    kind: str,
    distance: int,
    dataset: Any,
    name: str | None,
    *,
    before: Any = None,
    after: Any = None,
) -> Row:
    return {
        "change": change,
        "kind": kind,
        "distance": distance,
        "dataset": dataset and dataset.full_name,
        "name": name,
        "before": before,
        "after": after,
    }


def of_runs(diff: RunDiff) -> list[Row]:
    """Return one row for each difference of two runs."""
    return [
        {
            "part": each.part,
            "dataset": each.dataset and each.dataset.full_name,
            "key": each.key,
            "before": each.before,
            "after": each.after,
        }
        for each in diff.differences
    ]


def of_cause(cause: Cause) -> Row:
    """Return the row of a cause."""
    return {
        "kind": cause.kind,
        "distance": cause.distance,
        "run": cause.run.run_id,
        "state": cause.run.state,
        "job": cause.job.full_name,
        "dataset": cause.dataset and cause.dataset.full_name,
        "reason": cause.reason,
        "fault": cause.fault,
        "reader": cause.reader and cause.reader.run_id,
        "read_at": cause.read_at,
        "seen": cause.seen and cause.seen.run_id,
        "seen_at": cause.seen_at,
        "observed": cause.observed,
        "expected": cause.expected,
        "spread": cause.spread,
        "runs": cause.runs,
        "checks": list(cause.checks),
        "checked_at": cause.checked_at,
        "columns": [
            {"change": c.change, "name": c.name, "before": c.before, "after": c.after}
            for c in cause.columns
        ],
    }
