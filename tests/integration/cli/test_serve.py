"""``lineage serve``: its address, graceful shutdown, and errors at start."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import psycopg
import pytest
import requests
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import run_event

if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT = run_event("r1", "COMPLETE", 1, writes=("a",))


def address(lines: Iterator[str]) -> str:
    return next(match[0] for line in lines if (match := re.search(r"http://[\d.]+:\d+", line)))


def test_what_was_acknowledged_is_there_after_its_end(dsn: str) -> None:
    command = [sys.executable, "-c", "from lineage_cli import main; main()", "serve"]
    command += ["--port", "0", "--dsn", dsn]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        url = address(iter(server.stderr))
        assert requests.post(f"{url}/api/v1/lineage", EVENT, timeout=60).status_code == 201
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)
    with psycopg.connect(dsn) as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(1,)]


def test_a_database_without_migrations_is_reported_at_the_start(empty_dsn: str) -> None:
    result = CliRunner().invoke(main, ["serve", "--dsn", empty_dsn])
    assert result.exit_code == 2
    assert "lineage migrate" in result.stderr


@pytest.mark.parametrize("command", ["serve --port {}", "mcp --http 127.0.0.1:{}"])
def test_a_port_in_use_is_reported_before_the_start(dsn: str, command: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        arguments = command.format(other.getsockname()[1]).split()
        result = CliRunner().invoke(main, [*arguments, "--dsn", dsn])
    assert result.exit_code == 2
    assert "is in use. Choose another: --" in result.stderr
    assert "startup" not in result.stderr


def test_a_host_that_does_not_exist_is_reported_before_the_start(dsn: str) -> None:
    result = CliRunner().invoke(main, ["serve", "--host", "nosuch.invalid", "--dsn", dsn])
    assert result.exit_code == 2
    assert 'The host "nosuch.invalid" cannot be resolved.' in result.stderr


@pytest.mark.parametrize("command", ["serve --port 99999", "mcp --http 127.0.0.1:99999"])
def test_a_port_out_of_range_is_a_wrong_argument(command: str) -> None:
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 2
    assert "65535" in result.stderr
