"""Parts of captures, compared with a plain implementation that stores all rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from lineage.records.assembly import Pipeline, assemble_items, find_limit, report_nodes
from lineage.records.keys import correlation_id, hash_key, sampling_threshold
from lineage.records.parts import BottomItems, ItemRecord, Part, PartKey, Parts
from lineage.records.recording import Call, CaptureSettings, Recording

if TYPE_CHECKING:
    import random

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"
PIPELINE = Pipeline("00000000-0000-0000-0000-000000000001", "p", RUN)


class ARow(NamedTuple):
    """A row of a step: its key, and what became of it."""

    key: int
    outcome: int
    emissions: int
    retries: int


rows = st.lists(
    st.builds(
        ARow,
        st.integers(0, 40),
        st.sampled_from([1, 2, 17, 96]),
        st.integers(0, 3),
        st.integers(0, 2),
    ),
    max_size=60,
)
caps = st.integers(0, 12)
rates = st.sampled_from([0.0, 0.3, 1.0])


def part_of(some: list[ARow], key: PartKey, attempt: int, rate: float, cap: int | None) -> Part:
    settings = CaptureSettings(RUN, sampling_threshold(rate), cap)
    part = Part(key, attempt, cap)
    recording = Recording(settings, "id", part)
    for row in some:
        call = Call(row.outcome, row.emissions, row.retries)
        hashed = recording.hash_of(row.key)
        part.digest += hashed
        recording.count_row(call)
        if hashed < settings.threshold:
            recording.record_item(row.key, hashed, call, (None, ()))
    return Part.from_tuple(part.to_tuple(), cap)  # as a task sends it


def expected_items(every: list[ARow], rate: float, cap: int | None) -> list[tuple[object, ...]]:
    """Return id, flags, rows, outputs and retries of the items of smallest hash."""
    sampled = {row.key for row in every if hash_key(row.key) < sampling_threshold(rate)}
    lowest = sorted(sampled, key=lambda key: (hash_key(key), key))[:cap]
    expected = []
    for key in lowest:
        of_key = [row for row in every if row.key == key]
        flags = 0
        for row in of_key:
            flags |= row.outcome
        expected.append(
            (
                correlation_id(RUN, "id", key),
                flags,
                len(of_key),
                sum(row.emissions for row in of_key),
                sum(row.retries for row in of_key),
            )
        )
    return expected


def items_of(parts: Parts, cap: int | None) -> list[tuple[object, ...]]:
    return [
        (
            item.correlation_id,
            int(item.outcome),
            item.hops[0].input_contributor_count,
            item.hops[0].output_emission_count,
            item.hops[0].retry_count,
        )
        for item in assemble_items(PIPELINE, parts.counted_parts(), cap)
    ]


@given(rows, caps, rates, st.integers(1, 9), st.randoms(use_true_random=False))
def test_the_same_items_and_counts_with_any_partitioning_and_order(
    every: list[ARow], cap: int, rate: float, partitions: int, shuffle: random.Random
) -> None:
    split: list[list[ARow]] = [[] for _ in range(partitions)]
    for row in every:
        split[shuffle.randrange(partitions)].append(row)
    made = [part_of(some, PartKey("n", 0, n), 100 + n, rate, cap) for n, some in enumerate(split)]
    shuffle.shuffle(made)
    parts = Parts()
    for part in made:
        parts.add_part(part)

    assert items_of(parts, cap) == expected_items(every, rate, cap)
    counted = parts.counted_parts()
    assert sum(part.input_count for part in counted) == len(every)
    assert sum(part.sampled for part in counted) == sum(
        hash_key(row.key) < sampling_threshold(rate) for row in every
    )
    nodes = report_nodes(counted)
    assert nodes[0].rows_out == sum(row.emissions for row in every)
    for bit, name in enumerate(("emitted", "filtered_out", "joined", "aggregated", "retried")):
        assert nodes[0].outcomes[name] == sum(bool(row.outcome & 1 << bit) for row in every)


@given(rows, rows, caps, st.integers(0, 5), st.randoms(use_true_random=False))
def test_the_newest_attempt_of_a_partition_replaces_older_ones(
    partial: list[ARow], whole: list[ARow], cap: int, older: int, shuffle: random.Random
) -> None:
    key = PartKey("n", 4, 0)
    made = [part_of(partial, key, n, 1.0, cap) for n in range(older)]
    made.append(part_of(whole, key, older, 1.0, cap))
    shuffle.shuffle(made)
    parts = Parts()
    for part in made:
        parts.add_part(part)
    assert items_of(parts, cap) == expected_items(whole, 1.0, cap)
    assert sum(part.input_count for part in parts.counted_parts()) == len(whole)


@given(rows.filter(bool))
def test_a_stage_that_is_evaluated_again_over_the_same_rows_counts_once(every: list[ARow]) -> None:
    parts = Parts()
    parts.add_part(part_of(every, PartKey("n", 1, 0), 10, 1.0, None))
    parts.add_part(part_of(every[::-1], PartKey("n", 2, 0), 20, 1.0, None))
    assert sum(part.input_count for part in parts.counted_parts()) == len(every)
    other_rows = [row._replace(key=row.key + 100) for row in every]
    parts.add_part(part_of(other_rows, PartKey("n", 3, 0), 30, 1.0, None))
    assert sum(part.input_count for part in parts.counted_parts()) == 2 * len(every)


def test_equal_partitions_of_one_stage_both_count() -> None:
    parts = Parts()
    for partition in (0, 1):
        parts.add_part(part_of([ARow(1, 1, 1, 0)], PartKey("n", 1, partition), partition, 1.0, 5))
    assert sum(part.input_count for part in parts.counted_parts()) == 2


def test_a_step_that_a_plan_applies_twice_counts_twice() -> None:
    parts = Parts()
    for _ in range(2):
        parts.add_part(part_of([ARow(1, 1, 1, 0)], PartKey("n", 1, 0), 7, 1.0, 5))
    assert sum(part.input_count for part in parts.counted_parts()) == 2


@given(st.lists(st.tuples(st.integers(0, 5), st.binary(min_size=2, max_size=2))), caps)
def test_the_bottom_has_the_smallest_hashes_and_returns_all_others(
    offered: list[tuple[int, bytes]], capacity: int
) -> None:
    # An item has one hash.
    hash_of = {id: hashed for hashed, id in offered}
    bottom = BottomItems(capacity)
    evicted = []
    for _, id in offered:
        record = bottom.add_record(id, ItemRecord(hash_of[id], 1, 1, 1, 0))
        evicted += [record] if record else []
    every = sorted((hashed, id) for id, hashed in hash_of.items())
    assert sorted((each.hash, id) for id, each in bottom.records.items()) == every[:capacity]
    rows = sum(record.inputs for record in bottom.records.values())
    assert rows + sum(record.inputs for _, record in evicted) == len(offered)


@given(rows, caps, caps)
def test_items_above_a_limit_are_removed(every: list[ARow], capacity: int, cap: int) -> None:
    part = part_of(every, PartKey("n", 0, 0), 0, 1.0, capacity)
    before = dict(part.items.records)
    removed = dict(part.items.remove_above(find_limit([part], cap)))
    assert {**part.items.records, **removed} == before
    assert len(part.items.records) == min(cap, len(before))
    assert all(
        (kept.hash, a) < (gone.hash, b)
        for a, kept in part.items.records.items()
        for b, gone in removed.items()
    )
    part.items.add_record(b"new", ItemRecord(-1, 1, 1, 1, 0))
    assert capacity == 0 or b"new" in part.items.records
