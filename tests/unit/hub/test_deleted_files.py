"""Files of events that someone deletes while their program runs: later events have a file."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

from lineage.hub.spool import Spool

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = """
import sys, lineage
emitter = lineage.get_emitter()
for line in sys.stdin:
    with lineage.run(line.strip()):
        pass
    print(emitter.flush(10).is_done, flush=True)
"""


def jobs_of_files(spool: Path) -> set[str]:
    lines = [line for file in spool.glob("*.jsonl") for line in file.read_text().splitlines()]
    return {json.loads(line)["job"]["name"] for line in lines}


def test_a_program_goes_on_in_another_file(tmp_path: Path) -> None:
    settings = {
        "LINEAGE_ENABLED": "true",
        "LINEAGE_SINK_IDS": "file",
        "LINEAGE_HUB_SPOOL": str(tmp_path),
    }
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=settings,
    ) as program:
        assert program.stdin
        assert program.stdout
        for job in ("first", "second", "third"):
            program.stdin.write(f"{job}\n")
            program.stdin.flush()
            assert program.stdout.readline() == "True\n"
            assert job in jobs_of_files(tmp_path)
            if job == "first":
                [file] = tmp_path.iterdir()
                file.unlink()
        program.stdin.close()
    assert jobs_of_files(tmp_path) == {"second", "third"}
    [file] = tmp_path.iterdir()
    assert f"-{program.pid}-" in file.name


def test_events_of_another_file_are_not_marked_as_sent(tmp_path: Path) -> None:
    """The thread that sends has read lines of the deleted file meanwhile."""
    spool = Spool(tmp_path, "collector", limit=10)
    assert spool.append_lines([b"first\n"])
    lines = spool.read_unsent(1000)
    [file] = tmp_path.iterdir()
    file.unlink()
    assert spool.append_lines([b"second\n"])
    spool.mark_sent(lines)
    assert spool.read_unsent(1000) == [b"second\n"]
    spool.close_file()
    [file] = tmp_path.iterdir()
    assert file.read_bytes() == b"second\n"
