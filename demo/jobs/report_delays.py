"""Silver to gold: mean departure delays by airline, overall and in windy hours; the routes."""

import sys

from pyspark.sql import SparkSession

lake = sys.argv[1]
spark = SparkSession.builder.appName("report_delays").getOrCreate()
for name in ("flights", "weather", "airlines", "airports"):
    spark.read.parquet(f"{lake}/silver/{name}").createOrReplaceTempView(name)

spark.sql("""
    WITH windy AS (SELECT origin, time_hour FROM weather WHERE wind_speed > 20)
    SELECT a.name AS airline,
           count(*) AS flights,
           avg(f.dep_delay) AS mean_delay,
           avg(CASE WHEN w.origin IS NOT NULL THEN f.dep_delay END) AS mean_delay_windy
    FROM flights f
    JOIN airlines a ON a.carrier = f.carrier
    LEFT JOIN windy w ON w.origin = f.origin AND w.time_hour = f.time_hour
    WHERE NOT f.cancelled
    GROUP BY a.name
""").write.mode("overwrite").parquet(f"{lake}/gold/delays_by_airline")

spark.sql("""
    SELECT f.origin, p.name AS destination, max(f.distance) AS miles, count(*) AS flights
    FROM flights f JOIN airports p ON p.faa = f.dest
    GROUP BY f.origin, p.name
""").write.mode("overwrite").parquet(f"{lake}/gold/routes")
spark.stop()
