"""Run a command beside a Kafka platform that has two connectors and one topic.

python demo/kafka_platform.py DIRECTORY COMMAND...

It answers as Kafka Connect and the schema registry do, as far as `lineage import kafka` asks them,
and names their addresses to the command in LINEAGE_KAFKA_CONNECT_URL and
LINEAGE_SCHEMA_REGISTRY_URL. A connector of Debezium reads a table of MySQL into a topic. A
FileStreamSink has written the topic into DIRECTORY/landing/orders.jsonl. There is no Kafka.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

TOPIC = "shop.inventory.orders"
ORDERS = [("ann", 30, "USD"), ("bob", 12, "EUR"), ("ann", 8, "USD")]
SCHEMA = {
    "type": "record",
    "name": "Order",
    "fields": [
        {"name": "customer", "type": "string"},
        {"name": "amount", "type": "long"},
        {"name": "currency", "type": "string"},
    ],
}


def connector(name: str, kind: str, **config: str) -> dict[str, Any]:
    """Return what Kafka Connect tells about a connector."""
    settings = {key.replace("_", "."): value for key, value in config.items()}
    return {
        "info": {"name": name, "type": kind, "config": {"name": name, **settings}, "tasks": []},
        "status": {"name": name, "type": kind, "connector": {"state": "RUNNING"}, "tasks": []},
    }


def responses(landing: Path) -> dict[str, Any]:
    """Return the JSON of each path."""
    source = connector(
        "mysql-source", "source", topic_prefix="shop", database_hostname="db",
        connector_class="io.debezium.connector.mysql.MySqlConnector",
    )  # fmt: skip
    sink = connector(
        "landing", "sink", topics=TOPIC, file=str(landing),
        connector_class="org.apache.kafka.connect.file.FileStreamSinkConnector",
    )  # fmt: skip
    latest = {"subject": f"{TOPIC}-value", "version": 1, "id": 1, "schema": json.dumps(SCHEMA)}
    return {
        "/": {"version": "3.9.1", "commit": "f745dfdcee2b9851", "kafka_cluster_id": "shop-1"},
        "/connectors": {"mysql-source": source, "landing": sink},
        "/connectors/mysql-source/topics": {"mysql-source": {"topics": ["shop", TOPIC]}},
        "/connectors/landing/topics": {"landing": {"topics": [TOPIC]}},
        "/subjects": [latest["subject"]],
        f"/subjects/{TOPIC}-value/versions/latest": latest,
    }


class Platform(ThreadingHTTPServer):
    """Both services; their paths differ."""

    def __init__(self, landing: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.responses = responses(landing)


class Handler(BaseHTTPRequestHandler):
    """Responds with JSON."""

    server: Platform

    def do_GET(self) -> None:
        """Respond to any known path."""
        found = self.server.responses.get(urlsplit(self.path).path)
        body = json.dumps(found or {"error_code": 404, "message": "Not Found"}).encode()
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Write nothing."""


def main(directory: str, *command: str) -> int:
    """Serve until the command has ended, and return its exit code."""
    landing = Path(directory).resolve() / "landing" / "orders.jsonl"
    landing.parent.mkdir(parents=True, exist_ok=True)
    names = ("customer", "amount", "currency")
    landing.write_text("".join(json.dumps(dict(zip(names, o, strict=True))) + "\n" for o in ORDERS))
    with Platform(landing) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        addresses = {"LINEAGE_KAFKA_CONNECT_URL": url, "LINEAGE_SCHEMA_REGISTRY_URL": url}
        done = subprocess.run(command, env={**os.environ, **addresses}, check=False)
        server.shutdown()
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
