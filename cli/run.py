"""``lineage run``: run a Spark command with the listener and record its lineage."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from lineage import settings
from lineage.errors import LineageError
from lineage.failures import first_line

from . import options
from .output import terminal

if TYPE_CHECKING:
    from openlineage.client.event_v2 import RunEvent


def write_message(text: str) -> None:
    """Write a message to stderr; stdout belongs to the command."""
    terminal.write_line(f"lineage: {text}", err=True)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--spool",
    type=click.Path(path_type=Path),
    help="Directory for plan documents.  [env var: LINEAGE_SPOOL]",
)
@click.option("--namespace", metavar="NAME", help="Namespace of the jobs.  [default: default]")
@options.dsn
@click.pass_context
def run(
    context: click.Context,
    command: tuple[str, ...],
    spool: Path | None,
    namespace: str | None,
    dsn: str | None,
) -> None:
    """Run a Spark COMMAND with the listener, and write its lineage into the graph.

    COMMAND is spark-submit, pyspark, spark-sql or spark-shell with its arguments, or any program
    that starts Spark through pyspark.

    The exit code is that of COMMAND, even if its lineage could not be written. Plan documents then
    remain in the spool, and a message on stderr shows how to ingest them.

    \b
    Examples:
      lineage run -- spark-submit job.py 2026-01-31
      lineage run --namespace nightly -- python job.py
    """
    from lineage.spark.launcher import launch
    from lineage.spark.launcher.submit import SparkCommand

    place = launch.new_spool((spool or settings.spool_directory()).absolute())
    conf = {"spark.lineage.namespace": namespace} if namespace else {}
    try:
        prepared = launch.prepare_command(list(command), place, conf)
    except LineageError as error:
        write_message(f"{error} The command runs without the listener.")
        context.exit(launch.run_command(SparkCommand(list(command), {})))
    for setting in prepared.ignored:
        write_message(f"{setting} of the command has no effect: the lineage is read from {place}.")
    try:
        code = launch.run_command(prepared)
        _write_lineage(place, code, dsn)
    finally:
        launch.remove_empty_spool(place)
    context.exit(code)


def _write_lineage(place: Path, code: int, dsn: str | None) -> None:
    """Write the lineage of a command, or report why that is not possible."""
    try:
        _take_in(place, code, dsn)
    except LineageError as error:
        write_message(str(error))
        option = f"--exit-code {code} " if _is_of_one(place) else ""
        write_message(
            f"The plan documents remain in the spool. Run: lineage ingest {option}{place}"
        )


def _is_of_one(place: Path) -> bool:
    """Return whether one application wrote documents; only then the exit code is its own."""
    from lineage.spark.document.spool import find_applications

    return len(find_applications(place)) == 1


def _take_in(place: Path, code: int, dsn: str | None) -> None:
    from openlineage.client.serde import Serde

    from lineage.database.connection import connect_migrated
    from lineage.ingest.writer import write_events
    from lineage.spark.conversion.applications import convert_applications
    from lineage.spark.document.spool import find_applications

    spooled = find_applications(place)
    if not spooled:
        write_message("The command started no Spark application with the listener.")
        write_message(
            "Code that sets spark.extraListeners replaces the listener."
            " Add io.lineage.spark.LineageListener there, or call lineage.spark.configure()."
        )
        return
    exit_code = code if _is_of_one(place) else None
    events = list(convert_applications(spooled, lambda error: write_message(str(error)), exit_code))
    with connect_migrated(dsn) as conn:
        write_events(conn, [Serde.to_json(event) for event in events])
    for event in events:
        _report_run(event)


def _report_run(event: RunEvent) -> None:
    """Report reads, writes and failure of a run that has ended."""
    state = event.eventType.value if event.eventType else "OTHER"
    if state == "START" or _is_aside(event, state):
        return
    write_message(f"{state:<8} {event.job.name}")
    for source in event.inputs or []:
        write_message(f"  read   {_display_name(source)}")
    for target in event.outputs or []:
        rows = getattr((target.outputFacets or {}).get("outputStatistics"), "rowCount", None)
        did = "wrote" if state == "COMPLETE" else "was to write"
        write_message(
            f"  {did:<6} {_display_name(target)}" + (f"  {rows:,} rows" if rows is not None else "")
        )
    if failure := (event.run.facets or {}).get("errorMessage"):
        line = first_line(getattr(failure, "message", None), max_length=200)
        write_message(f"  {line or 'no message'}")


def _is_aside(event: RunEvent, state: str) -> bool:
    """Return whether a run succeeded without data access, as settings and temporary views do."""
    facets = event.run.facets or {}
    is_of_data = event.inputs or event.outputs or "lineage_unresolved" in facets
    return state == "COMPLETE" and not is_of_data and "lineage_application" not in facets


def _display_name(dataset: Any) -> str:
    from lineage.query.records import Dataset

    return Dataset(0, dataset.namespace, dataset.name).full_name
