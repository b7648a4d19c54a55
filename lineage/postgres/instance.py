"""Create, start, stop and recover a private server from any state it was left in."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage import settings
from lineage.errors import ServerError
from lineage.postgres import account, binaries, file_lock, postmaster, state_file
from lineage.postgres.cluster import Cluster
from lineage.postgres.state_file import DATABASE, State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

START_SECONDS = 120
STOP_SECONDS = 60
ATTEMPTS = 3


@dataclass(frozen=True)
class Instance:
    """The private server whose data are under ``home``.

    ``own`` are PostgreSQL settings that take precedence over ours; ``say`` is called with messages
    about long operations.
    """

    home: Path = field(default_factory=settings.home_directory)
    own: Mapping[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _: None

    @property
    def data_directory(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "data"

    def up(self) -> str:
        """Create and start the server if necessary; return the URI of its database.

        Raises ServerError if it cannot be installed or started, or if it runs and does not answer.
        """
        with self._hold_lock():
            if running := self._wait_until_answering():
                self.say(f"The server is already running (process {running.pid}).")
            else:
                self._start_cluster()
            return self.database_uri()

    def down(self) -> bool:
        """Stop the server, ending its connections; return whether it was running.

        Raises ServerError if it does not stop.
        """
        if self.status() is None:
            return False
        with self._hold_lock():
            running = postmaster.find_postmaster(self.data_directory)
            if running:
                postmaster.stop_postmaster(running, STOP_SECONDS)
                state_file.write_state(self.home, State(running.port))
        return running is not None

    def status(self) -> State | None:
        """Return the state of the server if it is running, else None.

        Raises ServerError if the server belongs to another user.
        """
        with self._translate_errors():
            running = postmaster.find_postmaster(self.data_directory)
        if running is None:
            return None
        return State(running.port, running.pid, state_file.process_start_time(running.pid))

    def database_uri(self, database: str = DATABASE) -> str:
        """Return the URI of one of the server's databases.

        Raises ServerError if the server was never started, because it has no port yet.
        """
        known = state_file.read_state(self.home)
        if known is None:
            raise ServerError(f"There is no server in {self.home} yet.", "Start it: lineage up")
        return state_file.build_uri(self.home, known.port, database)

    @contextlib.contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Exclude other processes."""
        with self._translate_errors():
            account.make_directory(self.home)
            with file_lock.lock_exclusively(self.home / "lock"):
                yield

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Raise ServerError for missing permissions and a full disk."""
        try:
            yield
        except OSError as error:
            place = error.filename or self.home
            raise ServerError(
                f"The server in {self.home} cannot be managed: {place}: {error.strerror}.",
                "Free space or grant access there, or set LINEAGE_HOME to another directory.",
            ) from error

    def _read_running_state(self) -> State | None:
        """Return ``status``, and correct the state file if it differs."""
        actual = self.status()
        if actual and state_file.read_state(self.home) != actual:
            state_file.write_state(self.home, actual)
        return actual

    def _wait_until_answering(self) -> State | None:
        """Wait until the server answers; return its state, or None if it is not running.

        A server that was just killed may still appear to run for a moment.
        """
        deadline = time.monotonic() + START_SECONDS
        while running := self._read_running_state():
            if postmaster.is_answering(running.port) and self.status() == running:
                return running
            if time.monotonic() > deadline:
                raise ServerError(
                    f"The server in {self.home} runs (process {running.pid}) and does not answer.",
                    "Stop it: lineage down",
                )
            time.sleep(0.05)
        return None

    def _start_cluster(self) -> None:
        cluster = self._prepare_cluster()
        for attempt in range(1, ATTEMPTS + 1):
            port = self._choose_port()
            cluster.write_settings(port, self.own)
            why_not = cluster.start_server(START_SECONDS)
            if why_not is None and self._read_running_state():
                return
            # another process may have taken the port since it was chosen; any other reason remains
            if postmaster.is_port_free(port) or attempt == ATTEMPTS:
                raise ServerError(
                    f"The server does not start: {why_not}.", f"Its log is {cluster.log_file}."
                )

    def _prepare_cluster(self) -> Cluster:
        """Prepare a cluster that can be started, from any state it was left in."""
        programs = binaries.find_programs(self.say)
        who = account.for_data(self.data_directory)
        who.require_access(self.home)
        who.require_access(programs.directory)
        cluster = Cluster(self.home, programs, who)
        if not self.data_directory.exists():
            self.say(f"Creating the server in {self.home}; it runs as {who.name}.")
            cluster.create_directory()
        cluster.check_version()
        postmaster.end_orphans(self.data_directory)
        postmaster.remove_lock_files(self.data_directory, cluster.socket_directory)
        if not cluster.password_file.exists():
            self.say(f"{cluster.password_file} is missing: setting a new password.")
            cluster.reset_password()
        return cluster

    def _choose_port(self) -> int:
        """Return the previous port if it is free, else a new one; store it for the next start."""
        known = state_file.read_state(self.home)
        if known and postmaster.is_port_free(known.port):
            return known.port
        port = postmaster.choose_port()
        if known:
            self.say(f"Another program uses port {known.port}: the server moves to {port}.")
        state_file.write_state(self.home, State(port))
        return port
