"""Names of nodes by the OpenLineage naming spec.

A node whose values tell where its data are is called as Spark and other producers call the same
data. Any other node is called by its id. The id of a data asset is always an alias.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lineage import naming
from lineage.model.types import JOB_TYPES, NodeType
from lineage.naming import DatasetName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.model.entities import LineageNode

# The namespace of ids without three colons; no other id has a namespace without a colon.
_ID_NAMESPACE = "asset"
_ID_PARTS = 4
# Schemes whose names are paths; the names of other schemes, such as mysql, have no first slash.
_PATHS = {*naming.OBJECT_STORES, "http", "https", "hdfs", "file", "dbfs", "ftp", "sftp"}


def of_node_id(node_id: str) -> DatasetName:
    """Return the name that is a node id: its first three parts are the namespace.

    Distinct ids have distinct names.
    """
    parts = node_id.split(":", _ID_PARTS - 1)
    if len(parts) == _ID_PARTS and parts[-1]:
        return DatasetName(":".join(parts[:-1]), parts[-1])
    return DatasetName(_ID_NAMESPACE, node_id)


def names_of_node(node: LineageNode, clusters: Mapping[str, str]) -> list[DatasetName]:
    """Return the name of a node, then its aliases. A job has one name.

    ``clusters``: bootstrap servers of Kafka clusters by the id of the cluster.
    """
    own = of_node_id(node.node_id)
    if node.node_type in JOB_TYPES:
        return [own]
    names = [*_physical_names(node, clusters), own]
    return list(dict.fromkeys(name for name in names if name.name))


def _physical_names(node: LineageNode, clusters: Mapping[str, str]) -> list[DatasetName]:
    if node.node_type == NodeType.KAFKA_TOPIC:
        servers = clusters.get(node.cluster_id or "") or _attribute_text(node, "bootstrap_servers")
        return [naming.of_kafka(servers, node.qualified_name)] if servers else []
    if node.node_type == NodeType.CATALOG_TABLE:
        return _table_names(node)
    if node.node_type == NodeType.EXTERNAL_DATASET:
        location = _of_location(node.qualified_name)
        return [location] if location else []
    return []


def _table_names(node: LineageNode) -> list[DatasetName]:
    """Return the location of a table, if it is known, and the name in its catalog."""
    if node.catalog_type == "GOOGLE_DATA_LINEAGE":
        return [DatasetName("bigquery", node.qualified_name)]
    location = _of_location(
        _attribute_text(node, "storage_location") or _attribute_text(node, "location")
    )
    names = [location] if location else []
    if node.catalog_type == "UNITY_CATALOG":
        host = urlsplit(_attribute_text(node, "workspace_url")).hostname
        names += [DatasetName(f"databricks://{host}", node.qualified_name)] if host else []
    elif node.catalog_type == "AWS_GLUE":
        region, account = _attribute_text(node, "aws_region"), _attribute_text(node, "account_id")
        database, dot, table = node.qualified_name.partition(".")
        if region and account and dot:
            names.append(
                DatasetName(f"arn:aws:glue:{region}:{account}", f"table/{database}/{table}")
            )
    return names


def _of_location(url: str) -> DatasetName | None:
    """Name the data at a URL; None if the text is no URL with a name."""
    scheme, separator, rest = url.partition("://")
    if not separator or not scheme or not rest.strip("/"):
        return None
    name = naming.of_path(url)
    if scheme.lower() not in _PATHS:
        name = DatasetName(name.namespace, name.name.strip("/"))
    return name if name.name else None


def _attribute_text(node: LineageNode, key: str) -> str:
    value: Any = node.attributes.get(key)
    return value if isinstance(value, str) else ""
