"""The command line in tests: a graph of some events, and commands that run in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result
from lineage_cli import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import psycopg

    from support.fixtures.database import Server


def graph_of(events: Iterable[str]) -> Any:
    """Return an autouse module fixture ``dsn`` of a graph of ``events``, also in LINEAGE_DSN."""
    given = tuple(events)

    @pytest.fixture(autouse=True, name="dsn")
    def _graph(
        server: Server, database: Callable[[str], str], monkeypatch: pytest.MonkeyPatch
    ) -> str:
        dsn = database(server.with_events(given))
        monkeypatch.setenv("LINEAGE_DSN", dsn)
        return dsn

    return _graph


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def answer(*arguments: str) -> str:
    """Return the output of a command that succeeds."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr + result.stdout
    return result.stdout


def commands_on(conn: psycopg.Connection[Any]) -> Callable[..., str]:
    """Return a function that runs a command on a database and returns its output."""
    dsn = f"{conn.info.dsn} password={conn.info.password}"

    def run_on(*arguments: str, code: int = 0) -> str:
        result = run(*arguments, "--dsn", dsn)
        assert result.exit_code == code, result.output
        return result.output

    return run_on
