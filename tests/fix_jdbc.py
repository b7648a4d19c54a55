"""PostgreSQL's JDBC driver and a database for Spark to read: for tests alone."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

from lineage import settings
from lineage.server import locks, packages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fix_db import Server

PACKAGE = "libpostgresql-jdbc-java"
INSTALLED = Path("usr/share/java/postgresql.jar")
SECRET = "s3cr3t-of-the-shop"


@dataclass(frozen=True)
class Shop:
    """A database of a shop; ``url`` has no credentials, ``user`` has the password SECRET."""

    url: str
    namespace: str
    name: str
    user: str


@pytest.fixture(scope="session")
def jdbc_driver() -> Path:
    """The driver where this system has it, else out of Debian's package, kept in the cache."""
    if ("/" / INSTALLED).exists():
        return "/" / INSTALLED
    kept = settings.cache() / "postgresql.jar"
    settings.cache().mkdir(parents=True, exist_ok=True)
    with locks.exclusive(settings.cache() / "fetch-driver.lock"):
        if not kept.exists():
            _fetch(kept)
    return kept


def _fetch(target: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="fetch-driver-", dir=target.parent) as work:
        Path(work).chmod(0o755)  # apt fetches as an account of its own
        packages.download(Path(work), lambda _: None, [PACKAGE], re.compile(".*-java$"))
        (package,) = Path(work, "debs").glob(f"{PACKAGE}_*.deb")
        subprocess.run(["dpkg-deb", "-x", package, Path(work, "root")], check=True)
        (Path(work) / "root" / INSTALLED).resolve().rename(target)


@pytest.fixture(scope="session")
def shop(server: Server) -> Iterator[Shop]:
    """A database with the tables sales.orders and people, and a user that it belongs to."""
    name = server.create(server.migrated())
    user = f"shop_{os.urandom(4).hex()}"
    with psycopg.connect(server.dsn(name), autocommit=True) as conn:
        role = sql.Identifier(user)
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(SECRET)))
        conn.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(name), role))
        conn.execute(sql.SQL("SET ROLE {}").format(role))
        conn.execute(TABLES)
        place = f"{conn.info.host}:{conn.info.port}"
    yield Shop(f"jdbc:postgresql://{place}/{name}", f"postgres://{place}", name, user)
    server.drop(name)
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(sql.SQL("DROP ROLE {}").format(sql.Identifier(user)))


TABLES = """
    CREATE SCHEMA sales;
    CREATE TABLE sales.orders (id bigint PRIMARY KEY, person bigint, amount bigint);
    INSERT INTO sales.orders VALUES (1, 1, 10), (2, 2, 20), (3, 1, 30);
    CREATE TABLE sales.kept (id bigint, person bigint, amount bigint);
    CREATE TABLE sales.people (id bigint, name text);
    INSERT INTO sales.people VALUES (1, 'ann'), (2, 'bob');
"""
