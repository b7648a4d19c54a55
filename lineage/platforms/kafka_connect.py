"""The REST interface of Kafka Connect: connectors, their configuration, state and active topics.

Also that of Confluent Cloud, whose URL ends with ``/connect/v1/environments/ID/clusters/ID``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.errors import ServiceUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lineage.platforms.rest import RestClient

# Kafka Connect replaces these by values that only the worker has: ${file:/opt/secrets:key}.
_PLACEHOLDER = re.compile(r"\$\{[^}]*:[^}]*\}")
# Their placeholder. It is a word, so that it keeps its position in any URL, list or query.
_PROVIDED = "value_of_config_provider"


class Connector(NamedTuple):
    """A connector. ``direction``: ``source``, ``sink``, or ``unknown`` by old versions.

    ``active_topics``: the topics that it has used since it was created or reset (KIP-558); None if
    the worker does not track them.
    """

    name: str
    direction: str
    config: Mapping[str, str]
    state: str | None
    active_topics: tuple[str, ...] | None

    @property
    def connector_class(self) -> str:
        """The class in the configuration."""
        return self.config.get("connector.class", "")

    def split_setting(self, *keys: str) -> list[str]:
        """Return the values of the first of these settings that is set, separated by commas."""
        text = next((value for key in keys if (value := self.config.get(key))), "")
        return [part for each in text.split(",") if (part := each.strip())]


class ConnectCluster(NamedTuple):
    """Connectors by name. ``kafka_cluster_id``: None if the service does not report it.

    ``unreadable``: a message for each connector that could not be read.
    """

    kafka_cluster_id: str | None
    connectors: tuple[Connector, ...]
    unreadable: tuple[str, ...] = ()


def read_connect_cluster(client: RestClient) -> ConnectCluster:
    """Read all connectors of a cluster. Raises ServiceUnavailable."""
    # The root exists on workers only, and has kafka_cluster_id since Kafka 1.1.
    root = client.get_json("", missing=(401, 403, 404))
    listed = client.get_json("connectors", expand=["info", "status"])
    connectors, unreadable = [], []
    for name in sorted(listed):
        try:
            detail = listed[name] if isinstance(listed, dict) else _read_details(client, name)
            connectors.append(_parse_connector(client, name, detail))
        except ServiceUnavailable as error:
            unreadable.append(f"connector {name}: {error.message}")
    cluster_id = root.get("kafka_cluster_id") if isinstance(root, dict) else None
    return ConnectCluster(cluster_id, tuple(connectors), tuple(unreadable))


def replace_placeholders(value: str) -> str:
    """Return a setting with a word in place of each value that a config provider has."""
    return _PLACEHOLDER.sub(_PROVIDED, value)


def has_provided_value(text: str) -> bool:
    """Return whether a part of a name or a setting is a value that a config provider has."""
    return _PROVIDED in text.casefold()


def _read_details(client: RestClient, name: str) -> dict[str, Any]:
    """Read one connector of a worker before Kafka 2.3, which lists names only."""
    return {
        "info": client.get_json("connectors", name),
        "status": client.get_json("connectors", name, "status", missing=(404,)) or {},
    }


def _parse_connector(client: RestClient, name: str, detail: Any) -> Connector:
    info, status = _read_member(detail, "info"), _read_member(detail, "status")
    config = {
        key: replace_placeholders(value)
        for key, value in _read_member(info, "config").items()
        if isinstance(value, str)
    }
    direction = info.get("type") or status.get("type")
    return Connector(
        name,
        direction if direction in ("source", "sink") else "unknown",
        config,
        _read_member(status, "connector").get("state"),
        _read_active_topics(client, name),
    )


def _read_active_topics(client: RestClient, name: str) -> tuple[str, ...] | None:
    """Read the topics of a connector. Workers answer 403 if ``topic.tracking.enable`` is false."""
    response = client.get_json("connectors", name, "topics", missing=(403, 404, 405))
    topics = _read_member(response, name).get("topics")
    return tuple(map(str, topics)) if isinstance(topics, list) else None


def _read_member(value: Any, key: str) -> dict[str, Any]:
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}
