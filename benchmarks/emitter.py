"""Measure events per second into log and graph, compared with one MERGE per event and with COPY.

python -m benchmarks.emitter [--events N] [--dsn DSN]

DSN is a maintenance database of a server; without it the private server is used. A database is
created for each measurement and dropped afterwards.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import time
import uuid
from datetime import datetime, timezone
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import psycopg
from openlineage.client.uuid import generate_static_uuid
from psycopg import sql
from psycopg.conninfo import make_conninfo

from benchmarks.processor import taken_by_all
from lineage.database import migrations
from lineage.database.connection import connect
from lineage.ingest.workers import Done, Item, Workers
from lineage.ingest.writer import BATCH_SIZE, write_events
from lineage.projection.deferred import finish_summaries
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

COPIED = "COPY of the same bytes, no key"
MERGED = "one Cypher MERGE an event, keys and edges only"
JOBS = 300
MERGE = """
SELECT * FROM cypher('provenance', $$
    MERGE (j:Job {namespace: $job_namespace, name: $job})
    MERGE (r:Run {run_id: $run})
    SET r.state = $state
    MERGE (j)-[:EXECUTES]->(r)
    MERGE (i0:Dataset {namespace: $namespace, name: $input0})
    MERGE (i1:Dataset {namespace: $namespace, name: $input1})
    MERGE (o:Dataset {namespace: $namespace, name: $output})
    MERGE (i0)-[:INPUT_TO]->(r)
    MERGE (i1)-[:INPUT_TO]->(r)
    MERGE (r)-[:OUTPUTS]->(o)
$$, %s) AS (done agtype)
"""

STORED = """
SELECT sum(pg_total_relation_size(oid)) FROM pg_class
WHERE relnamespace IN ('lineage'::regnamespace, 'provenance'::regnamespace) AND relkind = 'r'
"""
_BEGIN = 1_700_000_000  # the time of the first event
_NUMBERS = itertools.count()  # of databases
# Number of columns of an event of each size.
SIZES = {"1 KB": 1, "5 KB": 12, "30 KB": 85}


def events(count: int, columns: int = 12) -> list[dict[str, Any]]:
    """Return the events of ``stream``, parsed."""
    return [json.loads(text) for text in stream(count, columns)]


def stream(count: int, columns: int = 12, *, random_ids: bool = False) -> Iterator[str]:
    """Yield START and COMPLETE of runs of ``JOBS`` jobs as JSON; with 12 columns an event has 5 KB.

    The ids of runs begin with their time (UUID version 7), or are random (version 4).
    """
    chance = random.Random(1)
    for n in range(count // 2):
        job, run = chance.randrange(JOBS), uuid.UUID(int=chance.getrandbits(128))
        if not random_ids:
            begin = datetime.fromtimestamp(_BEGIN + 2 * n, timezone.utc)
            run = generate_static_uuid(begin, run.bytes)
        for kind, second in (("START", 2 * n), ("COMPLETE", 2 * n + 1)):
            event = {
                "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(_BEGIN + second)),
                "eventType": kind,
                "run": {"runId": str(run), "facets": {"processing_engine": {"version": "4.3.0"}}},
            }
            yield f"{json.dumps(event)[:-1]}, {_job_and_datasets(job, columns)}"


@cache
def _job_and_datasets(job: int, columns: int) -> str:
    """Return the end of the events of a job: they differ only in their times and runs."""
    parts = {
        "job": {"namespace": "etl", "name": f"job-{job}", "facets": {}},
        "inputs": [dataset(f"warehouse/t{job + n}", columns) for n in (0, 1)],
        "outputs": [dataset(f"warehouse/t{job + 2}", columns, **column_lineage(job, columns))],
    }
    return json.dumps(parts)[1:]


def dataset(name: str, columns: int, **facets: Any) -> dict[str, Any]:
    fields = [{"name": f"a_column_{n}", "type": "decimal(18,2)"} for n in range(columns)]
    return {
        "namespace": "s3://lake",
        "name": name,
        "facets": {"schema": {"fields": fields}, **facets},
    }


def column_lineage(job: int, columns: int) -> dict[str, Any]:
    source = {"namespace": "s3://lake", "name": f"warehouse/t{job}"}
    how = {"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}
    return {
        "columnLineage": {
            "fields": {
                f"a_column_{n}": {
                    "inputFields": [{**source, "field": f"a_column_{n}", "transformations": [how]}]
                }
                for n in range(columns)
            }
        }
    }


def merge_each(conn: psycopg.Connection[Any], stated: list[dict[str, Any]]) -> None:
    """Write each event by one Cypher MERGE in its own transaction, for comparison."""
    for event in stated:
        params = {
            "job_namespace": event["job"]["namespace"],
            "job": event["job"]["name"],
            "run": event["run"]["runId"],
            "state": event["eventType"],
            "namespace": "s3://lake",
            **{f"input{n}": given["name"] for n, given in enumerate(event["inputs"])},
            "output": event["outputs"][0]["name"],
        }
        conn.execute(MERGE, (json.dumps(params),))


def put(conn: psycopg.Connection[Any], texts: list[str], workers: int) -> None:
    """Write events by ``workers`` processes, as ``lineage ingest`` does."""
    finished: list[Done] = []
    with Workers(dsn_of(conn), workers, finished.append) as writing:
        for text in texts:
            writing.emit(Item("", text.encode()))
    finish_summaries(conn)
    assert sum(done.written.new for done in finished) == len(texts)


def copy_raw(conn: psycopg.Connection[Any], texts: Iterable[str]) -> None:
    """Copy the same bytes into a table without a key, as an upper bound."""
    conn.execute("CREATE TABLE raw (body text COMPRESSION lz4)")
    with conn.cursor().copy("COPY raw FROM STDIN") as copy:
        for text in texts:
            copy.write_row((text,))


def stored_bytes(conn: psycopg.Connection[Any]) -> int:
    """Return the size of log, facts and graph in the database, with their indexes."""
    return int(conn.execute(STORED).fetchall()[0][0])


def dsn_of(conn: psycopg.Connection[Any], **other: str) -> str:
    """Return the DSN of a connection, with its password; ``other`` overrides its settings."""
    own = {"password": conn.info.password} if conn.info.password else {}
    return make_conninfo(conn.info.dsn, **own, **other)


def fresh(dsn: str | None) -> Iterator[psycopg.Connection[Any]]:
    """Yield connections to new databases with all migrations, one for each measurement."""
    with connect(dsn, autocommit=True) as maintenance:
        for n in _NUMBERS:
            name = f"benchmark_{os.getpid()}_{n}"
            quoted = sql.Identifier(name)
            maintenance.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(quoted))
            own = dsn_of(maintenance, dbname=name)
            try:
                with psycopg.connect(own, autocommit=True) as conn:
                    migrations.apply_pending(conn)
                # Settings of the database apply to new connections.
                with psycopg.connect(own, autocommit=True) as conn:
                    yield conn
            finally:
                maintenance.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))


class Table:
    """A table of measurements, printed row by row."""

    def __init__(self) -> None:
        print("| | events/s | processor, µs an event: ours | the server's | bytes an event |")
        print("|---|---:|---:|---:|---:|")

    def row(
        self,
        what: str,
        conn: psycopg.Connection[Any],
        count: int,
        work: Callable[[], object],
        *,
        stored: bool = False,
    ) -> float:
        """Run ``work`` on ``count`` events and print the row; return events per second."""
        found = taken_by_all(conn, work)
        each = [f"{seconds * 1e6 / count:,.0f}" for seconds in (found.ours, found.servers)]
        size = f"{stored_bytes(conn) / count:,.0f}" if stored else ""
        print(f"| {' | '.join([what, f'{count / found.clock:,.0f}', *each, size])} |", flush=True)
        return count / found.clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=20_000, help="number of events of 5 KB")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    stated = events(options.events)
    texts = list(stream(options.events))
    few = max(200, options.events // 40)
    databases = fresh(options.dsn)
    table = Table()

    conn = next(databases)
    table.row(COPIED, conn, len(texts), lambda: copy_raw(conn, texts))
    prints = set()
    for size in (1, 50, 500, BATCH_SIZE):
        share = texts if size > 50 else texts[: 4 * few if size > 1 else few]
        conn = next(databases)
        what = f"lineage, durable and projected, batches of {size:,}"
        work = partial(write_events, conn, share, size)
        table.row(what, conn, len(share), work, stored=len(share) == len(texts))
        if len(share) == len(texts):
            prints.add(graph_fingerprint(conn))
    table.row("the same events again", conn, len(texts), lambda: write_events(conn, texts))
    table.row("rebuild from the log", conn, len(texts), lambda: rebuild_graph(conn))
    prints.add(graph_fingerprint(conn))
    conn = next(databases)
    what = "lineage, durable and projected, by two processes"
    table.row(what, conn, len(texts), partial(put, conn, texts, 2), stored=True)
    assert {graph_fingerprint(conn)} == prints
    for name in ("1 KB", "30 KB"):
        columns = SIZES[name]
        count = min(options.events, options.events * 12 // columns)
        others = list(stream(count, columns))
        conn = next(databases)
        what = f"events of {name}, batches of {BATCH_SIZE:,}"
        table.row(what, conn, len(others), partial(write_events, conn, others), stored=True)
    conn = next(databases)
    table.row(MERGED, conn, len(stated), lambda: merge_each(conn, stated))
    databases.close()  # type: ignore[attr-defined]

    size = sum(map(len, texts)) / len(texts) / 1000
    print(f"\n{len(texts):,} events of {size:.1f} KB, one connection, {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
