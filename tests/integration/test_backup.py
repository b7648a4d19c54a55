"""Restore of a backup on another server according to docs/how-to/deploy.md, and its upgrade."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from psycopg.conninfo import make_conninfo
from support.events.builders import dataset, derived, run_event, schema
from support.fixtures.database import CARELESS, new_home

from lineage.database import migrations
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.forwarding.cursor import Cursor
from lineage.http import tokens
from lineage.ingest.writer import write_events
from lineage.postgres import binaries
from lineage.postgres.instance import Instance
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Connection = psycopg.Connection[Any]

COLUMNS = derived(("x", "a", "x"), whole=(("a", "y", "FILTER"),))
EVENTS = [
    run_event("r1", "COMPLETE", 1, "load", ("raw",), ("a",)),
    run_event(
        "r2", "COMPLETE", 2, "copy", ("a",),
        (dataset("b", also=("b2",), schema=schema(x="int"), columnLineage=COLUMNS),),
    ),
]  # fmt: skip
WAITING = run_event("r3", "COMPLETE", 3, "last", ("b2",), ("c",))


def lineage(*words: str) -> Result:
    return CliRunner().invoke(main, words)


@pytest.fixture
def elsewhere() -> Iterator[Instance]:
    """Create another, empty server."""
    home = new_home()
    instance = Instance(home, own=CARELESS)
    instance.up()
    yield instance
    instance.down()
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def pg() -> Callable[..., str]:
    """Return a function that runs a program of PostgreSQL."""
    found = binaries.find_programs(lambda _: None)

    def run(program: str, *words: object) -> str:
        done = subprocess.run(
            [str(word) for word in (found[program], *words)],
            capture_output=True, text=True, check=False, env={**os.environ, "LC_ALL": "C"},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_a_dump_is_the_same_graph_on_another_server(
    dsn: str, elsewhere: Instance, pg: Callable[..., str], psql: Any, tmp_path: Path
) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)
        log.queue_events(conn, [read_entry(WAITING)])
        secret = tokens.add_token(conn, "airflow", "write")
        Cursor(conn, "marquez").register_target(from_beginning=False)
        before, name = graph_fingerprint(conn), conn.info.dbname
    roles, dump = dumped(dsn, pg, tmp_path)
    pg("psql", "--quiet", "--file", roles, elsewhere.database_uri("postgres"))
    pg(
        "pg_restore",
        "--create",
        "--exit-on-error",
        "--dbname",
        elsewhere.database_uri("postgres"),
        dump,
    )

    restored = make_conninfo(elsewhere.database_uri("postgres"), dbname=name)
    assert lineage("doctor", "--dsn", restored).exit_code == 1
    done = lineage("migrate", "--dsn", restored)
    assert done.stderr == (
        "The database was restored from a dump. Its graph is registered with AGE now.\n"
    )
    assert "WRONG graph" not in lineage("doctor", "--dsn", restored).stdout
    assert psql(restored, "SELECT * FROM cypher('provenance', $$MATCH (d:Dataset {name: 'raw'})"
                "-[:INPUT_TO]->(r:Run) RETURN r.run_id$$) AS (r agtype)") == ['"r1"']  # fmt: skip
    with psycopg.connect(restored, autocommit=True) as conn:
        migrations.check_schema(conn)
        assert graph_fingerprint(conn) == before
        assert tokens.find_token(conn, tokens.token_digest(secret)) == tokens.Token(
            "airflow", "write"
        )
        assert conn.execute("SELECT target FROM lineage.forward").fetchall() == [("marquez",)]
        assert backlog.project_pending(conn) == 1
        write_events(conn, [run_event("r4", "COMPLETE", 4, "after", ("c",), ("d",))])
        graph = Graph.over(conn)
        assert {each.name for each in graph.upstream("d").datasets} == {"c", "b", "a", "raw"}
        assert graph.cypher("MATCH (d:Dataset) RETURN count(d)").rows == ((5,),)
        after = graph_fingerprint(conn)
        rebuild_graph(conn)
        assert graph_fingerprint(conn) == after


def test_a_dump_is_restored_in_the_name_of_its_owner(
    dsn: str, elsewhere: Instance, pg: Callable[..., str], tmp_path: Path
) -> None:
    """AGE rejects a graph schema whose owner is not the restoring role."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)
        owner, before, name = conn.info.user, graph_fingerprint(conn), conn.info.dbname
    roles, dump = dumped(dsn, pg, tmp_path)
    there = elsewhere.database_uri("postgres")
    pg("psql", "--quiet", "--file", roles, "--command", "CREATE ROLE boss SUPERUSER", there)
    boss = make_conninfo(there, options="-c role=boss")
    pg("pg_restore", "--role", owner, "--create", "--exit-on-error", "--dbname", boss, dump)
    restored = make_conninfo(there, dbname=name)
    assert lineage("migrate", "--dsn", restored).exit_code == 0
    with psycopg.connect(restored, autocommit=True) as conn:
        assert graph_fingerprint(conn) == before


def dumped(dsn: str, pg: Callable[..., str], place: Path) -> tuple[Path, Path]:
    """Dump the roles of a server and one of its databases to files, as on the page."""
    roles, dump = place / "roles.sql", place / "lineage.dump"
    pg("pg_dumpall", "--roles-only", "--no-role-passwords", "--file", roles, "--dbname", dsn)
    pg("pg_dump", "--format=custom", "--create", "--file", dump, dsn)
    return roles, dump
