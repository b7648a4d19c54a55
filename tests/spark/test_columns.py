"""Column lineage of real Spark queries, compared with the semantics of their SQL."""

from __future__ import annotations

import pytest
from support.cases.column_run import Recorded, run
from support.cases.column_suite import CASES, COMMANDS
from support.cases.columns import Case, edges
from support.events.openlineage_schema import assert_valid


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return run(tmp_path_factory.mktemp("columns"))


each_case = pytest.mark.parametrize("case", [*CASES, *COMMANDS], ids=lambda case: case.name)


@each_case
def test_column_lineage_follows_the_sql(case: Case, recorded: Recorded) -> None:
    expected = {name: edges(text) for name, text in case.columns.items()}
    assert recorded.columns(case) == expected


@each_case
def test_indirect_sources_are_listed_once(case: Case, recorded: Recorded) -> None:
    assert recorded.rows(case) == edges(case.rows)


@each_case
def test_unresolved_operators_are_marked(case: Case, recorded: Recorded) -> None:
    facet = recorded.end(case)["run"]["facets"].get("lineage_unresolved", {})
    assert {item["operator"] for item in facet.get("items", [])} == case.unresolved


@each_case
def test_the_events_are_as_the_spec_wants_them(case: Case, recorded: Recorded) -> None:
    assert_valid(recorded.end(case))
