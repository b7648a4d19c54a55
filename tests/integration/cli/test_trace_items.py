"""``lineage trace --run``: the recorded items of a run."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from lineage_cli import main, trace_items
from support.events.record_facts import halve_items

import lineage.records as records
from lineage.records.outcomes import Outcome

if TYPE_CHECKING:
    from pathlib import Path

RUN = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"


@pytest.fixture
def recorded(dsn: str, tmp_path: Path) -> str:
    halve_items(dsn, RUN, tmp_path)
    return dsn


def run(dsn: str, *words: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["trace", *words, "--dsn", dsn])
    return result.exit_code, result.stdout, result.stderr


def test_items_of_a_run_are_listed_by_outcome(recorded: str) -> None:
    _, output, _ = run(recorded, "--run", RUN[:8], "--outcome", "dead_lettered", "--format", "json")
    assert json.loads(output) == [
        {
            "id": records.correlation_id(RUN, "id", 6),
            "outcome": "error dead_lettered",
            "path": "halve",
            "rows": 1,
            "retries": 2,
            "error": "ValueError",
        }
    ]


def test_the_hops_of_one_item_are_listed(recorded: str) -> None:
    id = records.correlation_id(RUN, "id", 3)
    _, output, _ = run(recorded, "--run", RUN, "--id", id, "--format", "csv")
    [row] = csv.DictReader(io.StringIO(output))
    assert row == {
        "node": "halve", "outcome": "filtered_out", "cardinality": "zero", "rows": "1",
        "outputs": "0", "retries": "0", "error": "",
    }  # fmt: skip


def test_that_a_limit_omits_items_is_reported(recorded: str) -> None:
    _, output, errors = run(recorded, "--run", RUN, "--limit", "3", "--format", "jsonl")
    assert len(output.splitlines()) == 3
    assert errors == "The first 3 items are shown. --limit 0 shows all.\n"


def test_the_options_list_all_outcomes() -> None:
    assert tuple(str(flag.name).lower() for flag in Outcome) == trace_items.OUTCOMES


def test_the_options_load_no_module_that_only_a_query_needs() -> None:
    code = (
        "import sys, lineage_cli.trace;"
        "print(sorted({'psycopg', 'lineage.query', 'lineage.records'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
