"""Compare `lineage import queries` of N statements with `lineage ingest` of as many events.

python -m benchmarks.imports [--statements N] [--new SHARE] [--dsn DSN]

The log has runs of 200 statements each; SHARE of the statements have a shape that no other has.
Both commands run in turns, with start-up. DSN is a maintenance database of a server, as for
benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.emitter import dsn_of, fresh, stream

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import psycopg

LINEAGE = str(Path(sys.executable).parent / "lineage")
STATEMENTS_OF_A_RUN = 200
SHAPES = 90
LIMIT = 2.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--statements", type=int, default=100_000)
    parser.add_argument("--new", type=float, default=0.01)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    databases = fresh(options.dsn)
    seconds: dict[str, list[float]] = {"ingest": [], "import": []}
    with tempfile.TemporaryDirectory() as directory:
        events, log = Path(directory, "events.jsonl"), Path(directory, "log.jsonl")
        write_lines(events, stream(options.statements))
        write_lines(log, map(json.dumps, rows(options.statements, options.new)))
        commands = {
            "ingest": ["ingest", "--workers", "1", str(events)],
            "import": ["import", "queries", str(log), "--namespace", "postgres://db:5432"],
        }
        for _ in range(options.turns):
            for name, command in commands.items():
                seconds[name].append(run_command(next(databases), command))
    databases.close()  # type: ignore[attr-defined]
    ingest, imported = (statistics.median(each) for each in seconds.values())
    print("| statements | `lineage ingest`, s | `lineage import queries`, s | ratio |")
    print("|---:|---:|---:|---:|")
    ratio = imported / ingest
    print(f"| {options.statements:,} | {ingest:.1f} | {imported:.1f} | {ratio:.2f} |")
    assert ratio <= LIMIT, f"the ratio is more than {LIMIT}"


def rows(count: int, new: float) -> Iterator[dict[str, Any]]:
    """Yield rows of the generic form: inserts and queries of many runs."""
    chance = random.Random(1)
    for number in range(count):
        shape = chance.randrange(SHAPES)
        table = f"new_{number}" if chance.random() < new else f"t{shape}"
        condition = f"id = {number} AND v = 'x'"
        text = f"INSERT INTO w.{table} SELECT * FROM s.u{shape} WHERE {condition}"  # noqa: S608
        run = number // STATEMENTS_OF_A_RUN
        seconds = 1.7e9 + run * 7200 + number % STATEMENTS_OF_A_RUN
        yield {
            "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)),
            "job": f"python_task::job-{run % 50}", "session": str(run), "position": number,
            "database": "shop", "text": text, "duration_ms": 1.5,
        }  # fmt: skip


def write_lines(file: Path, texts: Iterable[str]) -> None:
    with file.open("w") as opened:
        opened.writelines(text + "\n" for text in texts)


def run_command(conn: psycopg.Connection[Any], command: list[str]) -> float:
    """Run a command against an empty database; return its seconds."""
    environment = {**os.environ, "LINEAGE_DSN": dsn_of(conn)}
    begin = time.perf_counter()
    subprocess.run([LINEAGE, *command], env=environment, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
