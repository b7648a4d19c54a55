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
from support.services.object_store import object_store, variables_of
from support.spark.connector_packages import HADOOP_AWS, ICEBERG_S3
from support.spark.releases import environment

from lineage.eventlog import archived
from lineage.ingest.writer import write_events
from lineage.lake.layout import COLUMNS
from lineage.projection.rebuild import graph_fingerprint
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server

LINEAGE = Path(sys.executable).with_name("lineage")
JOBS = Path(__file__).parent / "jobs"
LAKE = "s3://lake/lineage"
TABLE = "table:prod.db.events"


@pytest.fixture
def store() -> Iterator[dict[str, str]]:
    """Run a store with the bucket ``lake``; return options of clients."""
    with object_store("lake") as options:
        yield options


@pytest.fixture
def variables(store: dict[str, str], dsn: str, tmp_path: Path) -> dict[str, str]:
    """Return the variables of a shell whose commands use the store."""
    return {
        **os.environ, **variables_of(store), "LINEAGE_DSN": dsn,
        "LINEAGE_SPOOL": str(tmp_path / "spools"),
    }  # fmt: skip


@pytest.fixture
def with_s3(variables: dict[str, str]) -> dict[str, str]:
    """Return the variables, with the file system for Spark."""
    packages = f"--packages {HADOOP_AWS.packages[0]} pyspark-shell"
    return {**variables, **environment(HADOOP_AWS.spark), "PYSPARK_SUBMIT_ARGS": packages}


@pytest.fixture
def with_iceberg(
    variables: dict[str, str], store: dict[str, str], tmp_path: Path
) -> dict[str, str]:
    """Return the variables, with a catalog of Iceberg that names its files s3://."""
    catalog = {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{tmp_path}/catalog.db",
        "jdbc.schema-version": "V1",
        "warehouse": "s3://lake/warehouse",
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "s3.endpoint": store["endpoint_url"],
        "s3.path-style-access": "true",
        "client.region": store["region_name"],
    }
    lines = [
        f"spark.jars.packages {','.join(ICEBERG_S3.packages)}",
        "spark.sql.catalog.prod org.apache.iceberg.spark.SparkCatalog",
        *(f"spark.sql.catalog.prod.{key} {value}" for key, value in catalog.items()),
    ]
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-defaults.conf").write_text("\n".join(lines))
    return {
        **variables, **environment(ICEBERG_S3.spark), "SPARK_CONF_DIR": str(tmp_path / "conf"),
    }  # fmt: skip


@pytest.fixture
def expected(server: Server, database: Callable[[str], str]) -> str:
    """Return the fingerprint of the graph of ingested events."""
    with psycopg.connect(database(server.migrated()), autocommit=True) as ingested:
        write_events(ingested, three_months())
        return graph_fingerprint(ingested)


def run(variables: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [str(LINEAGE), *words], env=variables, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_lake_in_an_object_store_gives_the_graph_of_ingested_events(
    store: dict[str, str],
    with_s3: dict[str, str],
    expected: str,
    conn: psycopg.Connection[Any],
    tmp_path: Path,
) -> None:
    events = three_months()
    client = boto3.client("s3", **store)
    client.put_object(Bucket="lake", Key="events/first.jsonl", Body="\n".join(events[::2]))
    (tmp_path / "second.jsonl").write_text("\n".join(events[1::2]))
    run(with_s3, "lake", "add", LAKE, "s3://lake/events/", "--no-lineage")
    run(with_s3, "lake", "add", LAKE, str(tmp_path / "second.jsonl"), "--no-lineage")
    assert run(with_s3, "lake", "fold", LAKE, "--no-lineage").count("12 events") == 3
    assert graph_fingerprint(conn) == expected
    locations = {file.location for file in archived.archived_files(conn)}
    assert all(location.startswith(f"{LAKE}/month=2025-") for location in locations)
    run(with_s3, "rebuild")
    assert graph_fingerprint(conn) == expected

    command = [sys.executable, str(JOBS / "merge_lake.py"), LAKE, with_s3["LINEAGE_DSN"]]
    with_python = {**with_s3, "PYSPARK_PYTHON": sys.executable}
    subprocess.run(command, env=with_python, check=True, timeout=600)
    merged = {file.location for file in archived.archived_files(conn)}
    assert (len(merged), len(merged & locations)) == (3, 0)
    listed = client.list_objects_v2(Bucket="lake", Prefix="lineage/month=2025")["Contents"]
    assert {f"s3://lake/{each['Key']}" for each in listed} == merged
    run(with_s3, "rebuild")
    assert graph_fingerprint(conn) == expected

    run(with_s3, "lake", "stats", LAKE, "--by", "use", "--to", "s3://lake/use")
    listed = client.list_objects_v2(Bucket="lake", Prefix="use/")["Contents"]
    assert any(each["Key"].endswith(".parquet") for each in listed)


def test_the_graph_has_the_lineage_of_the_lake(
    store: dict[str, str], with_s3: dict[str, str], dsn: str
) -> None:
    boto3.client("s3", **store).put_object(
        Bucket="lake", Key="events.jsonl", Body="\n".join(three_months())
    )
    run(with_s3, "lake", "add", LAKE, "s3://lake/events.jsonl")
    run(with_s3, "lake", "fold", LAKE)
    with Graph(dsn) as graph:
        names = {each.full_name for each in graph.upstream("lineage.feeds").datasets}
    assert names == {LAKE, "s3://lake/events.jsonl"}


def test_a_table_in_an_object_store_gives_the_graph_of_ingested_events(
    with_iceberg: dict[str, str], expected: str, conn: psycopg.Connection[Any], tmp_path: Path
) -> None:
    create = (
        f"CREATE TABLE prod.db.events ({COLUMNS}, month string) USING iceberg"
        " PARTITIONED BY (month)"
    )
    subprocess.run(
        [sys.executable, str(JOBS / "statements.py")],
        input=create, text=True, env=with_iceberg, check=True, timeout=600,
    )  # fmt: skip
    (tmp_path / "events.jsonl").write_text("\n".join(three_months()))
    run(with_iceberg, "lake", "add", TABLE, str(tmp_path / "events.jsonl"), "--no-lineage")
    assert run(with_iceberg, "lake", "fold", TABLE, "--no-lineage").count("12 events") == 3
    assert run(with_iceberg, "lake", "fold", TABLE, "--no-lineage") == ""
    locations = {file.location for file in archived.archived_files(conn)}
    assert all(location.startswith("s3://lake/warehouse/") for location in locations)
    run(with_iceberg, "rebuild")
    assert graph_fingerprint(conn) == expected
