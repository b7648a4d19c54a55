"""Whether a process still runs, of processes of the test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from lineage.hub.process_state import is_running, read_start


def test_a_process_runs_until_it_ends():
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    start = read_start(process.pid)
    assert is_running(process.pid, start)
    assert is_running(process.pid, ""), "when it started is not known"
    process.communicate(b"\n", timeout=60)
    assert not is_running(process.pid, start)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show the start")
def test_another_process_with_the_number_of_an_earlier_one_is_not_that_one():
    own, start = os.getpid(), read_start(os.getpid())
    assert is_running(own, start)
    assert not is_running(own, str(int(start) - 1))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not show the state")
def test_a_zombie_has_ended():
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not is_running(process.pid, "")
    process.wait(60)
