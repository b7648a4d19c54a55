"""What tasks of Spark send to the driver, and how the driver bounds its memory."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

import lineage.records as records
from lineage.records.keys import hash_key
from lineage.records.parts import Part, PartKey
from lineage.records.recording import Call, CaptureSettings, Recording
from lineage.records.tasks import task_capacity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.records import Item

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"


def part_of(numbers: Iterable[int], node: str, partition: int, attempt: int, cap: int) -> Part:
    part = Part(PartKey(node, 1, partition), attempt, cap)
    recording = Recording(CaptureSettings(RUN, 1 << 64, cap), "id", part)
    for number in numbers:
        call = Call(1, 1)
        part.digest += hash_key(number)
        recording.count_row(call)
        recording.record_item(number, hash_key(number), call, (None, ()))
    return part


@given(
    st.lists(st.lists(st.integers(0, 200), max_size=30), max_size=12),
    st.integers(0, 10),
    st.sampled_from(["degrade", "drop"]),
)
def test_the_driver_has_the_items_of_smallest_hash_whatever_it_evicts(
    partitions: list[list[int]], cap: int, overflow: Any
) -> None:
    received: list[Item] = []
    sinks = [received.extend]
    with records.capture(
        sample=1.0, cap=cap, run_id=RUN, overflow=overflow, sinks=sinks
    ) as capture:
        for partition, numbers in enumerate(partitions):
            for node in ("a", "b"):
                if numbers:
                    capture._receive_part(part_of(numbers, node, partition, partition, cap))
    distinct = {number for numbers in partitions for number in numbers}
    lowest = sorted(distinct, key=hash_key)[:cap]
    ids = [records.correlation_id(RUN, "id", number) for number in lowest]
    assert [item.correlation_id for item in capture.items()] == ids
    rows = sum(map(len, partitions))
    report = capture.report()
    assert sum(node.rows_in for node in report.nodes) == 2 * rows == report.sampled
    assert report.recorded == 2 * sum(numbers.count(n) for n in lowest for numbers in partitions)
    assert report.recorded + report.written_through + report.dropped == report.sampled
    if overflow == "degrade":
        written = sum(hop.input_contributor_count or 0 for item in received for hop in item.hops)
        assert written == report.recorded + report.written_through
    else:
        assert received == capture.items()


def test_the_driver_holds_at_most_twice_as_many_items_as_the_cap() -> None:
    with records.capture(sample=1.0, cap=10, run_id=RUN) as capture:
        for partition in range(50):
            numbers = range(partition * 20, partition * 20 + 20)
            capture._receive_part(part_of(numbers, "a", partition, partition, 10))
            parts = capture._parts.counted_parts()
            assert sum(len(part.items.records) for part in parts) <= 20


def test_an_attempt_that_arrives_late_does_not_count() -> None:
    with records.capture(sample=1.0, run_id=RUN) as capture:
        for attempt, numbers in ((7, [1, 2, 3]), (5, [1, 2]), (7, [])):
            if numbers:
                capture._receive_part(part_of(numbers, "a", 0, attempt, 100))
    assert capture.report().nodes[0].rows_in == 3
    assert len(capture.items()) == 3


def test_the_first_64_tasks_send_up_to_the_cap_and_further_ones_fewer() -> None:
    capacities = [task_capacity(10_000, partition) for partition in range(20_000)]
    assert set(capacities[:64]) == {10_000}
    assert capacities[127] == 5_000
    assert capacities == sorted(capacities, reverse=True)  # type: ignore[type-var]
    assert min(capacities) == 32  # type: ignore[type-var]
    # An item takes 48 bytes: far below the default of spark.driver.maxResultSize, 1 GiB.
    assert sum(capacities) * 48 < 1 << 28  # type: ignore[arg-type]
    assert task_capacity(None, 5) is None
    assert task_capacity(3, 10_000) == 1


def test_10_000_items_of_a_task_take_half_a_megabyte() -> None:
    part = part_of(range(10_000), "a", 0, 0, 10_000)
    assert len(pickle.dumps([part.to_tuple()], 5)) < 500_000
