"""Filter, join and group 40 flights, and write each result."""

import sys

from pyspark.sql import SparkSession

directory = sys.argv[1]
spark = SparkSession.builder.appName("counted_rows").getOrCreate()
carrier = "element_at(array('UA', 'HA', 'DL'), CAST(id % 3 AS INT) + 1) carrier"
flights = spark.range(40).selectExpr("id", carrier, "id * 0.5D delay")
flights.coalesce(1).write.parquet(f"{directory}/flights")
names = spark.sql("SELECT * FROM VALUES ('UA', 'United'), ('HA', 'Hawaiian') v(carrier, name)")
names.coalesce(1).write.parquet(f"{directory}/airlines")
for name in ("flights", "airlines"):
    spark.read.parquet(f"{directory}/{name}").createOrReplaceTempView(name)
for name, query in {
    "filtered": "SELECT id, delay * 2 d FROM flights WHERE delay > 3",
    "joined": "SELECT f.id, a.name FROM flights f JOIN airlines a ON a.carrier = f.carrier",
    "grouped": "SELECT carrier, sum(delay) s FROM flights GROUP BY carrier",
    "self": "SELECT a.id FROM flights a JOIN flights b ON a.id = b.id + 1 WHERE a.delay > 5",
}.items():
    spark.sql(query).write.parquet(f"{directory}/{name}")
spark.stop()
