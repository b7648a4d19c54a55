"""Silver to gold: the age of the planes of each airline. Fails: some planes have the year 'NA'."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("report_fleet_age").getOrCreate()
for name in ("flights", "planes", "airlines"):
    spark.read.parquet(f"{lake}/silver/{name}").createOrReplaceTempView(name)

spark.sql("""
    SELECT a.name AS airline, avg(2013 - CAST(p.year AS INT)) AS mean_age
    FROM (SELECT DISTINCT carrier, tailnum FROM flights) f
    JOIN planes p ON p.tailnum = f.tailnum
    JOIN airlines a ON a.carrier = f.carrier
    GROUP BY a.name
""").write.mode("overwrite").parquet(f"{lake}/gold/fleet_age")
spark.stop()
