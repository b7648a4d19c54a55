"""A standby by streaming replication: it answers, rejects writes, and takes over."""

from __future__ import annotations

import shlex
import shutil
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from support.events.builders import run_event
from support.fixtures.database import CARELESS, new_home
from support.services.command_line import answer, run
from support.services.polling import wait_until, wait_until_projected

from lineage.database import create, migrations
from lineage.ingest.writer import write_events
from lineage.postgres import account, binaries
from lineage.postgres.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fixtures.collectors import Serving

EVENTS = [
    run_event("r1", "COMPLETE", 10, "load", ("raw",), ("clean",)),
    run_event("r2", "FAIL", 20, "report", ("clean",), ("gold",)),
    run_event("r3", "COMPLETE", 30, "report", ("clean",), ("gold",)),
]
LATER = run_event("r4", "COMPLETE", 40, "publish", ("gold",), ("web",))
QUESTIONS = [
    "query gold", "query job report", "query run r3", "query at gold 2026-01-01T00:00:25Z",
    "paths raw gold", "impact raw", "diff run r2 r3",
    "root-cause r2", "search gold", "datasets", "jobs", "runs", "show gold", "plan", "overdue",
    "sources", "rank", "orphans", "cycles", "stats", "events", "status", "graph export",
    "queries run failed_runs", "cypher 'MATCH (a:Dataset)-[:FEEDS]->(b) RETURN a.name, b.name'",
]  # fmt: skip


@pytest.fixture(scope="module")
def primary() -> Iterator[str]:
    """Return the DSN of a server that accepts standbys."""
    instance = Instance(new_home(), own=CARELESS)
    dsn = instance.up()
    with (instance.data_directory / "pg_hba.conf").open("a") as rules:
        rules.write("host replication all 127.0.0.1/32 scram-sha-256\n")
    create.ensure_database(instance.database_uri("postgres"), conninfo_to_dict(dsn)["dbname"])
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("SELECT pg_reload_conf()")
        migrations.apply_pending(conn)
        write_events(conn, EVENTS)
    yield dsn
    instance.down()
    shutil.rmtree(instance.home)


@pytest.fixture
def standby(primary: str) -> Iterator[str]:
    """Return the DSN of a copy of the primary server that receives its changes."""
    instance = Instance(new_home(), own=CARELESS)
    password_file = instance.home / "passfile"
    shutil.copy(conninfo_to_dict(primary)["passfile"], password_file)
    server = account.for_data(instance.data_directory)
    shutil.chown(instance.home, server.uid, server.gid)
    shutil.chown(password_file, server.uid, server.gid)
    programs = binaries.find_programs(lambda _: None)
    source = make_conninfo(primary, passfile=str(password_file), dbname="postgres")
    copied = server.run_program([
        programs["pg_basebackup"], "--checkpoint=fast", "--write-recovery-conf",
        "--pgdata", instance.data_directory, "--dbname", source,
    ])  # fmt: skip
    assert copied.returncode == 0, copied.stdout
    yield instance.up()
    instance.down()
    shutil.rmtree(instance.home)


def wait_for_changes(primary: str, standby: str) -> None:
    """Wait until the standby has all changes of the primary server."""
    with psycopg.connect(primary) as written, psycopg.connect(standby, autocommit=True) as copied:
        [(position,)] = written.execute("SELECT pg_current_wal_insert_lsn()").fetchall()
        replayed = "SELECT 1 WHERE pg_last_wal_replay_lsn() >= %s"
        wait_until(lambda: copied.execute(replayed, [position]).fetchall())


def test_a_standby_gives_the_answers_of_the_primary_server(primary: str, standby: str) -> None:
    with psycopg.connect(primary, autocommit=True) as conn:
        write_events(conn, [LATER])
    wait_for_changes(primary, standby)
    assert "web" in answer("datasets", "--dsn", standby)
    for question in QUESTIONS:
        command = shlex.split(question)
        expected, given = (run(*command, "--dsn", dsn) for dsn in (primary, standby))
        assert (given.exit_code, given.stdout) == (expected.exit_code, expected.stdout), question
        assert given.exit_code in (0, 1), given.stderr


def test_writes_name_the_primary_server(standby: str, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(LATER)
    for command in (["ingest", str(tmp_path / "events.jsonl")], ["rank", "--store"], ["rebuild"]):
        result = run(*command, "--dsn", standby)
        assert result.exit_code == 2
        assert "connect to the primary server" in result.stderr


def test_a_primary_server_may_be_read_only_by_default(primary: str, tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text(LATER)
    read_only = make_conninfo(primary, options="-c default_transaction_read_only=on")
    result = run("ingest", str(tmp_path / "events.jsonl"), "--dsn", read_only)
    assert result.exit_code == 2
    assert "default_transaction_read_only" in result.stderr


def count_datasets(url: str) -> int:
    stats = requests.get(f"{url}/api/v1/graph/stats", timeout=60).json()
    return int(stats["vertices"]["Dataset"])


def test_a_collector_goes_on_when_its_standby_takes_over(standby: str, serving: Serving) -> None:
    url = serving(standby)
    event = run_event("r5", "COMPLETE", 50, "archive", ("gold",), ("kept",))
    post: dict[str, Any] = {
        "url": f"{url}/api/v1/lineage", "data": event, "timeout": 60,
        "headers": {"Content-Type": "application/json"},
    }  # fmt: skip
    before = count_datasets(url)
    assert requests.post(**post).status_code == 503
    with psycopg.connect(standby, autocommit=True) as conn:
        assert conn.execute("SELECT pg_promote()").fetchall() == [(True,)]
        assert requests.post(**post).status_code == 201
        wait_until_projected(conn)
    assert count_datasets(url) == before + 1
