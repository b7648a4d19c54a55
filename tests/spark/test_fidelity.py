"""What real Spark jobs read and write, against what their SQL means."""

from __future__ import annotations

import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from fidelity_cases import CASES, Case
from openlineage.client.serde import Serde

from lineage.spark.applications import events

HERE = Path(__file__).parent
Event = dict[str, Any]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    """The directory of one application that ran all cases, and its events."""
    directory = tmp_path_factory.mktemp("fidelity")
    done = subprocess.run(
        [sys.executable, HERE / "fidelity_job.py", directory],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    bad: list[object] = []
    found = [Serde.to_dict(event) for event in events(directory / "spool", bad.append)]
    assert bad == []
    return directory, found


@pytest.fixture(scope="session")
def by_case(recorded: tuple[Path, list[Event]]) -> dict[str, list[Event]]:
    """The events of the executions of each case."""
    cases = defaultdict(list)
    for event in recorded[1]:
        execution = event["run"]["facets"].get("lineage_execution")
        if execution:
            cases[execution["facts"]["jobGroup"]].append(event)
    return cases


def names(datasets: list[Event], directory: Path) -> set[str]:
    """Names below the directory, and of views without their namespace."""
    return {dataset["name"].removeprefix(f"{directory}/") for dataset in datasets}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reads_and_writes(
    case: Case, recorded: tuple[Path, list[Event]], by_case: dict[str, list[Event]]
) -> None:
    ended = [event for event in by_case[case.name] if event["eventType"] != "START"]
    assert ended, "the case gave no event"
    reads = set().union(*(names(event["inputs"], recorded[0]) for event in ended))
    # A view has no path: its name stands alone.
    expected = {f"default.{name}" if name.endswith("_view") else name for name in case.reads}
    assert reads == expected


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_writes(
    case: Case, recorded: tuple[Path, list[Event]], by_case: dict[str, list[Event]]
) -> None:
    outputs = [
        dataset
        for event in by_case[case.name]
        if event["eventType"] != "START"
        for dataset in event["outputs"]
    ]
    assert names(outputs, recorded[0]) == {
        f"default.{name}" if name in ("sales_view", "top_view") else name for name in case.writes
    }
    changes = {
        dataset["facets"].get("lifecycleStateChange", {}).get("lifecycleStateChange")
        for dataset in outputs
    }
    assert changes == ({case.change} if outputs else set())
