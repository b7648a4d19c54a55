"""The state file and the identity of processes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from psycopg.conninfo import conninfo_to_dict

from lineage.postgres import state_file


def test_a_state_is_read_as_it_was_written(tmp_path: Path) -> None:
    state_file.write_state(tmp_path, state_file.State(20_123, 42, "1000"))
    assert state_file.read_state(tmp_path) == state_file.State(20_123, 42, "1000")


def test_a_live_process_is_distinguished_from_an_earlier_one_of_its_pid() -> None:
    assert state_file.State(1, os.getpid(), state_file.process_start_time(os.getpid())).is_running()
    assert not state_file.State(1, os.getpid(), "1").is_running()


def test_a_stopped_server_does_not_run() -> None:
    assert not state_file.State(20_123).is_running()


def test_a_dead_process_that_nobody_waited_for_is_dead() -> None:
    with subprocess.Popen(["true"]) as child:
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert state_file.process_start_time(child.pid) is None


@pytest.mark.parametrize("home", ["/var/lib/lineage", "/tmp/with space", "/tmp/ä?&#%/x"])
def test_the_dsn_names_the_password_file(home: str) -> None:
    parameters = conninfo_to_dict(state_file.build_uri(Path(home), 20_123))
    assert parameters["passfile"] == f"{home}/passfile"
    assert (parameters["host"], parameters["port"]) == ("127.0.0.1", "20123")
