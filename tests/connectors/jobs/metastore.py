"""Uses tables of a shared metastore: ``metastore.py DIRECTORY WAREHOUSE SITE (first | second)``.

SITE is the directory of the ``hive-site.xml`` with the address of the metastore. The second
application gets the tables of the first from the metastore.
"""

from __future__ import annotations

import sys

from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.spark import configure

directory, warehouse, site, which = sys.argv[1:]

FIRST = {
    "a database elsewhere": f"CREATE DATABASE apart LOCATION '{warehouse}/../apart'",
    "a table": "CREATE TABLE sales (id INT, name STRING) STORED AS PARQUET",
    "a table elsewhere": "CREATE TABLE apart.days (id INT, day STRING) USING parquet",
    "insert": "INSERT INTO sales VALUES (1, 'a')",
    "from one into the other": "INSERT INTO apart.days SELECT id, name FROM sales",
    "a table of a query": "CREATE TABLE copies STORED AS ORC AS SELECT d.id AS n FROM apart.days d",
    "a view": "CREATE VIEW names AS SELECT name FROM sales",
}
SECOND = {
    "truncate": "TRUNCATE TABLE copies",
    "rename": "ALTER TABLE copies RENAME TO kept",
    "of the view": "CREATE TABLE apart.named USING parquet AS SELECT name FROM names",
    "drop": "DROP TABLE apart.days",
}

builder = SparkSession.builder.appName("Metastore").master("local[2]").enableHiveSupport()
builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
settings = {
    "spark.sql.warehouse.dir": warehouse,
    "spark.driver.extraClassPath": site,
}
spark = session(builder, directory, settings)
for name, statement in (FIRST if which == "first" else SECOND).items():
    spark.sparkContext.setJobGroup(name, name)
    spark.sql(statement)
spark.stop()
