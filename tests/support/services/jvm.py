"""Java servers that tests run beside Spark, on free ports, until the test ends."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def java() -> str:
    """Return the Java that Spark uses."""
    home = os.environ.get("JAVA_HOME")
    found = f"{home}/bin/java" if home else shutil.which("java")
    assert found, "Spark needs Java, and so do the servers"
    return found


def free_ports(count: int) -> list[int]:
    """Return unused ports of the loopback address."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [listening.getsockname()[1] for listening in sockets]
    for listening in sockets:
        listening.close()
    return ports


@contextmanager
def server(command: Sequence[str], port: int, directory: Path) -> Iterator[None]:
    """Run a server until the block ends. The block begins when the server listens on ``port``."""
    with (directory / "server.log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, cwd=directory)
    try:
        _wait_for(port, process, directory / "server.log")
        yield
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    pause = threading.Event()
    for _ in range(2400):
        assert process.poll() is None, f"the server died\n{log.read_text()[-3000:]}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        pause.wait(0.1)
    raise AssertionError(f"the server does not answer\n{log.read_text()[-3000:]}")
