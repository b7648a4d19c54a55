"""Parsing of events: strict for members that lineage depends on, lenient for others."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from lineage.errors import InvalidEvent
from lineage.openlineage import DatasetEvent, Facets, JobEvent, Parent, RunEvent, parse_event
from lineage.openlineage.long_names import MAX_KEY_BYTES

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
    event = parse_event(json.dumps(run_event()))
    assert isinstance(event, RunEvent)
    assert (event.time, event.type, event.run_id) == (TIME, "COMPLETE", "r1")
    assert event.job.key == ("etl", "load")
    assert [d.key for d in event.inputs] == [("s3://lake", "raw")]
    assert [d.key for d in event.outputs] == [("s3://lake", "clean")]


def test_a_job_event_is_read() -> None:
    job = {"namespace": "etl", "name": "load", "facets": {"sql": {"query": "SELECT 1"}}}
    event = parse_event(json.dumps({"eventTime": TIME, "job": job}))
    assert isinstance(event, JobEvent)
    assert bodies(event.job.facets) == {"sql": {"query": "SELECT 1"}}


def test_a_dataset_event_is_read() -> None:
    event = parse_event(json.dumps({"eventTime": TIME, "dataset": {"namespace": "n", "name": "t"}}))
    assert isinstance(event, DatasetEvent)
    assert event.dataset.key == ("n", "t")


def test_what_is_optional_may_be_missing() -> None:
    event = parse_event(
        json.dumps(run_event(eventType=None, inputs=None, outputs=[], run={"runId": "7"}))
    )
    assert isinstance(event, RunEvent)
    assert (event.type, event.inputs, event.outputs, event.run_facets) == (None, (), (), {})


def test_unknown_facets_and_unicode_names_are_retained() -> None:
    odd = {"namespace": "數據", "name": "möbel 🪑", "facets": {"acme_x": {"a": [1, {"b": None}]}}}
    event = parse_event(json.dumps(run_event(inputs=[odd])))
    assert isinstance(event, RunEvent)
    assert event.inputs[0].key == ("數據", "möbel 🪑")
    assert bodies(event.inputs[0].facets) == odd["facets"]


def test_bytes_are_read_as_utf_8() -> None:
    assert parse_event(json.dumps(run_event(), ensure_ascii=False).encode()) == parse_event(
        json.dumps(run_event())
    )


def test_symlinks_give_other_names_once_and_never_the_own() -> None:
    own = {"namespace": "s3://lake", "name": "path"}
    table = {"namespace": "hive", "name": "db.t", "type": "TABLE"}
    given = {**own, "facets": {"symlinks": {"identifiers": [table, own, table]}}}
    event = parse_event(json.dumps(run_event(inputs=[given])))
    assert isinstance(event, RunEvent)
    assert event.inputs[0].aliases == (("hive", "db.t"),)


@pytest.mark.parametrize("job", [{"namespace": "etl", "name": "app"}, None])
def test_a_parent_is_read(job: dict[str, str] | None) -> None:
    facet = {"run": {"runId": "p"}, "job": job}
    event = parse_event(json.dumps(run_event(run={"runId": "r", "facets": {"parent": facet}})))
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
    assert parse_event(json.dumps(run_event(eventTime=given))).time == normal


PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@PATIENT
@given(st.datetimes(timezones=st.timezones()))
def test_the_order_of_texts_is_the_order_of_times(moment: datetime) -> None:
    # ISO 8601 has no offsets with seconds; the ends of the calendar cannot be converted to UTC.
    assume(len(moment.strftime("%z")) == 5 and 1 < moment.year < 9999)
    text = parse_event(json.dumps(run_event(eventTime=moment.isoformat()))).time
    utc = moment.astimezone(timezone.utc).replace(tzinfo=None)
    assert text == utc.isoformat(timespec="microseconds") + "Z"


BAD = {
    "not JSON": ('{"eventTime": x', "not JSON: .*byte 14"),
    "cut off": ("{", "not JSON: Input data was truncated"),
    "no object": ("[]", "The event: Expected `object`, got `array`"),
    "not UTF-8": (b'{"a": "\xff"}', "not UTF-8: invalid start byte at 7"),
    "half a character": ('{"a": "\ud800"}', "not UTF-8: surrogates not allowed at 7"),
    "NaN": ('{"a": NaN}', "missing required field `eventTime`"),
    "too deep": ("[" * 100_000, "nested too deeply"),
    "nothing known": (json.dumps({"eventTime": TIME}), "none of run, job and dataset"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_no_event_is_rejected(text: str | bytes, said: str) -> None:
    with pytest.raises(InvalidEvent, match=said):
        parse_event(text)


PATHS: dict[str, dict[str, Any]] = {
    r"eventTime: Expected `str`, got `null`": {"eventTime": None},
    r"eventTime \"yesterday\" is not an ISO": {"eventTime": "yesterday"},
    r"eventTime \"2026-12-31T23:59:60Z\" is not valid: ": {"eventTime": "2026-12-31T23:59:60Z"},
    r"eventTime \"2026-02-30T00:00:00Z\" is not valid: ": {"eventTime": "2026-02-30T00:00:00Z"},
    r"eventTime \"2026-02-30\" is not valid: ": {"eventTime": "2026-02-30"},
    r"eventTime .* years 1 to 9999": {"eventTime": "0001-01-01T00:00:00+01:00"},
    r"eventTime .* is not an ISO": {"eventTime": "2026-01-01T00:00:00[Europe/Berlin]"},
    r"run: Expected `object`, got `array`": {"run": []},
    r"none of run, job and dataset": {"run": None, "job": None},
    r"run.runId: Expected `str` of length >= 1": {"run": {"runId": ""}},
    r"run.runId: Expected `str`, got `int`": {"run": {"runId": 7}},
    r"job is missing": {"job": None},
    r"job: Object missing required field `name`": {"job": {"namespace": "n"}},
    r"job.namespace: Expected `str`, got `int`": {"job": {"namespace": 1, "name": "x"}},
    r"dataset.name: Expected `str`": {
        "run": None,
        "job": None,
        "dataset": {"namespace": "n", "name": 1},
    },
}


@pytest.mark.parametrize(("said", "change"), PATHS.items())
def test_what_is_wrong_is_named_by_its_path(said: str, change: dict[str, Any]) -> None:
    with pytest.raises(InvalidEvent, match=said):
        parse_event(json.dumps(run_event(**change)))


TABLE = {"namespace": "n", "name": "t"}
LEFT_OUT: dict[str, tuple[dict[str, Any], str]] = {
    "a type": ({"eventType": "DONE"}, "eventType: not one of START, RUNNING"),
    "a type that is a list": ({"eventType": []}, "eventType: not one of START, RUNNING"),
    "facets of the run": ({"run": {"runId": "r", "facets": [1]}}, "run.facets: Expected `object`"),
    "a parent without a run": (
        {"run": {"runId": "r", "facets": {"parent": {}}}}, "run.facets.parent.run is missing",
    ),
    "a parent that is a number": (
        {"run": {"runId": "r", "facets": {"parent": 1}}}, "run.facets.parent: Expected `object`",
    ),
    "a parent whose run is a number": (
        {"run": {"runId": "r", "facets": {"parent": {"run": {"runId": 7}}}}},
        "run.facets.parent.run.runId: Expected `str`",
    ),
    "facets of the job": (
        {"job": {"namespace": "n", "name": "j", "facets": 3}}, "job.facets: Expected `object`",
    ),
    "inputs": ({"inputs": {"a": 1}}, "inputs: Expected `array`"),
    "an input that is a text": ({"inputs": [TABLE, "t"]}, "inputs[1]: Expected `object`"),
    "an output without a name": (
        {"outputs": [{"namespace": "n", "name": ""}, TABLE]}, "outputs[0].name: Expected `str`",
    ),
    "facets of an output": (
        {"outputs": [{**TABLE, "outputFacets": "x"}]},
        "outputs, t: outputFacets: Expected `object`",
    ),
    "a name that is none": (
        {"inputs": [{**TABLE, "facets": {"symlinks": {"identifiers": [{"namespace": "n"}]}}}]},
        "identifiers[0]: Object missing required field `name`",
    ),
    "names that are none": (
        {"inputs": [{**TABLE, "facets": {"symlinks": {"identifiers": "x"}}}]},
        "facets.symlinks.identifiers: Expected `array | null`",
    ),
    "a number that is none": (
        {"inputs": [{**TABLE, "inputFacets": {"q": {"mean": math.nan}}}]},
        "inputs[0].inputFacets.q.mean: the number cannot be stored",
    ),
    "a date alone": ({"eventTime": "2026-01-01"}, "eventTime: a date alone"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "reported"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_lineage_does_not_depend_on_is_left_out(change: dict[str, Any], reported: str) -> None:
    event = parse_event(json.dumps(run_event(**change)))
    assert isinstance(event, RunEvent)
    [found] = event.all_omitted()
    assert reported in found
    known = {each.key for each in (*event.inputs, *event.outputs)}
    assert (("n", "t") in known) == (json.dumps(change).count('"t"') > 0)


def test_of_a_parent_with_an_invalid_job_the_run_is_retained() -> None:
    facet = {"run": {"runId": "p"}, "job": {"namespace": "n"}}
    event = parse_event(json.dumps(run_event(run={"runId": "r", "facets": {"parent": facet}})))
    assert isinstance(event, RunEvent)
    assert event.parent == Parent("p", None)
    assert len(event.all_omitted()) == 1


def test_good_names_stay_beside_bad_ones() -> None:
    identifiers = [{"namespace": "n"}, {"namespace": "n", "name": "other"}, None]
    table = {**TABLE, "facets": {"symlinks": {"identifiers": identifiers}}}
    event = parse_event(json.dumps(run_event(outputs=[table])))
    assert isinstance(event, RunEvent)
    assert event.outputs[0].aliases == (("n", "other"),)
    assert len(event.all_omitted()) == 2


LONG = "ä" * 1500


@pytest.mark.parametrize(
    ("namespace", "name"),
    [("n", LONG), (LONG, "t"), (LONG, LONG), ("n" * 1200, "t" * 1201), ("", LONG)],
)
def test_long_names_stay_different(namespace: str, name: str) -> None:
    def key(namespace: str, name: str) -> tuple[str, str]:
        event = parse_event(json.dumps(run_event(inputs=[{"namespace": namespace, "name": name}])))
        assert isinstance(event, RunEvent)
        [found] = event.inputs
        assert [each for each in event.all_omitted() if "more than 2400 bytes" in each]
        assert sum(len(part.encode()) for part in found.key) <= MAX_KEY_BYTES
        return found.key

    keys = {key(namespace, name), key(namespace + "x", name), key(namespace, name + "x")}
    assert len(keys) == 3
    assert key(namespace, name) == key(namespace, name)


def test_names_of_2400_bytes_are_retained() -> None:
    event = parse_event(json.dumps(run_event(inputs=[{"namespace": "n", "name": "t" * 2399}])))
    assert isinstance(event, RunEvent)
    assert (event.inputs[0].key, event.all_omitted()) == (("n", "t" * 2399), [])


def test_long_names_of_jobs_and_runs_are_shortened() -> None:
    job = {"namespace": "n", "name": LONG}
    event = parse_event(json.dumps(run_event(run={"runId": LONG}, job=job)))
    assert isinstance(event, RunEvent)
    assert len(event.run_id.encode()) <= MAX_KEY_BYTES
    assert event.job.key[1].startswith("äää")
    assert len(event.all_omitted()) == 2


@pytest.mark.parametrize("type", ["complete", "Complete", "COMPLETE"])
def test_a_type_may_be_in_small_letters(type: str) -> None:
    event = parse_event(json.dumps(run_event(eventType=type)))
    assert isinstance(event, RunEvent)
    assert (event.type, event.all_omitted()) == ("COMPLETE", [])


MOMENTS = {
    "2026-01-01T00:00:00Z[UTC]": "2026-01-01T00:00:00.000000Z",
    "2026-01-01T00:00:00.5+02:00[Europe/Berlin]": "2025-12-31T22:00:00.500000Z",
    "2026-01-01T00:00Z[Etc/GMT+0]": "2026-01-01T00:00:00.000000Z",
    "2026-01-01 00:00:00 UTC": "2026-01-01T00:00:00.000000Z",
    "2026-01-01": "2026-01-01T00:00:00.000000Z",
}


@pytest.mark.parametrize(("text", "time"), MOMENTS.items())
def test_times_in_other_forms(text: str, time: str) -> None:
    assert parse_event(json.dumps(run_event(eventTime=text))).time == time


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
        parse_event(json.dumps(event))


def test_characters_that_cannot_be_stored_are_replaced() -> None:
    text = json.dumps(run_event(inputs=[{"namespace": "n", "name": "a\x00b\ud800"}]))
    event = parse_event(text)
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
def test_any_json_is_read_or_rejected(change: dict[str, Any]) -> None:
    try:
        said = parse_event(json.dumps(run_event(**change))).time
    except InvalidEvent as error:
        said = error.message
    assert said
