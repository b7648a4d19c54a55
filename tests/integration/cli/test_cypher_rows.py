"""Rows of raw Cypher on the command line: bounded by a limit, or streamed."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from lineage_cli import main

if TYPE_CHECKING:
    from pathlib import Path

FORMS = ("table", "json", "jsonl", "csv")
COMMAND = [sys.executable, "-c", "from lineage_cli import main; main()"]
MEGABYTE = 1 << 20


def ask(dsn: str, query: str, *options: str) -> tuple[str, str]:
    result = CliRunner().invoke(main, ["cypher", query, *options, "--dsn", dsn])
    assert result.exit_code == 0, result.output
    return result.stdout, result.stderr


def numbers(text: str, form: str) -> list[str]:
    """Return the values of the column i."""
    if form == "json":
        return [str(row["i"]) for row in json.loads(text)]
    if form == "jsonl":
        return [str(json.loads(line)["i"]) for line in text.splitlines()]
    if form == "csv":
        return [row["i"] for row in csv.DictReader(io.StringIO(text, newline=""))]
    return [line.strip() for line in text.splitlines() if line.strip().isdigit()]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("limit", "shown"), [((), 1000), (("--limit", "3"), 3), (("--limit", "0"), 2500)]
)
def test_the_limit_reports_exactly_what_is_left_out(
    dsn: str, form: str, limit: tuple[str, ...], shown: int
) -> None:
    text, note = ask(dsn, "UNWIND range(1, 2500) AS i RETURN i", "--format", form, *limit)
    assert numbers(text, form) == [str(i) for i in range(1, shown + 1)]
    said = f"The first {shown:,} of 2,500 rows are shown. --limit 0 shows all.\n"
    assert note == ("" if shown == 2500 else said)


@pytest.mark.parametrize("form", FORMS)
def test_no_row_is_an_empty_answer(dsn: str, form: str) -> None:
    text, _ = ask(dsn, "MATCH (d:Dataset) RETURN d.name AS i", "--format", form)
    assert numbers(text, form) == []
    if form == "csv":
        assert text.strip() == "i"


def test_an_error_after_the_first_rows_is_reported(dsn: str) -> None:
    query = "UNWIND range(1, 3000) AS i RETURN 1 / (2000 - i) AS n"
    result = CliRunner().invoke(main, ["cypher", query, "--limit", "0", "--dsn", dsn])
    assert result.exit_code == 2, result.output
    assert "Error: " in result.stderr


def test_canned_queries_have_the_limit(dsn: str) -> None:
    result = CliRunner().invoke(main, ["queries", "run", "counts", "--limit", "1", "--dsn", dsn])
    assert result.exit_code == 0, result.output


def peak(dsn: str, rows: int, form: str, directory: Path) -> tuple[int, int]:
    """Return the peak memory of the command, and the size of its output, in bytes."""
    query = f"UNWIND range(1, {rows}) AS i RETURN i, $v AS v"
    options = ["--limit", "0", "--format", form, "-p", f"v={'x' * 60_000}", "--dsn", dsn]
    with (directory / "rows").open("wb") as out:
        process = subprocess.Popen([*COMMAND, "cypher", query, *options], stdout=out)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_maxrss * 1024, (directory / "rows").stat().st_size


@pytest.mark.parametrize(
    "form",
    [pytest.param(form, marks=() if form == "jsonl" else pytest.mark.slow) for form in FORMS],
)
def test_all_rows_need_no_more_memory_than_few(dsn: str, form: str, tmp_path: Path) -> None:
    few, _ = peak(dsn, 60, form, tmp_path)
    many, written = peak(dsn, 600, form, tmp_path)
    assert form == "table" or written > 34 * MEGABYTE
    assert many - few < 20 * MEGABYTE
