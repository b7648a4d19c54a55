"""Parsing of plan documents: valid lines, and errors of invalid ones."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.events.plan_documents import Plans, application, execution_end

from lineage.errors import InvalidEvent
from lineage.spark.document.parser import parse_document, read_document


def spoilt(*path: str | int, by: Any) -> dict[str, Any]:
    """Return a valid document with one field replaced."""
    plans = Plans()
    plans.node("Project", plans.files("file:/d"), projectList=[plans.attribute("x")])
    document = execution_end(plans.build())
    place: Any = document
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = by
    return document


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], '"the document" is not an object'),
        (spoilt("kind", by="job_start"), '"kind" is not one of application_start'),
        (spoilt("time", by="now"), '"time" is not an integer'),
        (spoilt("app", "run", by="run-1"), '"app.run" is not a UUID'),
        (spoilt("outcome", by="OK"), '"outcome" is not COMPLETE or FAIL'),
        (spoilt("execution", "id", by=True), '"execution.id" is not an integer'),
        (spoilt("plan", "nodes", 1, "in", by=[1]), '"plan.nodes[1].in[0]" is not an index below 1'),
        (
            spoilt("plan", "nodes", 0, "out", by=[9]),
            '"plan.nodes[0].out[0]" is not an index below 2',
        ),
        (spoilt("plan", "nodes", 0, "op", by=None), '"plan.nodes[0].op" is not a string'),
        (spoilt("plan", "root", by=5), '"plan.root" is not an index below 2'),
        (spoilt("plan", "exprs", 1, by=["Alias", 7]), '"plan.exprs[1]" is not an expression'),
        (spoilt("plan", "exprs", 1, by=["#", 1]), '"plan.exprs[1]" is not an attribute'),
        (spoilt("plan", "exprs", 1, by=["A", {"plan": 9}]), '"plan.exprs[1].plan" is not an index'),
        (spoilt("plan", "exprs", 1, by=["#", 1, "x", 9]), "whose type is an index below 1"),
        (spoilt("plan", "nodes", 0, "args", by={"q": {"plan": 7}}), '"plan.nodes[0].args" is not'),
        (spoilt("plan", "nodes", 0, "args", by={"t": {"table": {}}}), 'args.t.table.name" is not'),
    ],
)
def test_a_wrong_document_is_rejected_by_the_path_of_the_field(document: Any, message: str) -> None:
    with pytest.raises(InvalidEvent) as caught:
        read_document(document)
    assert message in caught.value.message


def test_text_that_is_no_json_is_rejected() -> None:
    with pytest.raises(InvalidEvent, match="The plan document is not JSON"):
        parse_document('{"lineage": 1, "ki')


def test_a_newer_format_is_rejected_with_the_next_step() -> None:
    with pytest.raises(InvalidEvent) as caught:
        read_document({"lineage": 2, "kind": "execution_end"})
    assert str(caught.value) == (
        "This plan document has format 2; this version reads format 1."
        " Convert it with the version of Lineage that contains its listener."
    )


def test_an_application_end_is_read() -> None:
    error = {"class": "E", "message": "m", "stack": "s"}
    text = {
        "lineage": 1,
        "kind": "application_end",
        "time": 5,
        "app": application(),
        "exitCode": 1,
        "last": {"outcome": "FAIL", "error": error},
        "executions": {"complete": 2, "failed": 1},
        "dropped": {},
    }
    document = parse_document(json.dumps(text))
    assert (document.exit_code, document.outcome) == (1, "FAIL")
    assert str(document.error) == "E: m"
    assert document.facts == {"executions": {"complete": 2, "failed": 1}}


def test_what_a_later_listener_adds_is_no_error() -> None:
    plans = Plans()
    plans.node("Range", step={"value": 1}, novelty={"hologram": {"size": 3}}, out=[])
    document = read_document(execution_end(plans.build(), weather="fine"))
    assert document.main is not None
    assert document.main.plan.nodes[0].args["step"] == 1
