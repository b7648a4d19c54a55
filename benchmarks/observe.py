"""Measure a program with and without observation, and what the audit hook adds to an open.

python -m benchmarks.observe [--rounds N] [--files N]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.listener import interval

PROGRAM = """
import sys
import numpy
import pandas
import lineage

def work(directory, count):
    frame = pandas.DataFrame({name: numpy.arange(5000.0) for name in "abcdefgh"})
    for number in range(count):
        frame.to_csv(f"{directory}/{number}.csv")
        frame.to_parquet(f"{directory}/{number}.parquet")
        pandas.read_csv(f"{directory}/{number}.csv")
        # With threads, pyarrow 26 may abort at the end of a program (apache/arrow#34314).
        pandas.read_parquet(f"{directory}/{number}.parquet", use_threads=False)

with lineage.run("benchmark"):
    work(sys.argv[1], int(sys.argv[2]))
"""

# One way in each process, because a hook cannot be removed.
OPENS = """
import os, sys, tempfile, time
from pathlib import Path
from lineage import hub
from lineage.hub.runs import run

COUNT, ROUNDS = 2000, 9
way = sys.argv[1]

class Null:
    def init(self, settings): pass
    def accept(self, events): pass
    def shutdown(self): pass

def microseconds(names):
    began = time.process_time()
    for name in names:
        open(name).close()
    return (time.process_time() - began) / len(names) * 1e6

with tempfile.TemporaryDirectory() as directory:
    known = os.path.join(directory, "known")
    open(known, "w").close()
    rounds = [[known] * COUNT] * ROUNDS
    if "new" in way:
        rounds = [[f"{directory}/{n}-{m}" for m in range(COUNT)] for n in range(ROUNDS)]
        for names in rounds:
            for name in names:
                os.link(known, name)
    observe = ("files",) if "observed" in way else ()
    hub.configure({"null": Null}, spool=Path(directory), observe=observe)
    with run("benchmark") as active:
        if "no run" not in way:
            print(min(map(microseconds, rounds)))
    if "no run" in way:
        print(min(map(microseconds, rounds)))
"""
WAYS = {
    "known path": "plain",
    "known path, observed": "observed",
    "known path, observed before, no run now": "observed, no run",
    "new path": "plain, new",
    "new path, observed": "observed, new",
}
OPEN_ROUNDS = 7


# Observers, and whether the run is recorded at all.
PROGRAMS = {"off": ("N", ""), "recorded": ("Y", ""), "observed": ("Y", "files,http,sqlite")}


def run_once(program: Path, count: int, way: str) -> float:
    """Return the processor time of one run of the program, in seconds."""
    enabled, observers = PROGRAMS[way]
    with tempfile.TemporaryDirectory() as directory:
        variables = {
            **os.environ,
            "LINEAGE_HUB_SPOOL": f"{directory}/spool",
            "LINEAGE_SINK_IDS": "file",
            "LINEAGE_ENABLED": enabled,
            "LINEAGE_OBSERVE": observers,
        }
        command = [sys.executable, str(program), directory, str(count)]
        with subprocess.Popen(command, env=variables) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        if observers:
            [file] = Path(directory, "spool").glob("*.jsonl")
            assert f"{count - 1}.csv" in file.read_text(), "the files were not observed"
    return usage.ru_utime + usage.ru_stime


def measure_program(rounds: int, count: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        program = Path(directory, "program.py")
        program.write_text(PROGRAM)
        run_once(program, 1, "observed")  # compiles modules
        taken: dict[str, list[float]] = {way: [] for way in PROGRAMS}
        for number in range(rounds):
            for way in list(PROGRAMS) if number % 2 else reversed(PROGRAMS):
                taken[way].append(run_once(program, count, way))
    print(f"A program that writes and reads {count} csv and {count} parquet files, in turns:\n")
    print("| program | s of processor time, median | times recorded | 95 % interval |")
    print("|---|---:|---:|---:|")
    for way, seconds in taken.items():
        ratios = [mine / base for mine, base in zip(seconds, taken["recorded"], strict=True)]
        low, high = interval(ratios)
        middle = statistics.median(seconds)
        print(
            f"| {way} | {middle:.2f} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} |"
        )
    print("\nLimit: observed 1.02 times recorded.")


def measure_opens() -> None:
    def least_time(way: str) -> float:
        command = [sys.executable, "-c", OPENS, way]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    # in turns, so that other load on the machine affects all rows
    rounds = [{name: least_time(way) for name, way in WAYS.items()} for _ in range(OPEN_ROUNDS)]
    least = {name: min(taken[name] for taken in rounds) for name in WAYS}
    print("| open and close | µs, least | added | of the open |\n|---|---:|---:|---:|")
    for name, taken in least.items():
        plain = least[name.partition(",")[0]]
        print(f"| {name} | {taken:.2f} | {taken - plain:.2f} | {taken / plain - 1:.3f} |")
    print("\nLimit of a known path: 1/10 of the open.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--files", type=int, default=100)
    options = parser.parse_args()
    measure_opens()
    print()
    measure_program(options.rounds, options.files)


if __name__ == "__main__":
    main()
