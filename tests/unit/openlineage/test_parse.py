"""Events are read strictly where lineage depends on them, and whole everywhere else."""

from __future__ import annotations

import json
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lineage.errors import InvalidEvent
from lineage.openlineage import DatasetEvent, Facets, JobEvent, RunEvent, parse

if TYPE_CHECKING:
    from collections.abc import Callable

TIME = "2026-03-29T01:30:00.123456Z"


def run_event(**changes: Any) -> dict[str, Any]:
    event = {
        "eventTime": TIME,
        "eventType": "COMPLETE",
        "producer": "test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": "r1"},
        "job": {"namespace": "etl", "name": "load"},
        "inputs": [{"namespace": "s3://lake", "name": "raw"}],
        "outputs": [{"namespace": "s3://lake", "name": "clean"}],
    }
    return {**event, **changes}


def bodies(facets: Facets) -> dict[str, Any]:
    return {name: json.loads(bytes(body)) for name, body in facets.items()}


def test_a_run_event_is_read() -> None:
    event = parse(json.dumps(run_event()))
    assert isinstance(event, RunEvent)
    assert (event.time, event.type, event.run_id) == (TIME, "COMPLETE", "r1")
    assert event.job.key == ("etl", "load")
    assert [d.key for d in event.inputs] == [("s3://lake", "raw")]
    assert [d.key for d in event.outputs] == [("s3://lake", "clean")]


def test_a_job_event_is_read() -> None:
    job = {"namespace": "etl", "name": "load", "facets": {"sql": {"query": "SELECT 1"}}}
    event = parse(json.dumps({"eventTime": TIME, "job": job}))
    assert isinstance(event, JobEvent)
    assert bodies(event.job.facets) == {"sql": {"query": "SELECT 1"}}


def test_a_dataset_event_is_read() -> None:
    event = parse(json.dumps({"eventTime": TIME, "dataset": {"namespace": "n", "name": "t"}}))
    assert isinstance(event, DatasetEvent)
    assert event.dataset.key == ("n", "t")


def test_what_is_optional_may_be_missing() -> None:
    event = parse(
        json.dumps(run_event(eventType=None, inputs=None, outputs=[], run={"runId": "7"}))
    )
    assert isinstance(event, RunEvent)
    assert (event.type, event.inputs, event.outputs, event.run_facets) == (None, (), (), {})


def test_unknown_facets_and_unicode_names_are_kept() -> None:
    odd = {"namespace": "數據", "name": "möbel 🪑", "facets": {"acme_x": {"a": [1, {"b": None}]}}}
    event = parse(json.dumps(run_event(inputs=[odd])))
    assert isinstance(event, RunEvent)
    assert event.inputs[0].key == ("數據", "möbel 🪑")
    assert bodies(event.inputs[0].facets) == odd["facets"]


def test_bytes_are_read_as_utf_8() -> None:
    assert parse(json.dumps(run_event(), ensure_ascii=False).encode()) == parse(
        json.dumps(run_event())
    )


def test_symlinks_give_other_names_once_and_never_the_own() -> None:
    own = {"namespace": "s3://lake", "name": "path"}
    table = {"namespace": "hive", "name": "db.t", "type": "TABLE"}
    given = {**own, "facets": {"symlinks": {"identifiers": [table, own, table]}}}
    event = parse(json.dumps(run_event(inputs=[given])))
    assert isinstance(event, RunEvent)
    assert event.inputs[0].aliases == (("hive", "db.t"),)


@pytest.mark.parametrize("job", [{"namespace": "etl", "name": "app"}, None])
def test_a_parent_is_read(job: dict[str, str] | None) -> None:
    facet = {"run": {"runId": "p"}, "job": job}
    event = parse(json.dumps(run_event(run={"runId": "r", "facets": {"parent": facet}})))
    assert isinstance(event, RunEvent)
    assert event.parent is not None
    assert event.parent.run_id == "p"
    assert event.parent.job == (("etl", "app") if job else None)


TIMES = {
    "2026-03-29T01:30:00.123456Z": TIME,
    "2026-03-29T01:30:00.123456789Z": TIME,
    "2026-03-29T03:30:00.123456+02:00": TIME,
    "2026-03-28T20:00:00,123456-0530": TIME,
    "2026-03-29 01:30:00.123456": TIME,
    "2026-03-29t01:30z": "2026-03-29T01:30:00.000000Z",
    "2026-03-29T01:30:00.5Z": "2026-03-29T01:30:00.500000Z",
    "2026-01-01T00:30:00+01": "2025-12-31T23:30:00.000000Z",
}


@pytest.mark.parametrize(("given", "normal"), TIMES.items())
def test_times_become_comparable_text(given: str, normal: str) -> None:
    assert parse(json.dumps(run_event(eventTime=given))).time == normal


PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@PATIENT
@given(st.datetimes(timezones=st.timezones()))
def test_the_order_of_texts_is_the_order_of_times(moment: datetime) -> None:
    # An offset to the second (local mean time) is no ISO 8601; the ends of the calendar lack UTC.
    assume(len(moment.strftime("%z")) == 5 and 1 < moment.year < 9999)
    text = parse(json.dumps(run_event(eventTime=moment.isoformat()))).time
    utc = moment.astimezone(timezone.utc).replace(tzinfo=None)
    assert text == utc.isoformat(timespec="microseconds") + "Z"


BAD = {
    "not JSON": ('{"eventTime": x', "not JSON: .*byte 14"),
    "cut off": ("{", "not JSON: Input data was truncated"),
    "no object": ("[]", "The event: Expected `object`, got `array`"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8: invalid start byte at 7"),
    "half a character": ('{"a": "\ud800"}', "not UTF-8: surrogates not allowed at 7"),
    "NaN": ('{"a": NaN}', "not JSON"),
    "too deep": ("[" * 100_000, "nested too deeply"),
    "nothing known": (json.dumps({"eventTime": TIME}), "none of run, job and dataset"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_no_event_is_refused(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidEvent, match=said):
        parse(text)


PATHS: dict[str, dict[str, Any]] = {
    r"eventTime: Expected `str`, got `null`": {"eventTime": None},
    r"eventTime \"yesterday\" is not an ISO": {"eventTime": "yesterday"},
    r"eventTime \"2026-12-31T23:59:60Z\" is no time": {"eventTime": "2026-12-31T23:59:60Z"},
    r"eventTime \"2026-02-30T00:00:00Z\" is no time": {"eventTime": "2026-02-30T00:00:00Z"},
    r"eventTime .* years 1 to 9999": {"eventTime": "0001-01-01T00:00:00+01:00"},
    r"eventType: Invalid enum value 'DONE'": {"eventType": "DONE"},
    r"eventType: Expected `str \| null`, got `array`": {"eventType": []},
    r"run: Expected `object \| null`, got `array`": {"run": []},
    r"none of run, job and dataset": {"run": None, "job": None},
    r"run.runId: Expected `str` of length >= 1": {"run": {"runId": ""}},
    r"run.runId: Expected `str`, got `int`": {"run": {"runId": 7}},
    r"run.facets: Expected `object \| null`": {"run": {"runId": "r", "facets": [1]}},
    r"run.facets.parent.run is missing": {"run": {"runId": "r", "facets": {"parent": {}}}},
    r"run.facets.parent: Expected `object`, got `int`": {
        "run": {"runId": "r", "facets": {"parent": 1}}
    },
    r"run.facets.parent.run.runId: Expected `str`": {
        "run": {"runId": "r", "facets": {"parent": {"run": {"runId": 7}}}}
    },
    r"job is missing": {"job": None},
    r"job: Object missing required field `name`": {"job": {"namespace": "n"}},
    r"job.namespace: Expected `str`, got `int`": {"job": {"namespace": 1, "name": "x"}},
    r"inputs: Expected `array \| null`, got `object`": {"inputs": {"a": 1}},
    r"inputs\[1\]: Expected `object`": {"inputs": [{"namespace": "n", "name": "t"}, "t"]},
    r"outputs\[0\].name: Expected `str` of length": {"outputs": [{"namespace": "n", "name": ""}]},
    r"outputs\[0\].outputFacets: Expected `object": {
        "outputs": [{"namespace": "n", "name": "t", "outputFacets": "x"}]
    },
    r"inputs\[0\].facets.symlinks.identifiers\[0\]: Object missing required field `name`": {
        "inputs": [
            {
                "namespace": "n",
                "name": "t",
                "facets": {"symlinks": {"identifiers": [{"namespace": "n"}]}},
            }
        ]
    },
    r"inputs\[0\] is longer than 2400 bytes": {"inputs": [{"namespace": "n", "name": "ä" * 1200}]},
}


@pytest.mark.parametrize(("said", "change"), PATHS.items())
def test_what_is_wrong_is_named_by_its_path(said: str, change: dict[str, Any]) -> None:
    with pytest.raises(InvalidEvent, match=said):
        parse(json.dumps(run_event(**change)))


@pytest.mark.parametrize("odd", ["a\nb", "\0", "a\r"])
@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("job", lambda name: {"job": name}),
        ("inputs[0]", lambda name: {"inputs": [name]}),
        ("outputs[1]", lambda name: {"outputs": [{"namespace": "n", "name": "t"}, name]}),
        (
            "inputs[0].facets.symlinks.identifiers[0]",
            lambda name: {
                "inputs": [
                    {
                        "namespace": "n",
                        "name": "t",
                        "facets": {"symlinks": {"identifiers": [{**name, "type": "TABLE"}]}},
                    }
                ]
            },
        ),
        (
            "run.facets.parent.job",
            lambda name: {
                "run": {"runId": "r", "facets": {"parent": {"run": {"runId": "p"}, "job": name}}}
            },
        ),
    ],
)
def test_a_namespace_has_no_line_break_and_no_nul(
    path: str, change: Callable[[dict[str, str]], dict[str, Any]], odd: str
) -> None:
    event = run_event(**change({"namespace": odd, "name": "x"}))
    character = next(c for c in odd if c in "\0\n\r")
    wanted = re.escape(f"{path}.namespace has the character U+{ord(character):04X}.")
    with pytest.raises(InvalidEvent, match=wanted):
        parse(json.dumps(event))


def test_characters_that_cannot_be_stored_are_replaced() -> None:
    text = json.dumps(run_event(inputs=[{"namespace": "n", "name": "a\x00b\ud800"}]))
    event = parse(text)
    assert isinstance(event, RunEvent)
    assert event.inputs[0].key == ("n", "a\ufffdb\ufffd")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)
FIELDS = ["eventTime", "eventType", "run", "job", "inputs", "outputs", "dataset"]


@PATIENT
@given(st.dictionaries(st.sampled_from(FIELDS), json_values))
def test_any_json_is_read_or_refused(change: dict[str, Any]) -> None:
    try:
        said = parse(json.dumps(run_event(**change))).time
    except InvalidEvent as error:
        said = error.message
    assert said
