"""Faulty collectors: the job continues, and each document is delivered or on disk."""

from __future__ import annotations

import json
import os
import signal
import socket
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from support.services.stub_collector import (
    Handler,
    Request,
    StubCollector,
    accept,
    die,
    drip,
    fail,
    hang,
    in_turn,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.fixtures.spark import SparkSubmit, Submitted

Document = dict[str, Any]

ONE_WRITE = ["application_start", "execution_start", "execution_end", "application_end"]


def picky(handler: Handler, request: Request) -> None:
    """Accept at most two documents, and none with the description poison."""
    poisoned = [d for d in request.documents if description(d) == "poison"]
    if len(request.documents) > 2:
        handler.reply(413, "too much")
    elif poisoned:
        handler.reply(422, "no poison, please")
    else:
        accept(handler, request)


ANSWERS = {
    "accepts": accept,
    "moved": accept,
    "has-room-again": in_turn(fail(500, "oh"), accept),
    "recovers": in_turn(fail(500, "oh"), fail(429, Retry_After="2"), accept),
    "dies": in_turn(accept, die),
    "hangs": hang,
    "drips": drip,
    "knows-no-token": fail(401, "unknown token: Bearer of-the-file"),
    "is-picky": picky,
    "is-no-collector": fail(200, "<html>It works!</html>"),
    "has-no-disk": accept,
    "exits": hang,
}


# test_served.py, which is not slow, tests a working collector; these tests are about faults.
pytestmark = pytest.mark.slow


class Ran(NamedTuple):
    """The results of all applications after their end."""

    job: Submitted
    killed: Submitted
    collector: StubCollector

    def log(self, about: str) -> list[str]:
        """Return the log lines of the listener that contain this text."""
        lines = self.job.log.splitlines()
        return [line for line in lines if "Lineage" in line and about in line]


@pytest.fixture(scope="module")
def down() -> Iterator[str]:
    """Return the URL of a port that is reserved and has no listener."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


@pytest.fixture(scope="module")
def ran(spark_submit: SparkSubmit, down: str) -> Iterator[Ran]:
    killed = spark_submit.start("waiting.py", conf={"spark.lineage.url": down})
    killed.wait_for("running")
    os.killpg(killed.process.pid, signal.SIGKILL)
    killed.finish()
    collector = StubCollector(ANSWERS)
    job = spark_submit.start("collectors.py", collector.url, down, str(killed.spool))
    assert job.finish() == 3, job.log[-3000:]
    yield Ran(job, killed, collector)
    collector.close()


def description(document: Document) -> str | None:
    return (document.get("execution") or {}).get("description")


def kinds(documents: list[Document]) -> list[str]:
    return [d["kind"] for d in documents]


def unsent(spool: Path) -> list[Document]:
    files = sorted(spool.glob("unsent/*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_collector_gets_each_document_once_and_in_order(ran: Ran):
    documents = ran.collector.accepted("accepts")
    assert kinds(documents) == [
        "application_start",
        *("execution_start", "execution_end") * 3,
        "application_end",
    ]
    ends = [description(d) for d in documents if d["kind"] == "execution_end"]
    assert ends == ["one", "two", "three"]
    assert documents[-1]["dropped"] == {}
    assert not list((ran.job.directory / "accepts" / "unsent").iterdir())


def test_a_request_has_the_form_of_the_reference(ran: Ran):
    for request in ran.collector.requests["accepts"]:
        assert request.path == "/accepts/api/v1/plan-documents"
        assert request.headers["Content-Type"] == "application/x-ndjson"
        assert request.headers["Content-Encoding"] == "gzip"
        assert request.headers["Authorization"] == "Bearer of-the-setting"
        assert request.headers["User-Agent"].startswith("lineage-spark/")


def test_the_start_is_reported_in_one_line_without_a_secret(ran: Ran):
    (line,) = ran.log("/accepts/api/v1/plan-documents by way of")
    run = ran.collector.accepted("accepts")[0]["app"]["run"]
    assert f": the documents of run {run} go to the collector {ran.collector.url}" in line
    assert "of-the-setting" not in ran.job.log


def test_an_application_brings_what_others_left_a_killed_one_and_one_that_ended(
    ran: Ran, down: str
):
    documents = ran.collector.accepted("moved")
    by_name = {
        name: kinds([d for d in documents if d["app"]["name"] == name])
        for name in ("moved", "is-down", "Waiting")
    }
    assert by_name == {
        "moved": ONE_WRITE,
        "is-down": ONE_WRITE,
        "Waiting": [
            *("application_start", "execution_start", "execution_end", "execution_start"),
        ],
    }
    assert not list((ran.killed.spool / "unsent").iterdir())


def test_what_stayed_is_reported_with_the_command_that_brings_it_in(ran: Ran, down: str):
    directory = ran.killed.spool / "unsent"
    (line,) = ran.log(f"did not reach the collector {down}/api/v1/plan-documents")
    assert "4 documents of this application" in line
    assert line.endswith(f"Ingest them with: lineage ingest {directory}")
    (away,) = ran.log(f"{down}/api/v1/plan-documents accepts no documents")
    assert "Connection refused" in away


def test_unsent_documents_are_limited_and_dropped_ones_are_counted(ran: Ran):
    left = unsent(ran.job.directory / "is-full")
    assert kinds(left) == ["application_start", "application_end"]
    assert left[-1]["dropped"] == {"unsent": 4}
    (told,) = ran.log(f"{ran.job.directory}/is-full/unsent contains")
    assert "more than spark.lineage.unsent.maxBytes allows" in told
    assert len(ran.log("4 documents of this application were lost")) == 1


def test_sending_continues_after_the_collector_accepted_the_queue(ran: Ran):
    documents = ran.collector.accepted("has-room-again")
    assert "two" in {description(d) for d in documents if d["kind"] == "execution_start"}
    executions = ["one", "two", "two", "two"]
    assert len(documents) + documents[-1]["dropped"]["unsent"] == 2 + 2 * len(executions)
    assert ran.log(f"documents are stored in {ran.job.directory}/has-room-again/unsent again")


def test_the_settings_of_openlineage_are_understood(ran: Ran):
    (path,) = {request.path for request in ran.collector.requests["moved"]}
    assert path == "/moved/gateway/v1/plan-documents"
    (token,) = {request.headers["Authorization"] for request in ran.collector.requests["moved"]}
    assert token == "Bearer of-openlineage"


def test_a_collector_that_recovers_gets_all_and_is_left_alone_as_long_as_it_asks(ran: Ran):
    assert kinds(ran.collector.accepted("recovers")) == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
    _, second, third, *_ = ran.collector.requests["recovers"]
    assert third.came - second.came >= 2
    assert len(ran.log("recovers/api/v1/plan-documents accepts no documents: HTTP 500: oh.")) == 1
    assert len(ran.log("recovers/api/v1/plan-documents accepts documents again")) == 1


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("dies", "Unexpected end of file from server"),
        ("drips", "no answer within 200 ms"),
        ("knows-no-token", "HTTP 401"),
        ("is-no-collector", "HTTP 200, but not from a collector of Lineage: <html>It works!"),
    ],
)
def test_what_a_failing_collector_did_not_take_is_on_disk(ran: Ran, name: str, why: str):
    taken, left = ran.collector.accepted(name), unsent(ran.job.directory / name)
    assert kinds([*taken, *left]) == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
    (told,) = ran.log(f"{name}/api/v1/plan-documents accepts no documents")
    assert why in told
    (end,) = ran.log(f"did not reach the collector {ran.collector.url}/{name}/")
    assert f" {len(left)} documents of this application" in end


def test_a_wrong_token_is_reported_with_what_to_do_and_without_the_token(ran: Ran):
    (told,) = ran.log("knows-no-token/api/v1/plan-documents accepts no documents")
    assert "; set spark.lineage.token to a valid token" in told
    (token,) = {r.headers["Authorization"] for r in ran.collector.requests["knows-no-token"]}
    assert token == "Bearer of-the-file"
    assert "of-the-file" not in ran.job.log


def test_a_collector_that_hangs_holds_up_the_end_no_longer_than_is_set(ran: Ran):
    left = unsent(ran.job.directory / "hangs")
    assert kinds(left) == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
    assert ran.log(f"did not reach the collector {ran.collector.url}/hangs/")


def test_a_permanently_rejected_document_is_stored_and_the_others_are_sent(ran: Ran):
    taken = ran.collector.accepted("is-picky")
    assert kinds(taken) == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
    (file,) = (ran.job.directory / "is-picky" / "unsent").iterdir()
    assert file.name.endswith(".refused.jsonl")
    refused = [json.loads(line) for line in file.read_text().splitlines()]
    assert kinds(refused) == ["execution_start", "execution_end"]
    assert {description(d) for d in refused} == {"poison"}
    (told,) = ran.log("is-picky/api/v1/plan-documents rejected a document")
    assert f"HTTP 422: no poison, please. Rejected documents are stored in {file}" in told
    assert ran.log(
        f"2 documents of this application did not reach the collector {ran.collector.url}/is-p"
    )


def test_without_a_disk_documents_go_straight_to_the_collector(ran: Ran):
    assert kinds(ran.collector.accepted("has-no-disk")) == ONE_WRITE
    assert ran.log(f"{ran.job.directory}/blocked/spool/unsent cannot be written")


def test_a_url_with_a_password_is_rejected_without_showing_it(ran: Ran):
    (told,) = ran.log("spark.lineage.url must not contain a user, a password")
    assert "Documents are written to files instead" in told
    assert "hunter2" not in ran.job.log
    files = sorted((ran.job.directory / "bad-url").glob("*.jsonl"))
    assert kinds([json.loads(li) for f in files for li in f.read_text().splitlines()]) == ONE_WRITE


def test_a_program_that_exits_while_its_context_flushes_leaves_all_on_disk(ran: Ran):
    assert kinds(unsent(ran.job.directory / "exits")) == [
        "application_start",
        *("execution_start", "execution_end") * 2,
        "application_end",
    ]
