"""Traces of several graph models follow the newest design of each node."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest
from support.events.graph_models import START, edge, graph, node
from support.services.command_line import commands_on

from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint, rebuild_graph
from lineage.query import Graph

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    from lineage.model import LineageGraph

    Connection = psycopg.Connection[Any]

DAY = timedelta(days=1)
LAKE = {"storage_location": "s3://lake/sales/orders"}


class Importer:
    """Imports files into a database and asks what is upstream of a dataset."""

    def __init__(self, conn: Connection, folder: Path) -> None:
        self.conn, self.folder = conn, folder
        self.run = commands_on(conn)

    def import_models(self, *models: LineageGraph) -> None:
        paths = [self.folder / f"{number}.json" for number in range(len(models))]
        for path, model in zip(paths, models, strict=True):
            model.to_json_file(path)
        self.run("graph", "import", *map(str, paths))

    def upstream(self, name: str) -> set[str]:
        return {each.name for each in Graph.over(self.conn).upstream(name).datasets}


@pytest.fixture
def importer(conn: Connection, tmp_path: Path) -> Importer:
    return Importer(conn, tmp_path)


def environment(env: str, topic: str, seen: timedelta) -> LineageGraph:
    """One topic of an environment that is materialized in the table of all environments."""
    times = {"first_seen": START, "last_seen": START + seen}
    source, table = f"c:kafka_topic:{env}:{topic}", f"d:uc_table:{env}:main.sales.orders"
    return graph(
        node(source, **times), node(table, "catalog_table", attributes=LAKE, **times),
        edge(source, table, "materializes", **times),
    )  # fmt: skip


def united(*models: LineageGraph) -> LineageGraph:
    return graph(*(each for model in models for each in (*model.nodes, *model.edges)))


EU, US = environment("eu", "orders_eu", 0 * DAY), environment("us", "orders_us", DAY)


@pytest.mark.parametrize("files", [[EU, US], [US, EU], [united(EU, US)]])
def test_a_table_of_two_environments_has_the_sources_of_both(
    conn: Connection, importer: Importer, files: list[LineageGraph]
):
    importer.import_models(*files)
    assert importer.upstream("s3://lake/sales/orders") == {"orders_eu", "orders_us"}
    fingerprint = graph_fingerprint(conn)
    rebuild_graph(conn)
    assert graph_fingerprint(conn) == fingerprint


def test_a_newer_file_of_one_environment_replaces_the_sources_of_that_environment(
    importer: Importer,
):
    importer.import_models(united(EU, US))
    importer.import_models(environment("eu", "orders_new", 2 * DAY))
    assert importer.upstream("s3://lake/sales/orders") == {"orders_new", "orders_us"}


def test_any_order_of_files_has_the_same_sources(conn: Connection, importer: Importer):
    newer = environment("eu", "orders_new", 2 * DAY)
    for files in permutations((EU, US, newer)):
        conn.execute("TRUNCATE lineage.event")
        rebuild_graph(conn)
        for each in files:
            importer.import_models(each)
        assert importer.upstream("s3://lake/sales/orders") == {"orders_new", "orders_us"}


def test_the_design_of_another_producer_replaces_older_nodes_only(
    conn: Connection, importer: Importer
):
    """A dataset event with a lineage facet, on the day between two files."""
    source = {"namespace": "db", "name": "copied", "type": "DATASET"}
    event = {
        "eventTime": (START + DAY / 2).isoformat(),
        "dataset": {"namespace": "s3://lake", "name": "sales/orders",
                    "facets": {"lineage": {"inputs": [source]}}},
    }  # fmt: skip
    importer.import_models(EU)
    write_events(conn, [json.dumps(event)])
    assert importer.upstream("s3://lake/sales/orders") == {"copied"}
    importer.import_models(US)
    assert importer.upstream("s3://lake/sales/orders") == {"orders_us"}


def test_a_part_of_a_file_does_not_replace_the_design_of_the_whole(importer: Importer):
    """The connectors and their topics, as ``lineage graph export --system`` selects them."""
    topics = [node(f"c:kafka_topic:e:t{n}", "kafka_topic") for n in range(8)]
    sinks = [node(f"c:connector:e:s{n}", "connector") for n in range(8)]
    tables = [node(f"x:external_dataset:e:p{n}", "external_dataset") for n in range(8)]
    reads = [edge(t.node_id, s.node_id, "consumes") for t, s in zip(topics, sinks, strict=True)]
    writes = [edge(s.node_id, p.node_id) for s, p in zip(sinks, tables, strict=True)]
    whole, part = graph(*topics, *sinks, *tables, *reads, *writes), graph(*topics, *sinks, *reads)
    importer.import_models(part, whole, part)
    assert [importer.upstream(f"p{n}") for n in range(8)] == [{f"t{n}"} for n in range(8)]
