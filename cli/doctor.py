"""``lineage doctor``: check each layer, and name the remedy for each error."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import click

from lineage import settings
from lineage.errors import (
    AgeMissing,
    DatabaseError,
    LineageError,
    MigrationError,
    SpoolError,
    UsageError,
)

from . import options
from .output import render, terminal
from .output.uncounted import REMEDY, describe_uncounted

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

# A collector projects an event within seconds, unless very many arrive at once.
_STALLED_SECONDS = 600


@click.command()
@click.option("--names", is_flag=True, help="List datasets that are likely one under two names.")
@options.dsn
@click.pass_context
def doctor(context: click.Context, names: bool, dsn: str | None) -> None:
    """Check each layer, from the database to the listener's jar and the hub of Python programs.

    The exit code is 1 if a check fails. Without Spark, as on a host that runs only a collector, the
    checks of Java, jar and spool are skipped. Sinks are started if LINEAGE_ENABLED is set.

    With --names, the command only lists pairs of datasets whose names or aliases differ by case,
    quotes, the first or last slash, the scheme, the port or the domain of the host, and of which
    one is written and the other only read. They remain separate until a file of names (lineage
    ingest --map) makes them one. The entry of that file is written below each pair.

    \b
    Examples:
      lineage doctor
      lineage doctor --names
    """
    if names:
        _list_twins(dsn)
        return
    if not all([*_check_database(dsn), *_check_spark(), *_check_hub()]):
        context.exit(1)


def _list_twins(dsn: str | None) -> None:
    from lineage.events.name_map import entry_of_map
    from lineage.query.session import Session
    from lineage.query.twins import find_twins

    with Session(dsn) as session:
        twins = find_twins(session)
    for twin in twins:
        how = "written and read" if twin.is_read else "only written"
        terminal.write_line(f"{twin.written.full_name}  ({how})")
        terminal.write_line(f"{twin.read.full_name}  (only read)")
        terminal.write_line(f"  - {json.dumps(entry_of_map(twin.read, twin.dataset))}")
        terminal.write_line("")
    terminal.write_line(f"{render.count_of(len(twins), 'pair')} of similar names.", err=True)


def _write_line(layer: str, check: Callable[[], str]) -> bool:
    """Write one line about a layer and return whether its check succeeded."""
    try:
        terminal.write_line(f"ok    {layer:<11} {check()}")
    except LineageError as error:
        terminal.write_line(f"WRONG {layer:<11} {error}")
        return False
    return True


def _check_database(dsn: str | None) -> list[bool]:
    from lineage.database.connection import connect, resolve_target
    from lineage.database.errors import translate_errors
    from lineage.database.rights import require_utf8, require_version

    opened: list[psycopg.Connection[Any]] = []

    def server() -> str:
        opened.append(connect(dsn, autocommit=True))
        info = opened[0].info
        require_version(info.server_version)
        require_utf8(opened[0])
        version = info.parameter_status("server_version")
        return f"PostgreSQL {version} at {info.host} port {info.port}, database {info.dbname}"

    layers = [_write_line("setting", lambda: f"database from {resolve_target(dsn).origin}")]
    layers.append(layers[0] and _write_line("server", server))
    if opened:
        with translate_errors(), opened[0] as conn:
            layers.append(_write_line("age", lambda: _check_age(conn)))
            layers.append(_write_line("migrations", lambda: _check_migrations(conn, dsn)))
            layers.append(layers[-1] and _write_line("graph", lambda: _check_graph(conn)))
            if layers[-1]:
                layers.append(_write_line("settings", lambda: _check_settings(conn)))
                layers.append(_write_line("queue", lambda: _check_queue(conn)))
                layers.append(_write_line("summaries", lambda: _check_summaries(conn)))
    return layers


def _check_spark() -> list[bool]:
    from lineage.spark.launcher import jar

    if not jar.spark_homes():
        terminal.write_line(
            "none  spark       no SPARK_HOME, no pyspark and no spark-submit; checks skipped"
        )
        return []
    return [
        _write_line("java", _check_java),
        _write_line("jar", _check_jar),
        _write_line("spool", _check_spool),
    ]


def _check_hub() -> list[bool]:
    from .hub_checks import hub_checks, is_hub_enabled

    if not is_hub_enabled():
        terminal.write_line("none  hub         LINEAGE_ENABLED is not set; programs record nothing")
    return [_write_line(layer, check) for layer, check in hub_checks()]


def _check_age(conn: psycopg.Connection[Any]) -> str:
    row = conn.execute("SELECT extversion FROM pg_extension WHERE extname = 'age'").fetchone()
    if row is None:
        raise AgeMissing(
            f'The extension age is not installed in database "{conn.info.dbname}".',
            "Run: lineage migrate. It creates the extension, or lists the statements for a"
            " superuser",
        )
    (version,) = row
    return f"Apache AGE {version}"


def _check_migrations(conn: psycopg.Connection[Any], dsn: str | None) -> str:
    from lineage.database import migrations
    from lineage.database.connection import migrate_command

    migrations.check_schema(conn, command=migrate_command(dsn))
    return f"all {len(migrations.migration_history(conn))} applied"


def _check_graph(conn: psycopg.Connection[Any]) -> str:
    from lineage.database import restored_dump

    if restored_dump.is_strange(conn):
        raise MigrationError(
            "The graph is not registered with AGE: the database was restored from a dump.",
            "Run as a superuser: lineage migrate",
        )
    row = conn.execute(
        "SELECT (SELECT count(*) FROM lineage.event), (SELECT count(*) FROM lineage.run),"
        " (SELECT count(*) FROM lineage.dataset WHERE canonical = id),"
        " (SELECT lineage.iso8601(max(last_seen)) FROM lineage.job"
        "  WHERE last_seen > now() + interval '1 day')"
    ).fetchone()
    assert row is not None
    *counts, ahead = row
    text = "{:,} events, {:,} runs, {:,} datasets".format(*counts)
    return f"{text}; the newest event is of {ahead}, in the future" if ahead else text


def _check_settings(conn: psycopg.Connection[Any]) -> str:
    from lineage.database.rights import missing_settings

    if missing := missing_settings(conn):
        listed = "".join(f" {statement};" for statement in missing)
        raise MigrationError(
            "The database lacks settings, as after a restore without --create.",
            f"Have a superuser run:{listed}",
        )
    return "search path and libraries are set"


def _check_queue(conn: psycopg.Connection[Any]) -> str:
    from lineage.maintenance.status import read_status

    from .status import describe_lag

    events = read_status(conn).events
    lag = describe_lag(events.pending, events.oldest_seconds)
    if (events.oldest_seconds or 0) > _STALLED_SECONDS:
        raise DatabaseError(
            f"The graph lacks events: {lag}.",
            "Start a collector of this version, or see its log for an error.",
        )
    return lag


def _check_summaries(conn: psycopg.Connection[Any]) -> str:
    from lineage.query.deferred import count_deferred_jobs

    if jobs := count_deferred_jobs(conn):
        raise DatabaseError(describe_uncounted(jobs), REMEDY)
    return "all runs are counted"


def _check_java() -> str:
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin") if home else shutil.which("java")
    if java is None:
        raise UsageError(
            "No program java was found.",
            "Install a JDK that Spark supports, or set JAVA_HOME.",
        )
    return java


def _check_jar() -> str:
    from lineage.spark.launcher import jar

    spark = jar.installed_spark()
    return f"{jar.jar_path(*spark)} for Spark {spark.version}"


def _check_spool() -> str:
    spool = settings.spool_directory()
    place = next(parent for parent in [spool, *spool.parents] if parent.exists())
    if not os.access(place, os.W_OK):
        raise SpoolError(
            f"The spool {spool} is not writable.", "Set LINEAGE_SPOOL to another directory."
        )
    return str(spool)
