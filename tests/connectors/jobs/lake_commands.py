"""Copies a table with versions, then runs commands: ``lake_commands.py DIRECTORY MODULE``.

``create`` as a further word creates the tables, copies, and appends to the copied table. Without
it, the copy is made again, and each command writes a line: that it is done, or the error.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from pyspark.sql import SparkSession
from support.spark.session import session

from lineage.spark import configure

DELTA = """
MERGE INTO {pairs} t USING {others} s ON t.id = s.id WHEN MATCHED THEN DELETE
DELETE FROM {pairs} WHERE id = 1
UPDATE {pairs} SET id = 9 WHERE id = 1
INSERT INTO {pairs} VALUES (5)
INSERT OVERWRITE {pairs} VALUES (6)
INSERT INTO {pairs} REPLACE WHERE id = 1 VALUES (1)
CREATE TABLE made USING delta AS SELECT * FROM {others}
CREATE OR REPLACE TABLE {others} USING delta AS SELECT 1 AS id
OPTIMIZE {pairs}
OPTIMIZE {pairs} ZORDER BY (id)
VACUUM {pairs}
RESTORE TABLE {pairs} TO VERSION AS OF 1
CREATE TABLE cloned SHALLOW CLONE {pairs}
CONVERT TO DELTA parquet.`{directory}/copy`
REORG TABLE {pairs} APPLY (PURGE)
ALTER TABLE {pairs} ADD COLUMN more INT
ALTER TABLE {pairs} ADD CONSTRAINT positive CHECK (id > 0)
ALTER TABLE {pairs} SET TBLPROPERTIES ('a' = 'b')
GENERATE symlink_format_manifest FOR TABLE {pairs}
TRUNCATE TABLE {pairs}
DROP TABLE {others}
"""

ICEBERG = """
MERGE INTO {pairs} t USING {others} s ON t.id = s.id WHEN MATCHED THEN DELETE
DELETE FROM {pairs} WHERE id = 1
DELETE FROM {pairs} WHERE id IN (SELECT id FROM {others})
UPDATE {pairs} SET id = 9 WHERE id = 1
INSERT INTO {pairs} VALUES (5)
INSERT OVERWRITE {pairs} VALUES (6)
CREATE TABLE lake.db.made USING iceberg AS SELECT * FROM {others}
CREATE OR REPLACE TABLE {others} USING iceberg AS SELECT 1 AS id
CALL lake.system.rewrite_data_files('db.pairs')
CALL lake.system.rewrite_manifests('db.pairs')
CALL lake.system.expire_snapshots('db.pairs')
CALL lake.system.remove_orphan_files('db.pairs')
CALL lake.system.rollback_to_timestamp('db.pairs', current_timestamp())
ALTER TABLE {pairs} CREATE BRANCH audit
ALTER TABLE {pairs} CREATE TAG audited
ALTER TABLE {pairs} DROP TAG tagged
ALTER TABLE {pairs} WRITE ORDERED BY id
ALTER TABLE {pairs} ADD PARTITION FIELD id
ALTER TABLE {pairs} SET IDENTIFIER FIELDS id
ALTER TABLE {pairs} ADD COLUMN more INT
ALTER TABLE {pairs} SET TBLPROPERTIES ('a' = 'b')
ALTER TABLE {pairs} RENAME TO lake.db.renamed
TRUNCATE TABLE {pairs}
DROP TABLE {others}
CREATE TABLE shop.db.copies USING iceberg AS SELECT * FROM shop.db.goods
DELETE FROM shop.db.goods
DROP TABLE shop.db.goods
CREATE NAMESPACE shop.more
"""


def delta_frames(spark: Any, directory: str) -> dict[str, Any]:
    """Return writes of frames, and changes by the API of Delta Lake in the JVM."""
    frame = spark.range(1, 2).selectExpr("CAST(id AS INT) AS id")
    writer = frame.write.format("delta")
    pairs = spark._jvm.io.delta.tables.DeltaTable.forPath(
        spark._jsparkSession, f"{directory}/pairs"
    )
    merge = pairs.alias("t").merge(frame.alias("s")._jdf, "t.id = s.id").whenMatched().delete()
    return {
        "frame append": lambda: writer.mode("append").save(f"{directory}/pairs"),
        "frame overwrite": lambda: writer.mode("overwrite").save(f"{directory}/pairs"),
        "frame path": lambda: writer.save(f"{directory}/path"),
        "api delete": lambda: pairs.delete("id = 1"),
        "api update": lambda: pairs.updateExpr("id = 1", {"id": "9"}),
        "api merge": merge.execute,
        "api vacuum": pairs.vacuum,
        "api optimize": lambda: pairs.optimize().executeCompaction(),
        "api restore": lambda: pairs.restoreToVersion(1),
    }


def iceberg_frames(spark: Any, directory: str) -> dict[str, Any]:
    """Return writes of frames, and changes by Iceberg's own API."""
    frame = spark.range(1).selectExpr("CAST(id AS INT) AS id")
    jvm = spark.sparkContext._jvm

    def table() -> Any:
        return jvm.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(
            spark._jsparkSession, "lake.db.pairs"
        )

    return {
        "frame append": lambda: frame.writeTo("lake.db.pairs").append(),
        "frame overwrite": lambda: frame.writeTo("lake.db.pairs").overwritePartitions(),
        "frame replace": lambda: frame.writeTo("lake.db.pairs").createOrReplace(),
        "api delete": lambda: table().newDelete().deleteFromRowFilter(
            jvm.org.apache.iceberg.expressions.Expressions.alwaysTrue()
        ).commit(),
        "api properties": lambda: table().updateProperties().set("a", "b").commit(),
    }  # fmt: skip


def names_of(module: str, directory: str) -> dict[str, str]:
    """Return the names of the tables that each run of the job finds."""
    if module.endswith("delta"):
        return {name: f"delta.`{directory}/{name}`" for name in ("pairs", "others")}
    return {name: f"lake.db.{name}" for name in ("pairs", "others")} | {"goods": "shop.db.goods"}


def create_tables(spark: Any, names: dict[str, str], form: str) -> None:
    for name in names.values():
        spark.sql(f"CREATE TABLE {name} (id INT) USING {form}")
        spark.sql(f"INSERT INTO {name} VALUES (1), (2)")
    if form == "iceberg":
        spark.sql("ALTER TABLE lake.db.pairs CREATE TAG tagged")


def write_line(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)).replace("\n", " ") + "\n")
    sys.stdout.flush()


def run_all(commands: dict[str, Any]) -> None:
    for name, run in commands.items():
        try:
            run()
            write_line("DONE", name)
        except Exception as error:
            text = str(error)
            at = max(text.find("Lineage: this is a dry run"), 0)
            write_line("REFUSED", name, "->", text[at : at + 300])


def main(directory: str, module: str, *words: str) -> None:
    lake = importlib.import_module(module)
    is_delta = module.endswith("delta")
    builder = SparkSession.builder.appName("commands").master("local[2]")
    if words:
        builder = configure(builder, spool=f"{directory}/spool", namespace="tests")
    spark = session(builder, directory, lake.CONNECTOR.settings | lake.settings(directory))
    names = names_of(module, directory)
    if words:
        create_tables(spark, names, module.rpartition(".")[2])
    copied = spark.table(names["pairs"]).where("id > 1")
    copied.write.mode("overwrite").parquet(f"{directory}/copy")
    if words:
        spark.sql(f"INSERT INTO {names['pairs']} VALUES (3)")
        return
    texts = (DELTA if is_delta else ICEBERG).format(directory=directory, **names).strip()
    commands = {text: lambda text=text: spark.sql(text).collect() for text in texts.splitlines()}
    # Delta's API reads the table when it is opened, which is refused after a change of the table.
    frames = (delta_frames if is_delta else iceberg_frames)(spark, directory)
    first = texts.splitlines()[0]
    run_all({first: commands.pop(first)})
    run_all(frames)
    run_all(commands)


if __name__ == "__main__":
    main(*sys.argv[1:])
