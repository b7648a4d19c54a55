"""Column lineage of real Spark queries, against what SQL means and against what Spark computes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.serde import Serde
from openlineage_shape import assert_valid
from spark_column_cases import Case, Edge, claimed, edges
from spark_column_suite import CASES, COMMANDS
from spark_variations import touches

from lineage.spark.convert import convert
from lineage.spark.documents import parse

TESTS = Path(__file__).parent.parent
# What the oracle tries: "all" is each column alone, see jobs/columns.py.
ORACLE = os.environ.get("COLUMN_ORACLE", "").split()
Event = dict[str, Any]


@dataclass
class Recorded:
    """The last event of each case, and what changed where one column had other values."""

    ends: dict[str, Event]
    changes: list[tuple[str, list[str], list[str], bool]]

    def facets(self, case: Case) -> dict[str, Event]:
        """By what the names of columns are told with: the table, where there are several."""
        outputs = self.ends[case.name]["outputs"]
        tables = [f"{output['name'].rsplit('/', 1)[-1]}." for output in outputs]
        names = tables if len(tables) > 1 else [""]
        facets = (output["facets"]["columnLineage"] for output in outputs)
        return dict(zip(names, facets, strict=True))

    def columns(self, case: Case) -> dict[str, set[Edge]]:
        return {
            f"{table}{name}": claimed(field["inputFields"])
            for table, facet in self.facets(case).items()
            for name, field in facet["fields"].items()
        }

    def rows(self, case: Case) -> set[Edge]:
        return {edge for facet in self.facets(case).values() for edge in claimed(facet["dataset"])}


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    directory = tmp_path_factory.mktemp("columns")
    done = subprocess.run(
        [sys.executable, TESTS / "spark" / "jobs" / "columns.py", directory, *ORACLE],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(TESTS), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    (spool,) = (directory / "spool").glob("*.jsonl")
    lines = spool.read_text().splitlines()
    found = [event for line in lines for event in convert(parse(line))]
    by_case = {_case(event): event for event in map(Serde.to_dict, found)}
    return Recorded(by_case, json.loads((directory / "changes.json").read_text()))


def _case(event: Event) -> str | None:
    facts = event["run"]["facets"].get("lineage_execution", {}).get("facts", {})
    # Spark 3.5 tells of the job group the description alone, which is the same.
    name = facts.get("jobGroup", facts.get("description"))
    return name if event["eventType"] == "COMPLETE" else None


each_case = pytest.mark.parametrize("case", [*CASES, *COMMANDS], ids=lambda case: case.name)
each_query = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_each_column_is_made_of_what_sql_says(case: Case, recorded: Recorded) -> None:
    expected = {name: edges(text) for name, text in case.columns.items()}
    assert recorded.columns(case) == expected


@each_case
def test_what_decides_the_rows_stands_once(case: Case, recorded: Recorded) -> None:
    assert recorded.rows(case) == edges(case.rows)


@each_case
def test_it_owns_up_to_what_is_unknown(case: Case, recorded: Recorded) -> None:
    facet = recorded.ends[case.name]["run"]["facets"].get("lineage_unresolved", {})
    assert {item["operator"] for item in facet.get("items", [])} == case.unresolved


@each_case
def test_the_events_are_as_the_spec_wants_them(case: Case, recorded: Recorded) -> None:
    assert_valid(recorded.ends[case.name])


@each_query
def test_every_column_that_changes_a_result_is_claimed(case: Case, recorded: Recorded) -> None:
    """Where other values in an input column change a result, the lineage must have that column."""
    rows = {name for name, _, _ in recorded.rows(case)}
    columns = {key: {name for name, _, _ in of} for key, of in recorded.columns(case).items()}
    missed = [
        (changed, result)
        for name, changed, results, _ in recorded.changes
        if name == case.name and not case.unresolved
        for result in results
        if not any(touches(rows | columns.get(result, set()), path) for path in changed)
    ]
    assert missed == []


@each_query
def test_every_column_that_changes_the_number_of_rows_is_claimed(
    case: Case, recorded: Recorded
) -> None:
    rows = {name for name, _, _ in recorded.rows(case)}
    missed = [
        changed
        for name, changed, _, is_other in recorded.changes
        if name == case.name and is_other and not case.unresolved
        if not any(touches(rows, path) for path in changed)
    ]
    assert missed == []


@each_query
def test_other_values_do_change_results(case: Case, recorded: Recorded) -> None:
    """Were it not so, the tests above would claim nothing."""
    alone = [
        results
        for name, changed, results, _ in recorded.changes
        if name == case.name and len(changed) == 1
    ]
    assert not alone or any(alone)
