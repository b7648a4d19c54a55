"""Steps over plain iterables: outcomes, retries, dead letters; the rows stay what they are."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lineage.records as records
from lineage.errors import UsageError
from lineage.records import Cardinality, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lineage.records import Capture

EMITTED, FILTERED_OUT, RETRIED = Outcome.EMITTED, Outcome.FILTERED_OUT, Outcome.RETRIED
ERROR, DEAD_LETTERED = Outcome.ERROR, Outcome.DEAD_LETTERED


def ids(*numbers: int) -> Iterator[dict[str, int]]:
    return iter([{"id": n} for n in numbers])


def outcomes(capture: Capture) -> dict[int, Outcome]:
    """Return the outcome of each item of a capture over ids below 100."""
    by_id = {records.correlation_id(capture.run_id, "id", n): n for n in range(100)}
    return {by_id[item.correlation_id]: item.outcome for item in capture.items()}


def counts(capture: Capture) -> dict[str, int]:
    [node] = capture.report().nodes or [None]
    if node is None:
        return {}
    return {name: rows for name, rows in node.outcomes.items() if rows}


class Flaky:
    """Fails the first ``times`` calls for some ids."""

    def __init__(self, *failing: int, times: int) -> None:
        self.left = dict.fromkeys(failing, times)

    def __call__(self, row: dict[str, int]) -> dict[str, int]:
        if self.left.get(row["id"], 0) > 0:
            self.left[row["id"]] -= 1
            raise ConnectionError(f"no answer for {row['id']}")
        return row


# ---------------------------------------------------------------- outcomes and cardinality


def test_outcome_flags_have_the_bits_1_to_64() -> None:
    assert [int(flag) for flag in Outcome] == [1, 2, 4, 8, 16, 32, 64]
    assert (EMITTED | RETRIED).flag_names == ("emitted", "retried")


def test_a_row_is_emitted_or_filtered_out() -> None:
    @records.step(key="id")
    def even(row: dict[str, int]) -> dict[str, int] | None:
        return row if row["id"] % 2 == 0 else None

    with records.capture(sample=1.0) as capture:
        assert list(even(ids(1, 2, 3, 4))) == [{"id": 2}, {"id": 4}]
    assert outcomes(capture) == {1: FILTERED_OUT, 2: EMITTED, 3: FILTERED_OUT, 4: EMITTED}
    assert counts(capture) == {"emitted": 2, "filtered_out": 2}


def test_cardinality_is_zero_one_or_many() -> None:
    @records.step(key="id")
    def repeat(row: dict[str, int]) -> Iterator[int]:
        yield from range(row["id"])

    with records.capture(sample=1.0) as capture:
        assert list(repeat(ids(0, 1, 3))) == [0, 0, 1, 2]
    hops = [item.hops[0] for item in capture.items()]
    assert {hop.output_emission_count: hop.cardinality for hop in hops} == {
        0: Cardinality.ZERO,
        1: Cardinality.ONE,
        3: Cardinality.MANY,
    }
    assert capture.report().nodes[0].rows_out == 4


def test_a_list_is_one_output_unless_the_step_maps_one_to_many() -> None:
    def pair(row: dict[str, int]) -> list[int]:
        return [row["id"], row["id"]]

    assert list(records.step(pair)(ids(1))) == [[1, 1]]
    assert list(records.step(pair, maps="one_to_many")(ids(1))) == [1, 1]


def test_a_step_that_consumes_rows_emits_them_without_outputs() -> None:
    consumed: list[Any] = []
    with records.capture(sample=1.0) as capture:
        assert list(records.step(consumed.append, key="id", maps="one_to_none")(ids(1, 2))) == []
    assert consumed == [{"id": 1}, {"id": 2}]
    assert outcomes(capture) == {1: EMITTED, 2: EMITTED}
    assert {item.hops[0].cardinality for item in capture.items()} == {Cardinality.ZERO}


def test_rows_of_one_key_are_one_item_with_an_exact_count() -> None:
    with records.capture(sample=1.0) as capture:
        list(records.step(dict, key="id")(ids(5, 5, 5)))
    [item] = capture.items()
    assert item.hops[0].input_contributor_count == 3
    assert item.hops[0].output_emission_count == 3


def test_a_row_without_a_key_is_its_own_key() -> None:
    with records.capture(sample=1.0) as capture:
        list(records.step(dict)(ids(1, 2, 2)))
    assert sorted(i.hops[0].input_contributor_count or 0 for i in capture.items()) == [1, 2]


# ---------------------------------------------------------------- retries and dead letters


def test_a_row_that_succeeds_after_retries_is_retried_and_emitted() -> None:
    step = records.step(Flaky(2, times=2), key="id", retries=2)
    with records.capture(sample=1.0) as capture:
        assert list(step(ids(1, 2))) == [{"id": 1}, {"id": 2}]
    assert outcomes(capture) == {1: EMITTED, 2: EMITTED | RETRIED}
    assert {item.hops[0].retry_count for item in capture.items()} == {0, 2}


def test_without_dead_letters_the_error_is_raised_as_before() -> None:
    cause = KeyError("x")

    def fail(row: object) -> None:
        raise ValueError("bad") from cause

    with records.capture(sample=1.0) as capture, pytest.raises(ValueError, match=r"^bad$") as error:
        list(records.step(fail, key="id", retries=1)(ids(1)))
    assert error.value.__cause__ is cause
    assert outcomes(capture) == {1: ERROR}
    assert capture.items()[0].hops[0].retry_count == 1


def test_a_row_that_still_fails_is_dead_lettered_and_the_job_goes_on(tmp_path: Path) -> None:
    step = records.step(
        Flaky(2, 4, times=9), key="id", retries=3, dead_letter=tmp_path, name="load"
    )
    with records.capture(sample=1.0) as capture:
        assert list(step(ids(1, 2, 3, 4))) == [{"id": 1}, {"id": 3}]
    assert outcomes(capture)[2] == ERROR | DEAD_LETTERED
    assert counts(capture) == {"emitted": 2, "error": 2, "dead_lettered": 2}
    [file] = tmp_path.iterdir()
    letters = [json.loads(line) for line in file.read_text().splitlines()]
    assert letters[0] == {
        "item": records.correlation_id(capture.run_id, "id", 2),
        "error": "ConnectionError: no answer for 2",
        "retries": 3,
        "row": {"id": 2},
    }
    assert [letter["row"]["id"] for letter in letters] == [2, 4]
    assert file.stat().st_mode & 0o077 == 0  # rows may be personal data


def test_dead_letters_need_no_capture(tmp_path: Path) -> None:
    step = records.step(Flaky(2, times=9), key="id", dead_letter=tmp_path)
    assert list(step(ids(1, 2))) == [{"id": 1}]
    assert [json.loads(file.read_text())["item"] for file in tmp_path.iterdir()] == [None]


def test_a_failed_attempt_leaves_no_file_of_dead_letters(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield from ids(2)
        raise OSError("the source is gone")

    step = records.step(Flaky(2, times=9), key="id", dead_letter=tmp_path)
    with pytest.raises(OSError, match="the source is gone"):
        list(step(rows()))
    assert list(tmp_path.iterdir()) == []


def test_a_row_is_not_lost_if_its_dead_letter_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    step = records.step(Flaky(2, times=9), key="id", dead_letter=tmp_path / "file" / "below")
    with pytest.raises(NotADirectoryError):
        list(step(ids(1, 2)))


def test_a_generator_that_fails_gives_no_output_twice() -> None:
    calls: list[int] = []

    def some(row: dict[str, int]) -> Iterator[int]:
        calls.append(row["id"])
        yield 1
        if len(calls) == 1:
            raise ValueError
        yield 2

    assert list(records.step(some, retries=1)(ids(7))) == [1, 2]


def test_without_retries_outputs_are_not_buffered() -> None:
    def endless(row: dict[str, int]) -> Iterator[int]:
        while True:
            yield row["id"]

    with records.capture(sample=1.0) as capture:
        outputs = records.step(endless, key="id")(ids(7))
        assert [next(outputs) for _ in range(3)] == [7, 7, 7]
        outputs.close()
    assert outcomes(capture) == {7: EMITTED}


class Planned:
    """Fails for each id as often as planned, then gives as many outputs as planned."""

    def __init__(self, plan: dict[int, tuple[int, int]]) -> None:
        self.plan = plan
        self.calls = dict.fromkeys(plan, 0)

    def __call__(self, row: dict[str, int]) -> list[tuple[int, int]] | None:
        failures, outputs = self.plan[row["id"]]
        self.calls[row["id"]] += 1
        if self.calls[row["id"]] <= failures:
            raise ConnectionError(row["id"])
        return [(row["id"], n) for n in range(outputs)] or None


plans = st.dictionaries(st.integers(0, 99), st.tuples(st.integers(0, 4), st.integers(0, 3)))


@given(plans, st.integers(0, 3), st.sampled_from([0.0, 0.4, 1.0]), st.booleans())
def test_outputs_and_outcomes_are_those_of_a_plain_loop(
    tmp_path_factory: pytest.TempPathFactory,
    plan: dict[int, tuple[int, int]],
    retries: int,
    rate: float,
    many: bool,
) -> None:
    """The plain loop: call up to 1 + retries times, and leave out rows that still fail."""
    maps = "one_to_many" if many else "one_to_one"
    expected: list[Any] = []
    named = dict.fromkeys(("emitted", "filtered_out", "retried", "error", "dead_lettered"), 0)
    for id, (failures, outputs) in plan.items():
        if failures > retries:
            named["error"] += 1
            named["dead_lettered"] += 1
            continue
        named["retried"] += failures > 0
        named["emitted" if outputs else "filtered_out"] += 1
        made = [(id, n) for n in range(outputs)]
        expected += made if many else [made] if made else []
    directory = tmp_path_factory.mktemp("dead")
    step = records.step(
        Planned(plan), key="id", maps=maps, retries=retries, dead_letter=directory, name="plan"
    )
    with records.capture(sample=rate) as capture:
        assert list(step(ids(*plan))) == expected
    assert counts(capture) == {name: rows for name, rows in named.items() if rows}
    lines = [line for file in directory.iterdir() for line in file.read_text().splitlines()]
    assert [json.loads(line)["row"]["id"] for line in lines] == [
        id for id, (failures, _) in plan.items() if failures > retries
    ]
    for id, outcome in outcomes(capture).items():
        failures, outputs = plan[id]
        if failures > retries:
            assert outcome == ERROR | DEAD_LETTERED
        else:
            assert outcome & RETRIED == (RETRIED if failures else 0)
            assert outcome & (EMITTED | FILTERED_OUT) == (EMITTED if outputs else FILTERED_OUT)


# ---------------------------------------------------------------- the rows stay what they are

some_rows = st.lists(st.fixed_dictionaries({"id": st.integers(0, 9), "x": st.integers()}))


@given(some_rows, st.sampled_from([0.0, 0.5, 1.0]), st.integers(0, 3), st.integers(0, 2))
@pytest.mark.parametrize("overflow", ["materialize", "degrade", "drop"])
def test_no_policy_changes_drops_or_reorders_a_row(
    overflow: Any, rows: list[dict[str, int]], rate: float, cap: int, retries: int
) -> None:
    def function(row: dict[str, int]) -> list[int]:
        return [row["x"]] * (row["id"] % 3)

    step = records.step(function, key="id", maps="one_to_many", retries=retries)
    expected = [output for row in rows for output in function(row)]
    with records.capture(sample=rate, cap=cap, overflow=overflow) as capture:
        assert list(step(iter(rows))) == expected
    report = capture.report()
    assert sum(node.rows_in for node in report.nodes) == len(rows)
    assert sum(node.rows_out for node in report.nodes) == len(expected)
    if rate == 1:
        distinct = len({row["id"] for row in rows})
        assert len(capture.items()) == (
            distinct if overflow == "materialize" else min(cap, distinct)
        )
    assert report.sampled == report.recorded + report.written_through + report.dropped


@pytest.mark.parametrize(
    "key",
    ["absent", lambda row: 1 / 0, lambda row: object()],
    ids=["absent", "failing", "without canonical form"],
)
def test_an_error_in_the_key_reaches_the_log_and_not_the_job(
    key: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with records.capture(sample=1.0) as capture:
        assert list(records.step(dict, key=key)(ids(1, 2))) == [{"id": 1}, {"id": 2}]
    assert counts(capture) == {"emitted": 2}
    assert (capture.items(), capture.report().unrecorded) == ([], 2)
    [record] = caplog.records
    assert record.getMessage().startswith("2 rows have no item: ")


def test_the_function_gets_the_row_itself_and_the_job_its_result() -> None:
    row, output = {"id": 1}, object()
    received: list[Any] = []
    with records.capture(sample=1.0):
        step = records.step(lambda each: received.append(each) or output, key="id")
        [given] = step(iter([row]))
    assert received[0] is row
    assert given is output


def test_the_key_is_read_before_the_function_changes_the_row() -> None:
    def change(row: dict[str, int]) -> dict[str, int]:
        row["id"] = -1
        return row

    with records.capture(sample=1.0) as capture:
        assert list(records.step(change, key="id")(ids(1))) == [{"id": -1}]
    assert outcomes(capture) == {1: EMITTED}


def test_nothing_is_recorded_without_a_capture() -> None:
    step = records.step(dict, key=lambda row: 1 / 0)
    assert list(step(ids(1))) == [{"id": 1}]


def test_one_row_gives_the_result_of_the_function_as_it_is() -> None:
    with records.capture(sample=1.0) as capture:
        assert records.step(lambda row: None, key="id")({"id": 1}) is None
        assert records.step(lambda row: [row["id"]], key="id")({"id": 2}) == [2]
        assert records.step(Flaky(3, times=1), key="id", retries=1)({"id": 3}) == {"id": 3}
    assert outcomes(capture) == {1: FILTERED_OUT, 2: EMITTED, 3: EMITTED | RETRIED}


def test_one_row_has_no_dead_letters(tmp_path: Path) -> None:
    step = records.step(dict, key="id", dead_letter=tmp_path)
    with pytest.raises(UsageError, match="Call it with an iterator"):
        step({"id": 1})


# ---------------------------------------------------------------- DataFrames and groups


def test_frames_of_pandas_give_frames_with_the_same_values() -> None:
    large = (1 << 60) + 1  # no float

    @records.step(key="id")
    def double(row: dict[str, Any]) -> dict[str, Any] | None:
        return {"id": row["id"], "n": large if row["id"] % 2 else None} if row["id"] < 9 else None

    frames = [pandas.DataFrame({"id": [1, 2]}), pandas.DataFrame({"id": [9]})]
    with records.capture(sample=1.0) as capture:
        [frame] = double(iter(frames))
    assert frame.to_dict("list") == {"id": [1, 2], "n": [large, None]}
    assert outcomes(capture) == {1: EMITTED, 2: EMITTED, 9: FILTERED_OUT}


def test_frames_have_the_types_that_pandas_infers() -> None:
    times = [datetime(2026, 1, 2, 3), None]
    rows = [
        {
            "id": n,
            "time": times[n],
            "price": [0.5, None][n],
            "mixed": [1, 2.5][n],
            "flag": [True, None][n],
        }
        for n in range(2)
    ]
    [frame] = records.step(lambda row: rows[row["id"]])(iter([pandas.DataFrame({"id": [0, 1]})]))
    kinds = {name: dtype.kind for name, dtype in frame.dtypes.items()}
    # Spark converts times between zones only if their type is datetime64.
    assert kinds == {"id": "i", "time": "M", "price": "f", "mixed": "O", "flag": "O"}
    assert list(frame["mixed"]) == [1, 2.5]


def test_a_group_is_an_item_whose_contributors_are_its_rows() -> None:
    @records.step(key="id", by="g", name="largest")
    def largest(frame: pandas.DataFrame) -> pandas.DataFrame:
        return frame.nlargest(1, "id")

    with records.capture(sample=1.0) as capture:
        largest(pandas.DataFrame({"id": range(3), "g": "a"}))
        largest(pandas.DataFrame({"id": range(100, 140), "g": "b"}))
    few, many = sorted(capture.items(), key=lambda item: item.hops[0].input_contributor_count or 0)
    assert few.outcome == EMITTED | Outcome.AGGREGATED
    assert set(few.contributors) == {
        records.correlation_id(capture.run_id, "id", n) for n in range(3)
    }
    assert few.hops[0].ancestry_input_indices == (0, 1, 2)
    assert (few.hops[0].truncated, many.hops[0].truncated) == (False, True)
    assert many.hops[0].input_contributor_count == 40  # exact
    assert (len(many.contributors), len(many.hops[0].ancestry_input_indices or ())) == (16, 16)
    [node] = capture.report().nodes
    assert (node.rows_in, node.rows_out, node.outcomes["aggregated"]) == (43, 2, 43)


# ---------------------------------------------------------------- parameters


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"maps": "two_to_one"}, "maps='two_to_one' is not valid. Use one of: one_to_one"),
        ({"maps": "many_to_one"}, "Give the key of the groups as by="),
        ({"maps": "one_to_one", "by": "g"}, "does not fit by='g'"),
        ({"retries": -1}, "retries=-1 is not a number of calls"),
        ({"key": 1.5}, "1.5 is not a valid key"),
        ({"dead_letter": "s3://bucket/x"}, "file system that all executors mount"),
        ({"by": "g", "dead_letter": "/tmp"}, "A step over groups has no dead letters"),
    ],
)
def test_an_invalid_parameter_is_an_error_with_a_remedy(options: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        records.step(dict, **options)


def test_a_step_has_the_name_of_its_function_and_the_source_of_its_key() -> None:
    @records.step(key=["day", "id"])
    def parse(row: object) -> object:
        """Parse a row."""
        return row

    assert repr(parse) == "<step parse of day,id, one_to_one>"
    assert (parse.__name__, parse.__doc__) == ("parse", "Parse a row.")
    assert repr(records.step(parse, name="again")) == "<step again of again, one_to_one>"


def test_a_step_can_be_pickled() -> None:
    step = pickle.loads(pickle.dumps(records.step(dict, key="id", name="copy")))
    assert list(step(ids(1))) == [{"id": 1}]


def test_executors_need_no_other_distribution() -> None:
    code = (
        "import sys, lineage.records.steps, lineage.records.tasks;"
        "print(sorted({'msgspec', 'psycopg', 'pandas', 'numpy', 'pyspark'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
