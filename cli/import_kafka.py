"""``lineage import kafka``: connectors, topics and schemas of a Kafka platform."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from . import options
from .output import render, terminal

if TYPE_CHECKING:
    from lineage.platforms.kafka_graph import KafkaGraph


@click.command()
@click.option(
    "--connect", "connect_url", metavar="URL", envvar="LINEAGE_KAFKA_CONNECT_URL",
    help="Kafka Connect, as http://HOST:8083.  [default: LINEAGE_KAFKA_CONNECT_URL]",
)  # fmt: skip
@click.option(
    "--schema-registry", "registry_url", metavar="URL", envvar="LINEAGE_SCHEMA_REGISTRY_URL",
    help="Schema registry, as http://HOST:8081.  [default: LINEAGE_SCHEMA_REGISTRY_URL]",
)  # fmt: skip
@click.option(
    "--servers", metavar="HOST:PORT,...",
    help="Bootstrap servers of the Kafka cluster: the namespace of its topics in events.",
)  # fmt: skip
@click.option(
    "--environment", metavar="ID",
    help="Part of the ids of all nodes.  [default: the id of the Kafka cluster]",
)  # fmt: skip
@click.option(
    "--system", type=click.Choice(["kafka", "confluent"]), default="kafka", show_default=True,
    help="System of the nodes; confluent for the ids of LineageBridge.",
)  # fmt: skip
@click.option(
    "--output", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE",
    help="Write the graph model into FILE, instead of into the database.",
)  # fmt: skip
@options.dsn
@click.pass_context
def import_kafka(
    context: click.Context,
    connect_url: str | None,
    registry_url: str | None,
    servers: str | None,
    environment: str | None,
    system: str,
    output: Path | None,
    dsn: str | None,
) -> None:
    """Import connectors with their topics and external datasets, and schemas of topics.

    Each import adds an event for each node, with its own time. Topics, columns and external
    datasets that cannot be determined are listed; the exit code is then 1. User and password are
    part of a URL, or in ~/.netrc.

    \b
    Examples:
      lineage import kafka --connect http://connect:8083 --servers broker:9092
      lineage import kafka --schema-registry http://registry:8081 --environment prod
    """
    if not connect_url and not registry_url:
        raise click.UsageError("Specify --connect, --schema-registry, or both.")
    model = _read_platform(connect_url, registry_url, environment, system, servers)
    if output is not None:
        model.graph.to_json_file(output)
        _write_count(f"{output}: ", model)
    else:
        _write_model(model, dsn)
    for each in model.unknown:
        terminal.write_line(f"not known: {each}", err=True)
    if model.unknown:
        context.exit(1)


def _read_platform(
    connect_url: str | None,
    registry_url: str | None,
    environment: str | None,
    system: str,
    servers: str | None,
) -> KafkaGraph:
    from lineage.platforms.kafka_connect import ConnectCluster, read_connect_cluster
    from lineage.platforms.kafka_graph import KafkaGraph
    from lineage.platforms.rest import RestClient
    from lineage.platforms.schema_registry import read_schemas

    cluster = ConnectCluster(None, ())
    if connect_url:
        cluster = read_connect_cluster(RestClient(connect_url))
    environment = environment or cluster.kafka_cluster_id
    if not environment:
        raise click.UsageError("The services do not report the id of the cluster: --environment.")
    model = KafkaGraph(
        environment, system=system, cluster_id=cluster.kafka_cluster_id, servers=servers
    )
    model.add_connect_cluster(cluster)
    if registry_url:
        schemas, unreadable = read_schemas(RestClient(registry_url))
        model.add_schemas(schemas)
        model.unknown += unreadable
    return model


def _write_model(model: KafkaGraph, dsn: str | None) -> None:
    from lineage.database.connection import connect_migrated

    from .graph_models import write_graph

    with connect_migrated(dsn) as conn:
        _, omitted = write_graph(conn, model.graph, {})
    model.unknown += omitted
    _write_count("", model)


def _write_count(place: str, model: KafkaGraph) -> None:
    nodes = render.count_of(model.graph.node_count, "node")
    edges = render.count_of(model.graph.edge_count, "edge")
    terminal.write_line(f"{place}{nodes}, {edges}.", err=True)
