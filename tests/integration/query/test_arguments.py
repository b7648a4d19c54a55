"""Arguments of queries that are out of range, and texts in place of lists."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.graph_models import graph, node

from lineage.errors import UsageError
from lineage.ingest.writer import write_events
from lineage.model.events import events_of_graph
from lineage.query import Graph
from lineage.query.filters import Filters
from lineage.query.run_history import RunFilter

if TYPE_CHECKING:
    from collections.abc import Callable

Connection = psycopg.Connection[Any]

TABLE, JOB, RUN = "s3://lake/gold/revenue", "etl/publish", "publish-1"


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph: graph.dataset_lineage(TABLE, "up"),
        lambda graph: graph.dataset_lineage(TABLE, "Upstream"),
        lambda graph: graph.neighbours(TABLE, "down"),
        lambda graph: graph.job_lineage(JOB, "both"),
        lambda graph: graph.column_lineage(TABLE, "amount", "both"),
        lambda graph: graph.run_lineage(RUN, "both"),
        lambda graph: graph.run_steps(RUN, "both"),
    ],
)
def test_an_unknown_direction_is_an_error(provenance: Graph, ask: Callable[[Graph], Any]) -> None:
    with pytest.raises(UsageError, match="There is no direction"):
        ask(provenance)


LISTS: list[Callable[[Graph, Any], Any]] = [
    lambda graph, of: graph.upstream(TABLE, filters=Filters(namespaces=of("s3://lake"))),
    lambda graph, of: graph.datasets(namespaces=of("s3://lake")),
    lambda graph, of: graph.jobs(namespaces=of("etl")),
    lambda graph, of: graph.search("revenue", of("dataset")),
    lambda graph, of: graph.subgraph(of(TABLE)).nodes,
    lambda graph, of: [each.writes for each in graph.timeline(of(TABLE)).bins],
    lambda graph, of: graph.runs(where=RunFilter(states=of("COMPLETE"))),
]


@pytest.mark.parametrize("ask", LISTS)
def test_a_text_is_a_list_of_one_text(provenance: Graph, ask: Callable[[Graph, Any], Any]) -> None:
    answer = ask(provenance, str)
    assert answer == ask(provenance, lambda text: [text])
    assert answer


def test_a_model_is_selected_by_a_text(conn: Connection) -> None:
    node_id = "confluent:kafka_topic:env-1:orders"
    topic = node(node_id, environment_id="env-1", system="confluent")
    write_events(conn, [json.dumps(each) for each in events_of_graph(graph(topic))])
    model = Graph.over(conn).model
    assert model(environment="env-1", system="confluent", node_type="kafka_topic").nodes == [topic]
    assert model(environment="env-12").nodes == []


def test_an_unknown_kind_is_an_error(provenance: Graph) -> None:
    with pytest.raises(UsageError, match='There is no kind "table"'):
        provenance.search("revenue", ["dataset", "table"])  # type: ignore[list-item]
