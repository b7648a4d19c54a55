"""The graph model of a Kafka platform: connectors, topics, schemas and external datasets.

Node ids have the form of LineageBridge, so that its files and this import describe the same nodes.
"""

from __future__ import annotations

from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from lineage.model.entities import LineageEdge, LineageNode
from lineage.model.graph import LineageGraph
from lineage.model.types import EdgeType, NodeType, SystemType
from lineage.platforms.debezium import split_internal_topics
from lineage.platforms.external_data import read_external_data
from lineage.platforms.jdbc_connectors import query_topic
from lineage.platforms.kafka_connect import has_provided_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.platforms.kafka_connect import ConnectCluster, Connector
    from lineage.platforms.schema_registry import RegisteredSchema

# Settings that are attributes of a connector. Others may contain secrets.
_ATTRIBUTES = {"tasks.max": "tasks_max", "output.data.format": "output_data_format"}


class KafkaGraph:
    """A graph model that is built from the reports of services.

    ``environment``: the third part of all node ids. ``system``: the first part, ``kafka`` or
    ``confluent``. ``servers``: bootstrap servers of the Kafka cluster, of which the first names
    its topics. ``unknown``: messages about facts that the services do not report.
    """

    def __init__(
        self,
        environment: str,
        *,
        system: str = "kafka",
        cluster_id: str | None = None,
        servers: str | None = None,
    ) -> None:
        self.graph = LineageGraph()
        self.unknown: list[str] = []
        self._environment = environment
        self._system = system
        self._cluster_id = cluster_id
        self._servers = servers
        self._time = datetime.now(timezone.utc)

    def add_connect_cluster(self, cluster: ConnectCluster) -> None:
        """Add the connectors of a cluster, with their topics and external datasets."""
        self.unknown += cluster.unreadable
        for connector in cluster.connectors:
            self._add_connector(connector)

    def add_schemas(self, schemas: Iterable[RegisteredSchema]) -> None:
        """Add schemas, and the topics that their subjects name."""
        for schema in schemas:
            node_id = self._add_node(
                NodeType.SCHEMA,
                schema.subject,
                schema_type=schema.schema_type,
                version=schema.version,
                schema_id=schema.schema_id,
                field_count=None if schema.fields is None else len(schema.fields),
                fields=schema.fields or [],
                schema_string=schema.text,
            )
            if schema.fields is None:
                self.unknown.append(f"subject {schema.subject}: its columns")
            if described := schema.described_topic():
                topic, role = described
                topic_id = self._add_topic(topic, schema_subject=schema.subject)
                self._add_edge(topic_id, node_id, EdgeType.HAS_SCHEMA, role=role)

    def _add_connector(self, connector: Connector) -> None:
        attributes: dict[str, Any] = {
            name: value
            for key, name in _ATTRIBUTES.items()
            if (value := connector.config.get(key)) and not has_provided_value(value)
        }
        topics, internal = split_internal_topics(connector, connector.active_topics or ())
        if connector.active_topics is not None:
            connector = connector._replace(active_topics=tuple(topics))
        node_id = self._add_node(
            NodeType.CONNECTOR,
            connector.name,
            connector_class=connector.connector_class,
            direction=connector.direction,
            state=connector.state,
            internal_topics=internal or None,
            **attributes,
        )
        if connector.direction == "unknown":
            self._add_unknown(connector, "whether it is a source or a sink")
            return
        is_sink = connector.direction == "sink"
        topics = self._find_topics(connector)
        for topic in topics:
            ends = (self._add_topic(topic), node_id)
            kind = EdgeType.CONSUMES if is_sink else EdgeType.PRODUCES
            self._add_edge(*(ends if is_sink else ends[::-1]), kind)
        letters = connector.config.get("errors.deadletterqueue.topic.name", "")
        if is_sink and has_provided_value(letters):
            self._add_unknown(connector, "the topic of dead letters, which a config provider has")
        elif is_sink and letters:
            letters_id = self._add_topic(letters, role="dlq", for_connector=connector.name)
            self._add_edge(node_id, letters_id, EdgeType.PRODUCES)
        self._add_external_data(connector, node_id, topics)

    def _find_topics(self, connector: Connector) -> list[str]:
        """Return the topics of a connector: those that it has used, and those of its settings."""
        active = connector.active_topics or ()
        if connector.direction == "sink":
            listed = connector.split_setting("topics")
            known = [topic for topic in listed if not has_provided_value(topic)]
            if len(known) < len(listed):
                self._add_unknown(connector, "the topics whose names a config provider has")
            elif not listed and not active:
                self._add_unknown(connector, "the topics that its pattern selects")
            return sorted({*known, *active})
        if active:
            return sorted(active)
        # Without transforms, one topic of the settings is the topic of all records.
        config = connector.config
        topic = config.get("kafka.topic") or config.get("topic") or query_topic(connector)
        if topic and not has_provided_value(topic) and not connector.split_setting("transforms"):
            return [topic]
        self._add_unknown(connector, "the topics that it writes")
        return []

    def _add_external_data(self, connector: Connector, node_id: str, topics: list[str]) -> None:
        data = read_external_data(connector, topics)
        if data.unknown:
            self._add_unknown(connector, data.unknown)
        for url in data.urls:
            external_id = self._add_node(
                NodeType.EXTERNAL_DATASET,
                url,
                system=SystemType.EXTERNAL,
                inferred_from=connector.name,
                connector_class=connector.connector_class,
            )
            ends = (node_id, external_id)
            is_sink = connector.direction == "sink"
            self._add_edge(*(ends if is_sink else ends[::-1]), EdgeType.PRODUCES)

    def _add_unknown(self, connector: Connector, unknown: str) -> None:
        self.unknown.append(f"connector {connector.name}: {unknown}")

    def _add_topic(self, topic: str, **attributes: Any) -> str:
        return self._add_node(
            NodeType.KAFKA_TOPIC, topic, bootstrap_servers=self._servers, **attributes
        )

    def _add_node(
        self, kind: NodeType, name: str, *, system: SystemType | None = None, **attributes: Any
    ) -> str:
        node_id = f"{self._system}:{kind.value}:{self._environment}:{name}"
        of_cluster = kind in (NodeType.CONNECTOR, NodeType.KAFKA_TOPIC)
        self.graph.add_node(
            LineageNode(
                node_id=node_id,
                system=system or self._system,
                node_type=kind,
                qualified_name=name,
                display_name=name,
                environment_id=self._environment,
                cluster_id=self._cluster_id if of_cluster else None,
                attributes={key: value for key, value in attributes.items() if value is not None},
                first_seen=self._time,
                last_seen=self._time,
            )
        )
        return node_id

    def _add_edge(self, source: str, target: str, kind: EdgeType, **attributes: Any) -> None:
        self.graph.add_edge(
            LineageEdge(
                src_id=source,
                dst_id=target,
                edge_type=kind,
                attributes=attributes,
                first_seen=self._time,
                last_seen=self._time,
            )
        )
