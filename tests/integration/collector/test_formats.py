"""Results over HTTP in the formats of other tools, compared with those of the command."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import lineage_cli
import pytest
import requests
from click.testing import CliRunner
from support.events.builders import run_event

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

RUNS = ("00000001-0000-4000-8000-000000000000", "00000002-0000-4000-8000-000000000000")
FILES = ("csv", "dot", "mermaid", "graphml", "html", "openlineage")


@pytest.fixture
def chain(collector: Collector) -> Collector:
    """Return a collector with raw -> clean -> gold."""
    for event in (
        run_event(RUNS[0], "COMPLETE", 10, "clean", ("raw",), ("clean",)),
        run_event(RUNS[1], "COMPLETE", 20, "report", ("clean",), ("gold",)),
    ):
        assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    return collector


def ask(collector: Collector, operation: str, **parameters: Any) -> requests.Response:
    url = f"{collector.url}/api/v1/graph/{operation}"
    return requests.get(url, params=parameters, timeout=60)


def ask_subgraph(collector: Collector, form: str, *datasets: str) -> requests.Response:
    url = f"{collector.url}/api/v1/graph/subgraph"
    return requests.post(url, json={"datasets": datasets, "format": form}, timeout=60)


@pytest.mark.parametrize("form", FILES)
def test_a_format_is_that_of_the_command(chain: Collector, form: str) -> None:
    answer = ask(chain, "dataset-lineage", dataset="gold", format=form)
    assert answer.status_code == 200
    command = ["query", "gold", "--format", form, "--dsn", chain.dsn]
    printed = CliRunner().invoke(lineage_cli.main, command).stdout_bytes
    assert answer.content == printed


@pytest.mark.parametrize(
    ("operation", "parameters"),
    [
        ("dataset-lineage-at", {"dataset": "gold"}),
        ("job-lineage", {"job": "etl/report"}),
        ("run-lineage", {"run": RUNS[1], "runs": "true"}),
        ("paths", {"source": "raw", "target": "gold"}),
        ("impact", {"dataset": "raw"}),
    ],
)
def test_every_graph_has_a_diagram(chain: Collector, operation: str, parameters: Any) -> None:
    answer = ask(chain, operation, **parameters, format="dot")
    assert answer.text.startswith("digraph")


def test_the_subgraph_contains_exactly_the_named_datasets(chain: Collector) -> None:
    rows = list(csv.DictReader(io.StringIO(ask_subgraph(chain, "csv", "raw", "clean").text)))
    assert [(row["source"], row["target"], row["job"]) for row in rows] == [
        ("s3://lake/raw", "s3://lake/clean", "etl/clean")
    ]
    graph = ElementTree.fromstring(ask_subgraph(chain, "graphml", "raw", "clean", "gold").text)
    assert len(graph.findall(".//{*}node")) == 3
    assert len(graph.findall(".//{*}edge")) == 2
    events = [
        json.loads(line)
        for line in ask_subgraph(chain, "openlineage", "raw", "clean").text.splitlines()
    ]
    assert {event["job"]["name"] for event in events if "job" in event} == {"clean"}


def test_a_file_is_saved_and_has_no_rights(chain: Collector) -> None:
    headers = ask(chain, "dataset-lineage", dataset="gold", format="html").headers
    assert headers["Content-Type"].startswith("text/html")
    assert headers["Content-Disposition"] == 'attachment; filename="lineage.html"'
    assert headers["Content-Security-Policy"] == "sandbox"


def test_a_spreadsheet_computes_no_name(collector: Collector) -> None:
    formula = '=HYPERLINK("http://evil.example";"x")'
    event = run_event(RUNS[0], "COMPLETE", 10, formula, ("raw",), ("gold",))
    event = event.replace('"namespace": "etl"', '"namespace": "=1+1"')
    assert collector.post("/api/v1/lineage", event).status_code == 201
    collector.drawn().close()
    answer = ask(collector, "dataset-lineage", dataset="gold", format="csv")
    [row] = csv.DictReader(io.StringIO(answer.text))
    assert row["job"] == f"'=1+1/{formula}"
    assert row["distance"] == "1"


def test_an_unknown_format_is_rejected_with_the_known_ones(chain: Collector) -> None:
    answer = ask(chain, "dataset-lineage", dataset="gold", format="xls")
    assert answer.status_code == 400
    assert "csv" in answer.json()["error"]["message"]
    assert ask_subgraph(chain, "xls", "raw").status_code == 400
