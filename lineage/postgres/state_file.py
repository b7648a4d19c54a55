"""Read and write the private server's state file: its port and its process."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote

from lineage import settings

USER = "lineage"
DATABASE = "lineage"
HOST = "127.0.0.1"


@dataclass(frozen=True)
class State:
    """The port of an instance, and its postmaster while it runs."""

    port: int
    pid: int | None = None
    born: str | None = None

    def is_running(self) -> bool:
        """Whether the postmaster of this state is alive: same pid, same start time."""
        return self.pid is not None and process_start_time(self.pid) == self.born


def read_state(home: Path) -> State | None:
    """Return the state of the instance in ``home``; None if there is none or it cannot be read."""
    try:
        return State(**json.loads((home / "server.json").read_text()))
    except (OSError, ValueError, TypeError):
        return None


def write_state(home: Path, state: State) -> None:
    """Replace the state of ``home`` in one step, so that readers never see a part of it."""
    new = home / "server.json.new"
    new.write_text(json.dumps(asdict(state)))
    new.chmod(0o600)
    new.replace(home / "server.json")


def process_start_time(pid: int) -> str | None:
    """Return the start time of process ``pid`` in the kernel's ticks; None if it does not exist.

    A pid alone is not sufficient: after a crash or a reboot another process may have it.
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None if Path("/proc/self/stat").exists() else _probe_process(pid)
    # the second field, a name, may contain spaces and parentheses; the start time is the 20th after
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]


def _probe_process(pid: int) -> str | None:
    """Replace ``process_start_time`` without /proc: check only whether the process exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"


def build_uri(home: Path, port: int, database: str = DATABASE) -> str:
    """Return the connection URI of ``database``; the password is in a file only its owner reads."""
    passfile = quote(str(home / "passfile"), safe="/")
    return f"postgresql://{USER}@{HOST}:{port}/{quote(database, safe='')}?passfile={passfile}"


def running_dsn(home: Path | None = None) -> str | None:
    """Return the URI of the private server's database if that server is running, else None.

    It reads one small file and queries one process, because every command calls it.
    """
    home = home or settings.home_directory()
    state = read_state(home)
    return build_uri(home, state.port) if state and state.is_running() else None
