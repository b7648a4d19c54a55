"""Runs one command of each kind on tables of a lake, and writes the errors: ``commands.py LAKE``.

The tables must exist: ``commands.py LAKE create`` creates them. ``commands.py LAKE list`` writes
the catalog.
"""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession

CREATE = """
CREATE DATABASE shop LOCATION '{lake}/shop'
CREATE TABLE shop.orders (id INT, day STRING) USING parquet PARTITIONED BY (day)
INSERT INTO shop.orders VALUES (1, 'mon'), (2, 'tue')
CREATE TABLE shop.texts (line STRING) STORED AS TEXTFILE
INSERT INTO shop.texts VALUES ('a')
CREATE TABLE shop.csvs (a INT) USING csv
INSERT INTO shop.csvs VALUES (1)
CREATE VIEW shop.mondays AS SELECT * FROM shop.orders WHERE day = 'mon'
"""

COMMANDS = """
INSERT INTO shop.orders VALUES (3, 'wed')
INSERT INTO shop.orders PARTITION (day = 'thu') SELECT 4
INSERT OVERWRITE shop.orders PARTITION (day = 'mon') SELECT 5
INSERT OVERWRITE shop.csvs SELECT 2
INSERT INTO shop.texts SELECT 'b'
INSERT OVERWRITE DIRECTORY '{lake}/directory' USING json SELECT * FROM shop.orders
INSERT OVERWRITE LOCAL DIRECTORY '{lake}/local' STORED AS TEXTFILE SELECT * FROM shop.texts
CREATE TABLE shop.copies USING parquet AS SELECT * FROM shop.orders
CREATE TABLE shop.hive_copies STORED AS PARQUET AS SELECT * FROM shop.orders
CREATE TABLE shop.empty (a INT) USING parquet
CREATE TABLE shop.likes LIKE shop.orders
CREATE TABLE IF NOT EXISTS shop.orders (a INT) USING parquet
CREATE VIEW shop.tuesdays AS SELECT * FROM shop.orders WHERE day = 'tue'
ALTER TABLE shop.orders ADD PARTITION (day = 'fri')
ALTER TABLE shop.orders RECOVER PARTITIONS
MSCK REPAIR TABLE shop.orders
ANALYZE TABLE shop.orders COMPUTE STATISTICS FOR ALL COLUMNS
ANALYZE TABLES IN shop COMPUTE STATISTICS
COMMENT ON TABLE shop.orders IS 'all orders'
LOAD DATA LOCAL INPATH '{lake}/line.txt' INTO TABLE shop.texts
CREATE DATABASE other LOCATION '{lake}/other_shop'
CREATE FUNCTION shop.twice AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
CREATE TEMPORARY FUNCTION hexed AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
CREATE TEMPORARY VIEW some AS SELECT * FROM shop.orders
CREATE OR REPLACE TEMPORARY VIEW files USING csv OPTIONS (path '{lake}/line.txt')
CACHE TABLE cached AS SELECT * FROM shop.orders
UNCACHE TABLE cached
REFRESH TABLE shop.orders
SHOW TABLES IN shop
DESCRIBE EXTENDED shop.orders
EXPLAIN INSERT INTO shop.orders VALUES (9, 'x')
SET spark.sql.shuffle.partitions = 1
DROP VIEW some
"""

# What removes or changes rows, or the meaning of names.
CHANGES = """
CREATE OR REPLACE VIEW shop.mondays AS SELECT 1 AS one
ALTER VIEW shop.mondays AS SELECT 2 AS two
ALTER VIEW shop.mondays RENAME TO shop.first_days
ALTER TABLE shop.orders ADD COLUMNS (more INT)
ALTER TABLE shop.orders RENAME TO shop.sales
ALTER TABLE shop.orders SET TBLPROPERTIES ('a' = 'b')
ALTER TABLE shop.orders SET LOCATION '{lake}/other'
ALTER TABLE shop.orders PARTITION (day = 'mon') RENAME TO PARTITION (day = 'sun')
ALTER TABLE shop.orders DROP PARTITION (day = 'mon')
TRUNCATE TABLE shop.csvs
TRUNCATE TABLE shop.orders PARTITION (day = 'mon')
DROP VIEW shop.mondays
DROP TABLE shop.texts
DROP TABLE IF EXISTS shop.nothing
DROP DATABASE shop CASCADE
USE shop
"""

# What a dry run must not read or do after the changes.
REFUSED = """
SELECT * FROM shop.orders
SELECT * FROM shop.mondays
INSERT INTO shop.csvs SELECT id FROM shop.orders
SELECT * FROM parquet.`{lake}/shop/orders`
CREATE OR REPLACE FUNCTION shop.twice AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
"""


def write_frames(spark: Any, lake: str) -> dict[str, Any]:
    """Return writes of frames, by a name."""
    frame = spark.table("shop.orders")
    return {
        "parquet": lambda: frame.write.parquet(f"{lake}/parquet"),
        "overwrite": lambda: frame.write.mode("overwrite").csv(f"{lake}/shop/csvs"),
        "partitions": lambda: frame.write.partitionBy("day").orc(f"{lake}/orc"),
        "json": lambda: frame.write.json(f"{lake}/json"),
        "text": lambda: frame.select("day").write.text(f"{lake}/text"),
        "table": lambda: frame.write.saveAsTable("shop.frames"),
        "append": lambda: frame.write.mode("append").saveAsTable("shop.orders", format="parquet",
                                                                 partitionBy="day"),
        "replace": lambda: frame.write.mode("overwrite").saveAsTable("shop.csvs"),
        "insert": lambda: frame.write.insertInto("shop.orders"),
        "writeTo": lambda: frame.writeTo("shop.v2").using("parquet").create(),
        "noop": lambda: frame.write.format("noop").mode("overwrite").save(),
        "jdbc": lambda: frame.write.jdbc("jdbc:derby:memory:dry;create=true", "orders"),
    }  # fmt: skip


def one_line(error: Exception) -> str:
    return " ".join(str(error).splitlines()[:2])


def write_words(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")


def show_catalog(spark: Any) -> None:
    for database in sorted(row[0] for row in spark.sql("SHOW DATABASES").collect()):
        write_words("database", database)
        for table in sorted(row[1] for row in spark.sql(f"SHOW TABLES IN {database}").collect()):
            fields = spark.table(f"{database}.{table}").schema.simpleString()
            write_words("table", database, table, fields)
    for partition in spark.sql("SHOW PARTITIONS shop.orders").collect():
        write_words("partition", partition[0])


def run_statements(spark: Any, lake: str, statements: str, word: str = "ERROR") -> None:
    """Run each statement, and write the word with the error of each that fails."""
    for statement in statements.strip().splitlines():
        try:
            spark.sql(statement.format(lake=lake)).collect()
        except Exception as error:
            write_words(word, statement, "->", one_line(error))


def main(lake: str, *words: str) -> None:
    spark = SparkSession.builder.enableHiveSupport().getOrCreate()
    if "create" in words:
        for statement in CREATE.strip().splitlines():
            spark.sql(statement.format(lake=lake))
    if words:
        show_catalog(spark)
        return
    run_statements(spark, lake, COMMANDS)
    for name, write in write_frames(spark, lake).items():
        try:
            write()
        except Exception as error:
            write_words("ERROR", name, one_line(error))
    run_statements(spark, lake, CHANGES)
    run_statements(spark, lake, REFUSED, "REFUSED")


if __name__ == "__main__":
    main(*sys.argv[1:])
