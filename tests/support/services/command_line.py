"""The command line in tests: a graph of some events, and commands that run in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Iterable


def graph_of(events: Iterable[str]) -> Any:
    """Return an autouse module fixture that sets LINEAGE_DSN to a graph of ``events``."""

    @pytest.fixture(autouse=True)
    def _graph(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LINEAGE_DSN", dsn)
        with psycopg.connect(dsn, autocommit=True) as conn:
            write_events(conn, events)

    return _graph


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def answer(*arguments: str) -> str:
    """Return the output of a command that succeeds."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout
