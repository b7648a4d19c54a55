"""Append the orders of a day to a table, each day from a file of its own."""

import sys

from pyspark.sql import SparkSession

_, lake, day = sys.argv[1:]
spark = SparkSession.builder.appName("daily").getOrCreate()
orders = spark.read.schema("id INT, total INT").csv(f"{lake}/landing/{day}.csv")
orders.where("total > 0").write.mode("append").parquet(f"{lake}/silver")
spark.stop()
