"""Jobs on Apache Iceberg tables, in a catalog of directories and one in a database."""

from __future__ import annotations

from typing import Any

from support.cases.lakes import Case, read_sql, sql
from support.spark.connector_packages import ICEBERG as CONNECTOR

__all__ = ["CASES", "CONNECTOR", "history", "names", "settings"]

MERGE_ON_READ = (
    "'write.delete.mode' = 'merge-on-read', 'write.update.mode' = 'merge-on-read',"
    " 'write.merge.mode' = 'merge-on-read'"
)


def settings(directory: str) -> dict[str, str]:
    """Return the settings of both catalogs, and the extensions for CALL, branches and tags."""
    extensions = "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
    return {
        "spark.sql.extensions": extensions,
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": f"file:{directory}/lake",
        "spark.sql.catalog.shop": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.shop.type": "jdbc",
        "spark.sql.catalog.shop.uri": f"jdbc:sqlite:{directory}/shop.db",
        "spark.sql.catalog.shop.jdbc.schema-version": "V1",
        "spark.sql.catalog.shop.warehouse": f"file:{directory}/shop",
    }


def history(spark: Any, directory: str) -> dict[str, list[str]]:
    """Return the snapshots of each table, oldest first."""
    tables = {
        f"lake/db/{name}": f"lake.db.{name}"
        for name in ("people", "days", "mor", "written", "report", "empty", "changed")
    }
    query = "SELECT snapshot_id FROM {}.snapshots ORDER BY committed_at"
    return {
        place: [str(row[0]) for row in spark.sql(query.format(name)).collect()]
        for place, name in (tables | {"shop/db/goods": "shop.db.goods"}).items()
    }


def names(directory: str) -> dict[str, tuple[str, str]]:
    """Return the namespace and name of the tables in the catalogs."""
    return {
        "lake/db/people": (f"file:{directory}/lake", "db.people"),
        "lake/db/days": (f"file:{directory}/lake", "db.days"),
        "lake/db/empty": (f"file:{directory}/lake", "db.empty"),
        "shop/db/goods": (f"jdbc:sqlite:{directory}/shop.db", "db.goods"),
    }


def _snapshot(spark: Any, place: int) -> Any:
    query = "SELECT snapshot_id, committed_at FROM lake.db.people.snapshots ORDER BY committed_at"
    return spark.sql(query).collect()[place]


def _by_version(spark: Any, d: str) -> None:
    version = _snapshot(spark, 0).snapshot_id
    spark.sql(f"SELECT * FROM lake.db.people VERSION AS OF {version}").collect()


def _by_option(spark: Any, d: str) -> None:
    version = _snapshot(spark, 1).snapshot_id
    spark.read.option("versionAsOf", version).table("lake.db.people").collect()


def _by_time(spark: Any, d: str) -> None:
    time = _snapshot(spark, 2).committed_at
    spark.sql(f"SELECT * FROM lake.db.people TIMESTAMP AS OF '{time}'").collect()


def _two_versions(spark: Any, d: str) -> None:
    version = _snapshot(spark, 0).snapshot_id
    spark.sql(
        f"SELECT id FROM lake.db.people VERSION AS OF {version}"
        " UNION ALL SELECT id FROM lake.db.people"
    ).collect()


def _dynamic(spark: Any, d: str) -> None:
    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    spark.sql(
        "INSERT OVERWRITE lake.db.days SELECT id, name FROM lake.db.people WHERE name = 'ann'"
    )
    spark.conf.unset("spark.sql.sources.partitionOverwriteMode")


def _streamed(spark: Any, d: str) -> None:
    """Run streams by the name of a table in ``load`` and ``path``. They have no job group."""
    loaded = spark.readStream.format("iceberg").load("lake.db.changed")
    plain = spark.readStream.schema("id long, name string").parquet(f"{d}/plain")
    for name, writer in {
        "from_a_name": loaded.writeStream.option("path", f"{d}/streamed"),
        "to_a_name": plain.writeStream.format("iceberg").option("path", "lake.db.empty"),
    }.items():
        writer = writer.queryName(name).option("checkpointLocation", f"{d}/checkpoint_{name}")
        writer.trigger(availableNow=True).start().awaitTermination()


PEOPLE, DAYS, MOR = "lake/db/people", "lake/db/days", "lake/db/mor"

STATEMENTS = [
    Case(
        "create table",
        sql("CREATE TABLE lake.db.empty (id bigint, name string) USING iceberg"),
        {}, {"lake/db/empty": None}, "create", "CREATE",
    ),
    Case(
        "create as select",
        sql("CREATE TABLE lake.db.people USING iceberg AS"
            " SELECT * FROM VALUES (1L, 'ann'), (2L, 'bob') AS t(id, name)"),
        {}, {PEOPLE: 0}, "create", "CREATE", {},
    ),
    Case(
        "create as select from a table",
        sql("CREATE TABLE lake.db.days USING iceberg PARTITIONED BY (name) AS"
            " SELECT id, upper(name) AS name FROM lake.db.people WHERE id < 10"),
        {PEOPLE: 0}, {DAYS: 0}, "create", "CREATE",
        {"id": {"people.id IDENTITY"}, "name": {"people.name TRANSFORMATION"}},
        {"people.id FILTER"},
    ),
    Case(
        "insert",
        sql("INSERT INTO lake.db.people SELECT id + 10, name FROM lake.db.days"),
        {DAYS: 0}, {PEOPLE: 1}, "append", None,
        {"id": {"days.id TRANSFORMATION"}, "name": {"days.name IDENTITY"}},
    ),
    Case(
        "replace as select",
        sql("CREATE OR REPLACE TABLE lake.db.days USING iceberg PARTITIONED BY (name) AS"
            " SELECT id, name FROM lake.db.people"),
        {PEOPLE: 1}, {DAYS: 1}, "overwrite", "OVERWRITE",
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
    Case(
        "overwrite partitions",
        _dynamic,
        {PEOPLE: 1}, {DAYS: 2}, "overwrite_partitions", None,
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
        {"people.name FILTER"},
    ),
    Case(
        "overwrite",
        sql("INSERT OVERWRITE lake.db.days SELECT * FROM lake.db.people"),
        {PEOPLE: 1}, {DAYS: 3}, "overwrite", "OVERWRITE",
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
]  # fmt: skip

COPY_ON_WRITE = [
    Case(
        "merge, copy on write",
        sql("MERGE INTO lake.db.people t USING lake.db.days s ON t.id = s.id"
            " WHEN MATCHED AND s.name = 'x' THEN DELETE"
            " WHEN MATCHED THEN UPDATE SET name = s.name"
            " WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, lower(s.name))"
            " WHEN NOT MATCHED BY SOURCE THEN UPDATE SET name = 'gone'"),
        {PEOPLE: 1, DAYS: 3}, {PEOPLE: 2}, "update", None,
        {"id": {"days.id IDENTITY"}, "name": {"days.name IDENTITY", "days.name TRANSFORMATION"}},
        {"people.id JOIN", "days.id JOIN", "days.name FILTER"},
    ),
    Case(
        "update, copy on write",
        sql("UPDATE lake.db.people SET name = concat(name, '!') WHERE id = 1"),
        {PEOPLE: 2}, {PEOPLE: 3}, "update", None,
        {"name": {"people.name TRANSFORMATION"}}, {"people.id FILTER"},
    ),
    Case(
        "update by a subquery, copy on write",
        sql("UPDATE lake.db.people SET name = 'x' WHERE id IN (SELECT id FROM lake.db.days)"),
        {PEOPLE: 3, DAYS: 3}, {PEOPLE: 4}, "update", None,
        {}, {"people.id FILTER", "days.id FILTER"},
    ),
    Case(
        "delete, copy on write",
        sql("DELETE FROM lake.db.people WHERE id % 2 = 1"),
        {PEOPLE: 4}, {PEOPLE: 5}, "update", None, {}, {"people.id FILTER"},
    ),
    Case(  # whole partitions: Iceberg drops files and reports no new snapshot
        "delete of a partition",
        sql("DELETE FROM lake.db.days WHERE name = 'BOB'"),
        {DAYS: None}, {DAYS: None}, "update", None, {}, {"days.name FILTER"},
    ),
]  # fmt: skip

ON_READ = [
    Case(
        "create, merge on read",
        sql("CREATE TABLE lake.db.mor (id bigint, name string) USING iceberg"
            f" TBLPROPERTIES ('format-version' = '2', {MERGE_ON_READ})"),
        {}, {MOR: None}, "create", "CREATE",
    ),
    Case(
        "fill, merge on read",
        sql("INSERT INTO lake.db.mor SELECT * FROM lake.db.people"),
        {PEOPLE: 5}, {MOR: 0}, "append", None,
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
    Case(
        "merge, merge on read",
        sql("MERGE INTO lake.db.mor t USING lake.db.days s ON t.id = s.id"
            " WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT *"),
        {MOR: 0, DAYS: 4}, {MOR: 1}, "update", None,
        {"id": {"days.id IDENTITY"}, "name": {"days.name IDENTITY"}},
        {"mor.id JOIN", "days.id JOIN"},
    ),
    Case(
        "update, merge on read",
        sql("UPDATE lake.db.mor SET name = upper(name) WHERE id = 2"),
        {MOR: 1}, {MOR: 2}, "update", None,
        {"name": {"mor.name TRANSFORMATION"}}, {"mor.id FILTER"},
    ),
    Case(
        "delete, merge on read",
        sql("DELETE FROM lake.db.mor WHERE id IN (SELECT id FROM lake.db.days WHERE name = 'ann')"),
        {MOR: 2, DAYS: 4}, {MOR: 3}, "update", None,
        {}, {"mor.id FILTER", "days.id FILTER", "days.name FILTER"},
    ),
]  # fmt: skip

VERSIONS = [
    Case(
        "branch",
        sql("ALTER TABLE lake.db.people CREATE BRANCH audit"),
        {}, {PEOPLE: None}, "alter", "ALTER",
    ),
    Case(
        "tag",
        sql("ALTER TABLE lake.db.people CREATE TAG v1"),
        {}, {PEOPLE: None}, "alter", "ALTER",
    ),
    Case(
        "write to a branch",
        sql("INSERT INTO lake.db.people.branch_audit VALUES (7L, 'gus')"),
        {}, {PEOPLE: 6}, "append", None, {},
    ),
    Case("read a branch", read_sql("SELECT * FROM lake.db.people.branch_audit"), {PEOPLE: 6}),
    Case("read a branch as of", read_sql("SELECT * FROM lake.db.people VERSION AS OF 'audit'"),
         {PEOPLE: 6}),
    Case("read a tag", read_sql("SELECT * FROM lake.db.people.tag_v1"), {PEOPLE: 5}),
    Case("read the newest", read_sql("SELECT * FROM lake.db.people"), {PEOPLE: 5}),
    Case("read a version", _by_version, {PEOPLE: 0}),
    Case("read a version by option", _by_option, {PEOPLE: 1}),
    Case("read as of a time", _by_time, {PEOPLE: 2}),
    Case("read two versions", _two_versions, {PEOPLE: None}, unresolved={"DataSourceV2Relation"}),
    Case("read by path",
         lambda s, d: s.read.format("iceberg").load(f"{d}/lake/db/people").collect(), {PEOPLE: 5}),
    Case("snapshots", read_sql("SELECT * FROM lake.db.people.snapshots"), {PEOPLE: None}),
    Case(
        "from a metadata table",
        sql("CREATE TABLE lake.db.report USING iceberg AS"
            " SELECT file_path FROM lake.db.people.files"),
        {PEOPLE: None}, {"lake/db/report": 0}, "create", "CREATE", {},
    ),
]  # fmt: skip

FRAMES = [
    Case(
        "createOrReplace",
        lambda s, d: s.table("lake.db.people").writeTo("lake.db.written").createOrReplace(),
        {PEOPLE: 5}, {"lake/db/written": 0}, "overwrite", "OVERWRITE",
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
    Case(
        "writeTo append",
        lambda s, d: s.table("lake.db.people").writeTo("lake.db.written").append(),
        {PEOPLE: 5}, {"lake/db/written": 1}, "append", None,
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
    Case(
        "writeTo overwritePartitions",
        lambda s, d: s.table("lake.db.people").writeTo("lake.db.written").overwritePartitions(),
        {PEOPLE: 5}, {"lake/db/written": 2}, "overwrite_partitions", None,
        {"id": {"people.id IDENTITY"}, "name": {"people.name IDENTITY"}},
    ),
    Case(
        "a catalog in a database",
        sql("CREATE TABLE shop.db.goods USING iceberg AS SELECT id FROM lake.db.people"),
        {PEOPLE: 5}, {"shop/db/goods": 0}, "create", "CREATE", {"id": {"people.id IDENTITY"}},
    ),
    Case(
        "view",
        sql("CREATE VIEW shop.db.even AS SELECT id FROM shop.db.goods WHERE id % 2 = 0"),
        {"shop/db/goods": None}, {"db.even": None}, "create", "CREATE",
        {"id": {"goods.id IDENTITY"}}, {"goods.id FILTER"},
    ),
    Case("read a view", read_sql("SELECT * FROM shop.db.even"), {"shop/db/goods": 0}),
    Case("read of a catalog in a database", read_sql("SELECT * FROM shop.db.goods"),
         {"shop/db/goods": 0}),
]  # fmt: skip

UPKEEP = [
    Case(
        "compaction",
        read_sql("CALL lake.system.rewrite_data_files("
                 "table => 'db.mor', options => map('rewrite-all', 'true'))"),
    ),
    Case("rewrite manifests", read_sql("CALL lake.system.rewrite_manifests('db.mor')")),
    Case("expire snapshots", read_sql("CALL lake.system.expire_snapshots('db.mor')")),
]  # fmt: skip

CHANGES = [
    Case("read the changes", read_sql("SELECT * FROM lake.db.written.changes"),
         {"lake/db/written": None}),
    Case("load the changes",
         lambda s, d: s.read.format("iceberg").load("lake.db.written.changes").collect(),
         {"lake/db/written": None}),
    Case(
        "from the changes",
        sql("CREATE TABLE lake.db.changed USING iceberg AS"
            " SELECT id, _change_type AS kind FROM lake.db.written.changes"),
        {"lake/db/written": None}, {"lake/db/changed": 0}, "create", "CREATE",
        {"id": {"written.id IDENTITY"}},
    ),
    Case(
        "plain files",
        lambda s, d: s.table("lake.db.written").write.parquet(f"{d}/plain"),
        {"lake/db/written": 2}, {"plain": None}, "create", "CREATE",
        {"id": {"written.id IDENTITY"}, "name": {"written.name IDENTITY"}},
    ),
    Case("streams that read and write a table", _streamed),
]  # fmt: skip

PROCEDURES = [
    Case(
        "add files",
        sql("CREATE TABLE lake.db.added (id bigint, name string) USING iceberg;"
            " CALL lake.system.add_files(table => 'db.added',"
            " source_table => '`parquet`.`{d}/plain`')"),
        {}, {"lake/db/added": None}, "create", "CREATE", unresolved={"Call"},
    ),
]  # fmt: skip

CASES = STATEMENTS + COPY_ON_WRITE + ON_READ + VERSIONS + FRAMES + UPKEEP + CHANGES + PROCEDURES
