"""Fixtures: a shop whose orders pass through every client, and a collector that requires tokens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from support.services.polling import wait_until_projected

from lineage.http import tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from support.fixtures.database import Server

LINEAGE = Path(sys.executable).parent / "lineage"
PASSWORD = "a-password-of-the-shop"


@dataclass(frozen=True)
class Served:
    """A collector in a separate process."""

    url: str
    dsn: str

    def token(self, name: str, *namespaces: str) -> str:
        """Create a token that may write only to these namespaces of jobs and datasets."""
        with psycopg.connect(self.dsn, autocommit=True) as conn:
            return tokens.add_token(conn, name, "write", namespaces)

    def drawn(self) -> psycopg.Connection[Any]:
        """Return a connection when nothing remains to be converted or projected."""
        conn = psycopg.connect(self.dsn, autocommit=True)
        wait_until_projected(conn)
        return conn


@pytest.fixture(scope="session")
def served(server: Server) -> Iterator[Served]:
    name = server.create(server.migrated())
    dsn = server.dsn(name)
    command = [LINEAGE, "serve", "--port", "0", "--tokens", "--dsn", dsn]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        url = next(m[0] for line in process.stderr if (m := re.search(r"http://[\d.]+:\d+", line)))
        yield Served(url, dsn)
        process.terminate()
        process.communicate(timeout=60)
    server.drop(name)


@dataclass(frozen=True)
class Shop:
    """The database of the shop, and its names in OpenLineage."""

    host: str
    port: str
    user: str
    database: str

    @property
    def namespace(self) -> str:
        return f"postgres://{self.host}:{self.port}"

    def table(self, name: str) -> str:
        """Return the OpenLineage name of a table ``schema.table``."""
        return f"{self.database}.{name}"

    @property
    def dsn(self) -> str:
        return f"postgresql://{self.user}:{PASSWORD}@{self.host}:{self.port}/{self.database}"

    @property
    def jdbc(self) -> str:
        return (
            f"jdbc:postgresql://{self.host}:{self.port}/{self.database}"
            f"?user={self.user}&password={PASSWORD}"
        )

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables for Airflow and dbt."""
        return {
            "AIRFLOW_CONN_SHOP": self.dsn,
            "SHOP_HOST": self.host,
            "SHOP_PORT": self.port,
            "SHOP_USER": self.user,
            "SHOP_PASSWORD": PASSWORD,
            "SHOP_DATABASE": self.database,
        }


@pytest.fixture(scope="session")
def shop(server: Server) -> Iterator[Shop]:
    """Create a database with some orders, and a role that owns it."""
    name = server.create()
    owner = sql.Identifier(f"{name}_owner")
    at = conninfo_to_dict(server.dsn(name))
    with psycopg.connect(server.dsn("postgres"), autocommit=True) as conn:
        conn.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(owner, PASSWORD))
        conn.execute(sql.SQL("ALTER DATABASE {} OWNER TO {}").format(sql.Identifier(name), owner))
        shop = Shop(str(at["host"]), str(at["port"]), f"{name}_owner", name)
        _stock(shop)
        yield shop
        server.drop(name)
        conn.execute(sql.SQL("DROP ROLE {}").format(owner))


def _stock(shop: Shop) -> None:
    with psycopg.connect(shop.dsn, autocommit=True) as conn:
        conn.execute("CREATE SCHEMA raw")
        conn.execute("CREATE SCHEMA staging")
        conn.execute("CREATE TABLE raw.orders (customer int, amount numeric)")
        conn.execute("INSERT INTO raw.orders VALUES (1, 30), (1, 12), (2, 5)")


def run(command: list[object], environment: Mapping[str, str], directory: Path) -> str:
    """Run a client to its end and return its output."""
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, **environment},
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    return done.stdout
