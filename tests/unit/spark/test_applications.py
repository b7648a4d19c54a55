"""Spools: complete and truncated ones, of running, ended and killed applications."""

from __future__ import annotations

import io
import json
import socket
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from openlineage.client.serde import Serde
from support.events.openlineage_schema import assert_valid
from support.events.plan_documents import (
    RUN,
    Json,
    Plans,
    application,
    execution_end,
    execution_start,
    facet,
)

from lineage.errors import SpoolError, UsageError
from lineage.spark.conversion.applications import DIED, convert_applications
from lineage.spark.document.spool import find_applications

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOLD = """
import fcntl, sys
held = open(sys.argv[1], "w")
fcntl.lockf(held, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def held(lock: Path) -> Iterator[None]:
    """Hold the lock in another process, as a running driver does."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, lock],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == "held\n"
        yield
        driver.communicate("")


def here(document: Json) -> Json:
    """Return the document with this host as that of its application."""
    document["app"]["host"] = socket.gethostname()
    return document


def started() -> Json:
    app = application()
    return here({"lineage": 1, "kind": "application_start", "time": 1_000, "app": app})


def over(**facts: object) -> Json:
    app = application()
    return here({"lineage": 1, "kind": "application_end", "time": 90_000, "app": app, **facts})


def plan() -> Json:
    plans = Plans()
    plans.node("InsertIntoHadoopFsRelationCommand", plans.table("sales"), outputPath="file:/out")
    return plans.build()


def spooled(directory: Path, *documents: Json, number: int = 0) -> Path:
    file = directory / f"{RUN}-{number:04d}.jsonl"
    file.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return file


def converted(source: Path | str, exit_code: int | None = None) -> tuple[list[Json], list[str]]:
    """Return the events of a spool, and the messages for its invalid lines."""
    bad: list[str] = []
    found = [
        Serde.to_dict(event)
        for event in convert_applications(
            find_applications(source), lambda error: bad.append(str(error)), exit_code
        )
    ]
    for event in found:
        assert_valid(event)
    return found, bad


def states(found: list[Json]) -> list[str]:
    return [event["eventType"] for event in found]


def test_the_files_of_an_application_are_read_in_their_order(tmp_path: Path) -> None:
    spooled(tmp_path, started(), here(execution_start(plan())))
    spooled(tmp_path, execution_end(plan()), number=1)
    spooled(tmp_path, over(exitCode=0), number=2)
    found, bad = converted(tmp_path)
    assert (states(found), bad) == (["START", "START", "COMPLETE", "COMPLETE"], [])


def test_a_bad_line_is_reported_with_its_place_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = spooled(tmp_path, started(), over(exitCode=0))
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], '{"lineage": 1}', "", "junk", lines[1]]) + "\n")
    found, bad = converted(tmp_path)
    assert states(found) == ["START", "COMPLETE"]
    assert bad[0] == f'{file}:2: This is not a plan document: "kind" is not a string.'
    assert bad[1].startswith(f"{file}:4: The plan document is not JSON")


def test_the_line_that_a_living_driver_writes_is_nothing_wrong(tmp_path: Path) -> None:
    file = spooled(tmp_path, started(), here(execution_start(plan())))
    with file.open("a") as torn:
        torn.write('{"lineage": 1, "kind": "execu')
    with held(tmp_path / f"{RUN}.lock"):
        found, bad = converted(tmp_path)
    assert (states(found), bad) == (["START", "START"], [])


def test_a_driver_that_died_gets_the_end_it_never_reported(tmp_path: Path) -> None:
    file = spooled(tmp_path, started(), here(execution_start(plan())))
    (tmp_path / f"{RUN}.lock").touch()
    with file.open("a") as torn:
        torn.write('{"lineage": 1, "kind": "execu')
    found, bad = converted(tmp_path)
    assert states(found) == ["START", "START", "ABORT", "ABORT"]
    assert bad == [f"{file}:3: The last line is incomplete."]
    start, aborted, application_aborted = found[1:]
    assert aborted["run"]["runId"] == start["run"]["runId"]
    assert application_aborted["run"]["runId"] == RUN
    for event in (aborted, application_aborted):
        assert event["eventTime"].endswith("00:01:00.000Z")
        assert facet(event["run"], "errorMessage")["message"] == DIED


def test_a_death_is_reported_the_same_each_time(tmp_path: Path) -> None:
    spooled(tmp_path, started(), here(execution_start(plan())))
    (tmp_path / f"{RUN}.lock").touch()
    assert converted(tmp_path) == converted(tmp_path)


def test_an_execution_whose_plan_nobody_saw_still_starts_and_ends(tmp_path: Path) -> None:
    spooled(tmp_path, started(), here(execution_start(None)))
    (tmp_path / f"{RUN}.lock").touch()
    found, _ = converted(tmp_path)
    assert states(found) == ["START", "START", "ABORT", "ABORT"]
    assert found[1]["run"]["runId"] == found[2]["run"]["runId"] != RUN


def test_the_end_reports_the_start_that_no_start_document_could(tmp_path: Path) -> None:
    end = execution_end(plan())
    without_plan = spooled(tmp_path, started(), execution_start(None), end)
    assert states(converted(without_plan)[0]) == ["START", "START", "COMPLETE"]
    lost = spooled(tmp_path, started(), end)
    assert states(converted(lost)[0]) == ["START", "START", "COMPLETE"]


def test_an_end_without_a_plan_has_that_of_its_start(tmp_path: Path) -> None:
    spooled(tmp_path, started(), execution_start(plan()), execution_end(None))
    (_, start, end), _ = converted(tmp_path)
    assert start["job"]["name"] == end["job"]["name"]
    assert [item["name"] for item in end["outputs"]] == ["/out"]


def test_a_part_of_a_spool_gives_its_own_events_alone(tmp_path: Path) -> None:
    assert states(converted(spooled(tmp_path, execution_end(plan()), number=3))[0]) == ["COMPLETE"]


def test_nothing_is_reported_of_a_driver_on_another_host(tmp_path: Path) -> None:
    document = started()
    document["app"]["host"] = "elsewhere"
    spooled(tmp_path, document)
    (tmp_path / f"{RUN}.lock").touch()
    assert states(converted(tmp_path)[0]) == ["START"]


def test_nothing_is_reported_where_there_is_no_lock_to_ask(tmp_path: Path) -> None:
    spooled(tmp_path, started())
    assert states(converted(tmp_path)[0]) == ["START"]


@pytest.mark.parametrize(("exit_code", "state"), [(0, "COMPLETE"), (137, "FAIL")])
def test_a_known_exit_code_ends_an_application_that_reported_no_end(
    tmp_path: Path, exit_code: int, state: str
) -> None:
    spooled(tmp_path, started())
    found, _ = converted(tmp_path, exit_code)
    assert states(found) == ["START", state]


def test_a_known_exit_code_wins_over_what_spark_reported(tmp_path: Path) -> None:
    spooled(tmp_path, started(), over(exitCode=0))
    assert states(converted(tmp_path, 1)[0]) == ["START", "FAIL"]


def test_one_file_may_hold_several_applications(tmp_path: Path) -> None:
    other = RUN.replace("5", "6")
    documents = [started(), started(), over(), over()]
    documents[1]["app"]["run"] = documents[3]["app"]["run"] = other
    found, _ = converted(spooled(tmp_path, *documents))
    assert [(event["run"]["runId"], event["eventType"]) for event in found] == [
        (RUN, "START"),
        (other, "START"),
        (RUN, "COMPLETE"),
        (other, "COMPLETE"),
    ]


@pytest.mark.parametrize("files", [1, 2], ids=["one file", "two files"])
def test_an_exit_code_is_of_one_application_alone(tmp_path: Path, files: int) -> None:
    first, second = started(), started()
    second["app"]["run"] = RUN.replace("5", "6")
    if files == 1:
        spooled(tmp_path, first, second)
    else:
        (tmp_path / "first.jsonl").write_text(json.dumps(first) + "\n")
        (tmp_path / "second.jsonl").write_text(json.dumps(second) + "\n")
    with pytest.raises(UsageError, match="The exit code 3 applies to one application") as error:
        converted(tmp_path, 3)
    assert "Specify the spool file" in str(error.value)


def test_standard_input_is_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(started()) + "\nnonsense\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found, bad = converted("-")
    assert states(found) == ["START"]
    assert bad[0].startswith("<stdin>:2: ")


def test_a_spool_that_is_not_there_is_an_error_with_the_next_step(tmp_path: Path) -> None:
    with pytest.raises(SpoolError) as caught:
        converted(tmp_path / "nowhere")
    assert str(caught.value) == (
        f"There is no spool at {tmp_path / 'nowhere'}."
        " Specify the directory of spark.lineage.spool, or a file in it."
    )


def test_bytes_that_are_no_text_are_a_bad_line(tmp_path: Path) -> None:
    file = spooled(tmp_path, started())
    file.write_bytes(b"\xff\x80\x00 nothing\n" + file.read_bytes())
    found, bad = converted(tmp_path)
    assert (states(found), len(bad)) == (["START"], 1)
