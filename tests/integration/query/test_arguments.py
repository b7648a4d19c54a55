"""Arguments of queries that are out of range, and texts in place of lists."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import job_event
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

HOUR = timedelta(hours=1)
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


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda graph: graph.upstream(TABLE, -1), "depth is -1"),
        (lambda graph: graph.impact(TABLE, depth=-1), "depth is -1"),
        (lambda graph: graph.run_lineage(RUN, depth=-1), "depth is -1"),
        (lambda graph: graph.quality(TABLE, upstream=True, depth=-1), "depth is -1"),
        (lambda graph: graph.cycles(-1), "limit is -1"),
        (lambda graph: graph.rank_datasets(-1), "limit is -1"),
        (lambda graph: graph.runs(-1), "limit is -1"),
        (lambda graph: graph.events(-1), "limit is -1"),
        (lambda graph: graph.orphans(-1), "limit is -1"),
        (lambda graph: graph.search("revenue", limit=-1), "limit is -1"),
        (lambda graph: graph.runs(offset=-1), "offset is -1"),
        (lambda graph: graph.paths(TABLE, TABLE, min_confidence=90), "min_confidence is 90"),
        (lambda _: Filters(limit=-1), "limit is -1"),
        (lambda _: Filters(min_confidence=90), "min_confidence is 90"),
        (lambda _: Filters(min_confidence=float("nan")), "min_confidence is nan"),
        (lambda graph: graph.dataset_lineage_at(TABLE, datetime(2026, 1, 1)), "with a time zone"),
    ],
)
def test_a_value_out_of_range_is_an_error(
    provenance: Graph, ask: Callable[[Graph], Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        ask(provenance)


def test_a_time_is_a_text_or_a_datetime(provenance: Graph) -> None:
    text, time = "2026-01-01T00:01:00Z", datetime(2026, 1, 1, 1, 1, tzinfo=timezone(HOUR))
    answer = provenance.dataset_lineage_at(TABLE, time)
    assert answer == provenance.dataset_lineage_at(TABLE, text)
    late = provenance.upstream(TABLE, filters=Filters(since=time))
    assert late == provenance.upstream(TABLE, filters=Filters(since=text))


def test_a_null_in_sql_is_no_direction_and_the_default_confidence(provenance: Graph) -> None:
    conn = provenance.session.connection
    for function in (
        "dataset_lineage",
        "dataset_lineage_edges",
        "job_lineage",
        "run_lineage_by_job",
    ):
        name = {"job_lineage": JOB, "run_lineage_by_job": RUN}.get(function, TABLE)
        with pytest.raises(psycopg.errors.InvalidParameterValue):
            conn.execute(f"SELECT * FROM lineage.{function}(%s, NULL)", (name,))
    write_events(conn, [job_event(9, "designed", reads=("raw/new",), writes=("gold/revenue",))])
    default, null = (
        conn.execute(f"SELECT * FROM lineage.upstream(%s, NULL, false, {of})", (TABLE,)).fetchall()
        for of in ("0", "NULL")
    )
    assert default == null
