"""Bronze to silver: one row per airport and hour, with wind, precipitation and visibility."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("clean_weather").getOrCreate()
weather = spark.read.csv(
    f"{lake}/bronze/weather.csv", header=True, inferSchema=True, nullValue="NA"
)
weather.dropDuplicates(["origin", "time_hour"]).select(
    "origin", "time_hour", "wind_speed", "precip", "visib"
).write.mode("overwrite").parquet(f"{lake}/silver/weather")
spark.stop()
