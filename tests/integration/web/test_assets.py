"""Nodes of graph models on the pages of datasets and jobs, and in search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from playwright.sync_api import expect
from support.events.graph_models import edge, graph, node

from lineage.ingest.writer import write_events
from lineage.model import LineageGraph, NodeType
from lineage.model.events import events_of_graph

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from support.fixtures.collectors import Collector

TOPIC, COPY = "confluent:kafka_topic:e:orders", "confluent:connector:e:copy"
PAGE = "https://confluent.cloud/topics/orders"
# One page of a node is a script: it must not become a link.
MODEL = graph(
    node(TOPIC, url=PAGE, environment_id="e", environment_name="Production"),
    node("x:kafka_topic:e:bad", url="javascript:alert(1)"),
    node(COPY, NodeType.CONNECTOR, display_name="Debezium"),
    edge(COPY, TOPIC, confidence=0.5, attributes={"large": 2**70, "zero": -0.0}),
)


@pytest.fixture
def platform(collector: Collector) -> Collector:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, [json.dumps(each) for each in events_of_graph(MODEL)])
    return collector


def test_a_dataset_shows_type_id_and_page_of_its_nodes(page: Page, platform: Collector):
    page.goto(f"/dataset?name={TOPIC}")
    assets = page.get_by_role("list", name="Assets")
    expect(assets.get_by_role("listitem")).to_have_count(1)
    expect(assets).to_contain_text("kafka_topic")
    expect(assets).to_contain_text("confluent, Production")
    expect(assets.get_by_role("link", name=TOPIC)).to_have_attribute("href", PAGE)


def test_a_page_that_is_not_of_the_web_is_no_link(page: Page, platform: Collector):
    page.goto("/dataset?name=x:kafka_topic:e:bad")
    assets = page.get_by_role("list", name="Assets")
    expect(assets).to_contain_text("javascript:alert(1)")
    expect(assets.get_by_role("link")).to_have_count(0)


def test_a_job_shows_the_type_of_its_node(page: Page, platform: Collector):
    page.goto(f"/job?name={COPY}")
    expect(page.get_by_role("list", name="Assets")).to_contain_text("connector")


def test_search_shows_the_type(page: Page, platform: Collector):
    page.goto("/")
    page.get_by_role("combobox", name="Search").fill("debezium")
    hits = page.get_by_role("option")
    expect(hits).to_have_count(1)
    expect(hits.first).to_contain_text("connector")
    hits.first.get_by_role("link").click()
    expect(page.get_by_role("list", name="Assets")).to_contain_text(COPY)


def test_the_read_api_returns_models_and_details(platform: Collector):
    def get(path: str) -> Any:
        response = requests.get(f"{platform.url}/api/v1/graph/{path}", timeout=60)
        assert response.status_code == 200, response.text
        return response.json()

    whole = get("model")
    assert (LineageGraph.from_dict(whole), whole["omitted"]) == (MODEL, {})
    first = get("model?limit=1")
    assert [each["node_id"] for each in first["nodes"]] == [min(TOPIC, COPY, "x:kafka_topic:e:bad")]
    assert (first["edges"], first["omitted"]) == ([], {"nodes": 2})
    assert [each["node_id"] for each in get("model?node_type=connector")["nodes"]] == [COPY]
    around = get(f"model?around={TOPIC}&depth=0")
    assert ([each["node_id"] for each in around["nodes"]], around["edges"]) == ([TOPIC], [])
    details = get(f"dataset?dataset={TOPIC}")
    assert details["assets"] == [
        {"node_id": TOPIC, "system": "confluent", "node_type": "kafka_topic",
         "display_name": "orders", "environment": "Production", "url": PAGE}
    ]  # fmt: skip
    [hit] = get("search?text=debezium")["hits"]
    assert hit["node_types"] == ["connector"]
    assert get("stats")["assets_by_type"] == {"connector": 1, "kafka_topic": 2}
    response = requests.get(
        f"{platform.url}/api/v1/graph/dataset-lineage?dataset={TOPIC}&min_confidence=2", timeout=60
    )
    assert response.status_code == 400
    assert "min_confidence is not a number from 0 to 1" in response.text
