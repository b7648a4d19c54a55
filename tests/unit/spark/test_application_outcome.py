"""The outcome of an application, from the most reliable source."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import Json, application, events, facet

from lineage.errors import InvalidEvent
from lineage.spark.document.parser import read_document
from lineage.spark.launcher.driver_exit import describe_exception

FAILED = {"outcome": "FAIL", "error": {"class": "java.lang.Error", "message": "boom"}}
NOT_0 = "The driver ended with an exit code other than 0"


def application_end(**facts: Any) -> Json:
    app = application()
    return {"lineage": 1, "kind": "application_end", "time": 90_000, "app": app, **facts}


@pytest.mark.parametrize(
    ("facts", "exit_code", "state", "code", "message"),
    [
        ({"driver": {"outcome": "COMPLETE"}}, None, "COMPLETE", 0, None),
        ({"driver": {"outcome": "COMPLETE"}, "last": FAILED}, None, "COMPLETE", 0, None),
        ({"driver": {"outcome": "FAIL"}}, None, "FAIL", "unknown", f"{NOT_0}."),
        (
            {"driver": {"outcome": "FAIL"}, "last": FAILED},
            None,
            "FAIL",
            "unknown",
            f"{NOT_0}; the last execution failed with java.lang.Error: boom",
        ),
        ({"driver": FAILED}, None, "FAIL", "unknown", "java.lang.Error: boom"),
        (
            {"driver": {"outcome": "ABORT"}, "last": FAILED},
            None,
            "ABORT",
            "unknown",
            "The driver was terminated by a signal.",
        ),
        ({"driver": {"outcome": "UNKNOWN"}}, None, "COMPLETE", "unknown", None),
        (
            {"driver": {"outcome": "UNKNOWN"}, "last": FAILED},
            None,
            "FAIL",
            "unknown",
            "java.lang.Error: boom",
        ),
        ({"exitCode": 0}, None, "COMPLETE", "unknown", None),
        ({"exitCode": 4}, None, "FAIL", 4, "Exit code 4"),
        ({"driver": {"outcome": "ABORT"}}, 143, "FAIL", 143, "Exit code 143"),
        ({"driver": {"outcome": "FAIL"}}, 0, "COMPLETE", 0, None),
    ],
)
def test_who_knows_best_decides(
    facts: Json, exit_code: int | None, state: str, code: object, message: str | None
) -> None:
    (event,) = events(application_end(**facts), exit_code)
    assert event["eventType"] == state
    assert facet(event["run"], "lineage_application")["facts"]["exitCode"] == code
    assert facet(event["run"], "errorMessage").get("message") == message


def test_the_error_of_the_driver_does_not_name_excluded_datasets() -> None:
    document = application_end(driver=FAILED)
    document["app"]["settings"] = {"spark.lineage.datasets.deny": "*secret*"}
    (event,) = events(document)
    assert facet(event["run"], "errorMessage")["message"] == "java.lang.Error"


def test_an_outcome_that_is_none_is_rejected() -> None:
    with pytest.raises(InvalidEvent, match="COMPLETE, FAIL, ABORT or UNKNOWN"):
        read_document(application_end(driver={"outcome": "WELL"}))


def test_an_exception_is_described_without_its_source() -> None:
    try:
        raise ValueError("no such airline")  # the source has 'a literal'
    except ValueError as error:
        text = describe_exception(error, error.__traceback__)
    first, *frames = text.split("\n")
    assert first == "ValueError: no such airline"
    assert frames
    assert "literal" not in text


def test_quotations_of_a_statement_by_spark_are_omitted() -> None:
    kind = type("AnalysisException", (Exception,), {"__module__": "pyspark.errors"})
    failed = kind("[X] Cannot resolve \"aes_encrypt(v, KEY)\" of `t`.\n== SQL ==\nSELECT 'KEY'")
    text = describe_exception(failed, None)
    assert text == "pyspark.errors.AnalysisException: [X] Cannot resolve ? of `t`."
