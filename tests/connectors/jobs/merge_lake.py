"""Merges the files of each month of a lake, even if there are two: ``merge_lake.py LAKE DSN``."""

from __future__ import annotations

import sys

import psycopg
from pyspark.sql import SparkSession

from lineage.lake import compaction
from lineage.lake.opening import open_lake

compaction.FILES_TO_MERGE = 2
name, dsn = sys.argv[1:]
lake = open_lake(SparkSession.builder.getOrCreate(), name)
with psycopg.connect(dsn, autocommit=True) as conn:
    for month in lake.list_months():
        compaction.merge_small_files(conn, lake, month)
