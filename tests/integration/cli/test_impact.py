"""Output of ``lineage impact``."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from support.events.builders import dataset, derived, run_event, schema
from support.services import command_line
from support.services.command_line import graph_of

from lineage.ingest.writer import write_events


def owned(name: str, **facets: Any) -> dict[str, Any]:
    return dataset(name, ownership={"owners": [{"name": "team:sales"}]}, **facets)


# raw ─ clean ─▶ staged ─┬─ report ─▶ revenue ─ export ─▶ (nothing)
#                        └─ mute ──▶ loss
EVENTS = [
    run_event("c1", "COMPLETE", 60, "clean", (owned("raw", schema=schema(price="int")),),
              (owned("staged", tags={"tags": [{"key": "pii"}]},
                     columnLineage=derived(("total", "raw", "price"))),)),
    run_event("r1", "COMPLETE", 120, "report", ("staged",),
              (dataset("revenue", columnLineage=derived(("sum", "staged", "total"))),)),
    run_event("r2", "COMPLETE", 180, "report", ("staged",)),
    run_event("m1", "COMPLETE", 200, "mute", ("staged",), ("loss",)),
    run_event("e1", "FAIL", 240, "export", ("revenue",)),
]  # fmt: skip

DAYS = "the 30 days before the newest event, 2026-01-01 00:04:00Z"

_graph = graph_of(EVENTS)


run = partial(command_line.run, "impact")
answer = partial(command_line.answer, "impact")


def test_the_answer_can_be_read_from_the_top():
    lines = answer("raw").splitlines()
    assert lines[:13] == [
        "s3://lake/raw",
        "owners   team:sales",
        "written  by no run",
        "read     2026-01-01 00:01:00Z, by 1 run",
        "",
        "3 datasets and 4 jobs depend on it; 2 of the datasets in use.",
        f"In use: read by a run in {DAYS}; runs are counted in this period.",
        "",
        "OWNERS",
        "team:sales         1 dataset",
        "no owner reported  2 datasets, 4 jobs",
        "",
        "DATASETS",
    ]
    assert lines[13].startswith("steps")
    assert [" ".join(line.split()) for line in lines[15:18]] == [
        "1 s3://lake/staged 3 runs 2026-01-01 00:03:20Z 2026-01-01 00:01:00Z team:sales pii",
        "2 s3://lake/revenue 1 run 2026-01-01 00:04:00Z 2026-01-01 00:02:00Z",
        "2 s3://lake/loss 0 runs never 2026-01-01 00:03:20Z",
    ]


def test_jobs_report_what_they_read_and_how_they_ended():
    lines = [" ".join(line.split()) for line in answer("raw").splitlines()]
    assert "2 etl/report s3://lake/staged 2 2026-01-01 00:03:00Z COMPLETE" in lines
    assert "3 etl/export s3://lake/revenue 1 2026-01-01 00:04:00Z FAIL" in lines


def test_of_a_column_what_is_not_known_is_reported():
    lines = answer("raw", "--column", "price").splitlines()
    assert lines[0] == "s3://lake/raw.price"
    at = lines.index("UNKNOWN, because columns were not reported")
    assert lines[at + 1 :] == [
        "export  reads s3://lake/revenue",
        "s3://lake/loss  from s3://lake/staged by mute",
    ]
    assert any("s3://lake/revenue  sum " in line for line in lines)


def test_what_the_limit_leaves_out_is_counted():
    assert answer("raw", "--limit", "1").splitlines()[-1] == (
        "Omitted: 2 datasets, 3 jobs. --limit 0 shows all."
    )
    rows = run("raw", "--limit", "1", "--format", "jsonl")
    assert [json.loads(line)["name"] for line in rows.stdout.splitlines()] == [
        "s3://lake/staged", "etl/clean",
    ]  # fmt: skip
    assert "Omitted: 2 datasets" in rows.stderr
    whole = run("raw", "--limit", "0", "--format", "jsonl")
    assert len(whole.stdout.splitlines()) == len(rows.stdout.splitlines()) + 2 + 3
    assert whole.stderr == ""


def test_as_json_it_is_one_object():
    found = json.loads(answer("raw", "--format", "json"))
    assert [(d["distance"], d["name"], d["reads"]) for d in found["datasets"]] == [
        (1, "s3://lake/staged", 3),
        (2, "s3://lake/revenue", 1),
        (2, "s3://lake/loss", 0),
    ]
    assert (found["itself"]["owners"], found["jobs_omitted"]) == (["team:sales"], 0)
    assert "last_read" in answer("raw", "--format", "table")


def test_what_nothing_depends_on_is_no_error():
    assert "No known dependents." in answer("loss").splitlines()


def test_an_unknown_dataset_is_reported():
    result = run("row")
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'No dataset is called "row".' in result.stderr


def test_other_affected_columns_of_the_dataset_itself_are_listed(dsn: str, conn: Any) -> None:
    again = dataset("raw", columnLineage=derived(("net", "raw", "price")))
    write_events(conn, [run_event("s1", "COMPLETE", 250, "self", ("raw",), (again,))])
    lines = answer("raw", "--column", "price").splitlines()
    assert lines[:3] == ["s3://lake/raw.price", "owners   team:sales", "columns  net, price"]
    assert not any(
        line.startswith("columns") for line in answer("raw", "--column", "net").splitlines()
    )
