"""Runs the cases of a client of Spark Connect: ``connect.py URL DIRECTORY``."""

from __future__ import annotations

import sys

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from support.cases.sources import CONNECT, Job


def main(url: str, directory: str) -> None:
    spark = SparkSession.builder.remote(url).getOrCreate()
    for case in CONNECT:
        spark.addTag(case.name)
        try:
            case.run(Job(spark, directory, "", "", ""))
        except PySparkException:
            if not case.fails:
                raise
        spark.removeTag(case.name)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
