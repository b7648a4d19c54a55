"""Questions about runs and jobs without datasets, whose child runs have some."""

from __future__ import annotations

from support.events.builders import run_event
from support.services.command_line import answer, graph_of, run

# The run of each job without datasets, and its parent with that run.
RUNS = {"nightly": "dag", "nightly.spark": "task", "loader": "app"}
PARENTS = {"nightly.spark": "nightly", "loader": "nightly.spark", "loader.save": "loader"}


def parent_of(job: str, day: int) -> tuple[str, str] | None:
    parent = PARENTS.get(job)
    return (f"{RUNS[parent]}{day}", parent) if parent else None


def night(day: int, state: str) -> list[str]:
    """Return the events of a DAG run, whose task starts an application of two writes."""
    at = 1000 * day
    started = [
        run_event(f"{run}{day}", type, at + after, job, parent=parent_of(job, day))
        for job, run in RUNS.items()
        for after, type in ((0, "START"), (90, "COMPLETE"))
    ]
    writes = [
        run_event(
            f"write{day}{part}", end, at + 10 + part, "loader.save", (f"in{part}",), ("sales",),
            parent=parent_of("loader.save", day),
        )
        for part, end in ((1, "COMPLETE"), (2, state))
    ]  # fmt: skip
    return [*started, *writes]


_graph = graph_of(
    [
        *night(1, "COMPLETE"),
        *night(2, "FAIL"),
        run_event("dash", "COMPLETE", 3000, "dash", ("sales",), ("board",)),
        run_event("alone", "COMPLETE", 3000, "alone"),
    ]
)

NOTHING = "It has no datasets. Runs that it started have, those of these jobs:"
SECOND = "  etl/loader.save  [2 runs, 1 failed, newest write22]"


def test_a_run_without_datasets_names_the_jobs_of_the_runs_that_it_started():
    for name, state in (("dag2", "COMPLETE"), ("task2", "COMPLETE"), ("app2", "COMPLETE")):
        for way in ("--upstream", "--downstream", "--runs"):
            drawn = answer("query", "run", name, way).splitlines()
            assert drawn == [f"run {name}  [{state}]", NOTHING, SECOND]


def test_a_job_without_datasets_names_the_jobs_of_the_runs_that_it_started():
    listed = "  etl/loader.save  [4 runs, 1 failed, newest write22]"
    for job in RUNS:
        drawn = answer("query", "job", f"etl/{job}", "--downstream").splitlines()
        assert drawn == [f"etl/{job}", NOTHING, listed]


def test_a_mode_of_a_job_that_writes_nothing_names_the_jobs_that_do():
    no_effect = "No run of etl/loader wrote s3://lake/sales, so the mode has no effect yet."
    set_mode = ("modes", "set", "etl/loader", "append")
    assert run(*set_mode, "--dataset", "sales").stderr.splitlines() == [
        no_effect,
        "Runs that it started did, those of these jobs:",
        "  etl/loader.save  [4 runs, 1 failed, newest write22]",
    ]
    assert run(*set_mode).stderr.startswith("No run of etl/loader wrote a dataset, so")
    assert run("modes", "set", "etl/loader.save", "append", "--dataset", "sales").stderr == ""
    assert run("modes", "set", "etl/dash", "append", "--dataset", "sales").stderr == (
        "No run of etl/dash wrote s3://lake/sales, so the mode has no effect yet.\n"
    )


def test_a_run_or_a_job_with_datasets_is_answered_by_these():
    assert "No known run read its writes." in answer("query", "run", "dash", "--downstream")
    assert NOTHING not in answer("query", "run", "write11", "--downstream")
    assert NOTHING not in answer("query", "job", "etl/loader.save", "--downstream")
    assert "No reads of the run are known." in answer("query", "run", "alone")
    assert "No successful or running run" in answer("query", "job", "etl/alone")


def test_a_comparison_of_runs_without_datasets_names_their_child_runs():
    assert answer("diff", "run", "dag1", "dag2").splitlines()[2:] == [
        "No known differences.",
        "",
        "Runs that they started are not compared:",
        "  - etl/loader.save  [2 runs, newest write12]",
        "  + etl/loader.save  [2 runs, 1 failed, newest write22]",
    ]
    assert "are not compared" not in answer("diff", "run", "dash", "dash")
