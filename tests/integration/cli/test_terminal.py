"""Output on a terminal: tables that fit its width, a pager, suggested commands."""

from __future__ import annotations

import gzip
import json
import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from lineage_cli import COMMANDS
from lineage_cli.output.fitting import shorten_text
from lineage_cli.output.render import table_lines
from support.events.builders import dataset, run_event
from support.services.command_line import answer, graph_of, run
from support.services.pseudo_terminal import run_on_terminal

from lineage.ingest.writer import write_events
from lineage.plan_documents import store

if TYPE_CHECKING:
    from pathlib import Path

RUN = "0198c6f0-22a1-7000-8000-000000000001"
LONG = "warehouse/" + "very_" * 20 + "long_name"
TAGGED = {"tags": {"tags": [{"key": "pii"}]}}
EVENTS = [
    run_event(RUN, "COMPLETE", 0, "job_" * 20, reads=("raw/a",), writes=(LONG,)),
    run_event("r2", "COMPLETE", 60, "report", reads=(LONG,), writes=(dataset("Gold/b", **TAGGED),)),
]
_graph = graph_of(EVENTS)


def lines_of(*command: str, dsn: str, **env: str) -> list[str]:
    return run_on_terminal(*command, dsn=dsn, **env).replace("\r\n", "\n").splitlines()


def test_a_table_fits_the_terminal(dsn: str) -> None:
    lines = run_on_terminal("runs", LONG, dsn=dsn, columns=100).replace("\r\n", "\n").splitlines()
    assert max(map(len, lines)) <= 100
    [shown] = [line for line in lines if "job_job_" in line]
    assert "2026-01-01 00:00:00" in shown  # times are not cut
    prefix = next(word for word in shown.split() if word.startswith("0198")).rstrip("…")
    assert answer("show", prefix).startswith(f"run         {RUN}")
    fitting = lines_of("datasets", dsn=dsn)
    assert max(map(len, fitting)) <= 80
    assert any(line.startswith("s3://lake/ware") and "long_name" in line for line in fitting)


@pytest.mark.parametrize("name", ["gold/sales", "etl_of_sales.append_data.gold_sales"])
def test_runs_take_80_columns_with_the_reason_of_a_failure(dsn: str, name: str) -> None:
    job = "etl_of_sales.append_data.gold_sales"
    error = {
        "errorMessage": {"message": "No space left on device " * 5, "programmingLanguage": "JAVA"}
    }
    events = [
        run_event(RUN, "START", 0, job, reads=("raw/sales",), writes=("gold/sales",)),
        run_event(RUN, "FAIL", 65, job, writes=("gold/sales",), **error),
        run_event(f"{RUN[:-1]}2", "START", 3600, job, reads=("raw/sales",), writes=("gold/sales",)),
    ]
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, events)
    lines = lines_of("runs", name, dsn=dsn)
    assert max(map(len, lines)) <= 80
    [failed] = [line for line in lines if "FAIL" in line]
    assert "2026-01-01 00:0" in failed
    assert RUN[:13] in failed
    assert re.search(r"No \w+", failed)
    wide = lines_of("runs", name, "--wide", dsn=dsn)
    assert any(RUN in line and "2026-01-01 00:01:05Z" in line for line in wide)


def test_wide_and_no_terminal_show_whole_names(dsn: str) -> None:
    assert any(LONG in line for line in lines_of("datasets", "--wide", dsn=dsn))
    assert LONG in answer("datasets")


def test_a_table_is_shortened_in_the_widest_columns_first() -> None:
    rows = [{"a": "x" * 50, "b": "short", "run_id": RUN}]
    _, _, line = table_lines(rows, ["a", "b", "run_id"], 80)
    assert len(line) == 80
    assert line.endswith(RUN)
    assert "  short  " in line
    narrow = table_lines(rows, ["a", "b", "run_id"], 31)[2]
    assert narrow.split() == ["xx…xxxxx", "short", f"{RUN[:13]}…"]


@pytest.mark.parametrize("width", range(1, 12))
def test_a_shortened_text_has_both_ends_and_the_width(width: int) -> None:
    assert len(shorten_text("abcdefghijklm", width)) == width
    assert shorten_text("abc", 3) == "abc"


@pytest.fixture
def pager(tmp_path: Path) -> tuple[str, Path]:
    """Return a pager that records its input."""
    program, noted = tmp_path / "pager", tmp_path / "noted"
    program.write_text(f"#!/bin/sh\ncat > {noted}\necho paged\n")
    program.chmod(0o755)
    return str(program), noted


def test_what_is_longer_than_the_screen_goes_to_the_pager(
    dsn: str, pager: tuple[str, Path]
) -> None:
    program, noted = pager
    command = ("cypher", "UNWIND range(1, 50) AS n RETURN n")
    assert lines_of(*command, dsn=dsn, PAGER=program, NO_PAGER="")[-1] == "paged"
    assert noted.read_text().split() == ["n", "---", *map(str, range(1, 51))]


def test_no_pager_where_it_fits_is_unwanted_or_is_not_there(
    dsn: str, pager: tuple[str, Path]
) -> None:
    program, noted = pager
    long = ("cypher", "UNWIND range(1, 50) AS n RETURN n")
    short = ("cypher", "RETURN 1 AS n")
    assert lines_of(*short, dsn=dsn, PAGER=program, NO_PAGER="")[-1] == "1"
    assert lines_of(*long, "--no-pager", dsn=dsn, PAGER=program, NO_PAGER="")[-1] == "50"
    assert lines_of(*long, dsn=dsn, PAGER=program, NO_PAGER="1")[-1] == "50"
    assert lines_of(*long, dsn=dsn, PAGER="/no/such/pager", NO_PAGER="")[-1] == "50"
    assert not noted.exists()


def test_the_help_has_groups_and_whole_summaries_in_80_columns() -> None:
    lines = run_on_terminal("--help").replace("\r\n", "\n").splitlines()
    assert [line for line in lines if line in ("Ask:", "Run:", "Collect:", "Administer:")] == [
        "Ask:",
        "Run:",
        "Collect:",
        "Administer:",
    ]
    summaries = {line.split()[0]: line for line in lines if line.startswith("  ") and line.split()}
    for command in COMMANDS:
        assert len(summaries[command]) <= 80
        assert "..." not in summaries[command]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("qery", "x"), "No such command 'qery'. Did you mean query?"),
        (("rootcause", "x"), "Did you mean root-cause?"),
        (("zzz",), "No such command 'zzz'.\n"),
        (("query", "x", "--dpeth", "1"), "Did you mean one of: '--depth'"),
    ],
)
def test_the_nearest_command_and_option_are_named(command: tuple[str, ...], said: str) -> None:
    result = run(*command)
    assert result.exit_code == 2
    assert said in result.stderr


def test_datasets_and_jobs_are_listed() -> None:
    rows = json.loads(answer("datasets", "GOLD", "--format", "json"))
    assert rows == [
        {
            "name": "s3://lake/Gold/b",
            "namespace": "s3://lake",
            "last_seen": "2026-01-01T00:01:00.000000Z",
            "tags": ["pii"],
        }
    ]
    assert [r["name"] for r in json.loads(answer("datasets", "--tag", "pii", "--format", "json"))]
    assert json.loads(answer("datasets", "--tag", "gdpr", "--format", "json")) == []
    assert json.loads(answer("datasets", "--namespace", "other", "--format", "json")) == []
    assert len(answer("jobs", "--format", "jsonl").splitlines()) == 2
    limited = run("datasets", "--limit", "1", "--format", "jsonl")
    assert len(limited.stdout.splitlines()) == 1
    assert "The first 1 are listed." in limited.stderr
    assert len(answer("datasets", "--limit", "0", "--format", "jsonl").splitlines()) == 3


def test_jobs_are_listed_by_their_type() -> None:
    assert json.loads(answer("jobs", "--job-type", "streaming", "--format", "json")) == []
    assert [r["name"] for r in json.loads(answer("jobs", "REPORT", "--format", "json"))] == [
        "etl/report"
    ]


def progress_of(*command: str, dsn: str) -> list[str]:
    """Return the successive contents of the last line of the terminal."""
    return run_on_terminal(*command, dsn=dsn).split("\r\033[K")


def events_file(directory: Path, count: int) -> Path:
    file = directory / "events.jsonl"
    lines = (run_event(f"p{n:05}", "COMPLETE", n, "many", writes=("gold/x",)) for n in range(count))
    file.write_text("".join(f"{line}\n" for line in lines))
    return file


@pytest.mark.parametrize("is_packed", [False, True])
def test_ingest_shows_how_much_of_the_file_is_read(
    dsn: str, tmp_path: Path, is_packed: bool
) -> None:
    file = events_file(tmp_path, 1500)
    if is_packed:
        packed = tmp_path / "events.jsonl.gz"
        packed.write_bytes(gzip.compress(file.read_bytes()))
        file = packed
    shown = progress_of("ingest", "--workers", "1", str(file), dsn=dsn)
    total = f"of {file.stat().st_size / 1e6:,.1f} MB"
    states = [
        re.fullmatch(rf"([\d,]+) events, ([\d.]+) {total}, [\d,]+ a second", s) for s in shown
    ]
    found = [state for state in states if state]
    assert found
    assert float(found[-1][2]) <= float(f"{file.stat().st_size / 1e6:.1f}")
    assert shown[-1].startswith("1,500 events")


def test_rebuild_shows_how_many_events_of_all_are_done(dsn: str) -> None:
    shown = progress_of("rebuild", dsn=dsn)
    assert any(re.fullmatch(r"2 events, 100 % of 2, [\d,]+ a second", state) for state in shown)
    assert shown[-1].startswith("The graph was rebuilt from 2 events.")


def test_replay_shows_how_many_documents_and_events_are_done(
    dsn: str, conn: psycopg.Connection[Any]
) -> None:
    started = {
        "lineage": 2,
        "kind": "application_start",
        "time": 1767225600000,
        "app": {"run": RUN},
    }
    store.append_documents(conn, [store.read_document(json.dumps(started).encode())])
    shown = progress_of("replay", "--spark", dsn=dsn)
    assert any(re.fullmatch(r"1 documents, 100 % of 1, [\d,]+ a second", state) for state in shown)
    assert any(re.match(r"[2-9] events, 100 % of [2-9], ", state) for state in shown)


def test_no_progress_is_written_where_stderr_is_no_terminal(tmp_path: Path) -> None:
    result = run("ingest", str(events_file(tmp_path, 600)))
    assert result.stderr == "600 events.\n"
