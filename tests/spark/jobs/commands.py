"""Runs one command of each kind on tables of a lake, and writes the errors: ``commands.py LAKE``.

The tables must exist: ``commands.py LAKE create`` creates them. ``commands.py LAKE list`` writes
the catalog, and the rows of the database beside the lake.
"""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession
from support.spark.version import SPARK

CATALOG = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"

CREATE = """
CREATE DATABASE shop LOCATION '{lake}/shop'
CREATE TABLE shop.orders (id INT, day STRING) USING parquet PARTITIONED BY (day)
INSERT INTO shop.orders VALUES (1, 'mon'), (2, 'tue')
CREATE TABLE shop.texts (line STRING) STORED AS TEXTFILE
INSERT INTO shop.texts VALUES ('a')
CREATE TABLE shop.csvs (a INT) USING csv
INSERT INTO shop.csvs VALUES (1)
CREATE VIEW shop.mondays AS SELECT * FROM shop.orders WHERE day = 'mon'
CREATE NAMESPACE db.app
CREATE TABLE db.app.orders (id INT)
INSERT INTO db.app.orders VALUES (1), (2)
CREATE TABLE db.app.others (id INT)
INSERT INTO db.app.others VALUES (2), (3)
CREATE TABLE shop.linked USING jdbc OPTIONS (url '{url}', dbtable '"app"."others"')
"""

COMMANDS = """
INSERT INTO shop.orders VALUES (3, 'wed')
INSERT INTO shop.orders (day, id) VALUES ('sat', 6)
INSERT INTO shop.orders BY NAME SELECT 'sat' AS day, 6 AS id
INSERT INTO shop.orders PARTITION (day = 'thu') SELECT 4
INSERT OVERWRITE shop.orders PARTITION (day = 'mon') SELECT 5
INSERT OVERWRITE shop.orders PARTITION (day) SELECT a, 'tue' FROM shop.csvs
INSERT OVERWRITE shop.csvs SELECT 2
INSERT INTO shop.texts SELECT 'b'
INSERT INTO shop.linked VALUES (4)
FROM shop.orders INSERT INTO shop.csvs SELECT id INSERT INTO shop.texts SELECT day
INSERT OVERWRITE DIRECTORY '{lake}/directory' USING json SELECT * FROM shop.orders
INSERT OVERWRITE LOCAL DIRECTORY '{lake}/local' STORED AS TEXTFILE SELECT * FROM shop.texts
CREATE TABLE shop.copies USING parquet AS SELECT * FROM shop.orders
CREATE TABLE shop.hive_copies STORED AS PARQUET AS SELECT * FROM shop.orders
CREATE TABLE shop.hive_orcs STORED AS ORC AS SELECT * FROM shop.texts
CREATE TABLE shop.empty (a INT) USING parquet
CREATE EXTERNAL TABLE shop.far (a INT) STORED AS PARQUET LOCATION '{lake}/far'
CREATE TABLE shop.likes LIKE shop.orders
CREATE TABLE shop.likes_far LIKE shop.orders LOCATION '{lake}/likes_far'
CREATE TABLE shop.more_linked USING jdbc OPTIONS (url '{url}', dbtable '"app"."orders"')
CREATE TABLE IF NOT EXISTS shop.orders (a INT) USING parquet
CREATE VIEW shop.tuesdays AS SELECT * FROM shop.orders WHERE day = 'tue'
ALTER TABLE shop.orders ADD PARTITION (day = 'fri')
ALTER TABLE shop.orders RECOVER PARTITIONS
MSCK REPAIR TABLE shop.orders
ANALYZE TABLE shop.orders COMPUTE STATISTICS
ANALYZE TABLE shop.orders COMPUTE STATISTICS FOR ALL COLUMNS
ANALYZE TABLE shop.orders PARTITION (day = 'mon') COMPUTE STATISTICS
ANALYZE TABLES IN shop COMPUTE STATISTICS
COMMENT ON TABLE shop.orders IS 'all orders'
LOAD DATA LOCAL INPATH '{lake}/line.txt' INTO TABLE shop.texts
LOAD DATA INPATH '{lake}/line.txt' OVERWRITE INTO TABLE shop.texts
CREATE DATABASE other LOCATION '{lake}/other_shop'
CREATE FUNCTION shop.twice AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
CREATE TEMPORARY FUNCTION hexed AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
CREATE TEMPORARY VIEW some AS SELECT * FROM shop.orders
CREATE OR REPLACE TEMPORARY VIEW files USING csv OPTIONS (path '{lake}/line.txt')
CACHE TABLE cached AS SELECT * FROM shop.orders
UNCACHE TABLE cached
CACHE LAZY TABLE lazy AS SELECT * FROM shop.orders
REFRESH TABLE shop.orders
SHOW TABLES IN shop
DESCRIBE EXTENDED shop.orders
EXPLAIN INSERT INTO shop.orders VALUES (9, 'x')
SET spark.sql.shuffle.partitions = 1
DROP VIEW some
"""

# Statements of Spark 4.0 and newer.
SCRIPTS = """
DECLARE VARIABLE top INT
SET VAR top = (SELECT max(id) FROM shop.orders)
INSERT INTO shop.csvs SELECT id FROM shop.orders WHERE id < top
EXECUTE IMMEDIATE 'SELECT min(id) FROM shop.orders' INTO top
EXECUTE IMMEDIATE 'INSERT INTO shop.csvs SELECT ?' USING 5
DROP TEMPORARY VARIABLE top
BEGIN DECLARE low INT; SET low = 1; INSERT INTO shop.csvs SELECT id FROM shop.orders; END
BEGIN FOR r AS (SELECT id FROM shop.orders) DO INSERT INTO shop.csvs SELECT r.id; END FOR; END
CREATE FUNCTION shop.next_id(x INT) RETURNS INT RETURN x + 1
CREATE TEMPORARY FUNCTION top_id() RETURNS INT RETURN (SELECT max(id) FROM shop.orders)
INSERT INTO shop.csvs SELECT top_id()
"""

# What removes or changes rows, or the meaning of names.
CHANGES = """
CREATE OR REPLACE VIEW shop.mondays AS SELECT 1 AS one
ALTER VIEW shop.mondays AS SELECT 2 AS two
ALTER VIEW shop.mondays SET TBLPROPERTIES ('a' = 'b')
ALTER VIEW shop.mondays RENAME TO shop.first_days
ALTER TABLE shop.orders ADD COLUMNS (more INT)
ALTER TABLE shop.orders ALTER COLUMN id COMMENT 'a number'
ALTER TABLE shop.orders RENAME TO shop.sales
ALTER TABLE shop.orders SET TBLPROPERTIES ('a' = 'b')
ALTER TABLE shop.orders UNSET TBLPROPERTIES IF EXISTS ('a')
ALTER TABLE shop.texts SET SERDEPROPERTIES ('field.delim' = ',')
ALTER TABLE shop.orders SET LOCATION '{lake}/other'
ALTER TABLE shop.orders PARTITION (day = 'mon') SET LOCATION '{lake}/other'
ALTER TABLE shop.orders PARTITION (day = 'mon') RENAME TO PARTITION (day = 'sun')
ALTER TABLE shop.orders DROP PARTITION (day = 'mon')
TRUNCATE TABLE shop.csvs
TRUNCATE TABLE shop.orders PARTITION (day = 'mon')
DROP VIEW shop.mondays
DROP TABLE shop.texts
DROP TABLE IF EXISTS shop.nothing
DROP DATABASE shop CASCADE
USE shop
INSERT INTO db.app.orders VALUES (7)
INSERT OVERWRITE db.app.orders SELECT 8
CREATE TABLE db.app.copies AS SELECT * FROM db.app.others
CREATE OR REPLACE TABLE db.app.orders AS SELECT id FROM db.app.others
DELETE FROM db.app.orders WHERE id = 1
UPDATE db.app.orders SET id = 9 WHERE id = 1
MERGE INTO db.app.orders t USING db.app.others s ON t.id = s.id WHEN MATCHED THEN DELETE
MERGE INTO db.app.orders t USING db.app.others s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *
ALTER TABLE db.app.orders ADD COLUMNS (more INT)
ALTER TABLE db.app.orders RENAME COLUMN id TO number
ALTER TABLE db.app.orders DROP COLUMN id
ALTER TABLE db.app.orders REPLACE COLUMNS (other INT)
ALTER TABLE db.app.orders RENAME TO app.sales
COMMENT ON TABLE db.app.orders IS 'orders'
TRUNCATE TABLE db.app.orders
DROP TABLE db.app.orders
DROP NAMESPACE db.app CASCADE
"""

# What a dry run must not read or do after the changes.
REFUSED = """
SELECT * FROM shop.orders
SELECT * FROM shop.mondays
INSERT INTO shop.csvs SELECT id FROM shop.orders
SELECT * FROM parquet.`{lake}/shop/orders`
SELECT * FROM db.app.orders
CREATE INDEX by_id ON TABLE db.app.others (id)
CREATE OR REPLACE FUNCTION shop.twice AS 'org.apache.hadoop.hive.ql.udf.UDFHex'
"""

# Refused by Spark 4.0 and newer before it looks for the procedure.
PROCEDURES = """
CALL db.system.compact('orders')
BEGIN DECLARE n INT; CALL db.system.compact('orders'); END
BEGIN DECLARE EXIT HANDLER FOR SQLEXCEPTION BEGIN CALL db.system.compact('orders'); END; END
"""


def write_frames(spark: Any, lake: str) -> dict[str, Any]:
    """Return writes of frames, by a name."""
    frame = spark.table("shop.orders")
    ids = frame.select("id")
    return {
        "parquet": lambda: frame.write.parquet(f"{lake}/parquet"),
        "overwrite": lambda: frame.write.mode("overwrite").csv(f"{lake}/shop/csvs"),
        "partitions": lambda: frame.write.partitionBy("day").orc(f"{lake}/orc"),
        "json": lambda: frame.write.json(f"{lake}/json"),
        "text": lambda: frame.select("day").write.text(f"{lake}/text"),
        "ignore": lambda: frame.write.mode("ignore").parquet(f"{lake}/shop/orders"),
        "table": lambda: frame.write.saveAsTable("shop.frames"),
        "buckets": lambda: frame.write.bucketBy(2, "id").saveAsTable("shop.buckets"),
        "append": lambda: frame.write.mode("append").saveAsTable("shop.orders", format="parquet",
                                                                 partitionBy="day"),
        "replace": lambda: frame.write.mode("overwrite").saveAsTable("shop.csvs"),
        "insert": lambda: frame.write.insertInto("shop.orders"),
        "writeTo": lambda: frame.writeTo("shop.v2").using("parquet").create(),
        "writeTo append": lambda: ids.writeTo("db.app.orders").append(),
        "writeTo replace": lambda: ids.writeTo("db.app.orders").createOrReplace(),
        "noop": lambda: frame.write.format("noop").mode("overwrite").save(),
        "jdbc": lambda: frame.write.jdbc("jdbc:derby:memory:dry;create=true", "orders"),
        "local checkpoint": lambda: frame.localCheckpoint(),
        "second API": lambda: write_by_second_api(spark, lake),
        "connector": lambda: ids.write.format("tests.Shelf").mode("append").save("orders"),
        "connector overwrite": lambda: ids.write.format("tests.Shelf").mode("overwrite").save("a"),
    } | (frames_of_4(spark, frame, lake) if SPARK >= (4, 0) else {})  # fmt: skip


def write_by_second_api(spark: Any, lake: str) -> None:
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    spark.read.csv(f"{lake}/line.txt").write.mode("append").csv(f"{lake}/second")
    spark.conf.unset("spark.sql.sources.useV1SourceList")


def frames_of_4(spark: Any, frame: Any, lake: str) -> dict[str, Any]:
    """Return writes of Spark 4.0 and newer."""
    from support.spark.python_source import Customers

    spark.dataSource.register(Customers)
    rows = frame.selectExpr("id * 1L AS id", "1L AS person", "1L AS amount")
    xml = frame.write.format("xml").option("rowTag", "order")
    return {
        "xml": lambda: xml.save(f"{lake}/xml"),
        "Python source": lambda: rows.write.format("crm").mode("append").save(f"{lake}/clients"),
    }


def refused_calls(spark: Any, lake: str) -> dict[str, Any]:
    """Return what a dry run refuses that is no statement, by a name."""
    context = spark.sparkContext
    pairs = context.parallelize([("a", 1)])

    def writer(form: str) -> Any:
        place = f"{lake}/checkpoint_{form}"
        stream = spark.readStream.format("rate").load()
        return stream.writeStream.queryName(form).option("checkpointLocation", place)

    return {
        "file stream": lambda: writer("files").format("parquet").start(f"{lake}/stream"),
        "memory stream": lambda: writer("memory").format("memory").start(),
        "noop stream": lambda: writer("noop").format("noop").start(),
        "batches": lambda: writer("batches").foreachBatch(lambda rows, _: rows.count()).start(),
        "foreach stream": lambda: writer("foreach").foreach(lambda row: None).start(),
        "table stream": lambda: writer("table").toTable("shop.csvs"),
        "text file": lambda: context.parallelize([1]).saveAsTextFile(f"{lake}/rdd"),
        "sequence file": lambda: pairs.saveAsSequenceFile(f"{lake}/sequence"),
    }


def checkpoint(spark: Any, lake: str) -> None:
    """Fail, because the directory of checkpoints cannot be created."""
    spark.sparkContext.setCheckpointDir(f"{lake}/checkpoints")
    spark.range(1).checkpoint()


def save_model(spark: Any, lake: str) -> None:
    """Save a pipeline of Spark ML: by a frame or by an RDD, depending on the release."""
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import Tokenizer

    tokenizer = Tokenizer(inputCol="line", outputCol="words")
    model = Pipeline(stages=[tokenizer]).fit(spark.createDataFrame([("a b",)], "line STRING"))
    model.save(f"{lake}/model")


def one_line(error: Exception) -> str:
    """Return the first lines of an error, or the part of it that a dry run has written."""
    text = str(error)
    return " ".join(text[max(text.find("Lineage: this is"), 0) :].splitlines()[:2])


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
    for table in sorted(row[1] for row in spark.sql("SHOW TABLES IN db.app").collect()):
        rows = sorted(row[0] for row in spark.table(f"db.app.{table}").collect())
        write_words("rows of", table, rows)


def run_calls(calls: dict[str, Any], word: str = "ERROR") -> None:
    """Call each function, and write the word with the error of each that fails."""
    for name, call in calls.items():
        try:
            call()
        except Exception as error:
            write_words(word, name, "->", one_line(error))


def statements(spark: Any, texts: str, **values: str) -> dict[str, Any]:
    """Return a function for each line that runs it as a statement."""
    return {
        text: lambda text=text: spark.sql(text.format(**values)).collect()
        for text in texts.strip().splitlines()
    }


def main(lake: str, *words: str) -> None:
    url = f"jdbc:derby:{lake}/../database;create=true"
    builder = SparkSession.builder.config("spark.sql.catalog.db", CATALOG).enableHiveSupport()
    builder = builder.config("spark.sql.catalog.db.url", url)
    builder = builder.config("spark.sql.scripting.enabled", "true")
    builder = builder.config("spark.hadoop.hive.exec.dynamic.partition.mode", "nonstrict")
    spark = builder.getOrCreate()
    if "create" in words:
        for run in statements(spark, CREATE, lake=lake, url=url).values():
            run()
    if words:
        show_catalog(spark)
        return
    run_calls(statements(spark, COMMANDS, lake=lake, url=url))
    if SPARK >= (4, 0):
        run_calls(statements(spark, SCRIPTS))
        run_calls(statements(spark, PROCEDURES), "PROCEDURE")
    run_calls(write_frames(spark, lake))
    run_calls({"model": lambda: save_model(spark, lake)}, "MODEL")
    run_calls({"checkpoint": lambda: checkpoint(spark, lake)}, "CHECKPOINT")
    run_calls(refused_calls(spark, lake), "REFUSED")
    run_calls(statements(spark, CHANGES, lake=lake))
    run_calls(statements(spark, REFUSED, lake=lake), "REFUSED")


if __name__ == "__main__":
    main(*sys.argv[1:])
