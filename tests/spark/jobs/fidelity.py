"""Runs the cases in one application: ``fidelity.py DIRECTORY``."""

from __future__ import annotations

import sys

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from spark_cases import CASES
from spark_version import SPARK

from lineage.spark import configure

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "1",
    # Compiling code for these jobs takes longer than the jobs themselves.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def main(directory: str) -> None:
    builder = SparkSession.builder.appName("Fidelity").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    spark = builder.config("spark.sql.warehouse.dir", f"{directory}/wh").getOrCreate()
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
