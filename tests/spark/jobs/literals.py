"""One statement with literals and a comment."""

from pyspark.sql import SparkSession

spark = SparkSession.builder.appName("Literals").getOrCreate()
spark.sql("SELECT concat('a-', id) c /* a comment */ FROM range(3)").collect()
