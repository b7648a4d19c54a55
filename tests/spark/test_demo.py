"""The demo: its output and its graph."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.properties import SLOW_EXAMPLES
from support.reference.graph import clear
from support.spark import java

import lineage
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
TUTORIAL = ROOT / "docs" / "tutorial" / "missing-rows.md"


@dataclass(frozen=True)
class Demo:
    """A finished run of the demo."""

    directory: Path
    dsn: str
    printed: str
    events: list[str]

    def bronze(self, *names: str) -> set[str]:
        """Return the full names of bronze files."""
        return {f"file:{self.directory}/lake/bronze/{name}.csv" for name in names}

    def sources(self, dataset: str) -> set[str]:
        """Return the bronze files upstream of a dataset."""
        with lineage.connect(self.dsn) as graph:
            upstream = {each.full_name for each in graph.upstream(dataset).datasets}
        return {name for name in upstream if "/bronze/" in name}


@pytest.fixture(scope="module")
def demo(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    """Run the demo as ``make demo`` does, with a separate database and directory."""
    directory = tmp_path_factory.mktemp("demo")
    database = server.create(server.migrated())
    dsn = server.dsn(database)
    # Most of the time is the start of five JVMs.
    environment = {
        **java.environment(),
        "LINEAGE_DSN": dsn,
        "DEMO_DIRECTORY": str(directory),
    }
    done = subprocess.run(
        [ROOT / "demo" / "run"], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    events = subprocess.run(
        [PROGRAMS / "lineage", "convert", directory / "spool"], capture_output=True, text=True
    )
    assert events.returncode == 0, events.stderr
    yield Demo(directory, dsn, done.stdout, events.stdout.splitlines())
    server.drop(database)


def test_each_gold_table_names_the_bronze_files_it_came_from_and_no_more(demo: Demo):
    assert demo.sources("gold/delays_by_airline") == demo.bronze("flights", "weather", "airlines")
    assert demo.sources("gold/routes") == demo.bronze("flights", "airports")


def test_what_a_bronze_file_breaks(demo: Demo):
    with lineage.connect(demo.dsn) as graph:
        names = {each.name for each in graph.downstream("bronze/airports.csv").datasets}
    assert names == {f"{demo.directory}/lake/{name}" for name in ("silver/airports", "gold/routes")}


def test_the_answers_are_printed_as_trees(demo: Demo):
    assert f"├── file:{demo.directory}/lake/silver/flights" in demo.printed
    assert f"│   └── file:{demo.directory}/lake/bronze/flights.csv" in demo.printed


def test_a_column_is_followed_to_the_files(demo: Demo):
    with lineage.connect(demo.dsn) as graph:
        trace = graph.column_lineage("gold/delays_by_airline", "mean_delay", direct_only=True)
    names = {node.column.full_name for node in trace.nodes}
    lake = f"file:{demo.directory}/lake"
    assert names == {
        f"{lake}/gold/delays_by_airline.mean_delay",
        f"{lake}/silver/flights.dep_delay",
        f"{lake}/bronze/flights.csv.dep_delay",
    }


def test_a_mean_names_its_rows(demo: Demo):
    lake = f"{demo.directory}/lake"
    assert f"{lake}/gold/delays_by_airline: 1 row, exact" in demo.printed
    counts = {"silver/flights": "342 rows", "silver/airlines": "1 row", "silver/weather": "21 rows"}
    for name, rows in counts.items():
        assert f"  {lake}/{name}: {rows}" in demo.printed


def test_a_missing_row_ends_where_the_tutorial_shows_it(demo: Demo):
    section = TUTORIAL.read_text().partition("\n## The second job\n")[2].partition("\n## ")[0]
    command, displayed = re.findall(r"^```(?:sh)?\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    done = subprocess.run(
        ["bash", "-euc", command.replace("demo/lake", f"{demo.directory}/lake")],
        cwd=ROOT,
        env={
            **os.environ,
            **java.environment(),
            "LINEAGE_DSN": demo.dsn,
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    row, end = displayed.splitlines()
    printed = done.stdout.splitlines()
    at = next(number for number, line in enumerate(printed) if line == end)
    # The page leaves out columns and the name of the file.
    assert all(part in printed[at - 1] for part in row.split("…"))
    assert sum(line.startswith("    is part of ") for line in printed) == 2
    assert "3 rows, exact" in printed[0]


def test_the_failed_run_is_fail_with_its_message(demo: Demo):
    with lineage.connect(demo.dsn) as graph:
        [access] = graph.dataset_runs("gold/fleet_age")
        assert access.run.state == "FAIL"
        assert "[CAST_INVALID_INPUT] The value 'NA'" in str(access.run.error)
        [application] = graph.job_runs("default/report_fleet_age")
        assert application.state == "FAIL"
        assert graph.upstream("gold/fleet_age").datasets == ()


def test_each_run_has_one_start_and_one_end(demo: Demo):
    counts: dict[str, Counter[str]] = {}
    for event in map(json.loads, demo.events):
        counts.setdefault(event["run"]["runId"], Counter())[event["eventType"]] += 1
    starts_and_ends = {(c["START"], c["COMPLETE"] + c["FAIL"]) for c in counts.values()}
    assert starts_and_ends == {(1, 1)}


def test_every_root_execution_of_spark_is_a_run(demo: Demo):
    documents = [
        json.loads(line)
        for file in (demo.directory / "spool").glob("*.jsonl")
        for line in file.read_text().splitlines()
    ]
    kinds = Counter(document["kind"] for document in documents)
    runs = {json.loads(event)["run"]["runId"] for event in demo.events}
    assert kinds["application_start"] == kinds["application_end"] == 5
    looks = [  # executions that read the schema of files, as part of the read of their rows
        document
        for document in documents
        if document["kind"] == "execution_end"
        and "DataFrameReader" in document["execution"]["callsite"]
    ]
    assert len(looks) > 0
    assert kinds["execution_start"] == kinds["execution_end"] == len(runs) - 5 + len(looks)


def test_the_first_example_in_raw_cypher_through_psql(
    demo: Demo, psql: Callable[[str, str], list[str]]
):
    rows = psql(
        demo.dsn,
        f"""
        SELECT * FROM cypher('provenance', $$
            MATCH (s:Dataset)-[:INPUT_TO]->(:Run)-[:OUTPUTS]->(t:Dataset)
            WHERE s.name STARTS WITH '{demo.directory}/lake/silver/'
            RETURN s.name, t.name
        $$) AS (source agtype, target agtype);
        """,
    )
    lake = f"{demo.directory}/lake"
    pairs = {tuple(json.loads(cell) for cell in line.split("|")) for line in rows}
    assert (f"{lake}/silver/weather", f"{lake}/gold/delays_by_airline") in pairs
    # The outputs of a failed run are edges of the run, but not of a summary.
    assert (f"{lake}/silver/planes", f"{lake}/gold/fleet_age") in pairs


@settings(SLOW_EXAMPLES, max_examples=15)
@given(seed=st.integers(0, 2**32), batch=st.integers(1, 80))
def test_any_order_and_repetition_of_its_events_gives_the_same_graph(
    demo: Demo, conn: psycopg.Connection[Any], seed: int, batch: int
):
    chance = random.Random(seed)
    shuffled = [*demo.events, *chance.choices(demo.events, k=len(demo.events) // 2)]
    chance.shuffle(shuffled)
    clear(conn)
    write_events(conn, shuffled, batch)
    with psycopg.connect(demo.dsn) as original:
        assert graph_fingerprint(conn) == graph_fingerprint(original)
