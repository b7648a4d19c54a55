"""Lineage of jobs on topics of a real broker."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.openlineage_schema import assert_valid
from support.services.kafka import PASSWORD, Broker, broker
from support.spark.connector_packages import KAFKA
from support.spark.recorded import Recorded, run
from support.spark.releases import environment

if TYPE_CHECKING:
    from collections.abc import Iterator

JOB = Path(__file__).parent / "jobs" / "kafka.py"
Event = dict[str, Any]


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    with broker(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="module")
def recorded(kafka: Broker, tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    directory = tmp_path_factory.mktemp("topics")
    servers = (kafka.plain, kafka.sasl, PASSWORD)
    return run(JOB, directory, *servers, environment=environment(KAFKA.spark), timeout=900)


def stream(recorded: Recorded, name: str) -> list[Event]:
    job = f"topics.write_to_stream.{name}"
    return [event for event in recorded.events if event["job"]["name"] == job]


def end(recorded: Recorded, case: str) -> Event:
    """Return the end of a batch case, or of a streaming query of this name."""
    streamed = stream(recorded, case)
    return streamed[-1] if streamed else recorded.ends(case)[0]


def names(recorded: Recorded, datasets: list[Event]) -> set[str]:
    return {
        f"topic {item['name']}" if item["namespace"].startswith("kafka:") else recorded.name(item)
        for item in datasets
    }


@pytest.mark.parametrize(
    ("case", "read", "written"),
    [
        ("write", {"people"}, {"topic people"}),
        ("write, each row where it says", {"people"}, set()),
        ("write where a literal says", {"people"}, {"topic orders1"}),
        ("write where two literals say", {"people"}, {"topic orders1", "topic orders2"}),
        ("read a list", {"topic people", "topic orders1"}, {"listed"}),
        ("read partitions", {"topic people"}, {"assigned"}),
        ("read a pattern", {"topic orders1", "topic orders2"}, {"matched"}),
        ("create a table over topics", set(), {"wh/logs"}),
        ("read a table", {"topic people", "wh/logs"}, set()),
        ("read by the second API", {"topic people"}, set()),
        ("write by the second API", {"people"}, {"topic spare"}),
        ("several servers", {"topic people"}, set()),
        ("behind a password", {"topic people"}, set()),
        ("secured", {"topic people"}, {"topic guarded"}),
        ("to files", {"topic people"}, {"names"}),
        ("to a topic", {"people"}, {"topic copies"}),
        ("where a literal says", {"people"}, {"topic orders1"}),
        ("to topics", {"people"}, set()),
        ("by pattern", {"topic orders1", "topic orders2"}, {"topic gathered"}),
        ("in batches", {"topic people"}, {"topic from_batches", "wh/kept"}),
    ],
)
def test_what_is_read_and_written(
    recorded: Recorded, case: str, read: set[str], written: set[str]
) -> None:
    event = end(recorded, case)
    assert event["eventType"] == "COMPLETE"
    assert names(recorded, event["inputs"]) == read
    assert names(recorded, event["outputs"]) == written


def test_a_topic_is_named_by_the_first_server(recorded: Recorded, kafka: Broker) -> None:
    (item,) = end(recorded, "several servers")["inputs"]
    assert (item["namespace"], item["name"]) == (f"kafka://{kafka.plain}", "people")
    assert item["facets"]["datasetType"]["datasetType"] == "TOPIC"
    (item,) = end(recorded, "to a topic")["outputs"]
    assert (item["namespace"], item["name"]) == (f"kafka://{kafka.plain}", "copies")


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("write, each row where it says", "a topic that each row chooses"),
        ("write where two literals say", "rows whose assignment to topics is not known"),
        ("to topics", "a topic that each row chooses"),
    ],
)
def test_parts_missing_in_the_plan_are_unresolved(
    recorded: Recorded, case: str, reason: str
) -> None:
    items = end(recorded, case)["run"]["facets"]["lineage_unresolved"]["items"]
    assert [item["reason"] for item in items] == [reason]


def columns(event: Event, output: str) -> dict[str, set[tuple[str, str]]]:
    (found,) = [item for item in event["outputs"] if item["name"].endswith(output)]
    return {
        name: {
            (f"{source['name'].rpartition('/')[2]}.{source['field']}", how["subtype"])
            for source in field["inputFields"]
            for how in source["transformations"]
        }
        for name, field in found["facets"]["columnLineage"]["fields"].items()
    }


def test_columns_lead_through_topics(recorded: Recorded) -> None:
    assert columns(end(recorded, "write"), "people") == {
        "key": {("people.key", "IDENTITY")},
        "value": {("people.value", "TRANSFORMATION")},
    }
    assert columns(end(recorded, "read a list"), "listed") == {
        "name": {("people.value", "TRANSFORMATION"), ("orders1.value", "TRANSFORMATION")}
    }
    assert columns(end(recorded, "read a pattern"), "matched") == {
        "value": {("orders1.value", "IDENTITY"), ("orders2.value", "IDENTITY")}
    }
    # The topic is a literal, which has no source.
    for case in ("write where a literal says", "where a literal says"):
        assert columns(end(recorded, case), "orders1") == {"value": {("people.value", "IDENTITY")}}
    two = end(recorded, "write where two literals say")["outputs"]
    assert not [item for item in two if "columnLineage" in item["facets"]]
    assert columns(end(recorded, "to files"), "names") == {
        "name": {("people.value", "TRANSFORMATION")}
    }
    assert columns(end(recorded, "by pattern"), "gathered") == {
        "value": {("orders1.value", "IDENTITY"), ("orders2.value", "IDENTITY")}
    }
    batches = end(recorded, "in batches")
    assert columns(batches, "from_batches") == {"value": {("people.value", "TRANSFORMATION")}}
    assert columns(batches, "kept") == {"name": {("people.value", "TRANSFORMATION")}}


def test_rows_of_a_batch_are_counted(recorded: Recorded) -> None:
    (read,) = end(recorded, "several servers")["inputs"]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 2
    listed = end(recorded, "read a list")["inputs"]
    assert not [item for item in listed if "inputStatistics" in item["inputFacets"]]


def test_rows_of_a_stream_are_counted(recorded: Recorded) -> None:
    (read,) = end(recorded, "to files")["inputs"]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] == 2
    (written,) = end(recorded, "to a topic")["outputs"]
    assert written["outputFacets"]["outputStatistics"]["rowCount"] == 2


def test_passwords_stay_in_the_driver(recorded: Recorded) -> None:
    spool = list((recorded.directory / "spool").iterdir())
    assert spool
    assert not [file for file in spool if PASSWORD.encode() in file.read_bytes()]


def test_the_events_are_as_the_spec_wants_them(recorded: Recorded) -> None:
    for event in recorded.events:
        assert_valid(event)
