"""Folds of which a process is killed: the next fold completes them, and no run counts twice.

Each kill happens at an observed moment: a lock of the test stops the fold at a place in the
projection. `make test` kills a driver, `make test-slow` each other process at one place, and
`make test-crash` each process at every place.
"""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import dataset, derived, run_event
from support.fixtures.database import new_home
from support.services.polling import PAUSE, wait_until
from support.services.processes import session_members
from support.spark import java
from support.spark.recorded import ENVIRONMENT

from lineage.database import create, migrations
from lineage.ingest.writer import write_events
from lineage.lake.adding import add_files
from lineage.lake.folding import fold_lake
from lineage.lake.opening import open_lake
from lineage.postgres.instance import Instance
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Connection = psycopg.Connection[Any]

LINEAGE = Path(sys.executable).with_name("lineage")
# The locks at which a fold stops, one after the other, and is killed at the last.
PLACES = {
    "one task in a transaction": ["SELECT FROM lineage.run WHERE run_id = 'shared' FOR UPDATE"],
    "all tasks in transactions": ["LOCK TABLE lineage.access IN SHARE MODE"],
    "tasks that defer": ["LOCK TABLE lineage.deferred_derives IN SHARE MODE"],
    "completing the summaries": ["LOCK TABLE lineage.derives IN SHARE MODE"],
    "a month that is projected": [
        "LOCK TABLE lineage.derives IN SHARE MODE",
        "LOCK TABLE lineage.archived_file IN SHARE MODE",
    ],
}
VICTIMS = ("driver", "JVM", "Python worker", "PostgreSQL")
SELECT_WAITING = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def hard_events() -> list[str]:
    """Return events of two months with failures, aliases, columns and a run of all jobs."""
    chance = random.Random(11)
    stated = []
    for n in range(120):
        reads, writes = chance.sample("abcdef", 2), chance.sample("ghij", 1)
        output = dataset(
            writes[0],
            (f"alias{n}",) if n % 40 == 0 else (),
            columnLineage=derived((chance.choice("xy"), reads[0], chance.choice("xy"))),
        )
        job, end = f"j{n % 7}", chance.choice(["COMPLETE", "COMPLETE", "FAIL"])
        run = "shared" if n % 30 == 0 else f"r{n}"
        stated.append(run_event(run, "START", n, job, tuple(reads), (output,)))
        late = run_event(run, end, n + 1, job, (f"alias{n // 40 * 40}",), (output,))
        stated.append(late.replace("2026-01-", "2026-02-") if n % 3 == 0 else late)
    return stated


EVENTS = hard_events()


@pytest.fixture(scope="module")
def instance() -> Iterator[Instance]:
    """Return a server of this module, which writes to disk as in production."""
    home = new_home()
    instance = Instance(home)
    instance.up()
    yield instance
    instance.down()
    shutil.rmtree(home)


@pytest.fixture(scope="module")
def fresh(instance: Instance) -> Callable[[], str]:
    """Return a function that creates a database of the server, and returns its DSN."""
    numbers = itertools.count()

    def make() -> str:
        name = f"fold{next(numbers)}"
        create.ensure_database(instance.database_uri("postgres"), name)
        dsn = instance.database_uri(name)
        with psycopg.connect(dsn, autocommit=True) as conn:
            migrations.apply_pending(conn)
        return dsn

    return make


@pytest.fixture(scope="module")
def fingerprint(fresh: Callable[[], str]) -> str:
    """Return the fingerprint of the graph of the ingested events."""
    with psycopg.connect(fresh(), autocommit=True) as conn:
        write_events(conn, EVENTS)
        return graph_fingerprint(conn)


@pytest.fixture(scope="module")
def lake(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a lake with all events, some of which were added twice."""
    directory = tmp_path_factory.mktemp("kills")
    shuffled = random.Random(12).sample(EVENTS + EVENTS[::5], len(EVENTS + EVENTS[::5]))
    (directory / "events.jsonl").write_text("\n".join(shuffled))
    add_files(open_lake(spark, str(directory / "lake")), [str(directory / "events.jsonl")])
    return str(directory / "lake")


def case(number: int, victim: str, place: str) -> Any:
    """Return a case; only the first is not slow."""
    marks = (pytest.mark.slow,) if number else ()
    return pytest.param(victim, place, marks=marks, id=f"{victim}, {place}")


ALL = list(enumerate(itertools.product(VICTIMS, PLACES)))
CHOSEN = ALL if "CRASH_ROUNDS" in os.environ else ALL[:: len(PLACES) + 1]
CASES = [case(number, *each) for number, each in CHOSEN]


@pytest.mark.parametrize(("victim", "place"), CASES)
def test_a_killed_fold_is_completed_by_the_next(
    spark: Any,
    instance: Instance,
    fresh: Callable[[], str],
    fingerprint: str,
    lake: str,
    victim: str,
    place: str,
    tmp_path: Path,
) -> None:
    """Half of the events were ingested before, so that runs have events in log and lake."""
    dsn = fresh()
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS[::2])
    with (tmp_path / "output").open("w") as output:
        process = start_fold(dsn, lake, output)
        locks = [psycopg.connect(dsn) for _ in PLACES[place]]
        try:
            stop_at(dsn, process, locks, PLACES[place])
            kill(victim, process, instance)
        finally:
            for lock in locks:
                with suppress(psycopg.OperationalError):
                    lock.close()
            process.wait(300)
            for pid in session_members(process.pid):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
    # Spark starts a task again if its Python worker was killed.
    is_complete = process.returncode == 0
    assert is_complete == (victim == "Python worker"), (tmp_path / "output").read_text()
    with psycopg.connect(dsn, autocommit=True) as conn:
        list(fold_lake(open_lake(spark, lake), conn, dsn))
        assert graph_fingerprint(conn) == fingerprint
        assert conn.execute(
            "SELECT count(*) FROM lineage.archived_file WHERE projected_at IS NULL"
        ).fetchall() == [(0,)]


def start_fold(dsn: str, lake: str, output: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [LINEAGE, "lake", "fold", lake, "--no-lineage"],
        env={
            **os.environ,
            **java.environment(),
            **ENVIRONMENT,
            "LINEAGE_DSN": dsn,
            "PYSPARK_SUBMIT_ARGS": "--master local[2,4] pyspark-shell",
        },
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def stop_at(
    dsn: str, process: subprocess.Popen[bytes], locks: list[Connection], statements: list[str]
) -> None:
    """Take locks, each before the one that the fold waits for is released."""
    with psycopg.connect(dsn, autocommit=True) as observer:
        for number, (lock, statement) in enumerate(zip(locks, statements, strict=True)):
            lock.execute(statement)
            if number:
                locks[number - 1].rollback()
            while observer.execute(SELECT_WAITING).fetchall() == [(0,)]:
                assert process.poll() is None, "the fold has ended"
                time.sleep(PAUSE)


def kill(victim: str, process: subprocess.Popen[bytes], instance: Instance) -> None:
    members = session_members(process.pid)
    commands = {pid: command for pid, (_, command) in members.items()}
    if victim == "PostgreSQL":
        kill_database(instance)
        return
    killed = {
        "driver": list(members),
        "JVM": [pid for pid, command in commands.items() if b"SparkSubmit" in command],
        "Python worker": [
            pid for pid, (parent, command) in members.items()
            if b"pyspark.daemon" in command and b"pyspark.daemon" in commands.get(parent, b"")
        ],
    }[victim]  # fmt: skip
    assert killed, commands
    for pid in killed:
        os.kill(pid, signal.SIGKILL)


def kill_database(instance: Instance) -> None:
    running = instance.status()
    assert running
    assert running.pid
    os.kill(running.pid, signal.SIGKILL)
    wait_until(lambda: not instance.status())  # until the kernel has removed the process
    instance.up()
