"""Stored plan documents: the result of reading their spool, in any order, batch and repetition."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.plan_documents import Plans, application, execution_end, execution_start
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.errors import InvalidEvent
from lineage.ingest.files import ingest_source
from lineage.plan_documents import queue, store
from lineage.projection import backlog
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from support.fixtures.database import Server

    Connection = psycopg.Connection[Any]

GOLDEN = Path(__file__).parents[2] / "golden" / "spools"

FULL = examples_in_one_database(10)


def about_application(kind: str, **facts: object) -> dict[str, Any]:
    time = {"application_start": 1_000}.get(kind, 90_000)
    return {"lineage": 1, "kind": kind, "time": time, "app": application(), **facts}


def written(to: str) -> dict[str, Any]:
    plans = Plans()
    plans.node("InsertIntoHadoopFsRelationCommand", plans.table("sales"), outputPath=f"file:/{to}")
    return plans.build()


def lines(*documents: dict[str, Any]) -> list[str]:
    return [json.dumps(document) for document in documents]


STARTED, ENDED = about_application("application_start"), about_application("application_end")
LOST = about_application("application_end", dropped={"queue": 1})
UNFINISHED = {"class": "io.lineage.spark.Unfinished", "message": "", "stack": ""}
SPOOLS = {
    "a batch job, one start without a plan": (GOLDEN / "batch.jsonl").read_text().splitlines(),
    "streams": (GOLDEN / "stream.jsonl").read_text().splitlines(),
    "an end without a plan": lines(
        STARTED,
        execution_start(written("out")),
        execution_end(None, outcome="FAIL", error=UNFINISHED),
        ENDED,
    ),
    "neither has a plan": lines(STARTED, execution_start(None), execution_end(None), ENDED),
    "a start was lost": lines(STARTED, execution_end(written("out")), LOST),
    "the start of an end without a plan was lost": lines(STARTED, execution_end(None), LOST),
    "the first documents are elsewhere": lines(execution_end(written("out")), LOST),
    "no end has come yet": lines(STARTED, execution_start(written("out"))),
}


class Silent:
    """Fails on an invalid line of a spool."""

    def on_written(self, written: object) -> None: ...

    def on_read(self, done: int, total: int) -> None: ...

    def bad_line(self, error: InvalidEvent) -> None:
        raise error


@pytest.fixture
def another(server: Server, database: Callable[[str], str]) -> Iterable[Connection]:
    with psycopg.connect(database(server.migrated()), autocommit=True) as conn:
        yield conn


def keep(conn: Connection, texts: Iterable[str]) -> int:
    with conn.transaction():
        return len(
            store.append_documents(conn, [store.read_document(text.encode()) for text in texts])
        )


def drain(conn: Connection) -> None:
    while queue.convert_pending(conn):
        pass
    while backlog.project_pending(conn):
        pass


def bodies(conn: Connection) -> set[str]:
    return {body for (body,) in conn.execute("SELECT body FROM lineage.event")}


def set_aside(conn: Connection) -> list[str]:
    return [reason for (reason,) in conn.execute("SELECT reason FROM lineage.plan_document_queue")]


def read_as_spool(conn: Connection, spool: list[str], directory: Path) -> tuple[set[str], str]:
    """Return the events and the graph of a spool read from a file."""
    file = directory / "spool.jsonl"
    file.write_text("\n".join(spool) + "\n")
    clear(conn)
    ingest_source(conn, str(file), Silent())
    return bodies(conn), graph_fingerprint(conn)


@pytest.mark.parametrize("spool", SPOOLS.values(), ids=SPOOLS)
@FULL
@given(data=st.data())
def test_any_order_cut_and_repetition_gives_what_the_spool_gives(
    conn: Connection,
    another: Connection,
    tmp_path_factory: pytest.TempPathFactory,
    spool: list[str],
    data: st.DataObject,
) -> None:
    expected = read_as_spool(another, spool, tmp_path_factory.mktemp("spool"))
    again = data.draw(st.lists(st.sampled_from(spool), max_size=3))
    order = data.draw(st.permutations(spool + again))
    clear(conn)
    while order:
        size = data.draw(st.integers(1, len(order)))
        request, order = order[:size], order[size:]
        keep(conn, request)
        if data.draw(st.booleans()):
            queue.convert_pending(conn, data.draw(st.integers(1, 5)))
    drain(conn)
    assert (bodies(conn), graph_fingerprint(conn)) == expected
    assert set_aside(conn) == []


def test_several_collectors_that_convert_at_once_miss_nothing(
    conn: Connection, another: Connection, dsn: str, tmp_path: Path
) -> None:
    spool = SPOOLS["a batch job, one start without a plan"] + SPOOLS["streams"]
    expected = read_as_spool(another, spool, tmp_path)
    barrier = threading.Barrier(4)

    def collect(share: list[str]) -> None:
        with psycopg.connect(dsn, autocommit=True) as own:
            barrier.wait()
            for text in share:
                keep(own, [text])
                queue.convert_pending(own, 1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(collect, [spool[n::4] for n in range(4)]))
    drain(conn)
    assert (bodies(conn), graph_fingerprint(conn)) == expected


def test_an_event_names_the_document_that_gave_it(conn: Connection) -> None:
    keep(conn, lines(STARTED))
    drain(conn)
    rows = conn.execute(
        "SELECT e.event_time = d.time, d.kind FROM lineage.event e"
        " JOIN lineage.plan_document d ON d.sha256 = e.document"
    )
    assert rows.fetchall() == [(True, "application_start")]


SET_ASIDE = {
    "another version": ({**STARTED, "lineage": 2}, "has format 2; this version reads format 1"),
    "another kind": ({**STARTED, "kind": "stage_end"}, '"kind" is not one of'),
    "an end of nothing known": ({**execution_end(None), "outcome": "MAYBE"}, '"outcome" is not'),
    "an end whose start has not come": (
        execution_end(None),
        "document of the start has not arrived",
    ),
}


@pytest.mark.parametrize(("document", "reason"), SET_ASIDE.values(), ids=SET_ASIDE)
def test_documents_that_cannot_be_converted_are_stored_with_the_reason(
    conn: Connection, document: dict[str, Any], reason: str
) -> None:
    assert keep(conn, lines(document, ENDED)) == 2
    drain(conn)
    (said,) = set_aside(conn)
    assert reason in said
    assert len(bodies(conn)) == 1
    assert queue.count_pending(conn) == 0


def test_a_document_that_the_database_chokes_on_holds_up_no_other(conn: Connection) -> None:
    conn.execute(
        "ALTER TABLE lineage.event ADD CHECK (1 / (CASE WHEN body LIKE '%/poison%' THEN 0 END) > 0)"
    )
    poison = execution_end(written("poison"), execution={"id": 8})
    good = [execution_end(written(f"out{n}"), execution={"id": n}) for n in range(5)]
    keep(conn, lines(STARTED, *good[:3], poison, *good[3:], ENDED))
    drain(conn)
    assert set_aside(conn) == ["The database reports: division by zero (22012)."]
    assert len(bodies(conn)) == len(good) + 2


BAD = {
    "no JSON": (b"nonsense", "it is not JSON"),
    "no UTF-8": (b"\xff\xfe", "it is not JSON"),
    "an event": (b'{"eventTime": "2026-01-01T00:00:00Z"}', "missing required field `lineage`"),
    "no time": (json.dumps({**STARTED, "time": "now"}).encode(), "time: Expected `int`"),
    "a time after all times": (json.dumps({**STARTED, "time": 1 << 60}).encode(), "time: Expected"),
    "no application": (b'{"lineage": 1, "kind": "x", "time": 1, "app": {}}', "app: "),
    "a run that is no text": (
        b'{"lineage": 1, "kind": "x", "time": 1, "app": {"run": "\\u0000"}}', "app.run: ",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("line", "reason"), BAD.values(), ids=BAD)
def test_lines_that_are_no_plan_documents_report_the_reason(line: bytes, reason: str) -> None:
    with pytest.raises(InvalidEvent) as caught:
        store.read_document(line)
    assert reason in caught.value.message
