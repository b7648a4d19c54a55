"""Archives in an object store: events and runs move there, and are read from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import boto3
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import run_event
from support.events.months import MONTHS, in_month
from support.services.object_store import object_store, variables_of

from lineage.ingest.writer import write_events
from lineage.projection import archived_runs
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    import psycopg
    from click.testing import Result

    Connection = psycopg.Connection[Any]

LAKE = "s3://archive/lineage"


@pytest.fixture(scope="module")
def options() -> Iterator[dict[str, str]]:
    """Run a store with the bucket ``archive``; return options of clients."""
    with object_store("archive") as chosen:
        yield chosen


@pytest.fixture
def environment(options: dict[str, str]) -> dict[str, str]:
    return variables_of(options)


def lineage(environment: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(main, list(words), env=environment)


def monthly_runs() -> list[str]:
    """Return a run in each of three months."""
    return [
        in_month(run_event(f"run {n}", "COMPLETE", 1, reads=("orders",), writes=("revenue",)), n)
        for n in (1, 2, 3)
    ]


def test_the_graph_is_rebuilt_from_archived_events(
    conn: Connection, dsn: str, options: dict[str, str], environment: dict[str, str]
) -> None:
    write_events(conn, monthly_runs())
    graph = graph_fingerprint(conn)

    done = lineage(environment, "archive", "--before", "2025-03-01", "--to", LAKE, "--dsn", dsn)

    assert done.exit_code == 0, done.stderr
    stored = boto3.client("s3", **options).list_objects_v2(Bucket="archive", Prefix="lineage/month")
    months = [each["Key"].split("/")[1] for each in stored["Contents"] if each["Size"]]
    assert months == [f"month={month}" for month in MONTHS[:2]]
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(1,)]
    rebuilt = lineage(environment, "rebuild", "--dsn", dsn)
    assert rebuilt.exit_code == 0, rebuilt.stderr
    assert graph_fingerprint(conn) == graph


def test_archived_runs_are_listed(
    conn: Connection, dsn: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    write_events(conn, monthly_runs())
    lake = f"{LAKE}/of-runs"

    done = lineage(
        environment, "archive-runs", "--before", "2025-03-01", "--to", lake, "--dsn", dsn
    )

    assert done.exit_code == 0, done.stderr
    listed = lineage(environment, "lake", "runs", lake, "--format", "json")
    assert listed.exit_code == 0, listed.stderr
    assert "run 1" in listed.stdout
    assert "run 3" not in listed.stdout


def test_a_missing_bucket_is_an_error_and_no_event_is_lost(
    conn: Connection, dsn: str, environment: dict[str, str]
) -> None:
    write_events(conn, monthly_runs())

    done = lineage(
        environment, "archive", "--before", "2025-03-01", "--to", "s3://none", "--dsn", dsn
    )

    assert done.exit_code != 0
    assert "s3://none cannot be" in done.stderr
    assert "Check the path, the credentials" in done.stderr
    assert "Traceback" not in done.stderr
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(3,)]
