"""Runs the cases of a module in one application: ``cases.py DIRECTORY MODULE``."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

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


def main(directory: str, module: str) -> None:
    """Run the cases of the module one after the other, then note the history of their tables."""
    cases = importlib.import_module(module)
    builder = SparkSession.builder.appName("Cases").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    settings = SETTINGS | cases.CONNECTOR.settings | cases.settings(directory)
    for key, value in settings.items():
        builder = builder.config(key, value)
    spark = builder.config("spark.sql.warehouse.dir", f"{directory}/wh").getOrCreate()
    for case in cases.CASES:
        spark.sparkContext.setJobGroup(case.name, case.name)
        case.run(spark, directory)
    spark.sparkContext.setJobGroup("history", "history")
    history = cases.history(spark, directory)
    Path(directory, "history.json").write_text(json.dumps(history))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
