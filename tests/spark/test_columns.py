"""Column lineage of real Spark queries, against what SQL means and against what Spark computes."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

import pytest
from openlineage_shape import assert_valid
from recorded import TESTS, Event, Recorded, run
from spark_column_cases import Case, Edge, claimed, edges
from spark_column_suite import CASES, COMMANDS
from spark_variations import touches

JOB = TESTS / "spark" / "jobs" / "columns.py"
# What the oracle tries: "all" is each column alone, see jobs/columns.py.
ORACLE = os.environ.get("COLUMN_ORACLE", "").split()


@dataclass
class Columns:
    """The last event of each case, and what changed where one column had other values."""

    recorded: Recorded
    changes: list[tuple[str, list[str], list[str], bool]]

    def end(self, case: Case) -> Event:
        return self.recorded.ends(case.name)[-1]

    def facets(self, case: Case) -> dict[str, Event]:
        """By what the names of columns are told with: the table, where there are several."""
        outputs = self.end(case)["outputs"]
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
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Columns:
    directory = tmp_path_factory.mktemp("columns")
    found = run(JOB, directory, *ORACLE, timeout=7_200 if ORACLE else 900)
    return Columns(found, json.loads((directory / "changes.json").read_text()))


each_case = pytest.mark.parametrize("case", [*CASES, *COMMANDS], ids=lambda case: case.name)
each_query = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@each_case
def test_each_column_is_made_of_what_sql_says(case: Case, recorded: Columns) -> None:
    expected = {name: edges(text) for name, text in case.columns.items()}
    assert recorded.columns(case) == expected


@each_case
def test_what_decides_the_rows_stands_once(case: Case, recorded: Columns) -> None:
    assert recorded.rows(case) == edges(case.rows)


@each_case
def test_it_owns_up_to_what_is_unknown(case: Case, recorded: Columns) -> None:
    facet = recorded.end(case)["run"]["facets"].get("lineage_unresolved", {})
    assert {item["operator"] for item in facet.get("items", [])} == case.unresolved


@each_case
def test_the_events_are_as_the_spec_wants_them(case: Case, recorded: Columns) -> None:
    assert_valid(recorded.end(case))


@each_query
def test_every_column_that_changes_a_result_is_claimed(case: Case, recorded: Columns) -> None:
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
    case: Case, recorded: Columns
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
def test_other_values_do_change_results(case: Case, recorded: Columns) -> None:
    """Were it not so, the tests above would claim nothing."""
    alone = [
        results
        for name, changed, results, _ in recorded.changes
        if name == case.name and len(changed) == 1
    ]
    assert not alone or any(alone)
