"""The graph made again from the log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.database.errors import errors
from lineage.graph import log
from lineage.graph.batch import Batch
from lineage.graph.projection import keep_others_out, project

if TYPE_CHECKING:
    import psycopg

_CLEAR = """
TRUNCATE lineage.dataset, lineage.alias, lineage.job, lineage.run, lineage.execution,
         lineage.access, lineage.feeds, lineage.field, lineage.mapping, lineage.derivation,
         lineage.run_mapping, lineage.derives, provenance."Dataset", provenance."Job",
         provenance."Run", provenance."Field", provenance."INPUT_TO", provenance."OUTPUTS",
         provenance."EXECUTES", provenance."PARENT", provenance."HAS_FIELD", provenance."DERIVES",
         provenance."FEEDS"
"""


def rebuild(conn: psycopg.Connection[Any], page: int = 1000) -> int:
    """Drop facts and graph and make them again from the log; return the number of events.

    One transaction: it waits for writers to end, keeps others out, and on an error leaves all as it
    was.
    """
    count = 0
    with errors(), conn.transaction():
        keep_others_out(conn)
        conn.execute(_CLEAR)
        # What is added from now on is drawn once more afterwards, which changes nothing.
        conn.execute("DELETE FROM lineage.pending")
        for entries in log.entries(conn, page):
            project(conn, Batch.of(entries), alone=True)
            count += len(entries)
    return count


def fingerprint(conn: psycopg.Connection[Any]) -> str:
    """Return a text that is equal for equal graphs, whatever ids vertices and edges have."""
    with errors():
        return str(conn.execute("SELECT lineage.fingerprint()").fetchall()[0][0])
