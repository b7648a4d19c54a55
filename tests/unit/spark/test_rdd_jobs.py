"""Jobs of RDDs: plan documents of executions without a statement."""

from __future__ import annotations

from typing import Any

from support.events.plan_documents import (
    Json,
    application,
    ended,
    events,
    execution_end,
    facet,
    read_by,
    unresolved,
    written_by,
)


def of_rdd(*roots: Json, **saved: str) -> Json:
    rdd = {"rdd": {"id": 3, "class": "R", "roots": list(roots)}}
    nodes: list[Json] = [
        {
            "op": "ExternalRDD",
            "out": [],
            "args": {"rdd": rdd},
        },
        {"op": "SaveAsHadoopFile", "in": [0], "args": saved},
    ]
    return {"types": [], "exprs": [], "nodes": nodes, "root": 1}


def test_a_write_of_an_rdd_reads_its_roots_and_creates_its_path() -> None:
    root = {"class": "org.apache.spark.rdd.HadoopRDD", "paths": ["file:/in"]}
    event = ended(execution_end(of_rdd(root, path="file:/out")))
    assert (read_by(event), written_by(event)) == (["file /in"], ["file /out"])
    assert event["outputs"][0]["outputFacets"]["lineage_write"]["mode"] == "create"


def test_a_write_without_a_path_is_marked() -> None:
    event = ended(execution_end(of_rdd({"class": "org.apache.spark.rdd.ParallelCollectionRDD"})))
    assert written_by(event) == []
    assert unresolved(event) == ["SaveAsHadoopFile"]


def test_jobs_that_nobody_saw_are_reported_on_the_run_of_the_application() -> None:
    def of(**facts: Any) -> Json:
        head = {"lineage": 1, "kind": "application_end", "time": 9, "app": application()}
        (event,) = events({**head, **facts})
        return facet(event["run"], "lineage_unresolved")

    (item,) = of(jobsUnseen=2)["items"]
    assert (item["operator"], item["detail"]) == ("RDD", "2")
    assert not of()


def test_the_rows_of_a_cached_rdd_are_not_those_of_its_files() -> None:
    root = {"class": "org.apache.spark.rdd.HadoopRDD", "paths": ["file:/in"]}
    scan = {"node": "Scan ExistingRDD", "relation": 0, "values": {"numOutputRows": 3}}
    event = ended(execution_end(of_rdd(root, path="file:/out"), metrics=[scan]))
    assert read_by(event) == ["file /in"]
    assert "inputStatistics" not in (event["inputs"][0].get("inputFacets") or {})
