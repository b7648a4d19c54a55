"""Compare two runs: inputs, outputs, facets, state and duration."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from lineage.database.statements import StatementFile
from lineage.query import logged_facets
from lineage.query.archive import RunArchive, read_archive
from lineage.query.display import Tabular
from lineage.query.facet_values import leaf_values
from lineage.query.limits import limit_lists, no_more
from lineage.query.names import resolve_run
from lineage.query.records import Dataset, Run
from lineage.query.run_history import row_of_run
from lineage.query.runs import trace_runs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.query.logged_facets import LoggedFacets
    from lineage.query.run_records import RunDependency
    from lineage.query.session import Session

# A table that is only appended to shows the writes of all runs; only the latest are listed.
MAX_WRITERS = 20

Part: TypeAlias = Literal["run", "job", "input", "output"]


class RunRow(NamedTuple):
    """A run, its facets, and the full names of its jobs."""

    run: list[Any]
    facets: dict[str, Any]
    jobs: list[str] | None


class AccessedRow(NamedTuple):
    """A dataset that a run read or wrote, with the names that the run used."""

    output: bool
    dataset: int
    namespace: str
    name: str
    names: list[tuple[str, str]]
    version: str | None
    mode: str | None
    rows: int | None
    bytes: int | None


class ColumnRow(NamedTuple):
    """A column of the schema with this number, which begins at 1."""

    schema: int
    name: str
    type: str


_SQL = StatementFile(__file__)
_SELECT_RUN = _SQL.statement("select_run", RunRow)
_SELECT_ACCESSED = _SQL.statement("select_accessed_datasets", AccessedRow)
_SELECT_COLUMNS = _SQL.statement("select_columns", ColumnRow)


@dataclass(frozen=True, slots=True)
class Difference:
    """A value that differs between two runs; None on a side that does not report it.

    ``key``, if ``part`` is ``run`` or ``job``: state, error, duration (seconds), job, or the path
    of a facet value. If ``part`` is ``input`` or ``output``: "dataset" if only one run has it;
    else version, mode, rows, bytes, "written by" (runs whose writes were read), or "column c",
    whose values are types.
    """

    part: Part
    dataset: Dataset | None
    key: str
    before: Any
    after: Any


@dataclass(frozen=True, slots=True, repr=False)
class RunDiff(Tabular):
    """Differences of two runs. ``unlogged``: runs whose events are not in the log.

    If there is one, job facets and schemas at the time are unknown and are not compared.
    ``omitted``: number of differences over the limit. ``archive``: the archive of runs, which
    may have further writers of the inputs.
    """

    before: Run
    after: Run
    differences: tuple[Difference, ...]
    unlogged: tuple[str, ...]
    omitted: Mapping[str, int] = field(default_factory=no_more)
    archive: RunArchive | None = None


@dataclass(frozen=True, slots=True)
class _Reported:
    """The compared values of a run."""

    run: Run
    own: Mapping[str, Any]
    job: Mapping[str, Any] | None
    inputs: Mapping[Dataset, Mapping[str, Any]]
    outputs: Mapping[Dataset, Mapping[str, Any]]


def diff_runs(session: Session, before: str, after: str, *, limit: int | None = None) -> RunDiff:
    """Compare two runs, each given by a name that ``resolve_run`` accepts."""
    before, after = resolve_run(session, before), resolve_run(session, after)
    reported = logged_facets.of_runs(session, [before, after])
    unlogged = tuple(run for run in dict.fromkeys((before, after)) if run not in reported)
    nothing = logged_facets.LoggedFacets({}, {})
    facts = [
        _read_run_facts(session, run, reported.get(run, nothing) if not unlogged else None)
        for run in (before, after)
    ]
    diff = RunDiff(
        facts[0].run, facts[1].run, tuple(_diff_runs(*facts)), unlogged,
        archive=read_archive(session),
    )  # fmt: skip
    return limit_lists(diff, limit)


def _read_run_facts(session: Session, run_id: str, reported: LoggedFacets | None) -> _Reported:
    row = row_of_run(session.fetch(_SELECT_RUN, run_id=run_id), run_id)
    run = Run(*row.run)
    own = {
        "state": run.state,
        "error": run.error,
        "duration": _duration_seconds(run),
        "job": ", ".join(row.jobs or ()) or None,
        **leaf_values("run", row.facets),
    }
    links: dict[Dataset, list[RunDependency]] = defaultdict(list)
    for link in trace_runs(session, run_id, "upstream", 1).dependencies:
        links[link.dataset].append(link)
    inputs: dict[Dataset, dict[str, Any]] = {}
    outputs: dict[Dataset, dict[str, Any]] = {}
    accesses = session.fetch(_SELECT_ACCESSED, run_id=run_id)
    listed = _read_columns(session, [access.names for access in accesses], reported)
    for access, columns in zip(accesses, listed, strict=True):
        dataset = Dataset(access.dataset, access.namespace, access.name)
        if access.output:
            outputs[dataset] = {
                "mode": access.mode,
                "version": access.version,
                "rows": access.rows,
                "bytes": access.bytes,
                **columns,
            }
        else:
            inputs[dataset] = _describe_read(links[dataset]) | columns
    job = None if reported is None else leaf_values("job", reported.job)
    return _Reported(run, own, job, inputs, outputs)


def _read_columns(
    session: Session, datasets: Sequence[list[tuple[str, str]]], reported: LoggedFacets | None
) -> list[dict[str, Any]]:
    """Return the columns of each dataset as the run reported them by any of its names."""
    listed: list[dict[str, Any]] = [{} for _ in datasets]
    if reported is None:
        return listed
    schemas = [reported.newest_schema((ns, name) for ns, name in names) for names in datasets]
    for row in session.fetch(_SELECT_COLUMNS, schemas=json.dumps(schemas)):
        listed[row.schema - 1][f"column {row.name}"] = row.type
    return listed


def _describe_read(links: Sequence[RunDependency]) -> dict[str, Any]:
    """Return the version that was read and the runs that had written it."""
    versions = sorted({link.version for link in links if link.version})
    newest = sorted((link for link in links if link.writer), key=_describe_write, reverse=True)
    written = dict.fromkeys(
        f"{link.writer.run_id} {link.matched_by}" for link in newest if link.writer
    )
    writers = [*written][:MAX_WRITERS]
    if len(written) > MAX_WRITERS:
        writers.append(f"and {len(written) - MAX_WRITERS:,} more")
    return {
        "version": ", ".join(versions) or None,
        "written by": ", ".join(writers) or None,
    }


def _describe_write(link: RunDependency) -> tuple[str, str]:
    return link.written or "", link.writer.run_id if link.writer else ""


def _duration_seconds(run: Run) -> float | None:
    if run.started_at is None or run.ended_at is None:
        return None
    start, end = (datetime.fromisoformat(t[:-1]) for t in (run.started_at, run.ended_at))
    return (end - start).total_seconds()


def _diff_runs(before: _Reported, after: _Reported) -> Iterable[Difference]:
    yield from _diff_part("run", None, before.own, after.own)
    if before.job is not None and after.job is not None:
        yield from _diff_part("job", None, before.job, after.job)
    yield from _of_datasets("input", before.inputs, after.inputs)
    yield from _of_datasets("output", before.outputs, after.outputs)


def _of_datasets(
    part: Part,
    before: Mapping[Dataset, Mapping[str, Any]],
    after: Mapping[Dataset, Mapping[str, Any]],
) -> Iterable[Difference]:
    for dataset in sorted({*before, *after}, key=lambda each: (each.namespace, each.name)):
        if dataset in before and dataset in after:
            then, now = before[dataset], after[dataset]
            if not (_has_columns(then) and _has_columns(now)):  # no schema: unknown
                then, now = _without_columns(then), _without_columns(now)
            yield from _diff_part(part, dataset, then, now)
        else:
            names = [dataset.full_name if dataset in side else None for side in (before, after)]
            yield Difference(part, dataset, "dataset", *names)


def _has_columns(facets: Mapping[str, Any]) -> bool:
    return any(key.startswith("column ") for key in facets)


def _without_columns(facets: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in facets.items() if not key.startswith("column ")}


def _diff_part(
    part: Part, dataset: Dataset | None, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterable[Difference]:
    for key in dict.fromkeys((*before, *after)):
        if before.get(key) != after.get(key):
            yield Difference(part, dataset, key, before.get(key), after.get(key))
