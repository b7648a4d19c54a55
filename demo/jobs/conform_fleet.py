"""Bronze to silver: the reference data, each file as one table."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("conform_fleet").getOrCreate()
for name in ("airlines", "airports", "planes"):
    spark.read.csv(f"{lake}/bronze/{name}.csv", header=True).write.mode("overwrite").parquet(
        f"{lake}/silver/{name}"
    )
spark.stop()
