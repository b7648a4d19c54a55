"""Names that forge output: text output escapes them, machine-readable output does not."""

from __future__ import annotations

import csv
import io
import json

import pytest
from support.events.builders import dataset, derived, run_event, schema
from support.services.command_line import graph_of, run
from support.services.pseudo_terminal import run_on_terminal

from lineage.control_characters import escape_controls

EVIL = "\x1b[31mforged\n└── s3://lake/gold/payroll\r\x9b2J\u202eeunever"
SHOWN = escape_controls(EVIL)
FACETS = {"dataSource": {"name": EVIL, "uri": EVIL}, "tags": {"tags": [{"key": EVIL}]}}

EVENTS = [
    run_event("r1", "COMPLETE", 0, f"job {EVIL}", reads=("a",), writes=(f"b {EVIL}",)),
    run_event(
        f"r2 {EVIL}",
        "COMPLETE",
        60,
        "plain",
        reads=(f"b {EVIL}",),
        writes=(
            dataset(
                "c",
                also=(f"alias {EVIL}",),
                schema=schema(**{f"x {EVIL}": f"int {EVIL}"}),
                columnLineage=derived((f"x {EVIL}", f"b {EVIL}", f"y {EVIL}")),
                **FACETS,
            ),
        ),
    ),
    run_event("r3", "FAIL", 90, "plain", reads=("c",), errorMessage={"message": EVIL}),
    run_event("r4", "COMPLETE", 95, "two", reads=("c", f"b {EVIL}"), writes=(f"b {EVIL}", "d/c")),
]
_graph = graph_of(EVENTS)

COMMANDS = (
    ("query", "c"),
    ("query", "job", "c"),
    ("query", "column", "c", f"x {EVIL}"),
    ("query", "at", "lake/c", "2027-01-01"),
    ("query", "run", f"r2 {EVIL}"),
    ("query", "nothing of the kind"),
    ("query", EVIL),
    ("paths", "lake/a", "lake/c"),
    ("impact", "lake/a"),
    ("diff", "dataset", "lake/c", "--start", "2025-01-01", "--end", "2027-01-01"),
    ("diff", "run", "r1", f"r2 {EVIL}"),
    ("root-cause", "r3"),
    ("orphans",),
    ("cycles",),
    ("stats",),
    ("search", "forged"),
    ("show", "lake/c"),
    ("show", f"job {EVIL}"),
    ("show", "r3"),
    ("runs", "lake/c"),
    ("runs", "plain"),
    ("events",),
    ("cypher", "MATCH (n) RETURN n LIMIT 20"),
    ("cypher", "MATCH (d:Dataset) RETURN d.name"),
    ("cypher", f"RETURN {EVIL}"),
    ("queries", "run", "failed_runs"),
    ("queries", "show", EVIL),
    ("--nothing", EVIL),
    (EVIL,),
)


def printed(result_text: str) -> str:
    """Return the text without the command's own line ends; others come from a name."""
    return "".join(c for c in result_text.replace("\n", "") if escape_controls(c) != c)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command)[:30])
def test_no_command_prints_a_control_character(command: tuple[str, ...]) -> None:
    result = run(*command)
    assert (result.stdout + result.stderr).strip()
    assert printed(result.stdout) == printed(result.stderr) == ""
    lines = (result.stdout + result.stderr).splitlines()
    assert not [line for line in lines if line.startswith("└── s3://lake/gold/payroll")]


def test_a_tree_shows_a_name_as_escapes_on_one_line() -> None:
    lines = run("query", "lake/c", "--limit", "0").stdout.splitlines()
    assert lines[0] == "s3://lake/c"
    assert lines[1].startswith(f"└── s3://lake/b {SHOWN}  [plain, ")


def test_json_and_csv_have_names_as_they_are() -> None:
    rows = json.loads(run("query", "lake/c", "--format", "json").stdout)
    assert f"s3://lake/b {EVIL}" in {row["source"] for row in rows}
    text = run("query", "lake/c", "--format", "json").stdout
    assert printed(text) == ""
    # CSV is for programs: names are not escaped unless stdout is a terminal.
    read = csv.DictReader(io.StringIO(run("query", "lake/c", "--format", "csv").stdout, newline=""))
    assert f"s3://lake/b {EVIL}" in {row["source"] for row in read}


@pytest.mark.parametrize(
    "command",
    [
        ("query", "lake/c", "--wide"),
        ("query", "lake/c", "--format", "csv"),
        ("query", "lake/c", "--format", "jsonl"),
        ("query", "lake/c", "--format", "graphml"),
        ("events", "--body"),
        ("runs", "plain"),
    ],
)
def test_a_terminal_gets_no_control_character_in_any_format(
    command: tuple[str, ...], dsn: str
) -> None:
    text = run_on_terminal(*command, dsn=dsn)
    assert "forged" in text
    assert printed(text.replace("\r\n", "\n")) == ""


def test_a_shortened_name_has_no_control_character(dsn: str) -> None:
    text = run_on_terminal("query", "lake/c", dsn=dsn)
    assert "…" in text
    assert printed(text.replace("\r\n", "\n")) == ""


def test_bodies_of_events_are_written_as_they_came_where_no_terminal_reads_them() -> None:
    bodies = run("events", "--body").stdout.splitlines()
    assert sorted(map(json.loads, bodies), key=json.dumps) == sorted(
        map(json.loads, EVENTS), key=json.dumps
    )
