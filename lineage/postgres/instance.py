"""One private server: made, started, stopped and found again after whatever happened to it."""

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
    """The private server that keeps its data under ``home``.

    ``own`` are settings of PostgreSQL that win over ours; ``say`` hears what takes a while.
    """

    home: Path = field(default_factory=settings.home_directory)
    own: Mapping[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda _: None

    @property
    def data_directory(self) -> Path:
        """PostgreSQL's data directory."""
        return self.home / "data"

    def up(self) -> str:
        """Make the server if need be, start it if need be; returns the URI of its database.

        Raises:
            ServerError: it cannot be installed or started, or it runs and does not answer.
        """
        with self._locked():
            if running := self._wait_until_answering():
                self.say(f"The server is already running (process {running.pid}).")
            else:
                self._start_cluster()
            return self.database_uri()

    def down(self) -> bool:
        """Stop the server, ending its connections; returns whether it ran.

        Raises:
            ServerError: it does not stop.
        """
        if self.status() is None:
            return False
        with self._locked():
            running = postmaster.find_postmaster(self.data_directory)
            if running:
                postmaster.stop_postmaster(running, STOP_SECONDS)
                state_file.write_state(self.home, State(running.port))
        return running is not None

    def status(self) -> State | None:
        """The state of the server while it runs, else None.

        Raises:
            ServerError: the server is another user's.
        """
        with self._translate_errors():
            running = postmaster.find_postmaster(self.data_directory)
        if running is None:
            return None
        return State(running.port, running.pid, state_file.process_start_time(running.pid))

    def database_uri(self, database: str = DATABASE) -> str:
        """The URI of one of the server's databases.

        Raises:
            ServerError: the server was never started, so that it has no port yet.
        """
        known = state_file.read_state(self.home)
        if known is None:
            raise ServerError(f"There is no server in {self.home} yet.", "Start it: lineage up")
        return state_file.build_uri(self.home, known.port, database)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes out."""
        with self._translate_errors():
            account.make_directory(self.home)
            with file_lock.lock_exclusively(self.home / "lock"):
                yield

    @contextlib.contextmanager
    def _translate_errors(self) -> Iterator[None]:
        """Files that are closed to us and a disk that is full, said as a ServerError."""
        try:
            yield
        except OSError as error:
            place = error.filename or self.home
            raise ServerError(
                f"The server in {self.home} cannot be managed: {place}: {error.strerror}.",
                "Make room or get access there, or set LINEAGE_HOME to another directory.",
            ) from error

    def _read_running_state(self) -> State | None:
        """``status``, and the state file put right if it says something else."""
        actual = self.status()
        if actual and state_file.read_state(self.home) != actual:
            state_file.write_state(self.home, actual)
        return actual

    def _wait_until_answering(self) -> State | None:
        """``_read_running_state``, once it answers: one that was just killed is there for a moment
        still.
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
            # somebody may have taken the port since it was looked at; any other reason stays
            if postmaster.is_port_free(port) or attempt == ATTEMPTS:
                raise ServerError(
                    f"The server does not start: {why_not}.", f"Its log is {cluster.log_file}."
                )

    def _prepare_cluster(self) -> Cluster:
        """A cluster that can be started, whatever state it was left in."""
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
            self.say(f"{cluster.password_file} is gone: setting a new password.")
            cluster.reset_password()
        return cluster

    def _choose_port(self) -> int:
        """The port of last time if that is free, else a new one; kept for the next time."""
        known = state_file.read_state(self.home)
        if known and postmaster.is_port_free(known.port):
            return known.port
        port = postmaster.choose_port()
        if known:
            self.say(f"Another program has port {known.port}: the server moves to {port}.")
        state_file.write_state(self.home, State(port))
        return port
