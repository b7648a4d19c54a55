"""Plan documents recorded with Spark 4.3, and their expected events, written by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import Json, change, ended, facet, read_by, written_by

GOLDEN = Path(__file__).parents[2] / "golden" / "spark"


class Means(NamedTuple):
    """The expected lineage of a document: datasets with their rows if known."""

    job: str
    reads: dict[str, int | None]
    writes: dict[str, int | None]
    change: str | None = None
    state: str = "COMPLETE"
    tables: tuple[str, ...] = ()


MEANING = {
    "ctas_at_location": Means(
        "create_data_source_table_as_select_command.mart_far",
        {"file /lake/wh/sales": 2},
        {"file /lake/far": 2},
        "CREATE",
    ),
    "in_subquery": Means(
        "create_data_source_table_as_select_command.default_ins",
        {"file /lake/wh/sales": 2, "file /lake/wh/days": 3},
        {"file /lake/wh/ins": 2},
        "CREATE",
        tables=("file:/lake/wh default.ins",),
    ),
    "view_over_view": Means(
        "create_data_source_table_as_select_command.default_of_view",
        {
            "file:/lake/wh default.top_view": None,
            "file:/lake/wh default.sales_view": None,
            "file /lake/wh/sales": 2,
            "file /lake/wh/days": 3,
        },
        {"file /lake/wh/of_view": 3},
        "CREATE",
        tables=("file:/lake/wh default.of_view",),
    ),
    "self_insert": Means(
        "insert_into_hadoop_fs_relation_command.mart_target",
        {"file /lake/wh/mart.db/target": 2},
        {"file /lake/wh/mart.db/target": 2},
        tables=("file:/lake/wh mart.target",),
    ),
    "multi_insert": Means(
        "insert_into_hadoop_fs_relation_command.mart_target",
        {"file /lake/wh/sales": 4},
        {"file /lake/wh/mart.db/target": 2, "file /lake/wh/days": 1},
        tables=("file:/lake/wh mart.target", "file:/lake/wh default.days"),
    ),
    "failed_write": Means(
        "insert_into_hadoop_fs_relation_command.lake_failed",
        {"file /lake/people": None},
        {"file /lake/failed": None},
        "CREATE",
        "FAIL",
    ),
}


def golden(name: str) -> Json:
    document: Json = json.loads((GOLDEN / f"{name}.json").read_text())
    return document


def rows(datasets: list[Json], kind: str) -> dict[str, Any]:
    return {
        f"{item['namespace']} {item['name']}": facet(item, kind).get("rowCount")
        for item in datasets
    }


@pytest.mark.parametrize("name", MEANING)
def test_a_recorded_document_means_what_its_sql_says(name: str) -> None:
    event, means = ended(golden(name)), MEANING[name]
    assert_valid(event)
    assert event["job"]["name"] == f"fidelity.{means.job}"
    assert event["eventType"] == means.state
    assert rows(event["inputs"], "inputStatistics") == means.reads
    assert rows(event["outputs"], "outputStatistics") == means.writes
    assert sorted(read_by(event)) == sorted(means.reads)
    assert sorted(written_by(event)) == sorted(means.writes)
    known_as = [
        f"{table['namespace']} {table['name']}"
        for output in event["outputs"]
        for table in facet(output, "symlinks").get("identifiers", [])
    ]
    assert tuple(known_as) == means.tables
    if len(means.writes) == 1:
        assert change(event) == means.change


def test_every_recorded_document_has_its_meaning_written() -> None:
    assert {file.stem for file in GOLDEN.glob("*.json")} == set(MEANING)


def test_the_columns_of_a_table_are_those_that_were_written() -> None:
    (output,) = ended(golden("ctas_at_location"))["outputs"]
    columns = [(field["name"], field["type"]) for field in facet(output, "schema")["fields"]]
    assert columns == [("id", "bigint"), ("name", "string")]


def test_a_failure_is_reported_with_its_class_and_message() -> None:
    message = facet(ended(golden("failed_write"))["run"], "errorMessage")
    assert message["message"].startswith("org.apache.spark.SparkRuntimeException: [USER_RAISED")
