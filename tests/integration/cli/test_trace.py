"""``lineage trace`` without a job: saved traces, recorded items, and options that do not fit."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import run_event
from support.services.command_line import answer, graph_of, run

from lineage.records.dry_run import SourceRows, TraceAnswer
from lineage.records.fidelity import Fidelity
from lineage.records.trace_results import results_of_dry_run
from lineage.records.trace_writer import save_trace

if TYPE_CHECKING:
    from pathlib import Path

FILE = "s3://lake/silver/part-0.parquet"

_graph = graph_of([run_event("r1", "COMPLETE", 1, "sum", ("silver", "raw"), ("gold",))])


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def save(**options: Any) -> str:
    rows = [{"id": n, "_file": FILE, "_row_index": n} for n in range(3)]
    sources = [SourceRows("silver", 1200, rows), SourceRows("raw", 1, [{"id": 8}])]
    found = TraceAnswer(
        "lake/gold", 1, 2, [{"sum": 3}, {"sum": 4}], Fidelity.SUPERSET, ["limit:ties"], sources
    )
    [result] = results_of_dry_run([found], "sum < 5 AND day = '2026-01-01'")
    return save_trace(result, **options)


def test_the_saved_traces_of_a_table_are_listed() -> None:
    saved = [save(), save()]
    rows = json.loads(answer("trace", "gold", "--format", "json"))
    assert [row["trace"] for row in rows] == saved[::-1]
    assert (rows[0]["way"], rows[0]["fidelity"], rows[0]["columns"]) == (
        "dry run", "superset", "sum day",
    )  # fmt: skip
    assert (rows[0]["rows"], rows[0]["contributing"]) == (2, 1201)
    result = run("trace", "gold", "--limit", "1")
    assert saved[1] in result.stdout
    assert result.stderr == "The newest 1 of 2 traces are shown. --limit 0 shows all.\n"


def test_a_saved_trace_is_printed() -> None:
    saved = save()
    lines = answer("trace", "--saved", saved, "--limit", "2").splitlines()
    assert lines[0] == "s3://lake/gold: 2 rows, superset (limit:ties)"
    assert lines[1].startswith("  a condition on sum, day; dry run, saved 20")
    assert lines[2:6] == [
        "  s3://lake/silver: 1,200 rows",
        "    part-0.parquet, row 0",
        "    part-0.parquet, row 1",
        "    … 1,198 more",
    ]
    assert lines[6] == "  s3://lake/raw: 1 row"
    assert lines[7].startswith("    row with the key ")
    document = json.loads(answer("trace", "--saved", saved, "--format", "json"))
    assert document["trace"]["counts"][0]["rows"] == 1200
    rows = list(csv.DictReader(io.StringIO(answer("trace", "--saved", saved, "--format", "csv"))))
    assert [(row["source"], row["row_index"]) for row in rows] == [
        *(("s3://lake/silver", str(index)) for index in range(3)),
        ("s3://lake/raw", ""),
    ]


def test_saved_values_are_displayed() -> None:
    text = answer("trace", "--saved", save(with_values=True))
    assert "  sum < 5 AND day = '2026-01-01'; dry run" in text
    assert "\n  sum=3\n  sum=4\n" in text
    assert "    id=1  (part-0.parquet, row 1)\n" in text
    assert text.endswith("    id=8\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "A trace needs a question."),
        (("--outcome", "error"), "--outcome cannot be used for the saved traces of a table."),
        (("gold", "--run", "r1"), "TABLE cannot be used for the recorded items of a run."),
        (("--saved", "x", "--run", "r1"), "--saved cannot be used for the recorded items"),
        (("--saved", "x", "--id", "y"), "--id cannot be used for a saved trace."),
        (("gold", "--where", "true"), "Omit it, or add the job: -- spark-submit job.py."),
        (("gold", "--where", "a", "--id", "y", "--", "true"), "--id cannot be used for a dry run."),
        (
            ("gold", "--where", "a", "--missing", "b: c", "--", "true"),
            "--where or --missing, not both",
        ),
        (("gold", "--missing", "b: c", "--save", "--", "true"), "Only traces are saved"),
    ],
)
def test_an_option_of_another_kind_is_an_error(words: tuple[str, ...], message: str) -> None:
    result = run("trace", *words)
    assert result.exit_code == 2
    assert message in result.stderr


def test_display_options_apply_to_every_kind() -> None:
    saved = save()
    options = ("--no-pager", "--wide", "--limit", "0", "--format", "jsonl")
    listed, witnesses = (
        [json.loads(line) for line in answer("trace", *words, *options).splitlines()]
        for words in (("gold",), ("--saved", saved))
    )
    assert [row["trace"] for row in listed] == [saved]
    assert [(row["source"], row["row_index"]) for row in witnesses] == [
        *(("s3://lake/silver", index) for index in range(3)),
        ("s3://lake/raw", None),
    ]


def test_what_cannot_be_saved_is_an_error_before_the_job_runs(home: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    job = ("--", "touch", str(mark))
    result = run("trace", "lost", "--where", "a", "--save", *job)
    assert (result.exit_code, mark.exists()) == (1, False)
    assert 'No dataset is called "lost"' in result.stderr
    save()
    (home / "record-key").chmod(0o644)
    result = run("trace", "gold", "--where", "a", "--values", *job)
    assert (result.exit_code, mark.exists()) == (2, False)
    assert "Other users may read" in result.stderr
