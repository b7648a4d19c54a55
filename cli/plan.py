"""``lineage plan``: the order of jobs, and DAG files of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .archived_runs import report_archive
from .output import job_order, render, terminal

if TYPE_CHECKING:
    from lineage.orchestration.configuration import Configuration
    from lineage.orchestration.records import Plan
    from lineage.query.records import OneWay

NOTATIONS = ("dot", "mermaid", "graphml", "html")
DAGS = ("airflow", "dagster")
TABLE_COLUMNS = ["level", "job", "after", "seconds", "slack", "stale"]


@click.command("plan")
@click.argument("names", metavar="[NAME]...", nargs=-1, shell_complete=options.complete_job)
@click.option("--upstream", is_flag=True,
              help="Jobs that must run before each NAME is fresh.  [default]")  # fmt: skip
@click.option("--downstream", is_flag=True,
              help="Jobs that must run again after each NAME.")  # fmt: skip
@options.time_option(
    "--since", "Earliest start of the runs that count, by default 30 days before the newest event."
)
@options.observed
@click.option("--stale", is_flag=True,
              help="Only jobs that must run again, because an input is newer than their last"
                   " successful run.")  # fmt: skip
@click.option("--feedback", metavar="DATASET", multiple=True,
              shell_complete=options.complete_dataset,
              help="Dataset whose readers on a cycle use the data of the previous round. May be"
                   " repeated.",
              )  # fmt: skip
@click.option("--workers", type=click.IntRange(1, 1_000_000), metavar="N",
              help="Number of jobs that may run concurrently, to estimate the total time.",
              )  # fmt: skip
@click.option("--config", "config", metavar="FILE", type=click.Path(path_type=Path),
              help="How jobs are started.  [default: lineage-plan.yml, if it exists]")  # fmt: skip
@click.option("--output", metavar="DIRECTORY", type=click.Path(path_type=Path, file_okay=False),
              help="Directory of the DAG file; stdout without it.")  # fmt: skip
@click.option("--check", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False),
              help="DAG file to compare with the order; exit code 1 if it differs.")  # fmt: skip
@click.option("--skip-unmatched", is_flag=True,
              help="Leave jobs without a command out of a DAG file.")  # fmt: skip
@options.format_option("text", *render.ROWS, *NOTATIONS, *DAGS)
@options.dsn
def plan_order(
    names: tuple[str, ...],
    upstream: bool,
    downstream: bool,
    since: str | None,
    observed: bool,
    stale: bool,
    feedback: tuple[str, ...],
    workers: int | None,
    config: Path | None,
    output: Path | None,
    check: Path | None,
    skip_unmatched: bool,
    form: str,
    dsn: str | None,
) -> None:
    """Show the order of jobs: which must run before which.

    A job that writes a dataset precedes each job that reads it, by runs that did not fail and by
    designs. NAME is a job or a dataset; without one, the order is that of all jobs. The statements
    of a Spark application are one job, as are the runs that another job started.

    A cycle is shown by its shortest path, with the datasets; the exit code is then 1, and no
    file is written.

    The formats airflow and dagster need commands, by patterns of job names, from --config. Airflow
    reads the YAML file with dag-factory.

    \b
    Examples:
      lineage plan gold/revenue
      lineage plan --stale --workers 4
      lineage plan --format airflow --output dags
      lineage plan --check dags/nightly.yml
    """
    from lineage.orchestration.plan import PlanOptions, plan_jobs
    from lineage.query.session import Session

    direction = _choose_direction(upstream=upstream, downstream=downstream)
    settings = _read_settings(config)
    chosen = PlanOptions(
        since=since, observed=observed, stale=stale, workers=workers, units=settings.units,
        feedback=(*settings.feedback, *feedback), ignore=settings.ignore,
    )  # fmt: skip
    with Session(dsn) as session:
        plan = plan_jobs(session, names, direction, chosen)
    report_archive(plan.archive)
    if not stale:
        _need_jobs(plan)
    if plan.cycles:
        if form == "json" and check is None:
            _emit_plan(plan, form, is_stale=stale)
        terminal.write_lines(job_order.cycle_lines(plan), err=form != "text" or check is not None)
        raise click.exceptions.Exit(1)
    if check is not None:
        _check_file(plan, settings, check, skip_unmatched=skip_unmatched)
    elif form in DAGS:
        _write_files(plan, settings, form, output, skip_unmatched=skip_unmatched)
    else:
        _emit_plan(plan, form, is_stale=stale)


def _choose_direction(*, upstream: bool, downstream: bool) -> OneWay:
    if upstream and downstream:
        raise click.UsageError("Give --upstream or --downstream, not both.")
    return "downstream" if downstream else "upstream"


def _need_jobs(plan: Plan) -> None:
    from lineage.errors import NotFound

    if not (plan.jobs or plan.roots or plan.omitted_jobs):
        raise NotFound(
            f"No job wrote or read since {plan.since}.",
            "Use an earlier --since, or ingest events first.",
        )


def _read_settings(config: Path | None) -> Configuration:
    from lineage.orchestration.configuration import FILE, Configuration, read_configuration

    if config is None and not Path(FILE).exists():
        return Configuration()
    return read_configuration(config or Path(FILE))


def _emit_plan(plan: Plan, form: str, *, is_stale: bool) -> None:
    from lineage import export
    from lineage.orchestration.job_rows import COLUMNS, job_rows, plan_object

    if form == "text":
        terminal.write_fitting_lines(job_order.plan_lines(plan, is_stale=is_stale))
    elif form == "json":
        click.echo(render.json_text(plan_object(plan), indent=2))
    elif form in NOTATIONS:
        click.echo(export.text(export.graph(plan), form), nl=False)
    else:
        columns = list(COLUMNS) if form == "csv" else TABLE_COLUMNS
        render.emit_rows(job_rows(plan), form, columns)


def _dag_files(
    plan: Plan, settings: Configuration, form: str, *, skip_unmatched: bool
) -> dict[str, str]:
    """Return the texts of the files of a DAG by their names, the one with the tasks first."""
    from lineage.orchestration.airflow import write_dag, write_loader
    from lineage.orchestration.dagster import write_module
    from lineage.orchestration.tasks import list_tasks

    tasks = list_tasks(plan, settings, skip_unmatched=skip_unmatched)
    if form == "dagster":
        return {f"{settings.name}.py": write_module(tasks, settings)}
    return {
        f"{settings.name}.yml": write_dag(tasks, settings),
        f"{settings.name}.py": write_loader(settings),
    }


def _write_files(
    plan: Plan, settings: Configuration, form: str, output: Path | None, *, skip_unmatched: bool
) -> None:
    from lineage.errors import UsageError

    files = _dag_files(plan, settings, form, skip_unmatched=skip_unmatched)
    if output is None:
        click.echo(next(iter(files.values())), nl=False)
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            # Airflow reads the directory at any time: a file is replaced as a whole.
            unfinished = output / f".{name}.new"
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(output / name)
            terminal.write_line(f"Wrote {output / name}.", err=True)
    except OSError as error:
        raise UsageError(f"The files cannot be written: {error}.") from error


def _check_file(plan: Plan, settings: Configuration, path: Path, *, skip_unmatched: bool) -> None:
    from lineage.errors import UsageError
    from lineage.orchestration.checks import compare_dags, form_of_file

    form = form_of_file(path)
    files = _dag_files(plan, settings, form, skip_unmatched=skip_unmatched)
    try:
        written = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.") from error
    changes = compare_dags(written, next(iter(files.values())), form)
    if changes.is_equal:
        terminal.write_line(f"{path} is up to date.", err=True)
        return
    terminal.write_lines(job_order.change_lines(changes))
    terminal.write_line(
        f"{path} is not up to date."
        f" Run lineage plan --format {form} --output {path.parent}.", err=True,
    )  # fmt: skip
    raise click.exceptions.Exit(1)
