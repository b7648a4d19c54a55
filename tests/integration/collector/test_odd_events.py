"""Events with one irregularity each, as producers send them, for each way of ingestion."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}
LAKE = "s3://lake"
LONG = "n" * 3000
PARENT = "run.facets.parent"
SYMLINKS = "facets.symlinks"


def table(name: str, **more: Any) -> dict[str, Any]:
    return {"namespace": LAKE, "name": name} | more


def event(**changes: Any) -> str:
    body: dict[str, Any] = {
        "eventTime": "2026-03-01T10:00:00Z", "eventType": "COMPLETE", "run": {"runId": "RUN"},
        "job": {"namespace": "jobs", "name": "load"},
        "inputs": [table("IN")], "outputs": [table("OUT")],
    } | changes  # fmt: skip
    return json.dumps({name: value for name, value in body.items() if value is not ...})


def facets(**bodies: Any) -> str:
    return event(run={"runId": "RUN", "facets": bodies})


def inputs(facets: Any, **more: Any) -> str:
    return event(inputs=[table("IN", facets=facets, **more)])


def symlinks(*identifiers: Any) -> str:
    return inputs({"symlinks": {"identifiers": list(identifiers)}})


ALIAS = {"namespace": "hive://h", "name": "db.in", "type": "TABLE"}
# The event, and the path that the response reports as omitted, or nothing.
TAKEN: dict[str, tuple[str, str]] = {
    "NaN in a facet of an input": (inputs({"q": {"mean": float("nan")}}), "q.mean"),
    "Infinity in a facet of an input": (inputs({"q": {"max": float("inf")}}), "q.max"),
    "-Infinity in a list": (inputs({"q": {"all": [1, float("-inf")]}}), "q.all[1]"),
    "NaN in an access facet": (
        event(inputs=[table("IN", inputFacets={"dq": {"mean": float("nan")}})]), "dq.mean",
    ),
    "NaN in a facet of the run": (facets(cost={"usd": float("nan")}), "cost.usd"),
    "NaN in a facet of the job": (
        event(job={"namespace": "jobs", "name": "load", "facets": {"x": {"y": float("nan")}}}),
        "x.y",
    ),
    "NaN as a member of the event": (event(weight=float("nan")), "weight"),
    "a number too large": (inputs({"q": {"n": 1}}).replace(': 1}', ': 1e400000}'), "q.n"),
    "the text NaN": (inputs({"q": {"mean": "NaN"}}), ""),
    "symlinks that are text": (inputs({"symlinks": "x"}), SYMLINKS),
    "symlinks that are a list": (inputs({"symlinks": [ALIAS]}), SYMLINKS),
    "symlinks without identifiers": (inputs({"symlinks": {}}), ""),
    "symlinks that are null": (inputs({"symlinks": None}), ""),
    "identifiers that are an object": (inputs({"symlinks": {"identifiers": ALIAS}}), SYMLINKS),
    "identifiers that are null": (inputs({"symlinks": {"identifiers": None}}), ""),
    "an identifier without a namespace": (symlinks({"name": "x"}), "identifiers[0]"),
    "an identifier without a name": (symlinks(ALIAS, {"namespace": "h"}), "identifiers[1]"),
    "an identifier without a type": (symlinks({"namespace": "hive://h", "name": "db.t"}), ""),
    "an identifier that is null": (symlinks(None, ALIAS), "identifiers[0]"),
    "an identifier that is text": (symlinks("x"), "identifiers[0]"),
    "an identifier whose name is a number": (
        symlinks({"namespace": "h", "name": 7}), "identifiers[0]",
    ),
    "an identifier whose name is empty": (
        symlinks({"namespace": "h", "name": ""}), "identifiers[0]",
    ),
    "a parent that is text": (facets(parent="x"), PARENT),
    "a parent that is null": (facets(parent=None), ""),
    "a parent that is empty": (facets(parent={}), PARENT),
    "a parent without a job": (facets(parent={"run": {"runId": "up"}}), ""),
    "a parent whose job has no namespace": (
        facets(parent={"run": {"runId": "up"}, "job": {"name": "dag"}}), f"{PARENT}.job",
    ),
    "a parent whose job is a text": (
        facets(parent={"run": {"runId": "up"}, "job": "dag"}), f"{PARENT}.job",
    ),
    "a parent without a run": (
        facets(parent={"job": {"namespace": "jobs", "name": "dag"}}), f"{PARENT}.run",
    ),
    "a parent whose run is null": (
        facets(parent={"run": None, "job": {"namespace": "jobs", "name": "dag"}}), f"{PARENT}.run",
    ),
    "a parent whose run is a number": (facets(parent={"run": {"runId": 7}}), f"{PARENT}.run"),
    "a parent whose run is empty": (facets(parent={"run": {"runId": ""}}), f"{PARENT}.run"),
    "a long name of an input": (event(inputs=[table("IN"), table(LONG)]), "inputs"),
    "a long name in another alphabet": (
        event(outputs=[table("OUT"), table("ü" * 1500)]), "outputs",
    ),
    "a long namespace": (
        event(inputs=[table("IN"), {"namespace": LONG, "name": "x"}]), "inputs",
    ),
    "a long alias": (symlinks(ALIAS | {"name": LONG}), "identifiers[0]: a name"),
    "a long name of the job": (event(job={"namespace": "jobs", "name": LONG}), "job"),
    "a long parent": (facets(parent={"run": {"runId": LONG}}), f"{PARENT}.run.runId"),
    "a long job of a parent": (
        facets(parent={"run": {"runId": "up"}, "job": {"namespace": "jobs", "name": LONG}}),
        f"{PARENT}.job: a name",
    ),
    "a date alone": (event(eventTime="2026-01-01"), "eventTime"),
    "a zone by name": (event(eventTime="2026-03-01T10:00:00.123Z[UTC]"), ""),
    "a zone by city": (event(eventTime="2026-03-01T12:00:00+02:00[Europe/Berlin]"), ""),
    "no zone": (event(eventTime="2026-03-01T10:00:00"), ""),
    "a space instead of T": (event(eventTime="2026-03-01 10:00:00.5+0000"), ""),
    "nanoseconds": (event(eventTime="2026-03-01T10:00:00.123456789Z"), ""),
    "no seconds": (event(eventTime="2026-03-01T10:00Z"), ""),
    "the word UTC": (event(eventTime="2026-03-01 10:00:00 UTC"), ""),
    "a type in small letters": (event(eventType="complete"), ""),
    "a type with a capital": (event(eventType="Complete"), ""),
    "a type that is null": (event(eventType=None), ""),
    "no type": (event(eventType=...), ""),
    "another type": (event(eventType="SUCCEEDED"), "eventType"),
    "a type that is a number": (event(eventType=3), "eventType"),
    "a type that is empty": (event(eventType=""), "eventType"),
    "an input that is null": (event(inputs=[None, table("IN")]), "inputs[0]"),
    "an input without a name": (event(inputs=[table("IN"), {"namespace": LAKE}]), "inputs[1]"),
    "an input with an empty name": (event(inputs=[table("IN"), table("")]), "inputs[1]"),
    "an output that is text": (event(outputs=["x", table("OUT")]), "outputs[0]"),
    "facets that are a list": (inputs([]), "facets: "),
    "facets that are text": (inputs("x"), "facets: "),
    "facets that are null": (inputs(None), ""),
    "input facets that are text": (
        event(inputs=[table("IN", inputFacets="x")]), "inputFacets",
    ),
    "a facet that is a number": (inputs({"schema": 7}), ""),
    "a schema whose fields are text": (inputs({"schema": {"fields": "x"}}), ""),
    "column lineage that is text": (
        event(outputs=[table("OUT", facets={"columnLineage": "x"})]), "",
    ),
    "facets of the run that are a list": (event(run={"runId": "RUN", "facets": []}), "run.facets"),
    "facets of the job that are text": (
        event(job={"namespace": "jobs", "name": "load", "facets": "x"}), "job.facets",
    ),
    "a NUL in a facet": (inputs({"q": {"s": "a\0b"}}), ""),
    "half of a pair in a facet": (inputs({"q": {"s": "Q"}}).replace('"Q"', r'"\ud800"'), ""),
    "members twice": (event().replace('{"eventTime"', '{"eventType": "START", "eventTime"'), ""),
    "members nobody knows": (event(schemaURL=7, producer=None, extra=[{}]), ""),
}  # fmt: skip

REFUSED = {
    "no time": event(eventTime=...),
    "a time that is null": event(eventTime=None),
    "a day that does not exist": event(eventTime="2026-02-30T00:00:00Z"),
    "a time that is a number": event(eventTime=1767225600),
    "no run and no job": event(run=..., job=...),
    "no job": event(job=...),
    "a job without a name": event(job={"namespace": "jobs"}),
    "a job that is text": event(job="load"),
    "a run that is text": event(run="RUN"),
    "a run without an id": event(run={}),
    "a run whose id is empty": event(run={"runId": ""}),
    "a number": "7",
    "a text": '"x"',
    "null": "null",
    "an object without anything": "{}",
    "no JSON": "{'eventTime': 1}",
}


def numbered(text: str, number: int) -> str:
    """Return the event with distinct names."""
    return (
        text.replace("RUN", f"r{number}")
        .replace('"IN"', f'"in{number}"')
        .replace('"OUT"', f'"out{number}"')
    )


EVENTS = [numbered(text, n) for n, (text, _) in enumerate(TAKEN.values())]
ALL = [text for pair in zip(EVENTS, [*REFUSED.values()] * 9, strict=False) for text in pair]


def check_lineage(conn: psycopg.Connection[Any]) -> None:
    feeds = (
        "SELECT s.name, t.name FROM lineage.feeds f JOIN lineage.dataset s ON s.id = f.source"
        " JOIN lineage.dataset t ON t.id = f.target"
    )
    found = set(conn.execute(feeds).fetchall())
    lost = [name for n, name in enumerate(TAKEN) if (f"in{n}", f"out{n}") not in found]
    assert lost == []
    assert conn.execute("SELECT count(*) FROM lineage.rejected_event").fetchone() == (0,)
    assert conn.execute("SELECT count(*) FROM lineage.event").fetchone() == (len(TAKEN),)


def differing(name: str, parts: list[str]) -> str:
    """Return the differences in the report of an event."""
    part = TAKEN[name][1]
    good = any(part in each for each in parts) if part else True
    return "" if good else f"{name}: {parts}"


@pytest.mark.parametrize("query", ["", "/", "?"], ids=["plain", "slash", "by uvicorn"])
def test_single_events(collector: Collector, query: str) -> None:
    wrong = []
    for name, body in zip(TAKEN, EVENTS, strict=True):
        answer = collector.post(LINEAGE + query, body, **JSON)
        parts = answer.json()["left_out"] if answer.status_code == 201 and answer.content else []
        wrong += [f"{name}: {answer.text}"] * (answer.status_code != 201)
        wrong += filter(None, [differing(name, parts)])
    assert wrong == []
    taken = {
        name: answer.text
        for name, body in REFUSED.items()
        if (answer := collector.post(LINEAGE + query, body, **JSON)).status_code != 400
    }
    assert taken == {}
    with collector.drawn() as conn:
        check_lineage(conn)


@pytest.mark.parametrize("form", ["batch", "batch/", "lines", "lines/"])
def test_batches(collector: Collector, form: str) -> None:
    if form.startswith("batch"):
        elements = [each for each in ALL if each != REFUSED["no JSON"]]
        answer = collector.post(f"{LINEAGE}/{form}", f"[{','.join(elements)}]", **JSON)
    else:
        elements = ALL
        answer = collector.post(LINEAGE + form[5:], "\n".join(elements), **LINES)
    assert answer.status_code == 200, answer.text
    report = answer.json()
    failed = {each["index"] for each in report["failed_events"]}
    bad = [n for n, each in enumerate(elements) if each not in EVENTS]
    assert failed == set(bad), [elements[n] for n in failed ^ set(bad)]
    parts = {each["index"]: each["parts"] for each in report["left_out"]}
    reports = (
        differing(name, parts.get(elements.index(body), []))
        for name, body in zip(TAKEN, EVENTS, strict=True)
    )
    assert list(filter(None, reports)) == []
    with collector.drawn() as conn:
        check_lineage(conn)


def test_files(dsn: str) -> None:
    done = CliRunner().invoke(main, ["ingest", "-", "--dsn", dsn], input="\n".join(ALL))
    assert done.exit_code == 1
    lines = done.stderr.splitlines()
    wrong = []
    for name, body in zip(TAKEN, EVENTS, strict=True):
        place = f"<stdin>:{ALL.index(body) + 1}: left out: "
        wrong.append(differing(name, [line for line in lines if line.startswith(place)]))
    assert list(filter(None, wrong)) == []
    assert f"{len(ALL) - len(EVENTS)} lines could not be read" in lines[-1]
    with psycopg.connect(dsn) as conn:
        check_lineage(conn)
