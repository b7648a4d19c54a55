"""Events forwarded from one database to collectors with others: real, slow and unreachable ones."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import dataset, dataset_event, run_event
from support.services.polling import wait_until

from lineage.eventlog import log
from lineage.events.entry import read_entry
from lineage.forwarding import lag
from lineage.forwarding.cursor import Cursor, SettledId
from lineage.forwarding.sender import Sender
from lineage.forwarding.targets import Target
from lineage.ingest.writer import write_events
from lineage.maintenance.archive import archive_months
from lineage.maintenance.retention import prune_months
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.collectors import Collector
    from support.fixtures.database import Server

LINEAGE = Path(sys.executable).parent / "lineage"
NOWHERE = "http://127.0.0.1:9"  # a port without a listener
EVENTS = [
    run_event(f"r{n}", "COMPLETE", n, "job", (f"a{n % 7}",), (f"b{n % 5}",)) for n in range(250)
]
# A collector rejects an event with this many values.
UNSENDABLE = json.dumps({**json.loads(run_event("wide", "COMPLETE", 1)), "x": [0] * 500_001})


@pytest.fixture
def source(database: Callable[[str], str], server: Server) -> str:
    """Return the DSN of a database with events to forward."""
    dsn = database(server.migrated())
    add(dsn, EVENTS)
    return dsn


def add(dsn: str, events: list[str]) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)


def target(name: str, url: str, **more: Any) -> Target:
    return Target(name, {"type": "http", "url": url, **more}, from_beginning=True)


def told(dsn: str, name: str) -> lag.TargetLag:
    """Wait until a target has a cursor, and return its lag."""
    with psycopg.connect(dsn, autocommit=True) as conn:
        return wait_until(lambda: [each for each in lag.list_lags(conn) if each.target == name])[0]


def arrived(collector: Collector) -> set[str]:
    """Return the runs in the log of a collector; each event has its own run."""
    with psycopg.connect(collector.dsn) as conn:
        rows = conn.execute("SELECT run_id FROM lineage.event").fetchall()
    runs = {run_id for (run_id,) in rows}
    assert len(runs) == len(rows), "an event arrived twice, with other bytes"
    return runs


def send(sender: Sender) -> None:
    """Send all pending events."""
    sender.start()
    assert sender.join(120)


@contextmanager
def forwarding(*senders: Sender) -> Iterator[None]:
    for sender in senders:
        sender.start()
    try:
        yield
    finally:
        for sender in senders:
            sender.stop()
        ended = [sender.join(120) for sender in senders]
    assert all(ended)


def test_another_collector_gets_the_same_graph(source: str, collector: Collector) -> None:
    send(Sender(target("b", collector.url), source, once=True))
    with collector.drawn() as there, psycopg.connect(source) as here:
        assert graph_fingerprint(there) == graph_fingerprint(here)
    found = told(source, "b")
    assert (found.sent, found.pending, found.rejected, found.error) == (len(EVENTS), 0, 0, None)


def test_a_target_for_some_namespaces_gets_what_their_events_say_and_nothing_else(
    database: Callable[[str], str], server: Server, collector: Collector
) -> None:
    """The target's database equals one to which only these events were written."""
    own = [
        run_event("own-1", "COMPLETE", 1, "load", ("theirs",), ("ours",)),
        run_event("own-2", "COMPLETE", 4, "more", ("ours",), ("gold",)),
        dataset_event(5, dataset("ours", namespace="team-b")),
    ]
    others = [
        run_event("other-1", "COMPLETE", 0, "secret", ("hidden",), ("theirs",)),
        run_event("other-2", "FAIL", 3, "secret", ("ours",), (dataset("hidden", ("ours",)),)),
        dataset_event(6, dataset("ours", ("hidden",))),
        run_event("own-1", "FAIL", 9, "secret", ("hidden",), ("gold",)),
    ]
    own = [event.replace('"etl"', '"team-a"') for event in own]
    source, alone = database(server.migrated()), database(server.migrated())
    add(source, [event for pair in zip_longest(others, own) for event in pair if event])
    add(alone, own)
    some = replace(target("b", collector.url), namespaces=("team-*",))
    send(Sender(some, source, once=True))
    with collector.drawn() as there, psycopg.connect(alone) as here:
        assert graph_fingerprint(there) == graph_fingerprint(here)
    found = told(source, "b")
    assert (found.sent, found.pending, found.rejected) == (len(own), 0, 0)


def test_proxies_are_those_that_the_environment_had_at_the_beginning(
    source: str, collector: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = json.loads(EVENTS[0])
    direct = target("b", collector.url).make_transport()
    direct.emit(event)
    monkeypatch.setenv("http_proxy", NOWHERE)
    direct.emit(event)
    proxied = Sender(target("b", collector.url), source, once=True)
    send(proxied)
    assert "ProxyError" in str(proxied.error)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    send(Sender(target("b", collector.url), source, once=True))
    assert told(source, "b").sent == len(EVENTS)


def test_it_goes_on_where_it_was(source: str, collector: Collector) -> None:
    send(Sender(target("b", collector.url), source, once=True))
    add(source, [run_event("later", "COMPLETE", 1)])
    send(Sender(target("b", collector.url), source, once=True))
    assert told(source, "b").sent == len(EVENTS) + 1
    assert len(arrived(collector)) == len(EVENTS) + 1


def test_the_target_is_free_when_the_sender_has_ended(source: str, collector: Collector) -> None:
    """The server notices the end of a connection later than its client goes on."""
    free = "SELECT pg_try_advisory_lock(3679273, hashtext('b'))"
    for _ in range(20):
        sender = Sender(target("b", collector.url), source, once=True)
        with psycopg.connect(source) as conn:
            send(sender)
            assert conn.execute(free).fetchall() == [(True,)]
            conn.execute("SELECT pg_advisory_unlock_all()")


def test_from_now_on_is_without_what_was(source: str, collector: Collector) -> None:
    now = Target("b", {"type": "http", "url": collector.url})
    send(Sender(now, source, once=True))
    add(source, [run_event("later", "COMPLETE", 1)])
    send(Sender(now, source, once=True))
    assert arrived(collector) == {"later"}


def test_a_new_target_is_warned_of_events_that_are_not_in_the_log(
    source: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(source, autocommit=True) as conn:
        Cursor(conn, "early").register_target(from_beginning=False)
        list(archive_months(conn, "2026-02-01", str(tmp_path)))
        for name, from_beginning in (("early", True), ("now", False), ("late", True)):
            Cursor(conn, name).register_target(from_beginning=from_beginning)
    [record] = caplog.records
    assert record.getMessage() == (
        "late receives only the events of the log, which has all of them from"
        " 2026-02-01T00:00:00.000000Z on: up to 250 events were dropped, or are in the files of a"
        " lake."
    )


def test_a_dead_target_and_a_slow_one_hold_up_no_other(
    source: str,
    collector: Collector,
    serving: Callable[..., str],
    database: Callable[[str], str],
    server: Server,
) -> None:
    slow = type(collector)("", database(server.migrated()))
    slow.url = serving(slow.dsn)
    senders = [
        Sender(target("dead", NOWHERE), source),
        Sender(target("slow", slow.url, timeout=120), source),
        Sender(target("good", collector.url), source),
    ]
    with psycopg.connect(slow.dsn) as blocking:
        blocking.execute("LOCK TABLE lineage.event IN SHARE MODE")  # the target cannot acknowledge
        with forwarding(*senders):
            wait_until(lambda: told(source, "good").pending == 0)
            assert len(arrived(collector)) == len(EVENTS)
            assert (told(source, "slow").sent, told(source, "slow").pending) == (0, len(EVENTS))
            wait_until(lambda: told(source, "dead").error is not None)
            assert told(source, "dead").pending == len(EVENTS)
            assert told(source, "dead").oldest_seconds > 0
            blocking.rollback()
            wait_until(lambda: told(source, "slow").pending == 0)
    assert len(arrived(slow)) == len(EVENTS)


def test_a_target_that_is_back_gets_all_it_missed(source: str, collector: Collector) -> None:
    send(Sender(target("b", NOWHERE), source, once=True))
    found = told(source, "b")
    assert found.error is not None
    assert "Connection refused" in found.error
    assert (found.sent, found.pending) == (0, len(EVENTS))
    send(Sender(target("b", collector.url), source, once=True))
    found = told(source, "b")
    assert (found.sent, found.pending, found.error) == (len(EVENTS), 0, None)
    assert len(arrived(collector)) == len(EVENTS)


def test_a_token_that_is_wrong_loses_nothing(source: str, guarded: Collector) -> None:
    auth = {"type": "api_key", "apiKey": "wrong-and-secret"}
    send(Sender(target("b", guarded.url, auth=auth), source, once=True))
    found = told(source, "b")
    reason = "the target responded with 401 Unauthorized"
    assert (found.error, found.pending) == (reason, len(EVENTS))


def test_what_commits_late_is_not_left_out(source: str, collector: Collector) -> None:
    """Ids are assigned before the commit: a lower id may appear after a higher one."""
    with psycopg.connect(source) as late:
        log.append_events(late, [read_entry(run_event("late", "COMPLETE", 1))])
        add(source, [run_event("early", "COMPLETE", 2)])
        sender = Sender(target("b", collector.url), source, once=True)
        sender.start()
        assert not sender.join(2), "it has not sent all, and ends"
        assert "early" not in arrived(collector)
        late.commit()
        assert sender.join(120)
    assert {"late", "early"} <= arrived(collector)
    assert len(arrived(collector)) == len(EVENTS) + 2


def test_the_end_of_the_log_waits_for_those_who_write_and_no_others(source: str) -> None:
    settled = SettledId()
    with (
        psycopg.connect(source) as first,
        psycopg.connect(source) as second,
        psycopg.connect(source, autocommit=True) as conn,
    ):
        end = settled.read_settled_id(conn)
        log.append_events(first, [read_entry(run_event("first", "COMPLETE", 1))])
        assert settled.read_settled_id(conn) == end
        log.append_events(second, [read_entry(run_event("second", "COMPLETE", 1))])
        first.commit()
        assert settled.read_settled_id(conn) == end + 1  # the second event was appended later
        assert settled.read_settled_id(conn) == end + 1
        second.commit()
        assert settled.read_settled_id(conn) == end + 2


def test_an_event_that_a_target_does_not_want_is_set_aside(
    source: str, collector: Collector
) -> None:
    add(source, [UNSENDABLE])
    add(source, [run_event("after", "COMPLETE", 1)])
    send(Sender(target("b", collector.url), source, once=True))
    found = told(source, "b")
    assert (found.sent, found.rejected, found.pending) == (len(EVENTS) + 1, 1, 0)
    assert "after" in arrived(collector)
    [line] = run("rejected", "b", "--format", "jsonl", dsn=source).stdout.splitlines()
    phrase = HTTPStatus(413).phrase  # changed in Python 3.13
    assert json.loads(line)["reason"] == f"the target responded with 413 {phrase}"
    assert run("rejected", "b", "--body", dsn=source).stdout.strip() == UNSENDABLE
    assert run("retry", "b", dsn=source).stderr == "b had rejected 1 events.\n"
    assert (told(source, "b").rejected, told(source, "b").pending) == (0, 2)


def test_rejected_events_that_left_the_log_remain_listed(
    source: str, collector: Collector, tmp_path: Path
) -> None:
    """They were never received, and can be sent no more."""
    later = json.dumps({**json.loads(UNSENDABLE), "eventTime": "2026-03-01T00:00:00Z"})
    add(source, [UNSENDABLE, later])
    file = tmp_path / "targets.yml"
    file.write_text(stated("b", collector.url))
    command = [LINEAGE, "forward", "run", file, "--once", "--dsn", source]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1, "the target has not received all events"
    with psycopg.connect(source, autocommit=True) as conn:
        assert prune_months(conn, "2026-02").events == len(EVENTS) + 1
    assert run("rejected", "b", "--body", dsn=source).stdout == f"{later}\n"
    assert run("retry", "b", dsn=source).stderr == (
        "b had rejected 1 events. 1 more left the log: lineage forward rejected b\n"
    )
    assert (told(source, "b").rejected, told(source, "b").pending) == (1, 1)
    assert run("retry", "b", dsn=source).stderr.startswith("b had rejected 0 events. 1 more")


def test_one_process_at_a_time_sends_to_a_target(source: str, collector: Collector) -> None:
    first = Sender(target("b", collector.url), source)
    with forwarding(first):
        wait_until(lambda: told(source, "b").pending == 0)
        second = Sender(target("b", collector.url), source, once=True)
        send(second)
    assert second.error == "another process forwards to this target"
    assert told(source, "b").sent == len(EVENTS)


def test_a_process_that_is_killed_leaves_nothing_out(
    source: str, collector: Collector, tmp_path: Path
) -> None:
    file = tmp_path / "targets.yml"
    file.write_text(stated("b", collector.url))
    command = [LINEAGE, "forward", "run", file, "--dsn", source]
    with psycopg.connect(collector.dsn, autocommit=True) as there:
        for some in (1, 120):
            with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
                wait_until(lambda: len(arrived(collector)) >= some)  # noqa: B023
                process.send_signal(signal.SIGKILL)
        done = subprocess.run([*command, "--once"], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        [(count,)] = there.execute("SELECT count(*) FROM lineage.event").fetchall()
    assert count == len(EVENTS)
    assert told(source, "b").sent >= len(EVENTS) - 200


def stated(name: str, url: str, *more: str) -> str:
    lines = ["targets:", f"  {name}:", "    from: beginning", "    transport:", "      type: http"]
    return "\n".join([*lines, f"      url: {url}", *(f"      {line}" for line in more)])


def run(*words: str, dsn: str) -> Result:
    return CliRunner().invoke(main, ["forward", *words, "--dsn", dsn])


def test_no_secret_gets_into_database_or_messages(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "kept-in-the-environment")
    file = tmp_path / "targets.yml"
    url = "http://user:in-the-url@127.0.0.1:9?key=in-the-query"
    file.write_text(stated("b", url, 'auth: {type: api_key, apiKey: "${KEY}"}'))
    command = [LINEAGE, "forward", "run", file, "--once", "--dsn", source]
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ}, check=False, timeout=120
    )
    assert done.returncode == 1
    assert "No events are forwarded to b: the target is not reachable" in done.stderr
    with psycopg.connect(source) as conn:
        kept = str(conn.execute("SELECT * FROM lineage.forward").fetchall())
    for text in (done.stdout, done.stderr, kept):
        assert not [word for word in ("in-the-url", "in-the-query", "kept-in") if word in text]


def test_the_command_reports_how_far_each_is(
    source: str, collector: Collector, tmp_path: Path
) -> None:
    file = tmp_path / "targets.yml"
    file.write_text(
        stated("good", collector.url) + stated("dead", NOWHERE).removeprefix("targets:")
    )
    done = subprocess.run(
        [LINEAGE, "forward", "run", file, "--once", "--dsn", source], check=False, timeout=120
    )
    assert done.returncode == 1
    rows = json.loads(run("list", "--format", "json", dsn=source).stdout)
    assert {row["target"]: row["pending"] for row in rows} == {"good": 0, "dead": len(EVENTS)}
    assert run("remove", "dead", dsn=source).exit_code == 0
    gone = run("remove", "dead", dsn=source)
    assert (gone.exit_code, gone.stderr) == (
        1, 'Error: There is no target with the name "dead". List targets: lineage forward list\n',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("targets: [", "line 1 is not valid YAML"),
        ("{}", "has no targets"),
        ("targets: {b: {}}", 'Target "b" has no transport.'),
        ("targets: {'a b': {}}", "'a b' is not a valid target name."),
        ("targets: {b: {transport: {type: kafka}}}", "is of type 'kafka', which does not report"),
        ("targets: {b: {transport: {url: x}}}", "is of type None"),
        ("targets: {b: {transport: {type: http}}}", "`url` key not passed"),
        ("targets: {b: {transport: {type: http, url: nowhere}}}", "Need valid url"),
        ("targets: {b: {transport: {type: http, url: '${NO_SUCH}'}}}", "needs NO_SUCH"),
        ("targets: {b: {transport: {type: file}, from: x}}", "from is neither"),
        (
            "targets: {b: {transport: {type: file}, namespaces: a}}",
            "namespaces is not a list of names",
        ),
        ("targets: {b: {transport: {type: file}, namespaces: []}}", "namespaces is not a list"),
        ("targets: {b: {transport: {type: file}, namespaces: [1]}}", "namespaces is not a list"),
        ("targets: {b: {transport: {type: file}, namespaces: }}", "namespaces is not a list"),
        (
            "targets: {b: {transport: {type: file}, form: x}}",
            "unknown setting: form. Did you mean",
        ),
        ("targts: {b: {transport: {type: file}}}", "unknown key: targts. Did you mean targets"),
        ("targets: {b: {transport: {type: no.such.Class}}}", "cannot be created"),
    ],
)
def test_a_wrong_file_is_reported(text: str, said: str, tmp_path: Path, dsn: str) -> None:
    file = tmp_path / "targets.yml"
    file.write_text(text)
    done = run("run", str(file), "--once", dsn=dsn)
    assert done.exit_code == 2
    assert said in done.stderr, done.stderr


def test_a_transport_that_throws_away_is_rejected(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    file = tmp_path / "targets.yml"
    file.write_text(stated("b", NOWHERE))
    done = run("run", str(file), "--once", dsn=dsn)
    assert done.exit_code == 2
    assert "discards all events" in done.stderr
