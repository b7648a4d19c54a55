"""Table and column lineage of the TPC-H queries, compared with the semantics of their SQL."""

from __future__ import annotations

import pytest
from support.cases.tpch.queries import QUERIES, Query
from support.cases.tpch.run import Recorded, run
from support.events.openlineage_schema import assert_valid

# test_columns.py has a case of each of their operators.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    return run(tmp_path_factory.mktemp("tpch"))


each_query = pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)


@each_query
def test_it_reads_its_tables_and_writes_one(query: Query, recorded: Recorded) -> None:
    end = recorded.end(query)
    read = {item["name"].rsplit("/", 1)[-1].removeprefix("default.") for item in end["inputs"]}
    assert read == query.reads
    (output,) = end["outputs"]
    assert output["name"].endswith(f"/{query.name}")


@each_query
def test_column_lineage_follows_the_sql(query: Query, recorded: Recorded) -> None:
    assert recorded.columns(query) == query.columns


@each_query
def test_indirect_sources_are_listed_once(query: Query, recorded: Recorded) -> None:
    assert recorded.rows(query) == query.rows


@each_query
def test_nothing_is_unknown(query: Query, recorded: Recorded) -> None:
    event = recorded.end(query)
    assert "lineage_unresolved" not in event["run"]["facets"]
    assert_valid(event)


@each_query
def test_it_finds_rows(query: Query, recorded: Recorded) -> None:
    (output,) = recorded.end(query)["outputs"]
    assert output["outputFacets"]["outputStatistics"]["rowCount"] > 0
