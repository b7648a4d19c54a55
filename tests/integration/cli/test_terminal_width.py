"""Width of the output of every command: 80 columns on a terminal, for a graph of long names."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click
import psycopg
import pytest
from lineage_cli import main
from support.events.builders import dataset, run_event
from support.services.pseudo_terminal import run_program_on_terminal

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from support.fixtures.database import Server

PLACE = "s3a://analytics-production-eu-central-1"
RAW = "warehouse/raw_events.db/clickstream_of_the_web_shop_partitioned_by_day"
MIDDLE = "warehouse/silver_layer.db/orders_enriched_with_customers_and_campaigns"
LAST = "warehouse/gold_layer.db/revenue_by_country_product_and_marketing_channel"
JOB = "nightly_enrichment_of_orders.atomic_replace_table_as_select.silver_layer_orders_enriched"
LAST_JOB = "revenue_report_for_the_board.insert_into_hadoop_fs_relation_command.gold_revenue"
RUNS = [f"0198c6f0-22a1-7000-8000-00000000000{n}" for n in range(6)]
COLUMN = "price_in_the_currency_of_the_customer_at_the_time_of_the_order"
OWNED = {
    "ownership": {"owners": [{"name": "team:data-platform-engineering-europe", "type": "OWNER"}]},
    "tags": {"tags": [{"key": "contains_personal_data"}]},
}


def place(name: str, **facets: object) -> dict[str, object]:
    return dataset(name, namespace=PLACE, **facets)


def of_columns() -> dict[str, object]:
    return {
        "fields": {
            COLUMN: {
                "inputFields": [
                    {"namespace": PLACE, "name": RAW, "field": COLUMN, "transformations": [
                        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "round"}]}
                ]
            }
        }
    }  # fmt: skip


CHECKS = [
    {"assertion": "column_values_are_between_two_bounds", "success": False, "column": COLUMN,
     "severity": "error", "expected": "between 0 and 100000", "actual": "-17.25"},
    {"assertion": "row_count_is_not_below_that_of_yesterday", "success": True},
]  # fmt: skip
CHECKED = {"inputFacets": {"dataQualityAssertions": {"assertions": CHECKS}}}
ERROR = {"errorMessage": {"message": "No space left on device " * 9, "programmingLanguage": "JAVA"}}
EVENTS = [
    run_event(RUNS[0], "COMPLETE", 0, JOB, reads=(place(RAW),),
              writes=(place(MIDDLE, columnLineage=of_columns(), **OWNED),)),
    run_event(RUNS[1], "COMPLETE", 60, LAST_JOB, reads=(place(MIDDLE, **CHECKED),),
              writes=(place(LAST, **OWNED),)),
    run_event(RUNS[2], "COMPLETE", 120, JOB, reads=(place(RAW), place(LAST)),
              writes=(place(MIDDLE),)),
    run_event(RUNS[3], "FAIL", 180, LAST_JOB, reads=(place(MIDDLE),), writes=(place(LAST),),
              **ERROR),
    run_event(RUNS[4], "COMPLETE", 240, "job_that_reads_alone." * 4, reads=(place(LAST),)),
]  # fmt: skip
# The arguments for each command with tables; a new command must be added.
QUESTIONS = {
    "query dataset": [(LAST,), (LAST, "--upstream", "--downstream")],
    "query column": [(MIDDLE, COLUMN), (RAW, COLUMN, "--downstream")],
    "query job": [(LAST,)],
    "query run": [(RUNS[1],), (RUNS[1], "--runs")],
    "query at": [(LAST,)],
    "paths": [(RAW, LAST), (RAW, LAST, "--all-paths"), (LAST, RAW)],
    "impact": [(RAW,), (RAW, "--column", COLUMN)],
    "diff dataset": [(LAST, "--start", "2026-01-01T00:00:30Z", "--end", "2026-01-01T00:02:30Z")],
    "diff run": [(RUNS[0], RUNS[2])],
    "root-cause": [(RUNS[3],)],
    "quality dataset": [(MIDDLE,), (LAST, "--upstream")],
    "quality run": [(RUNS[1],)],
    "search": [("revenue",)],
    "rank": [(), ("--limit", "1")],
    "datasets": [()],
    "jobs": [()],
    "runs": [(LAST,), (LAST_JOB,), ()],
    "orphans": [()],
    "cycles": [()],
    "stats": [()],
    "overdue": [()],
    "plan": [("--feedback", LAST), ("--feedback", LAST, "--stale", "--workers", "2")],
    "sources": [(), ("--unused",)],
    "trace": [(LAST,)],
    "cypher": [("MATCH (a:Dataset)-[:FEEDS]->(b:Dataset) RETURN a.name AS source, b.name AS t",)],
    "queries list": [()],
    "queries run": [("derived_from", "prefix=s3a://")],
    "events": [()],
    "plan-documents": [()],
    "forward list": [()],
    "forward rejected": [("backend",)],
    "modes list": [()],
    "token list": [()],
}
# Commands whose output is sentences, which the terminal wraps.
PROSE = ("diff dataset", "diff run", "root-cause")


def tabular(group: click.Group, before: str = "") -> dict[str, click.Command]:
    """Return the commands, including those of groups, that print a table."""
    found: dict[str, click.Command] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= tabular(command, f"{before}{name} ")
            continue
        for option in command.params:
            choice = option.type
            if option.name == "form" and isinstance(choice, click.Choice):
                found |= {f"{before}{name}": command} if "table" in choice.choices else {}
    return found


COMMANDS_WITH_TABLES = tabular(main)
CASES = [
    (name, question, form)
    for name, command in COMMANDS_WITH_TABLES.items()
    for form in ("table", "text", "tree")
    if form in next(p for p in command.params if p.name == "form").type.choices
    if not (form == "text" and name in PROSE)
    for question in QUESTIONS.get(name, ())
]


def test_every_command_with_a_table_is_tested() -> None:
    assert set(COMMANDS_WITH_TABLES) == set(QUESTIONS)


SEPARATOR = "\x1e"
# One process runs all commands: the start of a process takes longer than a query.
PROGRAM = f"""
import contextlib, json, sys
from lineage_cli import main
for arguments in json.loads(sys.argv[1]):
    with contextlib.suppress(SystemExit):
        main(arguments)
    print("{SEPARATOR}", end="", flush=True)
"""


@pytest.fixture(scope="module")
def answers(server: Server) -> dict[tuple[str, tuple[str, ...], str], str]:
    """Return the output of each case on a terminal, run in sequence."""
    database = server.create(server.migrated())
    dsn = server.dsn(database)
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)
        conn.execute("INSERT INTO lineage.forward (target, position) VALUES ('backend', 0)")
    commands = [[*name.split(), *question, "--format", form] for name, question, form in CASES]
    text = run_program_on_terminal([sys.executable, "-c", PROGRAM, json.dumps(commands)], dsn=dsn)
    server.drop(database)
    *texts, rest = text.split(SEPARATOR)
    assert rest == ""
    return dict(zip(CASES, texts, strict=True))


@pytest.mark.parametrize(("name", "question", "form"), CASES)
def test_no_line_is_wider_than_the_terminal(
    name: str,
    question: tuple[str, ...],
    form: str,
    answers: dict[tuple[str, tuple[str, ...], str], str],
) -> None:
    text = answers[name, question, form]
    lines = text.replace("\r\n", "\n").splitlines()
    assert lines
    assert not text.startswith(("Error", "Usage")), text
    assert [line for line in lines if len(line) > 80] == []
