"""Text output of ``lineage show``, for all facets that producers send."""

from __future__ import annotations

import pytest
from support.events.builders import dataset, run_event
from support.services.command_line import answer, graph_of

OWNERS = {"owners": [{"name": "team:finance", "type": "MAINTAINER"}, {"name": "ada"}, 3]}
TAGS = {"tags": [{"key": "env", "value": "prod"}, {"key": "pii", "value": "true"}]}
FIELDS = [
    {"name": "total", "type": "bigint", "description": "in cents\nsince 2024"},
    {"name": "address", "type": "struct", "fields": [{"name": "zip", "type": "text"}]},
]
DAY = {"type": "compare", "comparison": "GREATER_EQUAL_THAN",
       "left": {"type": "field", "field": "day"},
       "right": {"type": "literal", "value": "2026-01-01"}}  # fmt: skip
PARTS = {"type": "partition", "partitions": [{"dimensions": {"day": "1", "hour": 2}}]}

EVENTS = [
    run_event(
        "r1", "COMPLETE", 60, "report",
        reads=(
            dataset("raw", inputFacets={"subset": {"inputCondition": {
                "type": "binary", "operator": "AND", "left": DAY,
                "right": {"type": "location", "locations": ["s3://lake/raw/day=1"]}}}}),
        ),
        writes=(
            dataset(
                "gold", outputFacets={"subset": {"outputCondition": PARTS}},
                documentation={"description": "Revenue by day.\nIn euros."},
                ownership=OWNERS, schema={"fields": FIELDS},
                version={"datasetVersion": "7"},
                catalog={"framework": "iceberg", "type": "glue", "name": "lake",
                         "warehouseUri": "s3://lake"},
                hierarchy={"hierarchy": [{"type": "DATABASE", "name": "db"},
                                         {"type": "TABLE", "name": "gold"}]},
                dataSource={"name": "lake", "uri": "s3://lake"},
                storage={"storageLayer": "iceberg", "fileFormat": "parquet"},
            ),
        ),
        of_job={
            "documentation": {"description": "Sums up."}, "ownership": OWNERS, "tags": TAGS,
            "sql": {"query": "SELECT 1\nFROM raw"},
            "sourceCodeLocation": {"type": "git", "url": "https://git.example/r/blob/x/a.py",
                                   "path": "a.py", "version": "abc123"},
        },
        nominalTime={"nominalStartTime": "2026-01-01T00:00:00Z"},
        processing_engine={"name": "spark", "version": "4.0.1",
                           "openlineageAdapterVersion": "1.54.0"},
        tags=TAGS,
        extractionError={"totalTasks": 2, "failedTasks": 1, "errors": [
            {"errorMessage": "cannot parse\nat 3", "task": "SELEC 1", "taskNumber": 1}]},
    ),
    run_event("odd", "COMPLETE", 70, "odd", writes=(
        dataset("odd", schema=[3], ownership={"owners": {"a": 1}}, documentation="x",
                catalog=[], hierarchy={"hierarchy": [3]}, version=3,
                outputFacets={"subset": {"outputCondition": {"type": "binary", "left": 3}}}),),
        of_job={"sql": [1], "tags": {"tags": [None, {"key": 3}]}, "sourceCodeLocation": "x"},
        nominalTime=3, processing_engine={"name": {}}, extractionError={"errors": [1]},
        jobDependencies={"upstream": [{"job": 3}, 4]}, test={"tests": "x"}),
]  # fmt: skip

_graph = graph_of(EVENTS)


def shown(name: str) -> list[str]:
    return answer("show", name).splitlines()


@pytest.mark.parametrize(
    "line",
    [
        "description Revenue by day.",
        "            In euros.",
        "owner       team:finance (MAINTAINER)",
        "            ada",
        "version     7",
        "source      lake, s3://lake",
        "storage     iceberg, parquet",
        "catalog     lake, iceberg, glue, s3://lake",
        "hierarchy   DATABASE db > TABLE gold",
        "fields      total  bigint  in cents",
        "            address  struct",
        "            address.zip  text",
    ],
)
def test_of_a_dataset(line: str) -> None:
    assert line in shown("gold")


@pytest.mark.parametrize(
    "line",
    [
        "description Sums up.",
        "owner       team:finance (MAINTAINER)",
        "tags        env:prod",
        "            pii",
        "source code https://git.example/r/blob/x/a.py, a.py, abc123",
        "sql         SELECT 1",
        "            FROM raw",
    ],
)
def test_of_a_job(line: str) -> None:
    assert line in shown("report")


@pytest.mark.parametrize(
    "line",
    [
        "nominal     2026-01-01T00:00:00Z",
        "engine      spark 4.0.1",
        "adapter     1.54.0",
        "tags        env:prod",
        "unresolved  SELEC 1: cannot parse",
        "read        s3://lake/raw  ((day >= 2026-01-01 AND s3://lake/raw/day=1))",
    ],
)
def test_of_a_run(line: str) -> None:
    assert line in shown("r1")


def test_the_partition_of_an_output_is_printed() -> None:
    assert any(line.endswith("s3://lake/gold  (day=1/hour=2)") for line in shown("r1"))


@pytest.mark.parametrize("name", ["lake/odd", "etl/odd", "odd"])
def test_odd_facets_stop_nothing(name: str) -> None:
    assert shown(name)


def test_the_graph_has_what_could_not_be_extracted() -> None:
    rows = answer("cypher", "MATCH (r:Run {run_id: 'r1'}) RETURN r.unresolved", "--format", "csv")
    assert "SELEC 1: cannot parse" in rows
