"""SQL functions of another version, which a migration may have brought: nobody writes with them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import run_event
from support.services.polling import rows_while_running

from lineage.database import functions, migrations
from lineage.database.writer_lock import acquire_lock
from lineage.errors import NotMigrated
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.projection import backlog
from lineage.projection.deferred import finish_summaries
from lineage.projection.rebuild import rebuild_graph

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

EVENT = run_event("r", "COMPLETE", 0, "load", ("raw",), ("clean",))
OTHERS = pytest.raises(NotMigrated, match="has the SQL functions of another version")
WAITING = """
SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def set_version(conn: Connection, checksum: str) -> None:
    conn.execute("UPDATE lineage.function_set SET sha256 = %s", [checksum])


def test_a_connection_from_before_the_migration_writes_nothing(conn: Connection) -> None:
    set_version(conn, "of another version")
    for write in (lambda: write_events(conn, [EVENT]), lambda: rebuild_graph(conn)):
        with OTHERS:
            write()
    with OTHERS:
        finish_summaries(conn)
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(0,)]


def test_a_collector_stores_events_and_the_next_one_projects_them(conn: Connection) -> None:
    set_version(conn, "of another version")
    with conn.transaction():
        log.queue_events(conn, [read_entry(EVENT)])
    with OTHERS:
        backlog.project_pending(conn)
    assert backlog.count_pending(conn) == 1
    set_version(conn, functions.checksum_of_this_version())
    assert backlog.project_pending(conn) == 1
    assert conn.execute("SELECT count(*) FROM lineage.feeds").fetchall() == [(1,)]


def test_a_migration_waits_for_the_batches_that_are_being_written(
    conn: Connection, dsn: str
) -> None:
    set_version(conn, "of another version")

    def migrate() -> list[str]:
        with psycopg.connect(dsn, autocommit=True) as other:
            return migrations.apply_pending(other)

    with ThreadPoolExecutor(1) as pool:
        with conn.transaction():
            acquire_lock(conn, exclusive=False)
            migration = pool.submit(migrate)
            rows_while_running(conn, WAITING, migration)
            with OTHERS:
                migrations.check_schema(conn)
        assert migration.result(60) == ["functions"]
    migrations.check_schema(conn)
