"""The private server after crashes and other failures, with real processes and signals."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.fixtures.database import new_home
from support.services.polling import wait_until

from lineage.errors import ServerError
from lineage.postgres import account, postmaster, running_dsn, state_file
from lineage.postgres.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Iterator


# Only processes crash in these tests, not the machine.
QUICK = {"fsync": "off"}


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """Create and stop a server, and return its home. Copying it is faster than initdb."""
    home = new_home()
    Instance(home, own=QUICK).up()
    Instance(home).down()
    yield home
    shutil.rmtree(home)


@pytest.fixture
def home() -> Iterator[Path]:
    """Create an empty home. Its processes are stopped after the test."""
    path = new_home()
    yield path
    Instance(path).down()
    shutil.rmtree(path)


@pytest.fixture
def instance(home: Path, made: Path) -> Instance:
    """Return a created server that is stopped."""
    subprocess.run(["cp", "-a", f"{made}/.", home], check=True)
    state_file.write_state(home, state_file.State(postmaster.choose_port()))
    return Instance(home, own=QUICK)


@pytest.fixture(scope="module")
def running(made: Path) -> Iterator[Instance]:
    """Return a running server for read-only tests."""
    home = new_home()
    subprocess.run(["cp", "-a", f"{made}/.", home], check=True)
    instance = Instance(home, own=QUICK)
    instance.up()
    yield instance
    instance.down()
    shutil.rmtree(home)


def ask(instance: Instance, query: str) -> list[str]:
    with psycopg.connect(instance.database_uri("postgres"), autocommit=True) as conn:
        return [str(value) for (value,) in conn.execute(query)]


def pid_of(instance: Instance) -> int:
    running = instance.status()
    assert running is not None
    assert running.pid is not None
    return running.pid


def kill(instance: Instance) -> int:
    """Kill the postmaster as the kernel does when memory runs out, and return its pid."""
    pid = pid_of(instance)
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: state_file.process_start_time(pid) is None)
    return pid


def test_up_makes_a_server_that_has_age(running: Instance) -> None:
    assert ask(running, "SELECT name FROM pg_available_extensions WHERE name = 'age'") == ["age"]
    assert running_dsn(running.home) == running.database_uri()


def test_it_listens_on_loopback_only(running: Instance) -> None:
    assert ask(running, "SHOW listen_addresses") == ["127.0.0.1"]


def test_everybody_needs_the_password(running: Instance) -> None:
    assert set(ask(running, "SELECT auth_method FROM pg_hba_file_rules")) == {"scram-sha-256"}
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        psycopg.connect(running.database_uri("postgres"), passfile="/dev/null")


def test_the_password_is_for_its_owner_only(running: Instance) -> None:
    assert stat.S_IMODE((running.home / "passfile").stat().st_mode) == 0o600
    assert stat.S_IMODE(running.data_directory.stat().st_mode) == 0o700
    password = (running.home / "passfile").read_text().strip().rpartition(":")[2]
    assert password not in running.database_uri()


def test_the_socket_works_too(running: Instance) -> None:
    with psycopg.connect(running.database_uri("postgres"), host=str(running.home / "run")) as conn:
        assert conn.info.host == str(running.home / "run")


def test_a_second_up_changes_nothing(running: Instance) -> None:
    said: list[str] = []
    pid = pid_of(running)
    assert Instance(running.home, say=said.append).up() == running.database_uri()
    assert pid_of(running) == pid
    assert said == [f"The server is already running (process {pid})."]


def test_down_stops_it_and_a_second_down_finds_nothing(instance: Instance) -> None:
    instance.up()
    assert instance.down() is True
    assert instance.down() is False
    assert instance.status() is None
    assert running_dsn(instance.home) is None


def test_the_port_stays_over_a_restart(instance: Instance) -> None:
    first = instance.up()
    instance.down()
    assert instance.up() == first


def test_a_killed_postmaster_loses_nothing_committed(instance: Instance) -> None:
    instance.up()
    with psycopg.connect(instance.database_uri("postgres"), autocommit=True) as conn:
        conn.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    kill(instance)
    assert running_dsn(instance.home) is None
    instance.up()
    assert ask(instance, "SELECT answer FROM kept") == ["42"]


def test_up_right_after_a_kill_starts_it_again(instance: Instance) -> None:
    """The killed process exists for a short time."""
    instance.up()
    for _ in range(5):
        os.kill(pid_of(instance), signal.SIGKILL)
        instance.up()
        assert ask(instance, "SELECT 1") == ["1"]


def test_a_postmaster_that_does_not_answer_is_not_regarded_as_running(
    instance: Instance,
) -> None:
    instance.up()
    pid = pid_of(instance)
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as threads:
        up = threads.submit(instance.up)
        ended, _ = wait([up], 1)
        os.kill(pid, signal.SIGKILL)
        assert not ended
        assert up.result(60) == instance.database_uri()
    assert ask(instance, "SELECT 1") == ["1"]
    assert pid_of(instance) != pid


def test_a_killed_postmaster_with_busy_backends(instance: Instance) -> None:
    """A busy backend does not notice it, and holds the shared memory that a new server needs."""
    instance.up()
    endless = "DO $$BEGIN LOOP END LOOP; END$$"
    program = "import sys, psycopg; psycopg.connect(sys.argv[1]).execute(sys.argv[2])"
    command = [sys.executable, "-c", program, instance.database_uri("postgres"), endless]
    with subprocess.Popen(command, stderr=subprocess.PIPE) as client:
        looping = "SELECT pid FROM pg_stat_activity WHERE query LIKE 'DO %'"
        wait_until(lambda: ask(instance, looping) != [])
        busy = int(ask(instance, looping)[0])
        kill(instance)
        assert state_file.process_start_time(busy) is not None, (
            "the backend ended with its postmaster"
        )
        instance.up()
        client.communicate()
    assert state_file.process_start_time(busy) is None
    assert ask(instance, "SELECT 1") == ["1"]


def test_a_stale_pid_that_is_now_another_process(instance: Instance) -> None:
    """PostgreSQL itself does not start if the pid belongs to a live process of its account."""
    instance.up()
    kill(instance)
    who = account.for_data(instance.data_directory)
    identity = {"user": who.uid, "group": who.gid} if who.switch else {}
    with subprocess.Popen(["sleep", "60"], **identity) as stranger:
        try:
            pid_file = instance.data_directory / "postmaster.pid"
            _, _, rest = pid_file.read_text().partition("\n")
            pid_file.write_text(f"{stranger.pid}\n{rest}")
            assert instance.status() is None
            instance.up()
            assert pid_of(instance) != stranger.pid
            assert stranger.poll() is None, "the stranger was killed"
        finally:
            stranger.kill()


def test_a_pid_of_the_state_file_that_is_now_another_process(instance: Instance) -> None:
    instance.up()
    instance.down()
    known = state_file.read_state(instance.home)
    assert known is not None
    state_file.write_state(instance.home, state_file.State(known.port, os.getpid(), "1"))
    assert running_dsn(instance.home) is None


def test_a_lost_state_file_is_written_again(instance: Instance) -> None:
    first = instance.up()
    (instance.home / "server.json").unlink()
    assert running_dsn(instance.home) is None
    assert instance.up() == first


@pytest.mark.parametrize("text", ["", "{", "[]", '{"port": 1, "unknown": 2}'])
def test_an_unreadable_state_file_is_no_state(home: Path, text: str) -> None:
    (home / "server.json").write_text(text)
    assert running_dsn(home) is None


def test_concurrent_starts_create_one_server_and_remove_an_incomplete_one(home: Path) -> None:
    half = home / "data.new-00000000"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    program = (
        "import sys, pathlib; from lineage.postgres.instance import Instance;"
        "print(Instance(pathlib.Path(sys.argv[1]), own={'fsync': 'off'}).up())"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", program, home], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = {process.communicate()[0] for process in both}
    assert [process.returncode for process in both] == [0, 0]
    assert said == {Instance(home).database_uri() + "\n"}
    assert not half.exists()


def test_a_port_in_use_is_left_to_its_holder(instance: Instance) -> None:
    said: list[str] = []
    known = state_file.read_state(instance.home)
    assert known is not None
    with socket.create_server(("127.0.0.1", known.port)):
        Instance(instance.home, own=QUICK, say=said.append).up()
        now = state_file.read_state(instance.home)
    assert now is not None
    assert now.port != known.port
    assert said == [f"Another program uses port {known.port}: the server moves to {now.port}."]
    assert ask(instance, "SHOW port") == [str(now.port)]


def test_a_port_bound_just_before_the_start_is_replaced(
    instance: Instance, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process may bind the port between its check and the start of the server."""
    known = state_file.read_state(instance.home)
    assert known is not None
    with contextlib.ExitStack() as stack:
        original = Instance._choose_port

        def choose_and_lose(self: Instance) -> int:
            port = original(self)
            if port == known.port:
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
            return port

        monkeypatch.setattr(Instance, "_choose_port", choose_and_lose)
        instance.up()
    now = state_file.read_state(instance.home)
    assert now is not None
    assert now.port != known.port


def test_a_full_disk_leaves_no_incomplete_cluster(home: Path) -> None:
    """A file size limit of 1 MB stops initdb as a full disk does."""
    program = (
        "import sys, pathlib; from lineage.postgres.instance import Instance;"
        "from lineage.errors import ServerError\n"
        "try: Instance(pathlib.Path(sys.argv[1])).up()\n"
        "except ServerError as error: print(error)"
    )
    command = ["sh", "-c", 'ulimit -f 1024; exec "$@"', "sh", sys.executable, "-c", program, home]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert said.startswith("PostgreSQL cannot create its data directory:")
    assert [path.name for path in home.iterdir() if path.name.startswith("data")] == []
    assert Instance(home, own=QUICK).up()


def test_a_lost_password_is_replaced(instance: Instance) -> None:
    said: list[str] = []
    (instance.home / "passfile").unlink()
    Instance(instance.home, own=QUICK, say=said.append).up()
    assert said == [f"{instance.home}/passfile is missing: setting a new password."]
    assert ask(instance, "SELECT 1") == ["1"]


def test_data_of_another_version_are_left_alone(instance: Instance) -> None:
    (instance.data_directory / "PG_VERSION").write_text("15\n")
    with pytest.raises(ServerError, match=r"are of PostgreSQL 15, but .* are of \d+\.") as caught:
        instance.up()
    assert "LINEAGE_POSTGRES" in str(caught.value.hint)


def test_pages_are_compressed_in_the_log_where_the_programs_can(running: Instance) -> None:
    [can] = ask(
        running,
        "SELECT 'lz4' = ANY (enumvals) FROM pg_settings WHERE name = 'wal_compression'",
    )
    assert ask(running, "SHOW wal_compression") == ["lz4" if can == "True" else "off"]


def test_a_setting_that_does_not_exist_is_reported_with_the_log(instance: Instance) -> None:
    with pytest.raises(ServerError, match="The server does not start:") as caught:
        Instance(instance.home, own={"no_such_setting": "1"}).up()
    assert caught.value.hint == f"Its log is {instance.home}/server.log."
    assert "no_such_setting" in (instance.home / "server.log").read_text()


def test_several_servers_live_side_by_side(running: Instance, instance: Instance) -> None:
    assert instance.up() != running.database_uri()
    assert pid_of(instance) != pid_of(running)
    assert ask(running, "SELECT 1") == ask(instance, "SELECT 1") == ["1"]


def test_a_home_that_is_a_file_is_a_clear_error(home: Path) -> None:
    (home / "file").touch()
    with pytest.raises(ServerError, match="cannot be managed") as caught:
        Instance(home / "file").up()
    assert "LINEAGE_HOME" in str(caught.value.hint)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as somebody else")
def test_a_home_that_the_server_cannot_enter_is_a_clear_error(home: Path) -> None:
    home.chmod(0o700)
    with pytest.raises(ServerError, match=f"who cannot enter {home}") as caught:
        Instance(home).up()
    assert "LINEAGE_HOME" in str(caught.value.hint)
    home.chmod(0o711)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as somebody else")
def test_a_strict_umask_of_root_does_not_keep_the_server_out(home: Path) -> None:
    before = os.umask(0o077)
    try:
        account.make_directory(home / "a/b")
    finally:
        os.umask(before)
    account.for_data(home / "data").require_access(home / "a/b")  # raises without access
    assert (home / "a").stat().st_mode & 0o001, "others cannot pass through the directory above"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root's server runs as somebody else")
def test_as_root_the_server_is_somebody_else(running: Instance) -> None:
    owner = Path(f"/proc/{pid_of(running)}").stat().st_uid
    assert owner != 0
    assert owner == running.data_directory.stat().st_uid
