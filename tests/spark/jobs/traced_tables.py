"""Write tables, and record the rows that each traced row is made of, in DIRECTORY/traces.json."""

import json
import sys

from pyspark.sql import SparkSession

import lineage.records as records

directory = sys.argv[1]
spark = SparkSession.builder.appName("traced_tables").getOrCreate()
flights = spark.range(40).selectExpr(
    "id", "element_at(array('UA', 'HA', 'DL'), CAST(id % 3 AS INT) + 1) carrier",
    "CAST(id * 0.5 AS DOUBLE) delay", "CAST(id % 4 AS INT) month",
)  # fmt: skip
flights.write.partitionBy("month").parquet(f"{directory}/flights")
names = spark.sql("SELECT * FROM VALUES ('UA', 'United'), ('HA', 'Hawaiian') v(carrier, name)")
names.coalesce(1).write.csv(f"{directory}/airlines", header=True)
spark.read.parquet(f"{directory}/flights").createOrReplaceTempView("flights")
schema = "carrier STRING, name STRING"
airlines = spark.read.csv(f"{directory}/airlines", header=True, schema=schema)
airlines.createOrReplaceTempView("airlines")
f = spark.table("flights").where("id < 20").select("id", "carrier")

CASES = {
    "filtered": ("SELECT id, carrier, delay * 2 d FROM flights WHERE delay > 3", "carrier = 'UA'"),
    "partitioned": ("SELECT id, month FROM flights", "month = 2 AND id > 20"),
    "joined": (
        "SELECT f.id, f.carrier, a.name FROM flights f JOIN airlines a ON a.carrier = f.carrier",
        "name = 'United' AND id BETWEEN 5 AND 9",
    ),
    "grouped": ("SELECT carrier, sum(delay) s FROM flights GROUP BY carrier", "carrier = 'HA'"),
    "distinct": ("SELECT DISTINCT carrier, month FROM flights", "carrier = 'HA' AND month = 1"),
    "self_join": (
        "SELECT a.carrier, b.id FROM flights a JOIN flights b ON a.id = b.id + 1", "carrier = 'UA'",
    ),
    "literal": (
        "SELECT carrier c, id FROM flights UNION ALL SELECT 'UA', id FROM flights", "c = 'UA'",
    ),
    "window": ("SELECT id, sum(delay) OVER (PARTITION BY carrier) s FROM flights", "id = 3"),
    "scalar": ("SELECT id, (SELECT max(delay) FROM flights) m FROM flights", "id = 3"),
    "twice": (
        "WITH t AS (SELECT * FROM flights) SELECT a.id, b.delay FROM t a CROSS JOIN t b", "id = 3",
    ),
}  # fmt: skip
frames = {name: (spark.sql(query), where) for name, (query, where) in CASES.items()}
frames["same_frame"] = (f.union(f), "id = 3")

traces = {}
for name, (frame, where) in frames.items():
    frame.write.parquet(f"{directory}/{name}")
    with records.trace(frame, where) as trace:
        traces[name] = {
            "where": where,
            "sources": {
                source.rsplit("/", 1)[-1]: [
                    [row[column] for column in ("carrier", "id", "name") if column in row]
                    for row in trace.witnesses(source).collect()
                ]
                for source in trace.counts
            },
        }
with open(f"{directory}/traces.json", "w") as file:
    json.dump(traces, file)
spark.stop()
