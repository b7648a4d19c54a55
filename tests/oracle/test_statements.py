"""Spark as the judge of the Spark SQL cases: its plans have the expected tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.cases.spark_statements import CASES
from support.spark.recorded import TESTS, Recorded, run

if TYPE_CHECKING:
    from support.cases.statements import Case
    from support.spark.recorded import Event

    from lineage.sql.records import Name

JOB = TESTS / "spark" / "jobs" / "statements.py"

# The tables are empty: the branch of IF that reads and writes these does not run.
OTHER_BRANCH = {"mk18": ({("raw", "gone")}, {("mart", "ids")})}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return run(JOB, tmp_path_factory.mktemp("statements"))


def tables(recorded: Recorded, datasets: list[Event]) -> set[Name]:
    """Return the tables of the warehouse by database and name, without other directories."""
    names = {recorded.name(dataset).partition("wh/")[2] for dataset in datasets}
    return {tuple(name.replace(".db/", "/").split("/")) for name in names if name}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identifier)
def test_plans_have_the_expected_tables(case: Case, recorded: Recorded) -> None:
    events = recorded.ends(case.identifier)
    inputs = tables(recorded, [item for event in events for item in event["inputs"]])
    outputs = tables(recorded, [item for event in events for item in event["outputs"]])
    # Events have both names of a rename, and a dropped table as an output.
    renames = case.expected.renames
    changed = {new for _, new in renames} | case.expected.drops
    skipped_reads, skipped_writes = OTHER_BRANCH.get(case.identifier, (set(), set()))
    assert inputs == case.expected.reads - skipped_reads | {old for old, _ in renames}, case.title
    assert outputs == set(case.expected.flows) - skipped_writes | changed, case.title
