"""Plan documents of streaming queries and topics, in cases that no broker can produce."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    application,
    ended,
    events,
    execution_end,
    facet,
    read_by,
    unresolved,
    written_by,
)

QUERY = "0b6c1f8e-3c55-4b0e-8a6c-6f8f0e1d2c3b"
SERVERS = "one:9092,two:9092"
KAFKA_TABLE = {"v2": {"class": "org.apache.spark.sql.kafka010.KafkaSourceProvider$KafkaTable"}}
FILE_SINK = {"class": "org.apache.spark.sql.execution.streaming.sinks.FileStreamSink"}
BATCH_SINK = {"class": "org.apache.spark.sql.execution.streaming.sources.ForeachBatchSink"}


def query(kind: str, plan: Json | None, **facts: Any) -> Json:
    """Return a document of a streaming query; ``options`` are those of its sink."""
    named = {key: facts.pop(key) for key in ("name", "options") if key in facts}
    return {
        "lineage": 1,
        "kind": kind,
        "time": 70_000,
        "app": application(conf=facts.pop("conf", {})),
        "query": {"id": QUERY, "run": QUERY, **named},
        "started": {"time": 60_000, "plan": facts.pop("told", True)},
        "progress": {"batches": 1, "sources": facts.pop("sources", [])},
        "plan": plan,
        **facts,
    }


def topics(plans: Plans, **options: str) -> int:
    given = {"kafka.bootstrap.servers": SERVERS, **options}
    return plans.node(
        "StreamingRelationV2",
        out=[plans.attribute("value", "binary")],
        sourceName="kafka",
        table=KAFKA_TABLE,
        extraOptions={"map": given},
    )


def files(plans: Plans, path: str) -> int:
    opened = {"className": "json", "options": {"map": {"path": path}}}
    source = {"class": "org.apache.spark.sql.execution.datasources.DataSource", "args": opened}
    return plans.node("StreamingRelation", out=[plans.attribute("id")], dataSource=source)


def into(plans: Plans, child: int, sink: Json, **args: Any) -> Json:
    plans.node("WriteToStream", child, out=[], sink=sink, outputMode="Append", **args)
    return plans.build()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"subscribe": "a, b"}, ["kafka://one:9092 a", "kafka://one:9092 b"]),
        ({"assign": '{"a":[0,1],"b":[2]}'}, ["kafka://one:9092 a", "kafka://one:9092 b"]),
        ({"subscribePattern": "a.*"}, []),
    ],
)
def test_topics_are_named_by_the_options(options: dict[str, str], expected: list[str]) -> None:
    plans = Plans()
    plan = into(plans, topics(plans, **options), FILE_SINK)
    (start,) = events(query("query_start", plan, options={"path": "/out"}))
    assert read_by(start) == expected


def test_a_pattern_is_what_it_matched() -> None:
    plans = Plans()
    plan = into(plans, topics(plans, subscribePattern="a.*"), FILE_SINK)
    sources = [{"description": "KafkaV2[..]", "rows": 5, "topics": ["a1", "a2"]}]
    (told,) = events(query("query_progress", plan, options={"path": "/out"}, sources=sources))
    assert read_by(told) == ["kafka://one:9092 a1", "kafka://one:9092 a2"]
    assert unresolved(told) == []
    assert all("inputStatistics" not in item["inputFacets"] for item in told["inputs"])


def test_a_topic_is_written() -> None:
    plans = Plans()
    plan = into(plans, files(plans, "/in"), KAFKA_TABLE)
    options = {"kafka.bootstrap.servers": SERVERS, "topic": "copies"}
    (told,) = events(query("query_progress", plan, options=options))
    assert written_by(told) == ["kafka://one:9092 copies"]
    assert facet(told["outputs"][0], "schema") == {}


def test_a_topic_chosen_by_each_row_is_unresolved() -> None:
    plans = Plans()
    plan = into(plans, files(plans, "/in"), KAFKA_TABLE)
    options = {"kafka.bootstrap.servers": SERVERS}
    (told,) = events(query("query_progress", plan, options=options))
    assert (written_by(told), unresolved(told)) == ([], ["WriteToStream"])


def relation(plans: Plans, **options: str) -> int:
    """Add the read of a batch from Kafka."""
    cls = "org.apache.spark.sql.kafka010.KafkaRelation"
    given = {"kafka.bootstrap.servers": SERVERS, **options}
    return plans.node(
        "LogicalRelation",
        out=[plans.attribute("value", "binary")],
        relation={"relation": {"class": cls, "options": given}},
    )


def save(plans: Plans, rows: int, *topics: str, **options: str) -> Json:
    """Return a batch that writes to Kafka; ``topics`` are literals in its rows."""
    plans.node(
        "SaveIntoDataSourceCommand",
        inner=[rows],
        query={"plan": rows},
        dataSource={"source": {"provider": "kafka"}},
        options={"map": {"kafka.bootstrap.servers": SERVERS, **options}},
        mode="ErrorIfExists",
        **({"topics": list(topics)} if topics else {}),
    )
    return plans.build()


def test_topics_of_a_batch() -> None:
    plans = Plans()
    end = ended(execution_end(save(plans, relation(plans, subscribe="a"), topic="b")))
    assert read_by(end) == ["kafka://one:9092 a"]
    assert written_by(end) == ["kafka://one:9092 b"]
    assert facet(end["outputs"][0], "lineage_write")["mode"] == "append"
    assert "lifecycleStateChange" not in end["outputs"][0]["facets"]


def test_a_pattern_is_what_the_scan_of_a_batch_read() -> None:
    plans = Plans()
    plan = save(plans, relation(plans, subscribePattern="a.*"), topic="b")
    scan = {"node": "Scan KafkaRelation", "relation": 0, "values": {"numOutputRows": 5}}
    nested = [{"id": 8, "plan": plan, "metrics": [{**scan, "topics": ["a1", "a2"]}]}]
    assert unresolved(ended(execution_end(plan, metrics=[scan]))) == ["LogicalRelation"]
    known = ended(execution_end(plan, metrics=[{**scan, "topics": ["a1", "a2"]}]))
    assert (read_by(known), unresolved(known)) == (
        ["kafka://one:9092 a1", "kafka://one:9092 a2"],
        [],
    )
    # The reads of a nested execution do not resolve those of other plans.
    assert unresolved(ended(execution_end(plan, nested=nested))) == ["LogicalRelation"]


@pytest.mark.parametrize(("streaming", "known"), [(False, True), (True, False)])
def test_what_the_connector_prepares_for_a_batch_is_no_run(streaming: bool, known: bool) -> None:
    plans = Plans()
    rdd = {"rdd": {"id": 4, "class": "org.apache.spark.rdd.MapPartitionsRDD", "source": "kafka"}}
    rows = plans.node("LogicalRDD", out=[plans.attribute("value")], rdd=rdd, isStreaming=streaming)
    plans.node("DeserializeToObject", rows, out=[])
    assert (events(execution_end(plans.build())) == []) is known


def test_a_topic_that_rows_name_by_a_literal() -> None:
    plans = Plans()
    end = ended(execution_end(save(plans, relation(plans, subscribe="a"), "b")))
    assert (written_by(end), unresolved(end)) == (["kafka://one:9092 b"], [])
    assert list(facet(end["outputs"][0], "columnLineage")["fields"]) == ["value"]


def test_an_option_wins_over_the_topic_that_rows_name() -> None:
    plans = Plans()
    end = ended(execution_end(save(plans, relation(plans, subscribe="a"), "b", "c", topic="d")))
    assert (written_by(end), unresolved(end)) == (["kafka://one:9092 d"], [])


def test_topics_named_by_rows_have_no_column_lineage() -> None:
    plans = Plans()
    end = ended(execution_end(save(plans, relation(plans, subscribe="a"), "b", "c")))
    assert written_by(end) == ["kafka://one:9092 b", "kafka://one:9092 c"]
    assert unresolved(end) == ["SaveIntoDataSourceCommand"]
    assert not [item for item in end["outputs"] if facet(item, "columnLineage")]


def test_a_stream_adds_to_a_topic_whatever_its_output_mode() -> None:
    plans = Plans()
    plans.node(
        "WriteToStream", files(plans, "/in"), out=[], sink=KAFKA_TABLE, outputMode="Complete"
    )
    options = {"kafka.bootstrap.servers": SERVERS, "topic": "copies"}
    (told,) = events(query("query_progress", plans.build(), options=options))
    assert facet(told["outputs"][0], "lineage_write")["mode"] == "append"
    assert facet(told["outputs"][0], "lifecycleStateChange") == {}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/in/", "file /in"),
        ("in", "file /home/ann/in"),
        ("s3a://lake/in/*/part-*", "s3://lake in"),
    ],
)
def test_a_directory_is_watched(path: str, expected: str) -> None:
    plans = Plans()
    plan = into(plans, files(plans, path), FILE_SINK)
    document = query("query_start", plan, options={"path": "/out"}, conf={"user.dir": "/home/ann"})
    (start,) = events(document)
    assert read_by(start) == [expected]


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("nightly copy", {}, "nightly_load.write_to_stream.nightly copy"),
        (
            None,
            {"resolvedCheckpointLocation": "file:/checkpoints/copy"},
            "nightly_load.write_to_stream.checkpoints_copy",
        ),
        (
            None,
            {"resolvedCheckpointLocation": "file:/tmp/t-123", "deleteCheckpointOnStop": True},
            "nightly_load.write_to_stream.foreach_batch",
        ),
    ],
)
def test_a_job_has_its_name_after_a_restart(
    name: str | None, args: dict[str, Any], expected: str
) -> None:
    plans = Plans()
    plan = into(plans, files(plans, "/in"), BATCH_SINK, **args)
    (start,) = events(query("query_start", plan, **({"name": name} if name else {})))
    assert start["job"]["name"] == expected


def test_a_foreach_batch_that_wrote_nothing_in_its_thread_is_marked() -> None:
    plans = Plans()
    plan = into(plans, files(plans, "/in"), BATCH_SINK)
    (_, end) = events(query("query_end", plan, told=False, outcome="COMPLETE"))
    (item,) = facet(end["run"], "lineage_unresolved")["items"]
    assert item["reason"].startswith("foreachBatch without outputs")
    (_, running) = events(query("query_progress", plan, told=False))
    assert unresolved(running) == []


def test_a_start_that_could_not_report_is_reported_later() -> None:
    plans = Plans()
    plan = into(plans, files(plans, "/in"), FILE_SINK)
    assert events(query("query_start", None, told=False)) == []
    told = events(query("query_progress", plan, told=False, options={"path": "/out"}))
    assert [event["eventType"] for event in told] == ["START", "RUNNING"]
    assert told[0]["eventTime"] == "1970-01-01T00:01:00.000Z"
    assert len({event["run"]["runId"] for event in told}) == 1


def test_the_plan_of_a_micro_batch_stands_in_for_that_of_the_query() -> None:
    plans = Plans()
    read = plans.files("file:/in/part-00000-x.json", form="json")
    plans.node(
        "WriteToMicroBatchDataSourceV1",
        read,
        out=[],
        sink=FILE_SINK,
        writeOptions={"map": {"path": "/out"}},
        outputMode="Append",
    )
    (told,) = events(query("query_progress", plans.build()))
    assert (read_by(told), written_by(told)) == (["file /in"], ["file /out"])


def nested(plans: Plans, ids: list[int], rdd: int, path: str) -> Json:
    """Return a write of the micro-batch ``rdd``."""
    held = {"rdd": {"id": rdd, "class": "org.apache.spark.sql.execution.SQLExecutionRDD"}}
    batch = plans.node("LogicalRDD", out=ids, rdd=held)
    plans.node("InsertIntoHadoopFsRelationCommand", batch, out=[], outputPath=path, mode="Append")
    return plans.build()


def test_rows_from_outside_the_stream_are_unresolved() -> None:
    stream = Plans()
    plan = into(stream, files(stream, "/in"), BATCH_SINK)
    own, other = Plans(), Plans()
    ran = [
        nested(own, [own.attribute("id")], 3, "file:/own"),
        nested(other, [other.expr("#", 77, "id", 0)], 4, "file:/other"),
    ]
    other.types.append("bigint")
    document = query("query_progress", plan, nested=[{"id": 1, "plan": ran[0], "metrics": []}])
    (told,) = events(document)
    (output,) = told["outputs"]
    assert facet(output, "columnLineage")["fields"]["id"]["inputFields"][0]["name"] == "/in"
    assert unresolved(told) == []
    document["nested"].append({"id": 2, "plan": ran[1], "metrics": []})
    (told,) = events(document)
    assert written_by(told) == ["file /own", "file /other"]
    assert unresolved(told) == ["LogicalRDD"]


INDEXED = ("add", "index", "version", "isLast", "shouldSkip")


@pytest.mark.parametrize(
    ("columns", "roots"),
    [
        (INDEXED, [{"class": "org.apache.spark.sql.execution.ShuffledRowRDD"}]),
        (("add", "path"), [{"class": "FileScanRDD", "paths": ["file:/wh/t/_delta_log"]}]),
    ],
)
def test_the_log_that_a_stream_of_delta_goes_through_is_no_dataset(
    columns: tuple[str, ...], roots: list[Json]
) -> None:
    rdd = {"rdd": {"id": 4, "class": "MapPartitionsRDD", "roots": roots}}
    plans = Plans()
    plans.node("LogicalRDD", out=[plans.attribute(name) for name in columns], rdd=rdd)
    assert events(execution_end(plans.build())) == []


def test_files_of_the_log_among_others_are_rows_of_an_rdd() -> None:
    roots = [{"class": "FileScanRDD", "paths": ["file:/wh/t/_delta_log", "file:/wh/t"]}]
    plans = Plans()
    rdd = {"rdd": {"id": 4, "class": "MapPartitionsRDD", "roots": roots}}
    plans.node("LogicalRDD", out=[plans.attribute("id")], rdd=rdd)
    (event,) = events(execution_end(plans.build()))
    assert unresolved(event) == ["LogicalRDD"]


def test_objects_that_a_stream_of_delta_goes_through_are_its_log() -> None:
    plans = Plans()
    roots = [{"class": "org.apache.spark.sql.execution.ShuffledRowRDD"}]
    rdd = {"rdd": {"id": 4, "class": "ZippedWithIndexRDD", "roots": roots}}
    objects = plans.node("ExternalRDD", out=[plans.attribute("obj")], rdd=rdd)
    plans.node("Project", objects, out=[plans.attribute(name) for name in INDEXED], projectList=[])
    assert events(execution_end(plans.build())) == []
