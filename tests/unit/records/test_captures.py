"""Captures: sampling, the cap and its policies, redaction, snapshots and queries."""

from __future__ import annotations

import json
import random
import threading
import uuid
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lineage.records as records
from lineage.errors import CaptureOverflow, NotFound, UsageError
from lineage.records import Cardinality, Hop, Item, Outcome
from lineage.records.keys import hash_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.records import Capture

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"


def ids(*numbers: int) -> Iterator[dict[str, int]]:
    return iter([{"id": n} for n in numbers])


copy = records.step(dict, key="id", name="copy")


def captured(numbers: list[int], **options: Any) -> tuple[Capture, set[int]]:
    """Record a step over ids; return the capture and the ids that it recorded."""
    with records.capture(**options) as capture:
        list(copy(ids(*numbers)))
    by_id = {records.correlation_id(capture.run_id, "id", n): n for n in numbers}
    return capture, {by_id[item.correlation_id] for item in capture.items()}


# ---------------------------------------------------------------- sampling


@given(st.permutations(range(60)), st.floats(0, 1), st.floats(0, 1))
def test_each_run_samples_the_same_items_and_more_at_a_higher_rate(
    numbers: list[int], one: float, other: float
) -> None:
    low, high = sorted((one, other))
    _, few = captured(numbers, sample=low)
    _, again = captured(sorted(numbers), sample=low)
    _, many = captured(numbers, sample=high)
    assert few == again
    assert few <= many


def test_a_random_sample_differs_by_run_and_has_a_rate_of_its_own() -> None:
    numbers = list(range(2000))
    samples = [captured(numbers, sample="random", rate=0.1)[1] for _ in range(2)]
    assert samples[0] != samples[1]
    assert all(120 < len(sample) < 280 for sample in samples)
    runs = [captured(numbers, sample="random", rate=0.1, run_id=RUN)[1] for _ in range(2)]
    assert runs[0] == runs[1]


def test_sampling_is_decided_for_the_whole_journey() -> None:
    with records.capture(sample=0.3) as capture:
        list(records.step(dict, key="id", name="second")(copy(ids(*range(100)))))
    assert 0 < len(capture.items()) < 100
    assert {len(item.hops) for item in capture.items()} == {2}


# ---------------------------------------------------------------- cap and overflow


@given(st.permutations(range(40)), st.integers(0, 45))
def test_the_items_of_smallest_hash_stay_and_not_the_first(numbers: list[int], cap: int) -> None:
    _, recorded = captured(numbers, sample=1.0, cap=cap, overflow="drop")
    assert recorded == set(sorted(numbers, key=hash_key)[:cap])


def test_materialize_has_no_cap() -> None:
    capture, recorded = captured(list(range(50)), sample=1.0, cap=5, overflow="materialize")
    assert recorded == set(range(50))
    assert not capture.report().degraded


def test_degrade_writes_items_through_to_the_sinks() -> None:
    received: list[Item] = []
    capture, recorded = captured(list(range(50)), sample=1.0, cap=5, sinks=[received.extend])
    assert len(recorded) == 5
    assert len({item.correlation_id for item in received}) == 50
    report = capture.report()
    assert (report.sampled, report.recorded, report.written_through) == (50, 5, 45)
    assert (report.degraded, report.dropped) == (True, 0)


def test_drop_passes_only_the_items_in_memory_to_the_sinks() -> None:
    received: list[Item] = []
    capture, _ = captured(
        list(range(50)), sample=1.0, cap=5, overflow="drop", sinks=[received.extend]
    )
    assert received == capture.items()
    assert capture.report().dropped == 45


def test_strict_raises_at_the_end_of_the_capture_and_not_in_the_rows() -> None:
    outputs: list[Any] = []
    with (
        pytest.raises(CaptureOverflow, match=r"the cap of 5; 45 of them are not recorded\. Raise"),
        records.capture(sample=1.0, cap=5, overflow="strict") as capture,
    ):
        outputs += copy(ids(*range(50)))
    assert len(outputs) == 50
    assert len(capture.items()) == 5


def test_strict_does_not_hide_an_error_of_the_block() -> None:
    def fail(row: dict[str, int]) -> int:
        return 1 // row["id"]

    step = records.step(fail, key="id")
    with (
        pytest.raises(ZeroDivisionError),
        records.capture(sample=1.0, cap=0, overflow="strict") as capture,
    ):
        list(step(ids(1, 0)))
    assert capture.report().dropped == 2


@given(st.lists(st.integers(0, 30)), st.integers(0, 10))
@pytest.mark.parametrize("overflow", ["materialize", "degrade", "drop", "strict"])
def test_counts_are_exact_whatever_the_policy(overflow: Any, numbers: list[int], cap: int) -> None:
    capture = records.capture(sample=0.5, cap=cap, overflow=overflow)
    try:
        with capture:
            list(copy(ids(*numbers)))
    except CaptureOverflow:
        assert overflow == "strict"
    report = capture.report()
    assert sum(node.outcomes["emitted"] for node in report.nodes) == len(numbers)
    assert report.sampled == sum(hash_key(n) < 1 << 63 for n in numbers)


# ---------------------------------------------------------------- redaction and snapshots


def test_values_are_redacted_by_default() -> None:
    def fail(row: object) -> None:
        raise ValueError(f"cannot read {row}")

    with records.capture(sample=1.0) as capture, pytest.raises(ValueError, match="secret"):
        list(records.step(fail, key="id")(iter([{"id": "secret"}])))
    [item] = capture.items()
    assert item.hops[0].error == "ValueError"
    assert "secret" not in repr(capture.items()) + repr(capture.report())


def test_snapshots_are_the_row_before_and_after() -> None:
    @records.step(key="id")
    def halve(row: dict[str, int]) -> Iterator[dict[str, int]]:
        yield from ({"id": row["id"] // 2}, {"id": row["id"] % 2})

    with records.capture(sample=1.0, redact=False, snapshots=True) as capture:
        list(halve(ids(7)))
    [hop] = capture.items()[0].hops
    assert json.loads(hop.input_snapshot or "") == {"id": 7}
    assert json.loads(hop.output_snapshot or "") == [{"id": 3}, {"id": 1}]
    assert capture.items()[0].data == hop.input_snapshot


def test_a_snapshot_precedes_changes_by_the_next_step() -> None:
    def change(row: dict[str, int]) -> dict[str, int]:
        row["id"] = -1
        return row

    with records.capture(sample=1.0, redact=False, snapshots=True) as capture:
        list(map(change, copy(ids(7))))
    [hop] = capture.items()[0].hops
    assert json.loads(hop.output_snapshot or "") == [{"id": 7}]


def test_snapshots_are_of_64_items_and_4_kb_each() -> None:
    rows = [{"id": n, "text": "ü" * 5000} for n in range(100)]
    with records.capture(sample=1.0, redact=False, snapshots=True) as capture:
        list(copy(iter(rows)))
    snapshots = [item.data for item in capture.items()[:64]]
    snapshots += [item.hops[0].output_snapshot for item in capture.items()[:64]]
    assert all(each and 4090 < len(each.encode()) <= 4096 for each in snapshots)
    assert {item.data for item in capture.items()[64:]} == {None}
    assert len(capture.items()) == 100


def test_a_function_masks_what_is_stored() -> None:
    def mask(row: dict[str, Any]) -> dict[str, Any]:
        return {**row, "name": "***"}

    with records.capture(sample=1.0, redact=mask, snapshots=True) as capture:
        list(copy(iter([{"id": 1, "name": "Ada"}])))
    assert json.loads(capture.items()[0].data or "") == {"id": 1, "name": "***"}
    assert "Ada" not in repr(capture.items())


def test_a_mask_that_fails_stores_nothing_and_fails_nothing() -> None:
    with records.capture(sample=1.0, redact=lambda row: row["absent"], snapshots=True) as capture:
        assert len(list(copy(ids(1)))) == 1
    assert capture.items()[0].data is None
    assert capture.report().nodes[0].outcomes["emitted"] == 1


# ---------------------------------------------------------------- queries


def journey() -> Capture:
    """Record 0..9 through two steps; the second gets no 7, filters 1 and dead-letters nothing."""

    @records.step(key="id")
    def parse(row: dict[str, int]) -> dict[str, int] | None:
        return row if row["id"] != 3 else None

    @records.step(key="id")
    def load(row: dict[str, int]) -> dict[str, int] | None:
        return row if row["id"] != 1 else None

    with records.capture(pipeline="orders", sample=1.0, run_id=RUN) as capture:
        list(load(row for row in parse(ids(*range(10))) if row["id"] != 7))
    return capture


def id_of(number: int) -> str:
    return records.correlation_id(RUN, "id", number)


def test_an_item_is_read_by_its_id_and_by_outcome() -> None:
    capture = journey()
    assert capture.item(id_of(5)).outcome == Outcome.EMITTED
    filtered = {item.correlation_id for item in capture.items(outcome=Outcome.FILTERED_OUT)}
    assert filtered == {id_of(3), id_of(1)}
    with pytest.raises(NotFound, match="The capture has no item"):
        capture.item(id_of(99))


def test_history_lists_the_hops_in_order() -> None:
    assert [(hop.node_id, hop.outcome) for hop in journey().history(id_of(1))] == [
        ("parse", Outcome.EMITTED),
        ("load", Outcome.FILTERED_OUT),
    ]


def test_unresolved_items_left_a_node_and_did_not_reach_the_next() -> None:
    assert [item.correlation_id for item in journey().unresolved()] == [id_of(7)]


def test_the_traversal_path_has_the_qualified_nodes_ancestry_first() -> None:
    item = journey().item(id_of(5))
    pipeline = uuid.UUID(item.pipeline_id).hex
    assert item.traversal_path == (f"{pipeline}::parse", f"{pipeline}::load")
    assert item.pipeline_name == "orders"
    assert item.pipeline_id == journey().pipeline_id  # the same for the same name


def test_the_report_has_nodes_and_edges_with_exact_rows() -> None:
    report = journey().report()
    assert [(node.node_id, node.rows_in, node.rows_out) for node in report.nodes] == [
        ("parse", 10, 9),
        ("load", 8, 7),
    ]
    [edge] = report.edges
    assert (edge.source, edge.target, edge.items) == ("parse", "load", 8)
    assert (report.run_id, report.pipeline_name) == (RUN, "orders")
    assert (report.started_at or "") <= (report.ended_at or "")


@pytest.mark.parametrize(
    ("outcome", "sample_outcome"),
    [
        (Outcome.DEAD_LETTERED | Outcome.ERROR | Outcome.FILTERED_OUT, "dead_lettered"),
        (Outcome.ERROR | Outcome.FILTERED_OUT, "error"),
        (Outcome.FILTERED_OUT | Outcome.EMITTED, "filtered_out"),
        (Outcome.EMITTED | Outcome.RETRIED, "success"),
        (Outcome.AGGREGATED, "success"),
    ],
)
def test_dead_lettered_precedes_error_filtered_out_and_success(
    outcome: Outcome, sample_outcome: str
) -> None:
    hop = Hop(node_id="n", outcome=outcome, pipeline_id=RUN)
    item = Item(correlation_id=RUN, run_id=RUN, pipeline_id=RUN, hops=(hop,))
    assert item.sample_outcome == sample_outcome


def test_a_hop_has_thirteen_fields_that_are_null_where_unknown() -> None:
    hop = Hop(node_id="n", outcome=Outcome.EMITTED, pipeline_id=RUN)
    assert len(hop.__struct_fields__) == 13
    assert hop.cardinality == Cardinality.UNKNOWN
    unknown = {name for name in hop.__struct_fields__ if getattr(hop, name) is None}
    assert unknown == {
        "input_contributor_count", "output_emission_count", "ancestry_input_indices",
        "input_snapshot", "output_snapshot", "pipeline_name", "retry_count", "error",
    }  # fmt: skip


def test_items_hops_and_reports_are_frozen() -> None:
    capture = journey()
    for value, field in (
        (capture.items()[0], "hops"),
        (capture.items()[0].hops[0], "outcome"),
        (capture.report(), "nodes"),
    ):
        with pytest.raises(AttributeError, match="immutable"):
            setattr(value, field, None)


# ---------------------------------------------------------------- threads and nesting


def test_threads_record_into_one_capture_without_losses() -> None:
    barrier = threading.Barrier(4)

    def work(first: int) -> None:
        barrier.wait()
        for number in range(first, first + 500):
            copy({"id": number})
            if number % 100 == 0:
                capture.report()
                list(copy(ids(number)))

    with records.capture(sample=1.0) as capture:
        threads = [threading.Thread(target=work, args=(n * 500,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert capture.report().nodes[0].rows_in == 2000 + 20
    assert len(capture.items()) == 2000


def test_parallel_runs_do_not_mix() -> None:
    barrier = threading.Barrier(3)
    captures: dict[int, Capture] = {}

    def work(number: int) -> None:
        with records.capture(sample=1.0) as capture:
            barrier.wait()
            list(copy(ids(*range(number))))
            barrier.wait()
        captures[number] = capture

    threads = [threading.Thread(target=work, args=(n,)) for n in (3, 5)]
    for thread in threads:
        thread.start()
    barrier.wait()
    copy({"id": 99})  # of neither run
    barrier.wait()
    for thread in threads:
        thread.join()
    assert {n: len(capture.items()) for n, capture in captures.items()} == {3: 3, 5: 5}


def test_the_inner_of_two_captures_records() -> None:
    with records.capture(sample=1.0) as outer:
        list(copy(ids(1)))
        with records.capture(sample=1.0) as inner:
            list(copy(ids(2)))
        list(copy(ids(3)))
    assert len(outer.items()) == 2
    assert len(inner.items()) == 1


def test_an_error_at_the_end_of_a_capture_is_logged_and_not_raised(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a defect")

    with records.capture(sample=1.0) as capture:
        list(copy(ids(1)))
        monkeypatch.setattr("lineage.records.assembly.assemble_items", fail)
    assert f"The capture of run {capture.run_id} is incomplete." in caplog.text


def test_what_runs_after_a_capture_is_not_recorded() -> None:
    with records.capture(sample=1.0) as capture:
        copy({"id": 1})
    copy({"id": 2})
    assert capture.report().nodes[0].rows_in == 1


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample": 2}, "The sampling rate 2 is not between 0 and 1"),
        ({"sample": "some"}, '"random" with rate='),
        ({"sample": 0.1, "rate": 0.1}, "does not fit rate=0.1"),
        ({"cap": -1}, "cap=-1 is not a number of items"),
        ({"overflow": "spill"}, "overflow= is one of materialize, degrade, drop, strict"),
        ({"redact": "yes"}, "Give True, False, or a function"),
        ({"snapshots": True}, "Give redact=False, or as redact= a function"),
        ({"timeout": -1}, "timeout=-1 is not a time"),
        ({"run_id": "r1"}, 'The run id "r1" is not a UUID'),
        ({"sinks": ["loging"]}, "Did you mean logging"),
        ({"sinks": [7]}, "7 is not a sink"),
        ({"spark": object()}, "has no SparkContext"),
    ],
)
def test_an_invalid_parameter_is_an_error_with_a_remedy(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message), records.capture(**options):
        pass


def test_items_are_in_the_order_of_their_hashes_at_any_order_of_rows() -> None:
    numbers = list(range(30))
    first = [item.correlation_id for item in captured(numbers, sample=1.0, run_id=RUN)[0].items()]
    random.Random(1).shuffle(numbers)
    again = [item.correlation_id for item in captured(numbers, sample=1.0, run_id=RUN)[0].items()]
    assert first == again == [id_of(n) for n in sorted(range(30), key=hash_key)]
