"""Runs the cases in one application: ``sources.py DIRECTORY DRIVER URL USER PASSWORD``."""

from __future__ import annotations

import sys

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from spark_source_cases import CASES, Job

from lineage.spark import configure

CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.sql.catalogImplementation": "hive",
    "spark.hadoop.hive.exec.dynamic.partition.mode": "nonstrict",
    "spark.sql.catalog.pg": CATALOG,
    "spark.sql.catalog.pg.driver": "org.postgresql.Driver",
}


def session(directory: str, driver: str, login: str) -> SparkSession:
    """A session with Hive's metastore in the directory, and a catalog of the database."""
    builder = SparkSession.builder.appName("Sources").master("local[1]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    metastore = f"jdbc:derby:;databaseName={directory}/metastore;create=true"
    places = {
        "spark.driver.extraClassPath": driver,
        "spark.hadoop.hive.exec.scratchdir": f"{directory}/scratch",
        "spark.hadoop.javax.jdo.option.ConnectionURL": metastore,
        "spark.sql.catalog.pg.url": login,
        "spark.sql.warehouse.dir": f"{directory}/wh",
    }
    for key, value in (SETTINGS | places).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def main(directory: str, driver: str, url: str, user: str, password: str) -> None:
    spark = session(directory, driver, f"{url}?user={user}&password={password}")
    job = Job(spark, directory, url, user, password)
    for case in CASES:
        spark.sparkContext.setJobGroup(case.name, case.name)
        try:
            case.run(job)
        except (PySparkException, Py4JError):
            if not case.fails:
                raise
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
