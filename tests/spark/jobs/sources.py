"""Runs the cases in one application: ``sources.py DIRECTORY DRIVER URL USER PASSWORD``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, cast

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support.cases.sources import APPLICATION, Job
from support.spark import java_functions
from support.spark.session import session
from support.spark.version import SPARK

from lineage.spark import configure

CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
SETTINGS = {
    "spark.sql.catalogImplementation": "hive",
    "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.catalog.pg": CATALOG,
    "spark.sql.catalog.pg.driver": "org.postgresql.Driver",
    "spark.sql.catalog.shelf": "tests.ShelfCatalog",
}
# Wheels of Spark contain the Connect server since 4.0.
CONNECT = (4, 0)
SERVER = {
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.connect.grpc.binding.address": "127.0.0.1",
    "spark.connect.grpc.binding.port": "0",
}


def address(spark: SparkSession) -> str:
    """Return the address of this application for clients of Spark Connect."""
    jvm: Any = spark.sparkContext._jvm
    service = jvm.org.apache.spark.sql.connect.service
    port = getattr(getattr(service, "SparkConnectService$"), "MODULE$").localPort()
    return f"sc://127.0.0.1:{port}"


def started(directory: str, driver: str, login: str) -> SparkSession:
    """Start a session with Hive's metastore in the directory and a catalog of the database."""
    builder = SparkSession.builder.appName("Sources").master("local[1]")
    builder = builder.config("spark.jars", str(java_functions.build(Path(directory))))
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    metastore = f"jdbc:derby:;databaseName={directory}/metastore;create=true"
    places = {
        "spark.driver.extraClassPath": driver,
        "spark.hadoop.hive.exec.scratchdir": f"{directory}/scratch",
        "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
        "spark.sql.catalog.pg.url": login,
    }
    server = SERVER if SPARK >= CONNECT else {}
    return cast("SparkSession", session(builder, directory, SETTINGS | places | server))


def main(directory: str, driver: str, url: str, user: str, password: str) -> None:
    spark = started(directory, driver, f"{url}?user={user}&password={password}")
    job = Job(spark, directory, url, user, password)
    for case in (case for case in APPLICATION if case.since <= SPARK):
        spark.sparkContext.setJobGroup(case.name, case.name)
        try:
            case.run(job)
        except (PySparkException, Py4JError):
            if not case.fails:
                raise
    if SPARK >= CONNECT:
        client = Path(__file__).with_name("connect.py")
        subprocess.run([sys.executable, client, address(spark), directory], check=True)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
