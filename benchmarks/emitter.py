"""Events a second into log and graph, against a Cypher MERGE an event and the machine's limit.

python -m benchmarks.emitter [--events N] [--dsn DSN]

DSN names a maintenance database of a server; without it the private server is used. A database is
made for the run and dropped.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
import uuid
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from lineage.database import migrate
from lineage.database.connection import connect
from lineage.graph import fingerprint, rebuild, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

JOBS = 300
MERGE = """
SELECT * FROM cypher('provenance', $$
    MERGE (j:Job {namespace: $job_namespace, name: $job})
    MERGE (r:Run {run_id: $run})
    SET r.state = $state
    MERGE (j)-[:EXECUTES]->(r)
    MERGE (i:Dataset {namespace: $namespace, name: $input})
    MERGE (o:Dataset {namespace: $namespace, name: $output})
    MERGE (i)-[:INPUT_TO]->(r)
    MERGE (r)-[:OUTPUTS]->(o)
$$, %s) AS (done agtype)
"""


def events(count: int, columns: int = 12) -> list[dict[str, Any]]:
    """START and COMPLETE of runs over a few hundred jobs and datasets; 12 columns make 5 KB."""
    chance = random.Random(1)
    found = []
    for n in range(count // 2):
        job, run = chance.randrange(JOBS), str(uuid.UUID(int=chance.getrandbits(128)))
        for kind, second in (("START", 2 * n), ("COMPLETE", 2 * n + 1)):
            found.append(
                {
                    "eventTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(1.7e9 + second)),
                    "eventType": kind,
                    "run": {"runId": run, "facets": {"processing_engine": {"version": "4.3.0"}}},
                    "job": {"namespace": "etl", "name": f"job-{job}", "facets": {}},
                    "inputs": [dataset(f"warehouse/t{job + n}", columns) for n in (0, 1)],
                    "outputs": [
                        dataset(f"warehouse/t{job + 2}", columns, **column_lineage(job, columns))
                    ],
                }
            )
    return found


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
    """What one would write first: a MERGE an event, each its own transaction."""
    for event in stated:
        params = {
            "job_namespace": event["job"]["namespace"],
            "job": event["job"]["name"],
            "run": event["run"]["runId"],
            "state": event["eventType"],
            "namespace": "s3://lake",
            "input": event["inputs"][0]["name"],
            "output": event["outputs"][0]["name"],
        }
        conn.execute(MERGE, (json.dumps(params),))


def copy_raw(conn: psycopg.Connection[Any], texts: list[str]) -> None:
    """The limit: the same bytes into a table without a key."""
    conn.execute("CREATE TABLE raw (body text COMPRESSION lz4)")
    with conn.cursor().copy("COPY raw FROM STDIN") as copy:
        for text in texts:
            copy.write_row((text,))


def measured(count: int, work: Callable[[], object]) -> float:
    """Events a second."""
    start = time.perf_counter()
    work()
    return count / (time.perf_counter() - start)


def fresh(dsn: str | None) -> Iterator[psycopg.Connection[Any]]:
    """Connections to new databases with all migrations, one for each measurement."""
    with connect(dsn, autocommit=True) as maintenance:
        base = maintenance.info.dsn
        password = maintenance.info.password
        for n in range(100):
            name = f"benchmark_{os.getpid()}_{n}"
            quoted = sql.Identifier(name)
            maintenance.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(quoted))
            own = make_conninfo(base, dbname=name, **({"password": password} if password else {}))
            try:
                with psycopg.connect(own, autocommit=True) as conn:
                    migrate.apply(conn)
                # The settings of the database hold for the next connection.
                with psycopg.connect(own, autocommit=True) as conn:
                    yield conn
            finally:
                maintenance.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(quoted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--dsn")
    options = parser.parse_args()
    stated = events(options.events)
    texts = [json.dumps(event) for event in stated]
    few = max(200, options.events // 20)
    databases = fresh(options.dsn)

    conn = next(databases)
    rows = [("COPY of the same bytes, no key", measured(len(texts), lambda: copy_raw(conn, texts)))]
    prints = set()
    for batch_size in (1, 50, 500):
        share = texts if batch_size > 1 else texts[:few]
        conn = next(databases)
        rate = measured(len(share), lambda: write(conn, share, batch_size))  # noqa: B023
        rows.append((f"lineage, durable and projected, batches of {batch_size}", rate))
        if batch_size > 1:
            prints.add(fingerprint(conn))
    assert len(prints) == 1
    rows.append(("the same events again", measured(len(texts), lambda: write(conn, texts))))
    rows.append(("rebuild from the log", measured(len(texts), lambda: rebuild(conn))))
    conn = next(databases)
    rate = measured(few, lambda: merge_each(conn, stated[:few]))
    rows.append(("one Cypher MERGE an event, keys and edges only", rate))
    databases.close()  # type: ignore[attr-defined]

    size = sum(map(len, texts)) / len(texts) / 1000
    print(f"{len(texts):,} events of {size:.1f} KB, one connection, {os.cpu_count()} cores.\n")
    print("| | events/s |\n|---|---:|")
    for what, rate in rows:
        print(f"| {what} | {rate:,.0f} |")


if __name__ == "__main__":
    main()
