"""Dry runs of jobs that remove or change rows: no wrong answer, and no change."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.spark import java

JOB = Path(__file__).parent / "jobs" / "dry_run_changes.py"
LINEAGE = Path(sys.executable).parent / "lineage"

# The command without which the job would read other rows, by case.
REFUSED = {
    "deleted": "DeleteFromTable",
    "deleted by an alias": "DeleteFromTable",
    "updated": "UpdateTable",
    "merged": "MergeIntoTable",
    "truncated": "TruncateTable",
    "dropped": "DropTable",
    "altered": "DropColumns",
    "renamed": "RenameTable",
    "in a subquery": "DeleteFromTable",
    "below a view": "DeleteFromTable",
    "inserted after a delete": "DeleteFromTable",
    "dropped with its database": "DropNamespace",
}
ANSWERED = {
    "written after truncate", "created after drop", "overwritten after a delete", "inserted",
    "not concerned",
}  # fmt: skip


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("changes")


@pytest.fixture(scope="module")
def outputs(lake: Path) -> dict[str, Any]:
    """Create the tables, run the job as a dry run, and return its output and the answer."""

    def run(before: list[object], *words: str) -> subprocess.CompletedProcess[str]:
        settings = {"spark.master": "local[1]", "spark.ui.enabled": "false",
                    **java.WITHOUT_CODE_GENERATION}  # fmt: skip
        conf = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
        command = [*before, "spark-submit", *conf, JOB, lake, *words]
        environment = {**os.environ, **java.environment(), "PYSPARK_PYTHON": sys.executable}
        environment["LINEAGE_HOME"] = str(lake / "no-server")  # not that of the account
        environment["PATH"] = f"{LINEAGE.parent}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(
            list(map(str, command)), cwd=lake, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done

    created = run([], "create")
    trace = [LINEAGE, "trace", "gold", "--where", "id > 0", "--format", "json", "--"]
    done = run(trace)
    answers = json.loads(done.stdout)["traces"]
    return {
        "created": lines_of("ROWS", created.stdout),
        "rows": lines_of("ROWS", done.stderr),
        "cases": lines_of("CASE", done.stderr),
        # By the directory or the namespace of gold.
        "answers": {re.split("[/.]", answer["target"])[-2]: answer for answer in answers},
    }


def lines_of(word: str, output: str) -> dict[str, str]:
    lines = [line for line in output.splitlines() if line.startswith(f"{word} ")]
    return dict(line[5:].split(": ", 1) for line in lines)


def test_no_row_changes(outputs: dict[str, Any]) -> None:
    assert set(outputs["created"].values()) == {"[1, 2, 3, 4]"}
    assert outputs["rows"] == outputs["created"]


@pytest.mark.parametrize("case", REFUSED)
def test_a_read_after_a_change_is_rejected(case: str, outputs: dict[str, Any]) -> None:
    assert f"It did not execute {REFUSED[case]} of " in outputs["cases"][case]
    assert case not in outputs["answers"]


@pytest.mark.parametrize("case", sorted(ANSWERED))
def test_a_table_that_is_written_again_is_read_as_it_is(case: str, outputs: dict[str, Any]) -> None:
    assert outputs["cases"][case] == "done"
    answer = outputs["answers"][case]
    assert (answer["rows"], answer["fidelity"]) == (4, "exact")


def test_a_change_of_the_target_alone_limits_nothing(outputs: dict[str, Any]) -> None:
    assert outputs["cases"]["deleted in the target"] == "done"
    answer = outputs["answers"]["app"]
    assert (answer["rows"], answer["fidelity"]) == (4, "exact")


@pytest.mark.parametrize(
    ("case", "target", "change"),
    [
        ("deleted afterwards", "deleted afterwards", "DeleteFromTable of app.deleted_afterwards"),
        ("appended to itself", "own", "AppendData of own.gold"),
    ],
)
def test_a_source_that_changes_later_is_stale(
    case: str, target: str, change: str, outputs: dict[str, Any]
) -> None:
    assert outputs["cases"][case] == "done"
    answer = outputs["answers"][target]
    assert answer["fidelity"] == "stale"
    [reason] = [each for each in answer["reasons"] if each.startswith("changed later")]
    assert reason.replace(" db.", " ") == f"changed later by the job:{change}"
