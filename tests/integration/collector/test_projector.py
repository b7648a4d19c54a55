"""The projector, which projects pending events in the background."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
from support.events.builders import run_event
from support.services.polling import wait_until_projected

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.http.collector.projector import Projector
from lineage.ingest.writer import write_events
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.fixtures.database import Server

# More than two batches, which two threads project.
EVENTS = [
    run_event(f"r{n // 2}", "COMPLETE" if n % 2 else "START", n, f"job{n % 7}", (f"t{n % 5}",))
    for n in range(2 * backlog.BATCH_SIZE + 500)
]


def test_a_long_backlog_gives_the_graph_that_the_emitter_makes(
    server: Server, database: Callable[[str], str]
) -> None:
    drawn, written = database(server.migrated()), database(server.migrated())
    with (
        psycopg.connect(drawn, autocommit=True) as conn,
        psycopg.connect(written, autocommit=True) as other,
    ):
        with conn.transaction():
            log.queue_events(conn, map(read_entry, EVENTS))
        with closing(Projector(drawn)):
            wait_until_projected(conn)
        write_events(other, EVENTS)
        assert graph_fingerprint(conn) == graph_fingerprint(other)
