"""Changes tables and reads them again, a case a table: ``dry_run_changes.py LAKE``.

Each case writes ``LAKE/CASE/gold`` or a table gold, and writes its error, if there is one. The
tables must exist: ``dry_run_changes.py LAKE create`` creates them. All calls list their rows.
"""

from __future__ import annotations

import sys
from typing import Any

from pyspark.sql import SparkSession

# Statements by case; $T is the case's table of a database, with the rows 1 to 4.
# "gold" writes $T as it is read then.
CASES: dict[str, list[str]] = {
    "deleted": ["DELETE FROM $T WHERE id > 2", "gold"],
    "deleted by an alias": ["DELETE FROM $T AS t WHERE t.id > 2", "gold"],
    "updated": ["UPDATE $T SET id = 9 WHERE id = 1", "gold"],
    "merged": [
        "MERGE INTO $T t USING (SELECT 5L AS id) s ON t.id = s.id WHEN NOT MATCHED THEN INSERT *",
        "gold",
    ],
    "truncated": ["TRUNCATE TABLE $T", "gold"],
    "dropped": ["DROP TABLE IF EXISTS $T", "gold"],
    "altered": ["ALTER TABLE $T DROP COLUMN id", "gold"],
    "renamed": ["ALTER TABLE $T RENAME TO $T_old", "gold"],
    "in a subquery": ["DELETE FROM $T WHERE id > 2", "subquery"],
    "below a view": ["CREATE TEMP VIEW few AS SELECT * FROM $T", "DELETE FROM $T", "view"],
    "inserted after a delete": ["DELETE FROM $T WHERE id > 2", "INSERT INTO $T VALUES (7)", "gold"],
    "written after truncate": ["TRUNCATE TABLE $T", "INSERT INTO $T VALUES (5)", "gold"],
    "created after drop": ["DROP TABLE $T", "CREATE TABLE $T AS SELECT 5L AS id", "gold"],
    "overwritten after a delete": [
        "DELETE FROM $T WHERE id > 2", "INSERT OVERWRITE $T VALUES (5)", "gold",
    ],
    "deleted in the target": ["DELETE FROM db.app.gold WHERE id > 2", "fill"],
    "inserted": ["INSERT INTO $T VALUES (5)", "gold"],
    "deleted afterwards": ["gold", "DELETE FROM $T WHERE id > 2"],
    "appended to itself": ["itself"],
    "not concerned": ["DELETE FROM $T WHERE id > 2", "other"],
    "dropped with its database": ["DROP NAMESPACE db.other CASCADE", "gold"],
}  # fmt: skip


def table_of(case: str) -> str:
    if case in ("app", "own"):
        return f"db.{case}.gold"
    namespace = "other" if "database" in case else "app"
    return f"db.{namespace}.{case.replace(' ', '_')}"


def run_case(spark: Any, lake: str, case: str) -> None:
    table = table_of(case)
    gold = f"{lake}/{case}/gold"
    for statement in CASES[case]:
        if statement == "gold":
            spark.table(table).write.mode("overwrite").parquet(gold)
        elif statement == "subquery":
            frame = spark.sql(f"SELECT id FROM range(9) WHERE id IN (SELECT id FROM {table})")
            frame.write.mode("overwrite").parquet(gold)
        elif statement == "view":
            spark.table("few").write.mode("overwrite").parquet(gold)
        elif statement == "other":
            spark.range(1, 5).write.mode("overwrite").parquet(gold)
        elif statement == "fill":
            spark.sql("INSERT INTO db.app.gold SELECT id FROM range(1, 5)")
        elif statement == "itself":
            spark.sql("INSERT INTO db.own.gold SELECT id FROM db.own.gold")
        else:
            spark.sql(statement.replace("$T", table))


def main(lake: str, *words: str) -> None:
    catalog = "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog"
    url = f"jdbc:derby:{lake}/database;create=true"
    builder = SparkSession.builder.config(
        "spark.sql.catalog.db",
        catalog,
    ).config("spark.sql.catalog.db.url", url)
    spark = builder.getOrCreate()
    if "create" in words:
        for name in ("app", "other", "own"):
            spark.sql(f"CREATE NAMESPACE db.{name}")
    for name in (*CASES, "app", "own"):
        table = table_of(name)
        if "create" in words:
            spark.sql(f"CREATE TABLE {table} (id BIGINT)")
            spark.sql(f"INSERT INTO {table} SELECT id FROM range(1, 5)")
        elif not words and name in CASES:
            try:
                run_case(spark, lake, name)
                sys.stdout.write(f"CASE {name}: done\n")
            except Exception as error:
                sys.stdout.write(f"CASE {name}: {str(error).partition(chr(10))[0]}\n")
    for name in (*CASES, "app", "own"):
        # By a relation of its own, which no dry run has changed.
        quoted = table_of(name).removeprefix("db.").replace(".", '"."')
        rows = spark.read.jdbc(f"jdbc:derby:{lake}/database", f'"{quoted}"').collect()
        sys.stdout.write(f"ROWS {name}: {sorted(row[0] for row in rows)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
