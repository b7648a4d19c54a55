"""Databases for tests: a real PostgreSQL with AGE, a fresh database for each test.

The server is the first there is of ``LINEAGE_TEST_DSN``, a container where Docker answers, and a
private server of this run. A test gets a copy of a migrated template.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from lineage.database import migrate
from lineage.errors import LineageError
from lineage.server import programs, state
from lineage.server.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIX = "lineage-test-"
IMAGE = "apache/age:release_PG18_1.8.0"
# Nothing here has to survive a crash of the machine.
CARELESS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_wal_size": "256MB",
}
# A database is some hundred files, which are made for each test: in memory that takes a tenth of
# the time. What servers leave there until they are removed is memory that nobody else has.
MEMORY = Path("/dev/shm")
MEMORY_NEEDED = 4 << 30


class Server:
    """The server of this run: databases come and go by names that no other run uses."""

    def __init__(self, dsn: str, origin: str) -> None:
        self.origin = origin
        self._dsn = dsn
        self._names = (f"t{os.getpid()}_{os.urandom(3).hex()}_{n}" for n in itertools.count())
        self._conn = psycopg.connect(dsn, autocommit=True, connect_timeout=10)
        self._template: str | None = None

    def versions(self) -> str:
        """What the header of a run says of the server."""
        age = self._conn.execute(
            "SELECT default_version FROM pg_available_extensions WHERE name = 'age'"
        ).fetchall()
        if not age:
            raise pytest.UsageError(f"the server of {self.origin} has no Apache AGE")
        version = self._conn.execute("SHOW server_version").fetchall()[0][0]
        return f"PostgreSQL {version}, AGE {age[0][0]} ({self.origin})"

    def dsn(self, name: str) -> str:
        """The DSN of one of the server's databases."""
        return make_conninfo(self._dsn, dbname=name)

    def create(self, template: str = "template0") -> str:
        """A new database, a copy of ``template`` with its settings; returns its name."""
        name = next(self._names)
        self._conn.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(
                sql.Identifier(name), sql.Identifier(template)
            )
        )
        # ALTER DATABASE ... SET belongs to the database and is not copied with what is in it
        self._conn.execute(
            "INSERT INTO pg_db_role_setting SELECT copy.oid, setrole, setconfig"
            " FROM pg_db_role_setting JOIN pg_database AS original ON original.oid = setdatabase,"
            " pg_database AS copy WHERE original.datname = %s AND copy.datname = %s",
            [template, name],
        )
        return name

    def drop(self, name: str) -> None:
        """Drop a database, whoever is still connected."""
        self._conn.execute(
            sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )

    def migrated(self) -> str:
        """The name of a database with all migrations, which is not to be changed."""
        if self._template is None:
            name = self.create()
            with psycopg.connect(self.dsn(name), autocommit=True) as conn:
                migrate.apply(conn)
            self._template = name
        return self._template

    def close(self) -> None:
        """Leave nothing on a server that goes on."""
        if self._template:
            self.drop(self._template)
        self._conn.close()


def pytest_configure(config: pytest.Config) -> None:
    if config.option.collectonly or config.option.help:
        return
    stack = contextlib.ExitStack()
    config.add_cleanup(stack.close)
    try:
        dsn, origin = _from_environment() or _container(stack) or _private(stack)
        server = Server(dsn, origin)
    except (psycopg.Error, LineageError) as error:
        raise pytest.UsageError(f"there is no database to test with: {error}") from error
    stack.callback(server.close)
    config.stash[SERVER] = server
    config.stash[HEADER] = server.versions()


SERVER = pytest.StashKey[Server]()
HEADER = pytest.StashKey[str]()


def pytest_report_header(config: pytest.Config) -> str | None:
    return config.stash.get(HEADER, None)


def _from_environment() -> tuple[str, str] | None:
    dsn = os.environ.get("LINEAGE_TEST_DSN")
    return (dsn, "LINEAGE_TEST_DSN") if dsn else None


def _container(stack: contextlib.ExitStack) -> tuple[str, str] | None:
    """A container of the official image, where there is a Docker that really answers."""
    if not _docker_answers():
        return None
    from testcontainers.community.postgres import PostgresContainer

    settings = {"shared_preload_libraries": "age", **CARELESS}
    command = ["postgres", *(f"--{name}={value}" for name, value in settings.items())]
    # as in docker/compose.yaml: a dump goes to servers that have no other locale, too
    locale = "--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8"
    container = PostgresContainer(IMAGE, username="lineage", driver=None).with_command(command)
    container.with_env("POSTGRES_INITDB_ARGS", locale)
    stack.enter_context(container)
    return container.get_connection_url(), IMAGE


def _docker_answers() -> bool:
    # a client alone is not enough: many machines have one and no engine
    if not shutil.which("docker"):
        return False
    command = ["docker", "version", "--format", "{{.Server.Version}}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _private(stack: contextlib.ExitStack) -> tuple[str, str]:
    sweep()
    home = new_home()
    stack.callback(shutil.rmtree, home, ignore_errors=True)
    instance = Instance(home, own=CARELESS)
    instance.up()
    stack.callback(instance.down)
    return instance.dsn("postgres"), "private server"


def new_home() -> Path:
    """A directory for a server of this run.

    Not in pytest's own temporary directory: nobody but its owner can enter that, and as root the
    server runs as somebody else.
    """
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= MEMORY_NEEDED
    where = MEMORY if in_memory and os.access(MEMORY, os.W_OK) else None
    home = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=where))
    home.chmod(0o711)
    return home


def sweep() -> None:
    """Stop and remove the servers of runs that were killed."""
    homes = (where.glob(f"{PREFIX}*-*") for where in (MEMORY, Path(tempfile.gettempdir())))
    for home in itertools.chain.from_iterable(homes):
        run = home.name.removeprefix(PREFIX).partition("-")[0]
        if home.stat().st_uid == os.geteuid() and state.born(int(run)) is None:
            Instance(home).down()
            shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def server(request: pytest.FixtureRequest) -> Server:
    """The server of this run."""
    return request.config.stash[SERVER]


@pytest.fixture
def database(server: Server) -> Iterator[Callable[[str], str]]:
    """Makes databases from a template; they are gone after the test."""
    made: list[str] = []

    def make(template: str) -> str:
        made.append(server.create(template))
        return server.dsn(made[-1])

    yield make
    for name in made:
        server.drop(name)


@pytest.fixture
def dsn(server: Server, database: Callable[[str], str]) -> str:
    """A fresh database with all migrations."""
    return database(server.migrated())


@pytest.fixture
def empty_dsn(database: Callable[[str], str]) -> str:
    """A fresh database with nothing in it."""
    return database("template0")


@pytest.fixture
def conn(dsn: str) -> Iterator[psycopg.Connection[Any]]:
    """A connection in autocommit mode to a fresh database with all migrations."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def psql() -> Callable[[str, str], list[str]]:
    """Runs a script in a plain psql, with no settings of its own; returns a line for each row."""
    program = shutil.which("psql") or str(programs.find(lambda _: None)["psql"])

    def run(dsn: str, script: str) -> list[str]:
        done = subprocess.run(
            [program, "--no-psqlrc", "-At", "-v", "ON_ERROR_STOP=1", dsn],
            input=script,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PGCLIENTENCODING": "UTF8"},
        )
        assert not done.returncode, done.stderr
        return done.stdout.splitlines()

    return run
