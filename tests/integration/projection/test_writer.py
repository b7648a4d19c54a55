"""The writer: accepted and rejected events, and the stored log."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event
from support.formats.explain import plan_nodes
from support.reference.graph import stored

from lineage.database.statements import StatementFile
from lineage.errors import DatabaseError, InvalidEvent
from lineage.ingest.writer import EventWriter, Written, write_events
from lineage.projection import (
    accesses,
    aliases,
    column_mappings,
    dependencies,
    derives,
    edges,
    entities,
    executions,
    feeds,
    fields,
    project,
    runs,
    summary,
    vertices,
)
from lineage.projection.transaction import prepare_transaction

if TYPE_CHECKING:
    from types import ModuleType

    import psycopg

    Connection = psycopg.Connection[Any]


def statements_of(module: ModuleType) -> dict[str, str]:
    """Return the statements in a module and in the file beside it."""
    own = {
        name: text
        for name, text in vars(module).items()
        if name.strip("_").isupper() and isinstance(text, str)
    }
    for each in vars(module).values():
        if isinstance(each, StatementFile):
            own |= {name: statement.text for name, statement in each.declared.items()}
    return own


ONE = run_event("r", "COMPLETE", 1, reads=("a",), writes=("b",))


def test_an_event_is_stored_once_as_received(conn: Connection) -> None:
    odd = json.dumps(json.loads(ONE), indent=3, ensure_ascii=False) + "\n"
    assert write_events(conn, [odd, odd.encode(), ONE]) == Written(count=3, new=2)
    bodies = {body for (body,) in conn.execute("SELECT body FROM lineage.event")}
    assert bodies == {odd.strip(), ONE}


CONNECTED_FIRST = """
import sys
import psycopg
conn = psycopg.connect(sys.argv[1], autocommit=True)
conn.execute("SELECT 1")  # only now it takes its adapters
from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.ingest.writer import write_events
from lineage.projection import backlog
print(write_events(conn, sys.argv[2:3]).new)
later = psycopg.connect(sys.argv[1], autocommit=True)
with later.transaction():
    log.queue_events(later, [read_entry(sys.argv[3])])
print(backlog.project_pending(conn))
"""


def test_a_connection_may_be_older_than_the_import(conn: Connection, dsn: str) -> None:
    other = run_event("r2", "COMPLETE", 2, reads=("b",), writes=("c",))
    done = subprocess.run(
        [sys.executable, "-c", CONNECTED_FIRST, dsn, ONE, other], capture_output=True, text=True
    )
    assert done.stdout.split() == ["1", "1"], done.stderr
    assert conn.execute("SELECT count(*) FROM lineage.feeds").fetchall() == [(2,)]


def test_a_dataset_reported_again_uses_no_id(conn: Connection) -> None:
    taken = 'SELECT last_value FROM provenance."Dataset_id_seq"'
    write_events(conn, [ONE])
    before = conn.execute(taken).fetchall()
    write_events(
        conn, [run_event(f"r{n}", "COMPLETE", n, reads=("a",), writes=("b",)) for n in range(9)]
    )
    assert conn.execute(taken).fetchall() == before


def test_what_was_emitted_before_an_error_is_written(conn: Connection) -> None:
    with pytest.raises(InvalidEvent):
        write_events(conn, [ONE, "{}", ONE])
    assert ("FEEDS", *[("s3://lake", n) for n in "ab"], ("etl", "job")) in stored(conn)


def test_what_a_batch_could_not_write_is_tried_again(conn: Connection) -> None:
    events = [run_event(f"r{n}", "COMPLETE", n, reads=("a",), writes=("b",)) for n in range(5)]
    conn.execute("ALTER TABLE lineage.feeds RENAME TO elsewhere")
    emitter = EventWriter(conn, batch_size=2)
    emitter.emit(events[0])
    emitter.emit(events[1])  # written by the background thread, which fails
    emitter.emit(events[2])
    with pytest.raises(DatabaseError):
        emitter.emit(events[3])
    conn.execute("ALTER TABLE lineage.elsewhere RENAME TO feeds")
    with emitter:
        emitter.emit(events[4])
    assert emitter.written == Written(count=5, new=5)
    assert conn.execute('SELECT count(*) FROM provenance."Run"').fetchall() == [(5,)]


def test_a_batch_has_an_end_in_characters_too(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lineage.ingest.writer.BATCH_BYTES", 2 * len(ONE))
    with EventWriter(conn) as emitter:
        for n in range(5):
            emitter.emit(run_event(f"r{n}", "COMPLETE", n, reads=("a",), writes=("b",)))
        assert emitter.written.count == 2  # two more are being written
    assert emitter.written == Written(count=5, new=5)


HOSTILE: dict[str, Any] = {
    "a count that no integer holds": {"outputStatistics": {"rowCount": 10**30, "size": -1}},
    "counts that are none": {"outputStatistics": {"rowCount": "many", "size": [1]}},
    "a facet that is a text": {"outputStatistics": "none"},
    "characters that cannot be stored": {"x": {"a\x00b": "\ud800 \x01 \\u0000"}},
    "large numbers": {"x": [10**300, 1e308, -0.0]},
    "quotes": {"x": "' $$ \" \\ %s {}"},
}


@pytest.mark.parametrize("facets", HOSTILE.values(), ids=HOSTILE)
def test_no_facet_stops_a_batch(conn: Connection, facets: dict[str, Any]) -> None:
    output = dataset("b", outputFacets=facets, version={"datasetVersion": 10**30}, tags={"tags": 1})
    event = run_event("r", "FAIL", 1, writes=(output,), errorMessage={"message": facets})
    assert write_events(conn, [event, ONE]).new == 2
    assert "rows" not in stored(conn)["OUTPUTS", "r", ("s3://lake", "b")]


def test_a_connection_with_another_isolation_is_rejected(conn: Connection) -> None:
    conn.execute("SET default_transaction_isolation = 'repeatable read'")
    with pytest.raises(DatabaseError, match="READ COMMITTED"):
        write_events(conn, [ONE])


def test_a_database_that_refuses_keeps_nothing_of_the_batch(conn: Connection) -> None:
    conn.execute("ALTER TABLE lineage.feeds RENAME TO elsewhere")
    with pytest.raises(DatabaseError):
        write_events(conn, [ONE])
    conn.execute("ALTER TABLE lineage.elsewhere RENAME TO feeds")
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(0,)]
    assert write_events(conn, [ONE]).new == 1


MODULES = (
    accesses, aliases, column_mappings, dependencies, derives, edges, entities, executions, feeds,
    fields, project, runs, summary, vertices,
)  # fmt: skip
STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name.strip('_')}": text
    for module in MODULES
    for name, text in statements_of(module).items()
}
# The number of statements when the plans were last compared.
assert len(STATEMENTS) >= 54, sorted(STATEMENTS)


@pytest.mark.parametrize("text", STATEMENTS.values(), ids=STATEMENTS)
def test_every_table_is_met_by_its_index_whatever_its_size_seems(
    conn: Connection, text: str
) -> None:
    # No statistics, and a table that was small when the plan was created.
    write_events(conn, [ONE])
    with conn.transaction():
        prepare_transaction(conn)
        for marker in re.findall(r"%[bs]|%\(\w+\)[bs]", text):
            text = text.replace(marker, "'{}'", 1)
        rows = conn.execute("EXPLAIN (FORMAT JSON) " + text).fetchall()
    for node in plan_nodes(rows[0][0][0]["Plan"]):
        assert node["Node Type"] not in ("Seq Scan", "Hash Join", "Merge Join", "Materialize")
        assert "Join Filter" not in node
        assert "Index Scan" not in node["Node Type"] or "Index Cond" in node
