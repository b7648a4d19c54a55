"""Runs the cases in one application: ``fidelity.py DIRECTORY``."""

from __future__ import annotations

import sys

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support.cases.datasets import CASES
from support.spark.session import session
from support.spark.version import SPARK

from lineage.spark import configure


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("Fidelity").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    # Spark 4.0 disables scripts by default.
    spark = session(builder, directory, {"spark.sql.scripting.enabled": "true"})
    for case in (case for case in CASES if case.since <= SPARK):
        spark.sparkContext.setJobGroup(case.name, case.name)
        try:
            case.run(spark, directory)
        except (PySparkException, Py4JError):
            if not case.fails:
                raise
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
