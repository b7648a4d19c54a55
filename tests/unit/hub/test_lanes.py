"""Queues, threads and spools of sinks: nothing is lost without being counted."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.coroutines import run_coroutine
from support.services.sinks import QUICK, MemorySink, event, start_hub

from lineage.hub import Retries
from lineage.hub.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDS = ("START", "COMPLETE", "FAIL", "ABORT")
NEVER = Retries(first=3600, longest=3600, total=3600, probe=3600)


def spooled_numbers(spool: Path) -> list[int]:
    lines = [line for file in spool.glob("*.jsonl") for line in file.read_text().splitlines()]
    return [json.loads(line)["number"] for line in lines]


class Deliveries(RuleBasedStateMachine):
    """Two sinks that fail, hang and recover in any order, and a program that emits."""

    def __init__(self) -> None:
        super().__init__()
        self.spool = Path(tempfile.mkdtemp())
        self.sinks = {"a": MemorySink(), "b": MemorySink()}
        made = {name: (lambda sink=sink: sink) for name, sink in self.sinks.items()}
        self.hub = start_hub(made, self.spool, capacity=5, batch_size=2)
        self.emitted: list[dict[str, Any]] = []
        self.handles: list[Any] = []
        self.failed: set[str] = set()

    @rule(kind=st.sampled_from(("OTHER", "RUNNING", *ENDS)), reject=st.booleans())
    def emit_event(self, kind: str, reject: bool) -> None:
        number = len(self.emitted)
        self.emitted.append(event(number, kind, number=number, reject=reject))
        self.handles.append(self.hub.emit(self.emitted[-1]))

    @rule(name=st.sampled_from("ab"))
    def fail(self, name: str) -> None:
        self.sinks[name].error = ConnectionError("down")
        self.failed.add(name)

    @rule(name=st.sampled_from("ab"))
    def hang(self, name: str) -> None:
        self.sinks[name].gate.clear()

    @rule(name=st.sampled_from("ab"))
    def recover(self, name: str) -> None:
        self.sinks[name].error = None
        self.sinks[name].gate.set()

    @precondition(lambda self: all(sink.gate.is_set() for sink in self.sinks.values()))
    @rule()
    def flush(self) -> None:
        assert self.hub.flush(20).is_done

    @invariant()
    def each_event_is_counted_once(self) -> None:
        for counts in self.hub.flush(0).sinks.values():
            parts = (counts.sent, counts.rejected, counts.dropped, counts.spooled, counts.waiting)
            assert min(parts) >= 0
            assert sum(parts) == counts.emitted == len(self.emitted)

    def teardown(self) -> None:
        for sink in self.sinks.values():
            sink.gate.set()
        report = self.hub.shutdown(20)
        on_disk = [self.spooled_of(name) for name in "ab"]
        for name, spooled in zip("ab", on_disk, strict=True):
            sink = self.sinks[name]
            if not self.emitted:
                continue
            counts = report.sinks[name]
            received = [each["number"] for each in sink.events]
            outcomes = [each.outcomes.get(name) for each in self.handles]
            rejected = [n for n, each in enumerate(outcomes) if each == "rejected"]
            dropped = [n for n, each in enumerate(outcomes) if each == "dropped"]
            assert counts.waiting == 0
            assert counts.dropped == len(dropped)
            assert set(received) | set(spooled) | set(dropped) | set(rejected) >= {
                each["number"] for each in self.emitted if not each["reject"]
            }
            assert not [n for n in dropped if self.emitted[n]["eventType"] in ENDS]
            assert len(received) == len(set(received))
            if name not in self.failed and not spooled:
                ends = [n for n in received if outcomes[n] == "sent"]
                assert ends == sorted(ends), "the order of a sink that never failed is kept"
        shutil.rmtree(self.spool)

    def spooled_of(self, name: str) -> list[int]:
        lines = [
            line
            for file in self.spool.glob(f"{name}-*.jsonl")
            for line in file.read_text().splitlines()
        ]
        return [json.loads(line)["number"] for line in lines]


TestDeliveries = Deliveries.TestCase
TestDeliveries.settings = hypothesis_settings(
    max_examples=60, stateful_step_count=30, deadline=None
)


def test_a_quick_sink_does_not_wait_for_a_hanging_one(tmp_path: Path):
    quick, hanging = MemorySink(), MemorySink()
    hanging.gate.clear()
    hub = start_hub({"quick": lambda: quick, "hanging": lambda: hanging}, tmp_path, capacity=100)
    for number in range(50):
        hub.emit(event(number, number=number))
    report = hub.flush(0.5)
    assert not report.is_done
    assert report.sinks["quick"].sent == 50
    assert report.sinks["hanging"].waiting == 50
    assert hub.shutdown(0.1).sinks["hanging"].spooled == 50
    assert sorted(spooled_numbers(tmp_path)) == list(range(50))
    hanging.gate.set()


def test_a_sink_that_raises_base_exceptions_ends_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    broken, other = MemorySink(), MemorySink()
    broken.error = SystemExit(3)
    hub = start_hub({"broken": lambda: broken, "other": lambda: other}, tmp_path)
    first = hub.emit(event(1, "START", number=1)).wait(20)
    assert first == {"broken": "spooled", "other": "sent"}
    assert hub.emit(event(2, "COMPLETE", number=2)).wait(20)["broken"] == "spooled"
    assert hub.emit(event(3, number=3)).wait(20) == {"broken": "dropped", "other": "sent"}
    hub.shutdown()
    assert any('Sink "broken" has ended' in each for each in caplog.messages)


@pytest.mark.parametrize("stage", ["load", "init", "accept", "shutdown"])
def test_a_sink_that_raises_in_any_method_harms_no_other(tmp_path: Path, stage: str):
    other = MemorySink()

    class Broken(MemorySink):
        def __init__(self) -> None:
            super().__init__()
            if stage == "load":
                raise ImportError("no module named x")
            if stage in ("init", "shutdown"):
                setattr(self, stage, self._raise)
            self.error = RuntimeError("accept") if stage == "accept" else None

        def _raise(self, *_: object) -> None:
            raise RuntimeError(stage)

    hub = start_hub({"broken": Broken, "other": lambda: other}, tmp_path)
    for number in range(5):
        hub.emit(event(number, "START", number=number))
    counts = hub.shutdown().sinks
    assert (counts["other"].sent, other.closed) == (5, 1)
    assert counts["broken"].sent + counts["broken"].spooled == 5


@pytest.mark.parametrize("stage", ["init", "accept", "shutdown"])
def test_a_sink_that_hangs_in_any_method_delays_no_other(tmp_path: Path, stage: str):
    until, complete = threading.Event(), threading.Event()

    class Quick(MemorySink):
        def accept(self, events: Any) -> None:
            super().accept(events)
            if len(self.events) == 5:
                complete.set()

    quick, hanging = Quick(), MemorySink()
    method = getattr(hanging, stage)

    def hang(*values: Any) -> None:
        until.wait()
        method(*values)

    setattr(hanging, stage, hang)
    hub = start_hub({"hanging": lambda: hanging, "quick": lambda: quick}, tmp_path)
    handles = [hub.emit(event(n, "COMPLETE", number=n)) for n in range(5)]
    assert complete.wait(20)
    report = hub.shutdown(2)
    assert not until.is_set()
    assert (report.sinks["quick"].sent, quick.closed) == (5, 1)
    counts = report.sinks["hanging"]
    assert counts.sent + counts.spooled == 5
    assert sorted(spooled_numbers(tmp_path)) == ([] if stage == "shutdown" else list(range(5)))
    assert {each.outcomes["quick"] for each in handles} == {"sent"}
    until.set()


def test_ends_of_runs_displace_other_events_and_are_spooled_last(tmp_path: Path):
    sink = MemorySink()
    sink.gate.clear()
    hub = start_hub({"slow": lambda: sink}, tmp_path, capacity=3, batch_size=1, retries=NEVER)
    hub.emit(event(0, number=0))
    assert sink.reached.wait(20)  # it has event 0, and the queue is empty
    handles = [hub.emit(event(n, number=n)) for n in (1, 2, 3)]
    assert handles[0].outcomes == {}
    assert hub.emit(event(4, number=4)).outcomes == {"slow": "dropped"}
    for number in (5, 6, 7):
        hub.emit(event(number, "COMPLETE", number=number))
    assert [each.outcomes for each in handles] == [{"slow": "dropped"}] * 3
    assert hub.emit(event(8, "FAIL", number=8)).outcomes == {"slow": "spooled"}
    sink.gate.set()
    counts = hub.shutdown().sinks["slow"]
    assert [each["number"] for each in sink.events if each["number"] != 8] == [0, 5, 6, 7]
    assert (counts.dropped, counts.waiting) == (4, 0)


def test_a_trickle_is_sent_in_batches_after_the_linger(tmp_path: Path):
    sink = MemorySink()
    hub = start_hub({"s": lambda: sink}, tmp_path, linger_ms=300, batch_size=100)
    done = [hub.emit(event(n)) for n in range(10)]
    assert sink.batches == []
    for each in done:
        each.wait(20)
    assert [len(batch) for batch in sink.batches] == [10]
    hub.shutdown()


def test_a_failing_sink_gets_all_events_once_it_recovers(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.WARNING, "lineage.hub")
    sink = MemorySink()
    sink.error = ConnectionError("postgresql://me:secret@host/db is down")
    hub = start_hub({"s": lambda: sink}, tmp_path)
    handles = [hub.emit(event(n, "COMPLETE", number=n)) for n in range(10)]
    assert {each.wait(20)["s"] for each in handles} == {"spooled"}
    assert sorted(spooled_numbers(tmp_path)) == list(range(10))
    sink.error = None
    hub.emit(event(10, number=10)).wait(20)
    counts = hub.flush(20).sinks["s"]
    for _ in range(2000):
        if (counts := hub.flush(1).sinks["s"]).sent == 11:
            break
        threading.Event().wait(0.01)
    assert (counts.sent, counts.spooled) == (11, 0)
    assert sorted(each["number"] for each in sink.events) == list(range(11))
    assert list(tmp_path.glob("*.jsonl")) == []
    hub.shutdown()
    kept = [r.getMessage() for r in caplog.records if "does not accept events" in r.getMessage()]
    assert len(kept) == 1
    assert "lineage ingest" in kept[0]
    assert "secret" not in caplog.text


def test_rejected_events_are_logged_and_the_others_of_the_batch_sent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    sink = MemorySink()
    hub = start_hub({"s": lambda: sink}, tmp_path, linger_ms=200)
    texts = ["{", "[]", b'{"number": 1}', json.dumps(event(2, number=2))]
    done = [hub.emit(each) for each in (*texts, event(3, number=3, reject=True))]
    assert [each.wait(20)["s"] for each in done] == [
        "rejected", "rejected", "sent", "sent", "rejected",
    ]  # fmt: skip
    assert [each["number"] for each in sink.events] == [1, 2]
    assert any("it is marked" in each for each in caplog.messages)
    hub.shutdown()


def test_all_rejected_events_of_a_batch_are_settled_at_once(tmp_path: Path):
    sink = MemorySink()
    hub = start_hub({"s": lambda: sink}, tmp_path, linger_ms=3_600_000)
    for number in range(90):
        hub.emit(event(number, number=number, reject=number % 3 > 0))
    counts = hub.shutdown(20).sinks["s"]
    assert (counts.sent, counts.rejected) == (30, 60)
    assert sink.passed == 90 + 30


def test_all_rejected_events_of_a_spool_are_settled_at_once(tmp_path: Path):
    sink = MemorySink()
    delivery = Delivery("s", lambda: sink, tmp_path, {}, QUICK)
    events = [event(number, reject=number % 3 > 0) for number in range(90)]
    assert delivery.spool.append_lines([json.dumps(each).encode() + b"\n" for each in events])
    assert delivery.resend_part(90) == (30, 60)
    assert sink.passed == 90 + 30


@pytest.mark.parametrize("value", [None, 1, [], object()])
def test_what_is_no_event_is_a_type_error(tmp_path: Path, value: object):
    hub = start_hub({"s": MemorySink}, tmp_path)
    with pytest.raises(TypeError, match="neither a LineageEvent, a RunEvent nor JSON"):
        hub.emit(value)
    hub.shutdown()


def test_awaiting_returns_the_outcome_and_does_not_linger(tmp_path: Path):
    hub = start_hub({"s": MemorySink}, tmp_path, linger_ms=3_600_000)

    async def emit_all() -> list[dict[str, str]]:
        return await asyncio.gather(*(wait_for(hub.emit(event(n))) for n in range(20)))

    async def wait_for(emitted: Any) -> dict[str, str]:
        return await emitted  # type: ignore[no-any-return]

    assert run_coroutine(emit_all()) == [{"s": "sent"}] * 20
    hub.shutdown()


def test_the_first_drop_is_logged_and_the_rest_as_a_sum(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    sink = MemorySink()
    sink.gate.clear()
    hub = start_hub({"s": lambda: sink}, tmp_path, capacity=1, batch_size=1)
    hub.emit(event(0))
    assert sink.reached.wait(20)
    for number in range(100):
        hub.emit(event(number))
    sink.gate.set()
    hub.shutdown()
    lines = [each.getMessage() for each in caplog.records]
    assert lines[0].startswith('Sink "s" does not keep up: its queue of 1 is full.')
    assert lines[1] == 'Sink "s" has dropped 98 events since the last message, 99 in all.'
    assert len(lines) == 2


def test_a_sink_does_not_receive_what_it_emits(tmp_path: Path):
    class Emitting(MemorySink):
        def accept(self, events: Any) -> None:
            super().accept(events)
            hub.emit(event(99))

    sink = Emitting()
    hub = start_hub({"s": lambda: sink}, tmp_path)
    hub.emit(event(1))
    assert hub.shutdown().sinks["s"].emitted == 1


def test_hubs_without_events_have_no_threads(tmp_path: Path):
    before = threading.active_count()
    hubs = [start_hub({"s": MemorySink}, tmp_path) for _ in range(100)]
    assert threading.active_count() == before
    for hub in hubs:
        assert hub.shutdown().is_done


def test_threads_emit_at_the_same_time(tmp_path: Path):
    sink = MemorySink()
    hub = start_hub({"s": lambda: sink}, tmp_path, capacity=100_000)

    def emit_some(first: int) -> None:
        for number in range(first, first + 500):
            hub.emit(event(number, number=number))

    threads = [threading.Thread(target=emit_some, args=(n * 500,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert hub.flush(20).is_done
    numbers = [each["number"] for each in sink.events]
    assert sorted(numbers) == list(range(4000))
    for first in range(0, 4000, 500):
        own = [n for n in numbers if first <= n < first + 500]
        assert own == sorted(own)
    hub.shutdown()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 64 KiB."""
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)],
        capture_output=True, check=False,
    )  # fmt: skip
    if mount.returncode:
        pytest.skip("mounting needs root")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_disk_without_space_keeps_whole_lines_and_the_events_in_memory(small_disk: Path):
    sink = MemorySink()
    sink.error = ConnectionError("down")
    hub = start_hub({"s": lambda: sink}, small_disk, batch_size=50, capacity=10_000)
    for number in range(500):
        hub.emit(event(number, "COMPLETE", number=number))
    assert 0 < hub.flush(0.5).sinks["s"].spooled < 500
    sink.error = None
    assert hub.shutdown(20).sinks["s"].dropped == 0
    on_disk = spooled_numbers(small_disk)  # each line is JSON
    received = {each["number"] for each in sink.events}
    assert received | set(on_disk) == set(range(500))


def test_events_that_neither_sink_nor_disk_takes_are_counted_and_logged_once(
    small_disk: Path, caplog: pytest.LogCaptureFixture
):
    sink = MemorySink()
    sink.error = ConnectionError("down")
    hub = start_hub({"s": lambda: sink}, small_disk, batch_size=50, capacity=10_000)
    for number in range(500):
        hub.emit(event(number, "COMPLETE", number=number))
    counts = hub.shutdown(0.5).sinks["s"]
    on_disk = spooled_numbers(small_disk)
    assert counts.spooled == len(on_disk) > 0
    assert counts.dropped == 500 - len(on_disk) > 0
    lost = [each.getMessage() for each in caplog.records if "lost" in each.getMessage()]
    assert len(lost) <= 2  # the batch of the thread, and the queue
    assert "No space left on device" in lost[0]
