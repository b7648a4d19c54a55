"""The bulk-loaded graph of the benchmarks equals the one projected from events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from benchmarks import bulk
from lineage.database import migrations
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPE = bulk.Shape(wide=1, narrow=1, runs=3, columns=3, layers=3, wide_jobs=4, narrow_jobs=2)
# A bulk load omits data used only for writing: the log, and the runs of column mappings.
FACTS = """
SELECT (SELECT count(*) FROM lineage.access), (SELECT count(*) FROM lineage.execution),
       (SELECT sum(runs) FROM lineage.feeds), (SELECT sum(runs) FROM lineage.derives),
       (SELECT max(last_seen) FROM lineage.access), (SELECT min(first_seen) FROM lineage.access),
       (SELECT count(*) FROM lineage.dataset WHERE schema IS NOT NULL)
"""


def test_a_graph_filled_by_set_is_the_one_that_its_events_give(
    conn: psycopg.Connection[Any], database: Callable[[str], str]
) -> None:
    write_events(conn, list(bulk.events(SHAPE)))
    with psycopg.connect(database("template0"), autocommit=True) as filled:
        migrations.apply_pending(filled)
        bulk.load(filled, SHAPE)
        assert graph_fingerprint(filled) == graph_fingerprint(conn)
        assert filled.execute(FACTS).fetchall() == conn.execute(FACTS).fetchall()
