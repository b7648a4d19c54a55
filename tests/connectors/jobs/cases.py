"""Runs the cases of a module in one application: ``cases.py DIRECTORY MODULE``."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.spark import configure


def main(directory: str, module: str) -> None:
    """Run the cases of the module in sequence, then record the history of their tables."""
    cases = importlib.import_module(module)
    builder = SparkSession.builder.appName("Cases").master("local[2]")
    builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, cases.CONNECTOR.settings | cases.settings(directory))
    for case in cases.CASES:
        spark.sparkContext.setJobGroup(case.name, case.name)
        case.run(spark, directory)
    spark.sparkContext.setJobGroup("history", "history")
    history = cases.history(spark, directory)
    Path(directory, "history.json").write_text(json.dumps(history))
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
