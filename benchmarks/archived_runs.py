"""Measure the archiving of runs: its duration, the bytes before and after, and traces of datasets.

python -m benchmarks.archived_runs [--wide N] [--narrow N] [--runs N] [--dsn DSN]

The graph is that of ``benchmarks.bulk``. All runs are older than the archived time, so that those
remain that answers need. Sizes are those after VACUUM FULL. DSN is a maintenance database of a
server, as for benchmarks.emitter.
"""

from __future__ import annotations

import argparse
import tempfile
from typing import TYPE_CHECKING, Any

from benchmarks import bulk
from benchmarks.emitter import fresh
from benchmarks.lake import stored_size
from benchmarks.measured import measured
from benchmarks.processor import taken_by_all
from benchmarks.questions import DATASETS, TRACE
from lineage.maintenance.archive_runs import archive_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[Any]

AFTER_ALL_RUNS = "now"  # all are older than this month
SIZES = "SELECT sum(bytes) FILTER (WHERE part IN ('facts', 'graph')) FROM lineage.storage_sizes()"
RUNS = "SELECT count(*) FROM lineage.run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wide", type=int, default=2)
    parser.add_argument("--narrow", type=int, default=32)
    parser.add_argument("--runs", type=int, default=12)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    shape = bulk.Shape(wide=options.wide, narrow=options.narrow, runs=options.runs)
    database = fresh(options.dsn)
    conn = next(database)
    bulk.load(conn, shape)
    print("| | runs in the database | MB of facts and graph | whole closure, ms |")
    print("|---|---:|---:|---:|")
    show_state(conn, "before")
    with tempfile.TemporaryDirectory() as lake:
        took = taken_by_all(conn, lambda: list(archive_runs(conn, AFTER_ALL_RUNS, lake)))
        show_state(conn, "after")
        [(runs,)] = conn.execute("SELECT sum(runs) FROM lineage.run_archive")
        ours, servers = (seconds * 1e6 / float(runs) for seconds in (took.ours, took.servers))
        print(
            f"\n{runs:,} runs archived in {took.clock:,.0f} s: {ours:,.0f} µs of processor time a"
            f" run of ours, {servers:,.0f} of the server;"
            f" {stored_size(lake) / float(runs):,.0f} bytes of Parquet a run."
        )
    database.close()  # type: ignore[attr-defined]


def show_state(conn: Connection, name: str) -> None:
    conn.execute("VACUUM FULL ANALYZE")
    [(runs,)], [(size,)] = conn.execute(RUNS), conn.execute(SIZES)
    closure = measured(conn, trace_of(conn), conn.execute(DATASETS, ("wide%/l19/%", 20)).fetchall())
    print(f"| {name} | {runs:,} | {size / 2**20:,.0f} | {closure.clock:.2f} |", flush=True)


def trace_of(conn: Connection) -> Callable[[Any], int]:
    return lambda root: int(conn.execute(TRACE, (root[0], None)).fetchall()[0][0])


if __name__ == "__main__":
    main()
