"""Known weaknesses of openlineage-spark and Spline, by the numbers of the reference page.

docs/reference/known-weaknesses.md also names the tests of the other weaknesses.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest
from support.cases.columns import claimed, edges
from support.spark.recorded import TESTS, Event, Recorded, group, run
from support.spark.version import SPARK

JOB = TESTS / "spark" / "jobs" / "weaknesses.py"


class Weaknesses:
    """The events of one application, by the number of their job."""

    def __init__(self, recorded: Recorded) -> None:
        self.events = recorded.events

    def of(self, number: str) -> list[Event]:
        """Return the events of the jobs with this number."""
        start = f"n{number}_"
        return [event for event in self.events if (group(event) or "").startswith(start)]

    def states(self, number: str) -> list[str]:
        return [event["eventType"] for event in self.of(number)]

    def writes(self, number: str) -> list[Event]:
        """Return the terminal events that have outputs."""
        return [
            event for event in self.of(number) if event["eventType"] != "START" if event["outputs"]
        ]

    def write(self, number: str) -> Event:
        (end,) = self.writes(number)
        return end


def read(event: Event) -> set[str]:
    return {item["name"].rsplit("/", 1)[1] for item in event["inputs"]}


def lineage(event: Event) -> tuple[dict[str, set[Any]], set[Any]]:
    (output,) = event["outputs"]
    facet = output["facets"]["columnLineage"]
    fields = {name: claimed(field["inputFields"]) for name, field in facet["fields"].items()}
    return fields, claimed(facet["dataset"])


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Weaknesses:
    return Weaknesses(run(JOB, tmp_path_factory.mktemp("weaknesses")))


def test_02_a_write_that_fails_in_a_late_stage_is_fail_alone(
    recorded: Weaknesses,
) -> None:
    assert recorded.states("02") == ["START", "FAIL"]


def test_03_a_write_that_fails_before_any_job_is_fail(recorded: Weaknesses) -> None:
    assert recorded.states("03") == ["START", "FAIL"]
    assert read(recorded.write("03")) == {"people"}


def test_04_of_quick_queries_no_start_is_lost(recorded: Weaknesses) -> None:
    assert recorded.states("04") == ["START", "COMPLETE"] * 10
    names = {item["name"][-7:] for event in recorded.writes("04") for item in event["outputs"]}
    assert names == {f"quick_{at}" for at in range(10)}


def test_06_what_starts_ends(recorded: Weaknesses) -> None:
    assert set(recorded.states("06")) == {"START", "COMPLETE"}
    runs = defaultdict(list)
    for event in recorded.events:
        runs[event["run"]["runId"]].append(event["eventType"])
    assert all(len(states) == 2 and states[0] == "START" for states in runs.values())


def test_07_an_rdd_job_has_no_output_that_was_never_written(recorded: Weaknesses) -> None:
    assert not recorded.writes("07")


def test_08_the_error_stands_in_the_facet_of_the_spec(recorded: Weaknesses) -> None:
    message = recorded.write("02")["run"]["facets"]["errorMessage"]
    # Spark 3.5 throws the argument of raise_error without an error class.
    raised = "[USER_RAISED_EXCEPTION]" if SPARK >= (4, 0) else "RuntimeException: n"
    assert raised in message["message"]
    assert message["stackTrace"]


def test_21_tables_of_subqueries_in_expressions_are_read(recorded: Weaknesses) -> None:
    end = recorded.write("21")
    assert read(end) == {"people", "kinds"}
    columns, rows = lineage(end)
    assert columns == {"id": edges("people.id"), "m": edges("agg(kinds.n)")}
    assert rows == edges("where(people.kind, kinds.kind)")


def test_22_what_the_optimizer_drops_is_read(recorded: Weaknesses) -> None:
    assert read(recorded.write("22")) == {"people", "kinds"}


def test_23_columns_go_through_functions_and_expand(recorded: Weaknesses) -> None:
    columns, rows = lineage(recorded.write("23"))
    assert columns == {
        "t": edges("f(people.kind)"),
        "a": edges("#agg(people.id)"),
        "b": edges("#agg(people.name)"),
    }
    assert rows == edges("by(people.kind)")


def test_24_a_cache_that_is_gone_is_looked_through(recorded: Weaknesses) -> None:
    end = recorded.write("24")
    assert read(end) == {"people"}
    assert lineage(end)[0] == {"u": edges("f(people.name)")}


def test_25_columns_go_through_a_checkpoint(recorded: Weaknesses) -> None:
    end = recorded.write("25")
    assert "lineage_unresolved" not in end["run"]["facets"]
    assert read(end) == {"people"}
    columns, _ = lineage(end)
    assert columns == {"i": edges("f(people.id)")}


def test_29_columns_of_a_window_over_a_join_in_a_subquery(recorded: Weaknesses) -> None:
    columns, rows = lineage(recorded.write("29"))
    ranked = "over(people.kind, kinds.n)"
    assert columns == {"name": edges("people.name"), "r": edges(ranked)}
    assert rows == edges(f"join(people.kind, kinds.kind) {ranked}")


def test_30_what_decides_the_rows_stands_once(recorded: Weaknesses) -> None:
    columns, rows = lineage(recorded.write("30"))
    assert columns == {
        "kind": edges("people.kind"), "a": edges("agg(people.id)"), "b": edges("agg(people.name)"),
    }  # fmt: skip
    assert rows == edges("join(people.kind, kinds.kind) where(kinds.n) by(people.kind)")


def test_31_partitions_and_globs_are_one_dataset_for_columns_too(recorded: Weaknesses) -> None:
    end = recorded.write("31")
    assert read(end) == {"parts"}
    columns, _ = lineage(end)
    assert columns["id"] == edges("parts.id")


def test_32_statistics_of_two_threads_are_their_own(recorded: Weaknesses) -> None:
    rows = {
        item["name"][-1]: item["outputFacets"]["outputStatistics"]["rowCount"]
        for event in recorded.writes("32")
        for item in event["outputs"]
    }
    assert rows == {"2": 2, "5": 5}


def test_35_the_columns_of_a_filter_are_reported(recorded: Weaknesses) -> None:
    assert ("kinds.n", "FILTER", False) in lineage(recorded.write("30"))[1]


def test_36_one_execution_of_many_jobs_is_two_events(recorded: Weaknesses) -> None:
    assert [event["eventType"] for event in recorded.of("36")] == ["START", "COMPLETE"]


def test_37_a_projection_is_reported_and_names_depend_not_on_how_it_runs(
    recorded: Weaknesses,
) -> None:
    reads = [event for event in recorded.of("37") if not event["outputs"]]
    assert {name for event in reads for name in read(event)} == {"people"}
    assert len({event["job"]["name"] for event in recorded.writes("37")}) == 1
    assert len(recorded.writes("37")) == 2


def test_38_a_run_says_the_description_that_the_ui_shows(recorded: Weaknesses) -> None:
    facts = recorded.write("38")["run"]["facets"]["lineage_execution"]["facts"]
    assert facts["description"] == "n38_nightly report"
