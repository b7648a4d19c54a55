"""What jobs on Delta Lake and Apache Iceberg read and write, on their real jars."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openlineage_shape import assert_valid
from recorded import Recorded, run
from spark_releases import environment

if TYPE_CHECKING:
    from lake_cases import Case

JOB = Path(__file__).parent / "jobs" / "cases.py"
LAKES = ["iceberg_cases"]
CASES = [(lake, case) for lake in LAKES for case in importlib.import_module(lake).CASES]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Recorded]:
    """What was recorded of each lake's cases."""
    return {lake: _run(lake, tmp_path_factory.mktemp(lake)) for lake in LAKES}


def _run(lake: str, directory: Path) -> Recorded:
    release = importlib.import_module(lake).CONNECTOR.spark
    return run(JOB, directory, lake, environment=environment(release), timeout=900)


each_case = pytest.mark.parametrize(
    ("lake", "case"), CASES, ids=[f"{lake}: {case.name}" for lake, case in CASES]
)


def _datasets(recorded: Recorded, case: Case, part: str) -> list[Any]:
    return [item for event in recorded.ends(case.name) for item in event[part]]


@each_case
def test_it_reads(lake: str, case: Case, recorded: dict[str, Recorded]) -> None:
    assert recorded[lake].ends(case.name), "the case gave no event"
    found = _datasets(recorded[lake], case, "inputs")
    assert recorded[lake].named(found) == set(case.reads)


@each_case
def test_it_writes(lake: str, case: Case, recorded: dict[str, Recorded]) -> None:
    found = _datasets(recorded[lake], case, "outputs")
    assert recorded[lake].named(found) == set(case.writes)


@pytest.mark.parametrize("lake", LAKES)
def test_the_events_are_as_the_spec_wants_them(lake: str, recorded: dict[str, Recorded]) -> None:
    for event in recorded[lake].events:
        assert_valid(event)
