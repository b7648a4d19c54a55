"""Types of nodes, edges and systems.

Types of nodes and systems that are not listed here are texts: another tool, or a later version of
one, may write them. An edge of an unknown type has no meaning, and is rejected.
"""

from __future__ import annotations

from enum import Enum


class NodeType(str, Enum):
    """Known types of nodes."""

    KAFKA_TOPIC = "kafka_topic"
    CONNECTOR = "connector"
    KSQLDB_QUERY = "ksqldb_query"
    FLINK_JOB = "flink_job"
    TABLEFLOW_TABLE = "tableflow_table"
    CATALOG_TABLE = "catalog_table"
    SCHEMA = "schema"
    EXTERNAL_DATASET = "external_dataset"
    CONSUMER_GROUP = "consumer_group"
    NOTEBOOK = "notebook"
    CATALOG_QUERY = "catalog_query"


class EdgeType(str, Enum):
    """Types of edges."""

    PRODUCES = "produces"
    CONSUMES = "consumes"
    TRANSFORMS = "transforms"
    MATERIALIZES = "materializes"
    HAS_SCHEMA = "has_schema"
    MEMBER_OF = "member_of"


class SystemType(str, Enum):
    """Known systems."""

    CONFLUENT = "confluent"
    DATABRICKS = "databricks"
    AWS = "aws"
    GOOGLE = "google"
    EXTERNAL = "external"


# Types of the nodes that process data; all others hold data.
JOB_TYPES = frozenset(
    {
        NodeType.CONNECTOR,
        NodeType.KSQLDB_QUERY,
        NodeType.FLINK_JOB,
        NodeType.CONSUMER_GROUP,
        NodeType.NOTEBOOK,
        NodeType.CATALOG_QUERY,
    }
)

_NODE_TYPES = {each.value: each for each in NodeType}
_SYSTEM_TYPES = {each.value: each for each in SystemType}


def node_type(text: str) -> NodeType | str:
    """Return the type of this name; the name itself if it is unknown."""
    return _NODE_TYPES.get(text, text)


def system_type(text: str) -> SystemType | str:
    """Return the system of this name; the name itself if it is unknown."""
    return _SYSTEM_TYPES.get(text, text)
