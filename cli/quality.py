"""``lineage quality``: what was checked of a dataset, of what it was made from, or by a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lineage.errors import NotFound
from lineage.query.names import is_run_id, resolve_dataset, resolve_run
from lineage.query.quality import check_quality, check_run_quality
from lineage.query.session import Session

from . import options
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


@click.command()
@click.argument("name", metavar="DATASET|RUN|JOB", shell_complete=options.complete_dataset)
@click.option("--upstream", is_flag=True, help="Also all that the dataset was made from.")
@click.option("--last-run", is_flag=True, help="Checks of the last run of the DATASET or JOB.")
@click.option("--failed", is_flag=True, help="Only checks that failed.")
@options.depth
@options.limit_option(100)
@options.format_option("text", *render.ROWS)
@options.dsn
@click.pass_context
def quality(
    context: click.Context,
    name: str,
    upstream: bool,
    last_run: bool,
    failed: bool,
    depth: int | None,
    limit: int,
    form: str,
    dsn: str | None,
) -> None:
    """List the checks that a dataset passed and failed, or those of a run.

    RUN is an id or the beginning of one. A job stands for its last run; with --last-run a dataset
    stands for the last run that wrote it or was to.

    Of a dataset each job that checks it counts with its newest result. With --upstream all that it
    was made from is asked too: which of my inputs failed a check?

    Of a run it is what the run itself checked, and of each input what was last checked before the
    run read it. Checks are those of the dataQualityAssertions facets of datasets and of the test
    facets of runs.

    The exit code is 1 where a check failed.

    \b
    Examples:
      lineage quality gold/revenue
      lineage quality gold/revenue --upstream --failed
      lineage quality 0198c6f0-22a1-7000-8000-000000000001 --failed
      lineage quality report_fleet_age
    """
    if upstream and last_run:
        raise click.UsageError("--upstream is about a dataset, --last-run about a run.")
    with Session(dsn) as session:
        run = _run_of(session, name, last_run=last_run) if not upstream else None
        result = (
            check_run_quality(session, run, failed=failed, limit=limit)
            if run
            else check_quality(
                session, name, upstream=upstream, failed=failed, depth=depth, limit=limit
            )
        )
    if form == "text":
        terminal.write_fitting_lines(_quality_lines(result, failed))
    else:
        render.emit_rows([check_row(each) for each in result.checks], form, COLUMNS)
        for line in _omitted_lines(result):
            terminal.write_line(line, err=True)
    if result.failed:
        context.exit(1)


def _run_of(session: Session, name: str, *, last_run: bool) -> str | None:
    """Return the run that ``name`` stands for; None for a dataset, which goes before beginnings."""
    if last_run:
        return resolve_run(session, name)
    if is_run_id(session, name):
        return name
    try:
        resolve_dataset(session, name)
    except NotFound as error:
        try:
            return resolve_run(session, name)
        except NotFound:
            message = f'No dataset, run or job is called "{name}".'
            raise NotFound(message, error.hint) from None
    return None


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
        yield "No event states a check."
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
    """What was checked, how far upstream, when and by which job."""
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
        yield f"and {quality.omitted:,} more: --limit 0 tells them"
