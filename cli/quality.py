"""``lineage quality``: checks of a dataset, of the datasets upstream of it, or of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.query.quality import check_quality, check_run_quality
from lineage.query.session import Session

from . import options
from .archived_runs import report_archive
from .default_group import DefaultGroup
from .output import job_names, render, terminal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.query.quality import Check, Quality
    from lineage.query.records import Job

COLUMNS = ["part", "distance", "dataset", "check", "column", "success", "severity", "expected",
           "actual", "checked_at", "job", "run_id"]  # fmt: skip
_OF_RUN = {
    "test": "tests of the run",
    "output": "outputs that the run checked",
    "input": "inputs that the run checked",
    "before": "inputs, as last checked before the run read them",
}

_failed = click.option("--failed", is_flag=True, help="List only checks that failed.")
_limit = options.limit_option(100, "Maximum number of checks.")


@click.group(cls=DefaultGroup)
def quality() -> None:
    """List the quality checks of a dataset or a run.

    Checks are reported in dataQualityAssertions facets of datasets, in
    those of Great Expectations, and in test facets of runs. The tests of a
    run of type TEST are checks of each of its inputs, unless it reports
    assertions of its inputs. The exit code is 1 if a listed check failed.

    `lineage quality NAME` is `lineage quality dataset NAME`.

    \b
    Examples:
      lineage quality gold/revenue
      lineage quality gold/revenue --upstream --failed
      lineage quality run report_fleet_age
    """


@quality.command("dataset")
@click.argument("name", shell_complete=options.complete_dataset)
@click.option("--upstream", is_flag=True, help="Also list checks of all datasets upstream.")
@_failed
@options.depth
@_limit
@options.format_option("text", *render.ROWS)
@options.dsn
def check_dataset_command(
    name: str,
    upstream: bool,
    failed: bool,
    depth: int | None,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """List the newest checks of the dataset NAME.

    The newest result of each job that checks the dataset is listed. With --upstream, so are the
    checks of all datasets that it was made from.

    \b
    Examples:
      lineage quality gold/revenue
      lineage quality gold/revenue --upstream --failed
    """
    with Session(dsn) as session:
        result = check_quality(
            session, name, upstream=upstream, failed=failed, depth=depth, limit=limit
        )
    _emit_quality(result, form, failed=failed)


@quality.command("run")
@click.argument("name", metavar="RUN|JOB|DATASET", shell_complete=options.complete_job)
@_failed
@_limit
@options.format_option("text", *render.ROWS)
@options.dsn
def check_run_command(name: str, failed: bool, limit: int, form: str, dsn: str | None) -> None:
    """List the checks of a run, and those of its inputs.

    RUN is a run id or the beginning of one. A job stands for its last run, a dataset for the last
    run that wrote it or was to write it.

    For each input, the last checks before the run read it are listed.

    \b
    Examples:
      lineage quality run 0198c6f0-22a1-7000-8000-000000000001 --failed
      lineage quality run report_fleet_age
    """
    with Session(dsn) as session:
        result = check_run_quality(session, name, failed=failed, limit=limit)
    _emit_quality(result, form, failed=failed)


def _emit_quality(quality: Quality, form: str, *, failed: bool) -> None:
    """Write the checks, and exit with 1 if one failed."""
    if form == "text":
        terminal.write_fitting_lines(_quality_lines(quality, failed))
    else:
        render.emit_rows([check_row(each) for each in quality.checks], form, COLUMNS)
        for line in _omitted_lines(quality):
            terminal.write_line(line, err=True)
    report_archive(quality.archive)
    if quality.failed:
        click.get_current_context().exit(1)


def check_row(check: Check) -> dict[str, Any]:
    """Return the row of a check."""
    return {
        "part": check.part,
        "distance": check.distance,
        "dataset": check.dataset and check.dataset.full_name,
        "check": check.name or check.assertion,
        "assertion": check.assertion,
        "column": check.column,
        "success": check.success,
        "severity": check.severity,
        "expected": check.expected,
        "actual": check.actual,
        "description": check.description,
        "checked_at": check.checked_at,
        "job": check.job and check.job.full_name,
        "run_id": check.run and check.run.run_id,
    }


def _quality_lines(quality: Quality, failed: bool) -> Iterator[str]:
    counts = [f"{quality.passed:,} passed", f"{quality.failed:,} failed"]
    counts += [f"{quality.unknown:,} without a result"] if quality.unknown else []
    if not quality.passed + quality.failed + quality.unknown:
        yield "No event reports a check."
        return
    yield f"{', '.join(counts)}."
    names = job_names.of_records(quality.checks)
    above: tuple[object, ...] = ()
    for check in quality.checks:
        head = check.part, check.dataset, check.job, check.checked_at
        if head != above:
            above = head
            yield ""
            yield _check_heading(check, names)
        yield f"  {check.check_title}  {check.describe_result}"
    if failed and not quality.checks:
        yield "None of them failed."
    yield from _omitted_lines(quality)


def _check_heading(check: Check, names: Mapping[Job, str]) -> str:
    """Return the heading of checks: dataset, distance, job and time."""
    by = f"{names[check.job]}, " if check.job else ""
    when = f"[{by}{render.format_time(check.checked_at)}]"
    if check.part != "dataset":
        what = _OF_RUN[check.part]
        return f"{check.dataset}  ({what})  {when}" if check.dataset else f"{what}  {when}"
    steps = check.distance
    far = f"  ({steps} step{'s' if steps > 1 else ''} upstream)" if steps else ""
    return f"{check.dataset}{far}  {when}"


def _omitted_lines(quality: Quality) -> Iterator[str]:
    if quality.omitted:
        yield f"and {quality.omitted:,} more; --limit 0 shows all"
