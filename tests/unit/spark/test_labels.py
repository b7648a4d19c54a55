"""Facets of jobs and runs from settings: tags, owners and nominal time."""

from __future__ import annotations

import pytest
from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import (
    Json,
    Plans,
    application,
    ended,
    events,
    execution_end,
    facet,
)


def started(**settings: str) -> Json:
    """Return the START event of an application with these settings."""
    document = {"lineage": 1, "kind": "application_start", "time": 1_000}
    (event,) = events({**document, "app": application(settings=settings)})
    assert_valid(event)
    return event


def tags(part: Json) -> list[tuple[str, str, str]]:
    found = facet(part, "tags").get("tags", [])
    return [(tag["key"], tag["value"], tag["source"]) for tag in found]


def test_tags_are_of_the_job_and_of_its_run() -> None:
    event = started(**{"spark.lineage.tags": "team:sales, pii ,url:https://x/y"})
    expected = [
        ("team", "sales", "CONFIG"),
        ("pii", "true", "CONFIG"),
        ("url", "https://x/y", "CONFIG"),
    ]
    assert tags(event["job"]) == tags(event["run"]) == expected


def test_tags_of_openlineage_spark_have_a_source_and_lose_to_ours() -> None:
    event = started(
        **{
            "spark.openlineage.job.tags": "nightly;tier:gold;zone:eu:PLATFORM;one:two:three:four",
            "spark.openlineage.run.tags": "[attempt:2:SCHEDULER;team:theirs]",
            "spark.lineage.tags": "team:ours",
        }
    )
    assert tags(event["job"]) == [
        ("nightly", "true", "CONFIG"),
        ("tier", "gold", "CONFIG"),
        ("zone", "eu", "PLATFORM"),
        ("one", "two", "three"),
        ("team", "ours", "CONFIG"),
    ]
    assert tags(event["run"]) == [("attempt", "2", "SCHEDULER"), ("team", "ours", "CONFIG")]


def test_owners_have_the_type_that_their_setting_ends_in() -> None:
    event = started(
        **{
            "spark.openlineage.job.owners.team": "sales",
            "spark.openlineage.job.owners.person": "ann",
        }
    )
    owners = facet(event["job"], "ownership")["owners"]
    assert owners == [
        {"name": "sales", "type": "team"},
        {"name": "ann", "type": "person"},
    ]


def test_an_execution_has_the_tags_of_its_session() -> None:
    plans = Plans()
    plans.files("file:/a")
    document = execution_end(plans.build())
    document["app"]["settings"] = {"spark.lineage.tags": "team:other"}
    event = ended(document)
    assert tags(event["job"]) == tags(event["run"]) == [("team", "other", "CONFIG")]


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ("2026-01-31T22:00:00-02:00", "2026-02-01T00:00:00.000000Z", None),
        (
            "2026-01-01T00:00:00Z/2026-01-02T00:00:00Z",
            "2026-01-01T00:00:00.000000Z",
            "2026-01-02T00:00:00.000000Z",
        ),
    ],
)
def test_the_nominal_time_is_an_instant_or_an_interval(
    given: str, start: str, end: str | None
) -> None:
    told = facet(started(**{"spark.lineage.nominalTime": given})["run"], "nominalTime")
    assert (told["nominalStartTime"], told.get("nominalEndTime")) == (start, end)


@pytest.mark.parametrize("given", ["tomorrow", "2026-02-30T00:00:00Z", "a/b/c", "2026-01-01"])
def test_a_nominal_time_that_is_none_is_reported(given: str) -> None:
    run = started(**{"spark.lineage.nominalTime": given})["run"]
    assert facet(run, "nominalTime") == {}
    (item,) = facet(run, "lineage_unresolved")["items"]
    assert item["operator"] == "spark.lineage.nominalTime"


def test_without_settings_there_are_no_labels() -> None:
    event = started()
    assert not {"tags", "ownership"} & set(event["job"]["facets"])
    assert not {"tags", "nominalTime", "lineage_unresolved"} & set(event["run"]["facets"])
