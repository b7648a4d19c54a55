"""Write orders in partitions, and from them what each customer spent on two days, by name."""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

directory = sys.argv[1]
spark = SparkSession.builder.appName("shop").getOrCreate()
if not Path(directory, "raw").exists():
    rows = "SELECT * FROM VALUES (1, 1, 5, 'a'), (2, 1, 7, 'b'), (3, 2, 9, 'b'), (4, 1, 1, 'c')"
    spark.sql(f"{rows} v(id, customer, total, day)").coalesce(1).write.parquet(f"{directory}/raw")
    names = spark.sql("SELECT * FROM VALUES (1, 'Ada'), (2, 'Bo') v(customer, name)")
    names.coalesce(1).write.csv(f"{directory}/names")
raw = spark.read.parquet(f"{directory}/raw")
raw.write.mode("overwrite").partitionBy("day").parquet(f"{directory}/orders")
spark.read.parquet(f"{directory}/orders").createOrReplaceTempView("orders")
names = spark.read.schema("customer INT, name STRING").csv(f"{directory}/names")
names.createOrReplaceTempView("names")
spark.sql("""
    SELECT o.customer, n.name, sum(o.total) AS spent FROM orders o JOIN names n USING (customer)
    WHERE o.day IN ('a', 'b') GROUP BY o.customer, n.name
""").write.mode("overwrite").parquet(f"{directory}/gold")
spark.stop()
