"""Bronze to silver: flights as departed, with a departure hour to join the weather on."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("clean_flights").getOrCreate()
flights = spark.read.csv(
    f"{lake}/bronze/flights.csv", header=True, inferSchema=True, nullValue="NA"
)
flights.createOrReplaceTempView("flights")
spark.sql("""
    SELECT time_hour, month, carrier, flight, tailnum, origin, dest, distance,
           dep_delay, arr_delay, dep_time IS NULL AS cancelled
    FROM flights
""").write.mode("overwrite").partitionBy("month").parquet(f"{lake}/silver/flights")
spark.stop()
