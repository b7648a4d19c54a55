"""Runs the cases with both listeners: ``both.py DIRECTORY THEIRS``.

``THEIRS`` is the file of openlineage-spark's events. ``DIRECTORY/cases.jsonl`` records its size
after each case. The last query fails, and the application with it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from comparison.cases import COMPARED
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession


def main(directory: str, theirs: str) -> None:
    builder = SparkSession.builder.appName("Both")
    spark = builder.config("spark.sql.warehouse.dir", f"{directory}/wh").getOrCreate()
    bus = spark.sparkContext._jsc.sc().listenerBus()
    with Path(directory, "cases.jsonl").open("w") as cases:
        for case in COMPARED:
            spark.sparkContext.setJobGroup(case.name, case.name)
            try:
                case.run(spark, directory)
            except PySparkException:
                if not case.fails:
                    raise
            bus.waitUntilEmpty()
            print(json.dumps({"case": case.name, "until": Path(theirs).stat().st_size}), file=cases)
    spark.sparkContext.setJobGroup("the end", "the end")
    spark.sql("SELECT raise_error('the end')").collect()


if __name__ == "__main__":
    main(*sys.argv[1:])
