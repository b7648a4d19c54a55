"""Selection of the database, and errors if it cannot be reached."""

from __future__ import annotations

import os
import shlex
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from support.events.builders import dataset, run_event, schema

from lineage.database.connection import connect, connect_migrated, resolve_target
from lineage.database.reconnecting import ReconnectingConnection
from lineage.errors import DatabaseUnavailable, NotMigrated, QueryError, UsageError
from lineage.eventlog.log import queue_events
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.postgres import state_file
from lineage.projection.backlog import project_pending
from lineage.projection.rebuild import rebuild_graph
from lineage.query.graph import Graph

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a home without a running private server."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path))
    return tmp_path


def test_the_option_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", "dbname=environment")
    assert resolve_target("dbname=option").dsn == "dbname=option"


def test_the_environment_goes_before_the_private_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_in(home)
    monkeypatch.setenv("LINEAGE_DSN", "dbname=environment")
    assert resolve_target().dsn == "dbname=environment"


def test_the_private_server_is_the_default_target(home: Path) -> None:
    run_in(home)
    assert resolve_target().dsn == state_file.build_uri(home, 20_123)


def run_in(home: Path, port: int = 20_123) -> None:
    """Record a running server in the state of ``home``, with the id of this process."""
    state_file.write_state(
        home, state_file.State(port, os.getpid(), state_file.process_start_time(os.getpid()))
    )


def test_without_any_the_error_lists_what_was_tried(home: Path) -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        connect()
    assert str(caught.value) == (
        "No database configured: --dsn and LINEAGE_DSN are not set, and no private server is"
        f" running in {home}. Start a private server: lineage up"
    )


def test_an_empty_option_is_no_other_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """A script may pass a variable that is not set; its events belong to no other database."""
    monkeypatch.setenv("LINEAGE_DSN", "dbname=environment")
    with pytest.raises(UsageError, match="The DSN of --dsn is empty"):
        resolve_target("")


def test_a_connection_is_one(dsn: str) -> None:
    with connect(dsn) as conn:
        assert conn.execute("SHOW application_name").fetchall() == [("lineage",)]


def test_the_dsn_wins_over_our_parameters(dsn: str) -> None:
    with connect(f"{dsn} application_name=mine") as conn:
        assert conn.execute("SHOW application_name").fetchall() == [("mine",)]


def tcp_options(dsn: str) -> list[int]:
    """Return idle seconds, interval and number of keepalives, and the user timeout in ms."""
    names = ("TCP_KEEPIDLE", "TCP_KEEPINTVL", "TCP_KEEPCNT", "TCP_USER_TIMEOUT")
    with connect(dsn) as conn, socket.socket(fileno=os.dup(conn.fileno())) as copy:
        return [copy.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in names]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems lack some of the options")
def test_a_host_that_disappears_is_noticed_within_half_a_minute(dsn: str) -> None:
    assert tcp_options(dsn) == [10, 5, 3, 20_000]
    assert tcp_options(f"{dsn} keepalives_idle=60 tcp_user_timeout=0") == [60, 5, 3, 0]


def set_of_database(dsn: str, name: str, value: str) -> None:
    """Change the default of a setting for the database of ``dsn``."""
    with connect(dsn, autocommit=True) as conn:
        database = sql.Identifier(conn.info.dbname)
        conn.execute(
            sql.SQL("ALTER DATABASE {} SET {} = {}").format(
                database, sql.Identifier(name), sql.Literal(value)
            )
        )


@pytest.mark.parametrize("origin", ["database", "environment", "DSN", "options of the DSN"])
def test_names_are_utf8_whatever_encoding_is_configured(
    dsn: str, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = dsn
    if origin == "database":
        set_of_database(dsn, "client_encoding", "LATIN1")
    elif origin == "environment":
        monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    elif origin == "DSN":
        configured = f"{dsn} client_encoding=LATIN1"
    else:
        configured = f"{dsn} options='-c client_encoding=LATIN1'"
    output = dataset("maße", schema=schema(größe="int"))
    with connect_migrated(configured) as conn:
        write_events(conn, [run_event("r", "COMPLETE", 1, "jöb", writes=(output,))])
    with psycopg.connect(dsn, client_encoding="UTF8") as conn:
        assert conn.execute("SELECT name FROM lineage.job").fetchall() == [("jöb",)]
        assert conn.execute("SELECT name FROM lineage.dataset").fetchall() == [("maße",)]
        columns = conn.execute("SELECT name FROM lineage.field").fetchall()
        assert columns == [("größe",)]


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_events_are_written_whatever_isolation_is_the_default(dsn: str, level: str) -> None:
    set_of_database(dsn, "default_transaction_isolation", level)
    with connect_migrated(dsn) as conn:
        write_events(conn, [run_event("r", "COMPLETE", 1, reads=("a",), writes=("b",))])
        queue_events(conn, [read_entry(run_event("s", "COMPLETE", 2, reads=("b",)))])
        assert project_pending(conn) == 1
        rebuild_graph(conn)
    with Graph(dsn) as graph:
        edges = graph.upstream("b").edges
    assert [(edge.source.name, edge.target.name) for edge in edges] == [("a", "b")]


def test_a_failed_connection_names_the_origin_and_hides_the_password() -> None:
    with pytest.raises(
        DatabaseUnavailable, match=r"Cannot connect to the database of --dsn: .*Connection refused"
    ) as caught:
        connect(f"postgresql://me:{SECRET}@127.0.0.1:1/db")
    assert SECRET not in str(caught.value)
    assert "host and port" in str(caught.value.hint)


def test_a_wrong_password_is_not_reported(dsn: str) -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        connect(f"{dsn} password={SECRET}")
    assert SECRET not in str(caught.value)
    assert caught.value.hint == "Check user and password of the DSN."


def test_a_database_that_does_not_exist_is_named(dsn: str) -> None:
    with pytest.raises(DatabaseUnavailable, match='database "no_such" does not exist') as caught:
        connect(dsn, dbname="no_such")
    assert caught.value.hint == "Check user and database of the DSN."


def test_an_unknown_host_is_reported_with_a_hint() -> None:
    with pytest.raises(DatabaseUnavailable) as caught:
        connect("postgresql://me@nosuch.invalid/db")
    assert caught.value.hint == "Check the host of the DSN."


def test_the_command_to_migrate_names_the_database_of_the_option(empty_dsn: str) -> None:
    parameters = conninfo_to_dict(empty_dsn)
    with pytest.raises(NotMigrated, match="has no schema lineage") as caught:
        connect_migrated(empty_dsn)
    command = shlex.split(str(caught.value.hint).partition(": ")[2])
    assert command[:3] == ["lineage", "migrate", "--dsn"]
    assert conninfo_to_dict(command[3])["dbname"] == parameters["dbname"]
    assert "password" not in command[3]


def test_a_program_that_passes_on_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", "dbname=environment")
    assert resolve_target("dbname=environment").origin == "LINEAGE_DSN"


def test_a_private_server_that_died_since(home: Path) -> None:
    run_in(home)
    with pytest.raises(
        DatabaseUnavailable, match=r"Cannot connect to .* the private server: "
    ) as caught:
        connect()
    assert "lineage up" in str(caught.value.hint)


def answer_while_starting(listener: socket.socket) -> None:
    """Reject one connection as a PostgreSQL server does that is starting."""
    connection, _ = listener.accept()
    requests_of_encryption = [(80877103).to_bytes(4, "big"), (80877104).to_bytes(4, "big")]
    with connection:
        while connection.recv(4096)[4:8] in requests_of_encryption:
            connection.sendall(b"N")
        fields = b"SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0"
        connection.sendall(b"E" + (len(fields) + 4).to_bytes(4, "big") + fields)


def test_a_private_server_that_starts_is_waited_for(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as pool:
        run_in(home, listener.getsockname()[1])
        answered = pool.submit(answer_while_starting, listener)
        with pytest.raises(DatabaseUnavailable, match="the database system is starting") as error:
            connect()
        answered.result()
    assert error.value.hint == "Wait until the server has started, and try again."


@pytest.mark.parametrize(
    "broken",
    [
        SECRET,
        f"postgresql://me:x/{SECRET}@127.0.0.1/db",
        f"postgresql://me:x@{SECRET}@127.0.0.1/db",
        f"postgresql://me:%zz{SECRET}@127.0.0.1/db",
        f"host=127.0.0.1 password='{SECRET}",
        f"host=127.0.0.1 pass={SECRET}",
    ],
)
def test_an_invalid_dsn_is_not_in_its_error_message(
    broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", broken)
    with pytest.raises(UsageError, match="The DSN of LINEAGE_DSN is not valid") as caught:
        connect()
    assert SECRET not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_password_in_the_environment_that_shadows_the_file_is_pointed_at(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", SECRET)
    without = {key: value for key, value in conninfo_to_dict(dsn).items() if key != "password"}
    with pytest.raises(DatabaseUnavailable, match="PGPASSWORD") as caught:
        connect(make_conninfo(**without))
    assert SECRET not in str(caught.value)


def test_a_mode_of_ssl_in_the_environment_is_pointed_at(
    dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is meant for another server, as a rule; the private one has no SSL."""
    monkeypatch.setenv("PGSSLMODE", "require")
    with pytest.raises(DatabaseUnavailable, match="SSL") as caught:
        connect(dsn)
    assert caught.value.hint == "PGSSLMODE applies to this connection, too. Unset it."
    monkeypatch.delenv("PGSSLMODE")
    monkeypatch.setenv("PGSERVICE", "nowhere")
    with pytest.raises(DatabaseUnavailable, match="nowhere") as caught:
        connect(dsn)
    assert caught.value.hint == "PGSERVICE applies to this connection, too. Unset it."


def test_asking_for_the_target_loads_no_driver() -> None:
    program = (
        "import sys; from lineage.database.connection import connect;"
        "print('psycopg' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_a_connection_without_its_settings_is_not_used(dsn: str) -> None:
    connection = ReconnectingConnection(dsn, "SET statement_timeout = 'never'")
    for _ in range(2):
        with pytest.raises(QueryError, match="statement_timeout"):
            connection.run_retrying(lambda conn: conn.execute("SELECT 1"))
