"""A hub that was in use before gunicorn forked its workers."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTORY = Path(__file__).parent


def test_workers_of_a_preloaded_program_deliver_their_own_events(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port, descriptor = listener.getsockname()[1], listener.fileno()
        command = [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2"]
        command += ["--bind", f"fd://{descriptor}", "--chdir", str(DIRECTORY), "preloaded_app:app"]
        own = {"TARGET": str(tmp_path / "out"), "LINEAGE_HUB_SPOOL": str(tmp_path / "spool")}
        with subprocess.Popen(
            command, env={**os.environ, **own}, pass_fds=[descriptor], stderr=subprocess.PIPE
        ) as server:
            try:
                workers = set(send_two_requests(port))
            finally:
                server.terminate()
            assert server.stderr
            log = server.stderr.read().decode()
    assert server.returncode == 0, log
    assert len(workers) == 2
    events = [json.loads(line) for line in (tmp_path / "out").read_text().splitlines()]
    by_job = {name: [each["eventType"] for each in events if each["job"]["name"] == name]
              for name in ("preload", "shop")}  # fmt: skip
    assert sorted(by_job["preload"]) == ["COMPLETE", "COMPLETE", "START", "START"]
    assert sorted(by_job["shop"]) == ["COMPLETE", "COMPLETE", "START", "START"]
    written = {each["name"] for event in events for each in event["outputs"]}
    assert written == {f"/data/{pid}" for pid in workers}
    assert not (tmp_path / "spool").exists()


def send_two_requests(port: int) -> Iterator[int]:
    """Return the workers of two requests. The second is sent while the first is answered."""
    with contextlib.ExitStack() as stack:
        connections = []
        for _ in range(2):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port), 60))
            connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\n")
            response = stack.enter_context(connection.makefile("rb"))
            assert response.readline().split()[1] == b"200"
            while response.readline().strip():
                pass  # a header
            connections.append((connection, response))
            yield int(response.readline())
        for connection, response in connections:
            connection.sendall(b"x")
            assert response.read() == b""
