"""An event lake in an object store, written and folded by Spark and read by a rebuild."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import psycopg
import pytest
from support.events.months import three_months
from support.services.object_store import object_store
from support.spark.connector_packages import HADOOP_AWS
from support.spark.releases import environment

from lineage.eventlog import archived
from lineage.ingest.writer import write_events
from lineage.projection.rebuild import graph_fingerprint
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server

LINEAGE = Path(sys.executable).with_name("lineage")
LAKE = "s3://lake/lineage"


@pytest.fixture
def store() -> Iterator[dict[str, str]]:
    """Run a store with the bucket ``lake``; return options of clients."""
    with object_store("lake") as options:
        yield options


@pytest.fixture
def variables(store: dict[str, str], dsn: str, tmp_path: Path) -> dict[str, str]:
    """Return the variables of a shell whose commands use the store."""
    return {
        **os.environ, **environment(HADOOP_AWS.spark), "LINEAGE_DSN": dsn,
        "LINEAGE_SPOOL": str(tmp_path / "spools"),
        "PYSPARK_SUBMIT_ARGS": f"--packages {HADOOP_AWS.packages[0]} pyspark-shell",
        "AWS_ENDPOINT_URL": store["endpoint_url"],
        "AWS_DEFAULT_REGION": store["region_name"],
        "AWS_ACCESS_KEY_ID": store["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": store["aws_secret_access_key"],
        "AWS_EC2_METADATA_DISABLED": "true",
    }  # fmt: skip


def run(variables: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [str(LINEAGE), *words], env=variables, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_lake_in_an_object_store_gives_the_graph_of_ingested_events(
    store: dict[str, str],
    variables: dict[str, str],
    conn: psycopg.Connection[Any],
    server: Server,
    database: Callable[[str], str],
    tmp_path: Path,
) -> None:
    events = three_months()
    client = boto3.client("s3", **store)
    client.put_object(Bucket="lake", Key="events/first.jsonl", Body="\n".join(events[::2]))
    (tmp_path / "second.jsonl").write_text("\n".join(events[1::2]))
    with psycopg.connect(database(server.migrated()), autocommit=True) as ingested:
        write_events(ingested, events)
        expected = graph_fingerprint(ingested)

    run(variables, "lake", "add", LAKE, "s3://lake/events/", "--no-lineage")
    run(variables, "lake", "add", LAKE, str(tmp_path / "second.jsonl"), "--no-lineage")
    assert run(variables, "lake", "fold", LAKE, "--no-lineage").count("12 events") == 3
    assert graph_fingerprint(conn) == expected
    locations = {file.location for file in archived.archived_files(conn)}
    assert all(location.startswith(f"{LAKE}/month=2025-") for location in locations)
    run(variables, "rebuild")
    assert graph_fingerprint(conn) == expected

    run(variables, "lake", "stats", LAKE, "--by", "use", "--to", "s3://lake/use")
    listed = client.list_objects_v2(Bucket="lake", Prefix="use/")["Contents"]
    assert any(each["Key"].endswith(".parquet") for each in listed)


def test_the_graph_has_the_lineage_of_the_lake(
    store: dict[str, str], variables: dict[str, str], dsn: str
) -> None:
    boto3.client("s3", **store).put_object(
        Bucket="lake", Key="events.jsonl", Body="\n".join(three_months())
    )
    run(variables, "lake", "add", LAKE, "s3://lake/events.jsonl")
    run(variables, "lake", "fold", LAKE)
    with Graph(dsn) as graph:
        names = {each.full_name for each in graph.upstream("lineage.feeds").datasets}
    assert names == {LAKE, "s3://lake/events.jsonl"}
