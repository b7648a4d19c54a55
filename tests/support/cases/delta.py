"""Jobs on Delta Lake tables, in the session catalog and by path."""

from __future__ import annotations

from typing import Any

from support.cases.lakes import Case, read_sql, sql
from support.spark.connector_packages import DELTA as CONNECTOR

__all__ = ["CASES", "CONNECTOR", "history", "names", "settings"]

TABLES = ("people", "days", "parts", "changes", "saved", "copied", "vectors", "made")


def settings(directory: str) -> dict[str, str]:
    """Return the settings of Delta's catalog, with few partitions for its log."""
    return {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
    }


def history(spark: Any, directory: str) -> dict[str, list[str]]:
    """Return the versions of each table, oldest first."""
    places = {f"wh/{name}": name for name in TABLES} | {
        "files": f"delta.`{directory}/files`",
        "placed": f"delta.`{directory}/placed`",
    }
    return {
        place: sorted(
            (str(row.version) for row in spark.sql(f"DESCRIBE HISTORY {name}").collect()), key=int
        )
        for place, name in places.items()
    }


def names(directory: str) -> dict[str, tuple[str, str]]:
    """Return the namespace and name of the tables in the catalog."""
    return {
        f"wh/{name}": (f"file:{directory}/wh", f"default.{name}")
        for name in ("people", "days", "parts", "saved")
    }


def _append_files(spark: Any, d: str) -> None:
    frame = spark.read.format("delta").load(f"{d}/files").selectExpr("id + 10 AS id", "name")
    frame.write.format("delta").mode("append").save(f"{d}/files")


def _streamed(spark: Any, d: str) -> None:
    """Run streams that read a table by name and by path. Their events have no job group."""
    for name, source in {
        "by_name": spark.readStream.table("people"),
        "by_path": spark.readStream.format("delta").load(f"{d}/files"),
    }.items():
        writer = source.select("id").writeStream.format("delta").queryName(f"stream_{name}")
        checkpoint = writer.option("checkpointLocation", f"{d}/checkpoint_{name}")
        checkpoint.trigger(availableNow=True).start(f"{d}/{name}").awaitTermination()


def _dynamic(spark: Any, d: str) -> None:
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.sql("INSERT OVERWRITE parts SELECT id, name FROM people WHERE name = 'ann'")
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


def _replace_where(spark: Any, d: str) -> None:
    frame = spark.sql("SELECT id, upper(name) AS name FROM people WHERE id > 10")
    writer = frame.write.format("delta").mode("overwrite").option("replaceWhere", "id > 10")
    writer.saveAsTable("days")


def _merge_by_api(spark: Any, d: str) -> None:
    """Merge by the JVM methods that ``delta.tables.DeltaTable`` of Python calls."""
    table = spark._jvm.io.delta.tables.DeltaTable.forPath(spark._jsparkSession, f"{d}/files")
    source = spark.table("days").alias("s")
    merge = table.alias("t").merge(source._jdf, "t.id = s.id")
    assigned = spark._jvm.java.util.HashMap({"name": "s.name"})
    merge.whenMatched().updateExpr(assigned).whenNotMatched().insertAll().execute()


def _as_of(spark: Any, d: str) -> None:
    rows = spark.sql("DESCRIBE HISTORY people").where("version = 1").collect()
    spark.sql(f"SELECT * FROM people TIMESTAMP AS OF '{rows[0].timestamp}'").collect()


def _change_feed(spark: Any, d: str) -> None:
    reader = spark.read.format("delta").option("readChangeFeed", "true")
    reader.option("startingVersion", 0).table("changes").collect()


PEOPLE, DAYS, PARTS, FILES = "wh/people", "wh/days", "wh/parts", "files"
MADE = "wh/made"
COPY = {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}}

WRITES = [
    Case(
        "files",
        lambda s, d: s.sql("SELECT * FROM VALUES (1L, 'ann'), (2L, 'bob') AS t(id, name)")
        .write.format("delta").save(f"{d}/files"),
        {}, {FILES: None}, "create", "CREATE", {},
    ),
    Case(
        "append to files", _append_files,
        {FILES: 0}, {FILES: None}, "append", None,
        {"id": {"files.id TRANSFORMATION"}, "name": {"files.name IDENTITY"}},
    ),
    Case(
        "create table",
        sql("CREATE TABLE parts (id bigint, name string) USING delta PARTITIONED BY (name)"),
        {}, {PARTS: None}, "create", "CREATE",
    ),
    Case(
        "create as select",
        sql("CREATE TABLE people USING delta AS SELECT * FROM delta.`{d}/files`"),
        {FILES: 1}, {PEOPLE: None}, "create", "CREATE",
        {"id": {"files.id IDENTITY"}, "name": {"files.name IDENTITY"}},
    ),
    Case(
        "create as select at a place",
        sql("CREATE TABLE placed USING delta LOCATION '{d}/placed' AS SELECT id FROM people"),
        {PEOPLE: 0}, {"placed": None}, "create", "CREATE", {"id": {"people.id IDENTITY"}},
    ),
    Case(
        "create as select from a table",
        sql("CREATE TABLE days USING delta AS SELECT id, upper(name) AS name FROM people"
            " WHERE id < 10"),
        {PEOPLE: 0}, {DAYS: None}, "create", "CREATE",
        {"id": {"people.id IDENTITY"}, "name": {"people.name TRANSFORMATION"}},
        {"people.id FILTER"},
    ),
    Case(
        "replace as select",
        sql("CREATE OR REPLACE TABLE days USING delta AS SELECT id, name FROM people"),
        {PEOPLE: 0}, {DAYS: None}, "overwrite", "OVERWRITE", COPY,
    ),
    Case(
        "insert",
        sql("INSERT INTO parts SELECT id, name FROM people"),
        {PEOPLE: 0}, {PARTS: None}, "append", None, COPY,
    ),
    Case(
        "overwrite partitions", _dynamic,
        {PEOPLE: 0}, {PARTS: None}, "overwrite_partitions", None, COPY, {"people.name FILTER"},
    ),
    Case(
        "overwrite",
        sql("INSERT OVERWRITE parts SELECT * FROM people"),
        {PEOPLE: 0}, {PARTS: None}, "overwrite", "OVERWRITE", COPY,
    ),
    Case(
        "replace where, in SQL",
        sql("INSERT INTO parts REPLACE WHERE id > 10 SELECT id, name FROM people WHERE id > 10"),
        {PEOPLE: 0}, {PARTS: None}, "overwrite_partitions", None, COPY, {"people.id FILTER"},
    ),
    Case(
        "replaceWhere", _replace_where,
        {PEOPLE: 0}, {DAYS: None}, "overwrite_partitions", None,
        {"id": {"people.id IDENTITY"}, "name": {"people.name TRANSFORMATION"}},
        {"people.id FILTER"},
    ),
    Case(
        "saveAsTable",
        lambda s, d: s.table("people").write.format("delta").saveAsTable("saved"),
        {PEOPLE: 0}, {"wh/saved": None}, "create", "CREATE", COPY,
    ),
    Case(
        "writeTo append",
        lambda s, d: s.table("people").writeTo("saved").append(),
        {PEOPLE: 0}, {"wh/saved": None}, "append", None, COPY,
    ),
    Case("streams that read a table", _streamed),
]  # fmt: skip

GENERATED = [
    Case(
        "create with generated columns",
        sql("CREATE TABLE made (id bigint, twice bigint GENERATED ALWAYS AS (id * 2), name string,"
            " loud string GENERATED ALWAYS AS (upper(concat(name, id)))) USING delta"),
        {}, {MADE: None}, "create", "CREATE",
    ),
    Case(
        "insert without generated columns",
        sql("INSERT INTO made (ID, name) SELECT id + 1, name FROM people"),
        {PEOPLE: 0}, {MADE: None}, "append", None,
        {
            "id": {"people.id TRANSFORMATION"}, "name": {"people.name IDENTITY"},
            "twice": {"people.id TRANSFORMATION"},
            "loud": {"people.id TRANSFORMATION", "people.name TRANSFORMATION"},
        },
    ),
    Case(
        "append some columns to a table with generated columns",
        lambda s, d: s.table("people").select("id").write.format("delta").mode("append")
        .saveAsTable("made"),
        {PEOPLE: 0}, {MADE: None}, "append", None,
        {
            "id": {"people.id IDENTITY"}, "twice": {"people.id TRANSFORMATION"},
            "loud": {"people.id TRANSFORMATION"},
        },
    ),
    Case(
        "overwrite with a generated column",
        sql("INSERT OVERWRITE made (id, twice, name) SELECT id, id * 2, name FROM people"),
        {PEOPLE: 0}, {MADE: None}, "overwrite", "OVERWRITE",
        {
            "id": {"people.id IDENTITY"}, "twice": {"people.id TRANSFORMATION"},
            "name": {"people.name IDENTITY"},
            "loud": {"people.id TRANSFORMATION", "people.name TRANSFORMATION"},
        },
    ),
    Case(
        "update what generated columns are made of",
        sql("UPDATE made SET id = id + 1 WHERE name = 'ann'"),
        {MADE: 3}, {MADE: 4}, "update", None,
        {
            "id": {"made.id TRANSFORMATION"}, "twice": {"made.id TRANSFORMATION"},
            "loud": {"made.id TRANSFORMATION", "made.name TRANSFORMATION"},
        },
        {"made.name FILTER"},
    ),
]  # fmt: skip

ROWS = [
    Case(
        "merge",
        sql("MERGE INTO people t USING days s ON t.id = s.id"
            " WHEN MATCHED AND s.name = 'x' THEN DELETE"
            " WHEN MATCHED THEN UPDATE SET name = s.name"
            " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, lower(s.name))"
            " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'gone'"),
        {PEOPLE: 0, DAYS: 2}, {PEOPLE: 1}, "update", None,
        {"id": {"days.id IDENTITY"}, "name": {"days.name IDENTITY", "days.name TRANSFORMATION"}},
        {"people.id JOIN", "days.id JOIN", "days.name FILTER"},
        counted={PEOPLE: 4, DAYS: 4},
    ),
    Case(
        "merge by the API", _merge_by_api,
        {FILES: 1, DAYS: 2}, {FILES: 2}, "update", None,
        {"id": {"days.id IDENTITY"}, "name": {"days.name IDENTITY"}},
        {"files.id JOIN", "days.id JOIN"},
        counted={FILES: 4, DAYS: 4},
    ),
    Case(
        "update",
        sql("UPDATE people SET name = concat(name, '!') WHERE id = 1"),
        {PEOPLE: 1}, {PEOPLE: 2}, "update", None,
        {"name": {"people.name TRANSFORMATION"}}, {"people.id FILTER"},
    ),
    Case(
        "delete",
        sql("DELETE FROM people WHERE id = 2"),
        {PEOPLE: 2}, {PEOPLE: 3}, "update", None, {}, {"people.id FILTER"},
    ),
    Case(
        "delete by path",
        sql("DELETE FROM delta.`{d}/files` WHERE id = 2"),
        {FILES: 2}, {FILES: 3}, "update", None, {}, {"files.id FILTER"},
    ),
    Case(  # The statistics exclude every file: none is read, and no version is created.
        "delete of nothing",
        sql("DELETE FROM people WHERE id = 2000"),
        {PEOPLE: None}, {PEOPLE: None}, "update", None, {}, {"people.id FILTER"},
    ),
    Case(
        "create with deletion vectors",
        sql("CREATE TABLE vectors USING delta"
            " TBLPROPERTIES ('delta.enableDeletionVectors' = 'true') AS SELECT * FROM days"),
        {DAYS: 2}, {"wh/vectors": None}, "create", "CREATE",
        {"id": {"days.id IDENTITY"}, "name": {"days.name IDENTITY"}},
    ),
    Case(
        "delete with deletion vectors",
        sql("DELETE FROM vectors WHERE id = 1"),
        {"wh/vectors": 0}, {"wh/vectors": 1}, "update", None, {}, {"vectors.id FILTER"},
    ),
]  # fmt: skip

VERSIONS = [
    Case("read the newest", read_sql("SELECT * FROM people"), {PEOPLE: 3}),
    Case("read a version", read_sql("SELECT * FROM people VERSION AS OF 1"), {PEOPLE: 1}),
    Case(
        "read a version by option",
        lambda s, d: s.read.format("delta").option("versionAsOf", 0).load(f"{d}/files").collect(),
        {FILES: 0},
    ),
    Case(
        "read two versions",
        read_sql("SELECT n.id FROM people n JOIN people VERSION AS OF 1 o ON n.id = o.id"),
        {PEOPLE: None}, unresolved={"LogicalRelation"},
    ),
    Case("read as of a time", _as_of, {PEOPLE: 1}),
    Case(
        "create with a change feed",
        sql("CREATE TABLE changes USING delta"
            " TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true') AS SELECT id FROM people"),
        {PEOPLE: 3}, {"wh/changes": None}, "create", "CREATE", {"id": {"people.id IDENTITY"}},
    ),
    Case("read the change feed", _change_feed, {"wh/changes": None}),
    Case("read the change feed in SQL", read_sql("SELECT * FROM table_changes('changes', 0)"),
         {"wh/changes": None}),
]  # fmt: skip

UPKEEP = [
    Case("optimize", sql("OPTIMIZE parts")),
    Case("vacuum", sql("VACUUM parts")),
    Case("history", sql("DESCRIBE HISTORY people")),
    Case(
        "clone", sql("CREATE TABLE copied SHALLOW CLONE days"),
        {DAYS: None}, {"wh/copied": None}, "create", "CREATE",
    ),
    Case(
        "clone by path, of a version",
        sql("CREATE TABLE delta.`{d}/cloned` SHALLOW CLONE delta.`{d}/files` VERSION AS OF 0"),
        {FILES: None}, {"cloned": None}, "create", "CREATE",
    ),
    Case(
        "restore", sql("RESTORE TABLE days TO VERSION AS OF 1"),
        {DAYS: None}, {DAYS: None}, "overwrite", "OVERWRITE",
    ),
    Case("alter", sql("ALTER TABLE days ADD COLUMN extra int"),
         {}, {DAYS: None}, "alter", "ALTER"),
]  # fmt: skip

CASES = WRITES + GENERATED + ROWS + VERSIONS + UPKEEP
