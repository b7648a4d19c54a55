"""Small Spark jobs, with the datasets that each reads and writes by the semantics of SQL.

Names are below the job's directory: ``people`` are files there, ``wh/sales`` is a table in the
warehouse, ``sales_view`` a view. Cases run in this order in one application.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Counts:
    """Rows and files of each dataset that the executions of a case read and write, in their order.

    None replaces the pair if the execution must report no counts, and the number of files if Spark
    does not count them.
    """

    read: dict[str, list[tuple[int, int | None] | None]] = field(default_factory=dict)
    written: dict[str, list[tuple[int, int | None] | None]] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One job. ``unresolved`` are the operators whose source must be reported as unresolved.

    ``since`` is the first version of Spark that can run it.
    """

    name: str
    run: Callable[[Any, str], object]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    change: str | None = None
    unresolved: set[str] = field(default_factory=set)
    fails: bool = False
    counts: Counts | None = None
    since: tuple[int, int] = (3, 5)


# Frames created by one case and used by a later one.
FRAMES: dict[str, Any] = {}


def sql(text: str) -> Callable[[Any, str], object]:
    """Return a job that runs SQL statements in sequence; ``{d}`` is the job's directory."""
    return lambda spark, d: [spark.sql(part.format(d=d)) for part in text.split(";")]


def read_sql(text: str) -> Callable[[Any, str], object]:
    """Return a job that fetches the rows of a query."""
    return lambda spark, d: spark.sql(text.format(d=d)).collect()


def _union_by_name(spark: Any, d: str) -> None:
    people, orders = spark.read.parquet(f"{d}/people"), spark.read.csv(f"{d}/orders", header=True)
    people.unionByName(orders, allowMissingColumns=True).write.json(f"{d}/union")


def _cached(spark: Any, d: str) -> None:
    cached = spark.read.parquet(f"{d}/people").selectExpr("id").cache()
    cached.write.parquet(f"{d}/from_cache")
    cached.unpersist()


def _after_unpersist(spark: Any, d: str) -> None:
    cached = spark.read.parquet(f"{d}/people").selectExpr("id").cache()
    grown = cached.selectExpr("id + 1 as id")
    cached.unpersist()
    grown.write.parquet(f"{d}/after_unpersist")


def _temporary_view(spark: Any, d: str) -> None:
    spark.read.parquet(f"{d}/people").createOrReplaceTempView("people_now")
    spark.sql("SELECT name FROM people_now").write.parquet(f"{d}/from_view")


def _through_rdd(spark: Any, d: str) -> None:
    rows = spark.read.parquet(f"{d}/people").rdd.map(lambda row: (row.id,))
    spark.createDataFrame(rows, "id bigint").write.parquet(f"{d}/through_rdd")


def _python_function(spark: Any, d: str) -> None:
    from pyspark.sql.functions import udf

    upper = udf(lambda text: text.upper())
    spark.read.parquet(f"{d}/people").select(upper("name")).write.parquet(f"{d}/upper")


def _failing(spark: Any, d: str) -> None:
    query = f"SELECT CAST(raise_error(name) AS STRING) AS x FROM parquet.`{d}/people`"
    spark.sql(query).write.parquet(f"{d}/failed")


def _dynamic_overwrite(spark: Any, d: str) -> None:
    frame = spark.read.parquet(f"{d}/people").selectExpr("id", "name", "'x' AS day")
    frame.write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy(
        "day"
    ).parquet(f"{d}/by_day")


def _files_by_connector(spark: Any, d: str) -> None:
    spark.conf.set("spark.sql.sources.useV1SourceList", "")
    spark.read.parquet(f"{d}/people").write.parquet(f"{d}/by_connector")
    spark.conf.unset("spark.sql.sources.useV1SourceList")


def _made_here(spark: Any, d: str) -> None:
    spark.sql(f"CREATE TABLE again USING parquet LOCATION '{d}/here' AS SELECT 1 AS id")
    FRAMES["again"] = spark.table("again")


def _checkpoint(spark: Any, d: str) -> None:
    frame = spark.table("sales").selectExpr("id", "upper(name) AS name")
    frame.localCheckpoint().write.parquet(f"{d}/from_checkpoint")


def _checkpoints(spark: Any, d: str) -> None:
    spark.sparkContext.setCheckpointDir(f"{d}/checkpoints")
    first = spark.table("sales").checkpoint(eager=False)
    second = first.selectExpr("id").localCheckpoint()
    both = second.alias("a").join(second.alias("b"), "id").join(first, "id")
    both.select("a.id").write.saveAsTable("checkpoints")


def _memory_sink(spark: Any, d: str) -> None:
    stream = spark.readStream.schema("id bigint, name string").parquet(f"{d}/people")
    writer = stream.writeStream.format("memory").queryName("in_memory")
    writer.trigger(availableNow=True).start().awaitTermination()
    spark.table("in_memory").write.parquet(f"{d}/from_memory")


def _many_paths(spark: Any, d: str) -> None:
    spark.read.parquet(f"{d}/people", f"{d}/more_people").write.parquet(f"{d}/all_people")


FILES = [
    Case(
        "rows of the driver to parquet",
        sql("INSERT OVERWRITE DIRECTORY '{d}/people' USING parquet SELECT * FROM VALUES"
            " (1L, 'ann'), (2L, 'bob') AS t(id, name)"),
        set(), {"people"}, "OVERWRITE",
    ),
    Case(
        "parquet to csv",
        lambda s, d: s.read.parquet(f"{d}/people").write.csv(f"{d}/orders", header=True),
        {"people"}, {"orders"}, "CREATE",
    ),
    Case(
        "csv to json",
        lambda s, d: s.read.csv(f"{d}/orders", header=True).write.json(f"{d}/orders_json"),
        {"orders"}, {"orders_json"}, "CREATE",
    ),
    Case(
        "json to orc, appended",
        lambda s, d: s.read.json(f"{d}/orders_json").write.mode("append").orc(f"{d}/orders_orc"),
        {"orders_json"}, {"orders_orc"},
    ),
    Case(
        "orc to text",
        lambda s, d: s.read.orc(f"{d}/orders_orc").select("name").write.text(f"{d}/names"),
        {"orders_orc"}, {"names"}, "CREATE",
    ),
    Case(
        "text to parquet, overwritten",
        lambda s, d: s.read.text(f"{d}/names").selectExpr("1L AS id", "value AS name")
        .write.mode("overwrite").parquet(f"{d}/more_people"),
        {"names"}, {"more_people"}, "OVERWRITE",
    ),
    Case("many paths", _many_paths, {"people", "more_people"}, {"all_people"}, "CREATE"),
    Case(
        "a glob over directories",
        lambda s, d: s.read.parquet(f"{d}/*people").write.parquet(f"{d}/by_glob"),
        {"people", "more_people", "all_people"}, {"by_glob"}, "CREATE",
    ),
    Case(
        "partitioned",
        lambda s, d: s.read.parquet(f"{d}/people").selectExpr("*", "'x' AS day")
        .write.partitionBy("day").parquet(f"{d}/by_day"),
        {"people"}, {"by_day"}, "CREATE",
    ),
    Case(
        "one partition is its dataset",
        lambda s, d: s.read.parquet(f"{d}/by_day/day=x").write.parquet(f"{d}/one_day"),
        {"by_day"}, {"one_day"}, "CREATE",
    ),
    Case(
        "part files are their directory",
        lambda s, d: s.read.parquet(f"{d}/by_day/*/part-*").write.parquet(f"{d}/of_parts"),
        {"by_day"}, {"of_parts"}, "CREATE",
    ),
    Case("dynamic partitions are no overwrite", _dynamic_overwrite, {"people"}, {"by_day"}),
    Case(
        "overwriting one partition's directory is no overwrite of the others",
        lambda s, d: s.read.parquet(f"{d}/people").write.mode("overwrite")
        .parquet(f"{d}/by_day/day=y"),
        {"people"}, {"by_day"},
    ),
    Case(
        "making one partition's directory makes no dataset",
        lambda s, d: s.read.parquet(f"{d}/people").write.parquet(f"{d}/by_day/day=z"),
        {"people"}, {"by_day"},
    ),
    Case(
        "two partitions of one dataset",
        lambda s, d: s.read.option("basePath", f"{d}/by_day")
        .parquet(f"{d}/by_day/day=y", f"{d}/by_day/day=z").write.parquet(f"{d}/two_days"),
        {"by_day"}, {"two_days"}, "CREATE",
    ),
    Case(
        "a list of paths in load",
        lambda s, d: s.read.format("parquet").load([f"{d}/people", f"{d}/more_people"])
        .write.mode("overwrite").format("xml").option("rowTag", "person").save(f"{d}/xml"),
        {"people", "more_people"}, {"xml"}, "OVERWRITE", since=(4, 0),
    ),
    Case(
        "xml",
        lambda s, d: s.read.schema("id INT").format("xml").option("rowTag", "person")
        .load(f"{d}/xml").write.parquet(f"{d}/of_xml"),
        {"xml"}, {"of_xml"}, "CREATE", since=(4, 0),
    ),
    Case(
        "binary files",
        lambda s, d: s.read.format("binaryFile").load(f"{d}/people/*.parquet").select("path")
        .write.parquet(f"{d}/of_binary"),
        {"people"}, {"of_binary"}, "CREATE",
    ),
    Case("a sink that keeps nothing",
         lambda s, d: s.read.parquet(f"{d}/people").write.format("noop").mode("append").save(),
         {"people"}),
    Case("files as tables of the connector API", _files_by_connector, {"people"},
         {"by_connector"}, "CREATE"),
]  # fmt: skip

TABLES = [
    Case(
        "CTAS",
        sql("CREATE TABLE sales USING parquet AS SELECT * FROM parquet.`{d}/people`"),
        {"people"}, {"wh/sales"}, "CREATE",
    ),
    Case(
        "CTAS of what is there does nothing",
        sql("CREATE TABLE IF NOT EXISTS sales USING parquet AS SELECT * FROM parquet.`{d}/people`"),
    ),
    Case(
        "CTAS in a database, at a location",
        sql("CREATE DATABASE mart; CREATE TABLE mart.far USING json LOCATION '{d}/far'"
            " AS SELECT * FROM sales"),
        {"wh/sales"}, {"far"}, "CREATE",
    ),
    Case(
        "CREATE TABLE",
        sql("CREATE TABLE mart.target (id BIGINT, name STRING) USING orc"),
        set(), {"wh/mart.db/target"}, "CREATE",
    ),
    Case(
        "INSERT INTO",
        sql("INSERT INTO mart.target SELECT * FROM sales"),
        {"wh/sales"}, {"wh/mart.db/target"},
    ),
    Case(
        "INSERT of literals",
        sql("INSERT INTO mart.target VALUES (7, 'eve')"),
        set(), {"wh/mart.db/target"},
    ),
    Case(
        "INSERT OVERWRITE does not read its target",
        sql("INSERT OVERWRITE mart.target SELECT * FROM sales"),
        {"wh/sales"}, {"wh/mart.db/target"}, "OVERWRITE",
    ),
    Case(
        "INSERT into itself reads itself",
        sql("INSERT INTO mart.target SELECT id + 1, name FROM mart.target"),
        {"wh/mart.db/target"}, {"wh/mart.db/target"},
    ),
    Case(
        "partitions of a table",
        sql("CREATE TABLE days (id BIGINT, name STRING, day STRING) USING parquet"
            " PARTITIONED BY (day)"),
        set(), {"wh/days"}, "CREATE",
    ),
    Case(
        "INSERT OVERWRITE of a partition is no overwrite",
        sql("INSERT OVERWRITE days PARTITION (day = 'mon') SELECT id, name FROM sales"),
        {"wh/sales"}, {"wh/days"},
    ),
    Case(
        "INSERT OVERWRITE of the partitions that it has rows of",
        sql("SET spark.sql.sources.partitionOverwriteMode=dynamic;"
            " INSERT OVERWRITE days SELECT id, name, 'mon' FROM sales;"
            " RESET spark.sql.sources.partitionOverwriteMode"),
        {"wh/sales"}, {"wh/days"},
    ),
    Case(
        "saveAsTable",
        lambda s, d: s.table("days").write.mode("overwrite").saveAsTable("saved"),
        {"wh/days"}, {"wh/saved"}, "OVERWRITE",
    ),
    Case(
        "saveAsTable of what is there does nothing in mode ignore",
        lambda s, d: s.table("days").write.mode("ignore").saveAsTable("saved"),
    ),
    Case(
        "saveAsTable in mode ignore writes what is not there",
        lambda s, d: s.table("sales").write.mode("ignore").saveAsTable("saved_once"),
        {"wh/sales"}, {"wh/saved_once"}, "CREATE",
    ),
    Case(
        "insertInto",
        lambda s, d: s.table("sales").write.insertInto("mart.target"),
        {"wh/sales"}, {"wh/mart.db/target"},
    ),
    Case(
        "saveAsTable, appended",
        lambda s, d: s.table("sales").write.mode("append").format("orc")
        .saveAsTable("mart.target"),
        {"wh/sales"}, {"wh/mart.db/target"},
    ),
    Case(
        "two inserts of one scan",
        sql("FROM sales INSERT INTO mart.target SELECT *"
            " INSERT INTO days SELECT *, 'tue' WHERE id = 1"),
        {"wh/sales"}, {"wh/mart.db/target", "wh/days"},
    ),
    Case("two tables", sql("CREATE TABLE twice (id BIGINT) USING parquet;"
                           "CREATE TABLE once (id BIGINT) USING parquet"),
         set(), {"wh/twice", "wh/once"}, "CREATE"),
    Case(
        "two inserts, of which one reads another table",
        sql("FROM (SELECT id FROM sales) INSERT INTO twice SELECT id"
            " INSERT INTO once SELECT id WHERE id IN (SELECT id FROM days)"),
        {"wh/sales", "wh/days"}, {"wh/twice", "wh/once"},
    ),
    Case(
        "INSERT OVERWRITE DIRECTORY",
        sql("INSERT OVERWRITE DIRECTORY '{d}/exported' USING csv SELECT * FROM sales"),
        {"wh/sales"}, {"exported"}, "OVERWRITE",
    ),
    Case("RENAME", sql("ALTER TABLE saved RENAME TO kept"), {"wh/saved"}, {"wh/kept"}, "RENAME"),
    Case("ADD COLUMNS", sql("ALTER TABLE kept ADD COLUMNS (x INT)"), set(), {"wh/kept"}, "ALTER"),
    Case("CHANGE COLUMN", sql("ALTER TABLE kept ALTER COLUMN x COMMENT 'unused'"), set(),
         {"wh/kept"}, "ALTER"),
    Case("SET TBLPROPERTIES", sql("ALTER TABLE kept SET TBLPROPERTIES ('a' = 'b')"), set(),
         {"wh/kept"}, "ALTER"),
    Case("UNSET TBLPROPERTIES", sql("ALTER TABLE kept UNSET TBLPROPERTIES ('a')"), set(),
         {"wh/kept"}, "ALTER"),
    Case("COMMENT ON TABLE", sql("COMMENT ON TABLE kept IS 'saved once'"), set(),
         {"wh/kept"}, "ALTER"),
    Case("ADD PARTITION", sql("ALTER TABLE days ADD PARTITION (day = 'sat')"), set(),
         {"wh/days"}, "ALTER"),
    Case("ADD PARTITION at a location",
         sql("ALTER TABLE days ADD PARTITION (day = 'far') LOCATION '{d}/two_days'"),
         {"two_days"}, {"wh/days"}),
    Case("DROP PARTITION at a location", sql("ALTER TABLE days DROP PARTITION (day = 'far')"),
         set(), {"wh/days"}, "ALTER"),
    Case("RENAME PARTITION",
         sql("ALTER TABLE days PARTITION (day = 'sat') RENAME TO PARTITION (day = 'sun')"),
         set(), {"wh/days"}, "ALTER"),
    Case("TRUNCATE of a partition", sql("TRUNCATE TABLE days PARTITION (day = 'sun')"), set(),
         {"wh/days"}, "ALTER"),
    Case("DROP PARTITION", sql("ALTER TABLE days DROP PARTITION (day = 'sun')"), set(),
         {"wh/days"}, "ALTER"),
    Case("RECOVER PARTITIONS", sql("ALTER TABLE days RECOVER PARTITIONS"), set(), {"wh/days"},
         "ALTER"),
    Case("MSCK REPAIR TABLE", sql("MSCK REPAIR TABLE days"), set(), {"wh/days"}, "ALTER"),
    Case("ANALYZE reads", sql("ANALYZE TABLE days COMPUTE STATISTICS"), {"wh/days"}),
    Case("LIKE", sql("CREATE TABLE alike LIKE sales"), set(), {"wh/alike"}, "CREATE"),
    Case("LIKE, at a location", sql("CREATE TABLE alike_far LIKE sales LOCATION '{d}/alike_far'"),
         set(), {"alike_far"}, "CREATE"),
    Case("CREATE TABLE at a location",
         sql("CREATE TABLE mart.outer (id INT) USING parquet LOCATION '{d}/outer'"), set(),
         {"outer"}, "CREATE"),
    Case("ADD COLUMNS of an external table", sql("ALTER TABLE mart.outer ADD COLUMNS (x INT)"),
         set(), {"outer"}, "ALTER"),
    Case("RENAME of an external table leaves it where it is",
         sql("ALTER TABLE mart.outer RENAME TO mart.outside"), set(), {"outer"}, "RENAME"),
    Case("ANALYZE of an external table", sql("ANALYZE TABLE mart.outside COMPUTE STATISTICS"),
         {"outer"}),
    Case("DROP of an external table", sql("DROP TABLE mart.outside"), set(), {"outer"}, "DROP"),
    Case("CREATE TABLE in a database with a location of its own",
         sql("CREATE DATABASE apart LOCATION '{d}/apart'; CREATE TABLE apart.t (id INT)"
             " USING parquet"), set(), {"apart/t"}, "CREATE"),
    Case("RENAME in a database with a location of its own",
         sql("ALTER TABLE apart.t RENAME TO apart.u"), {"apart/t"}, {"apart/u"}, "RENAME"),
    Case("TRUNCATE in a database with a location of its own", sql("TRUNCATE TABLE apart.u"), set(),
         {"apart/u"}, "TRUNCATE"),
    Case("a table that will be made again", _made_here, set(), {"here"}, "CREATE"),
    Case("it is dropped", sql("DROP TABLE again"), set(), {"here"}, "DROP"),
    Case("it is made elsewhere",
         sql("CREATE TABLE again (id INT) USING parquet LOCATION '{d}/there'"), set(), {"there"},
         "CREATE"),
    Case("a frame of what it was", lambda s, d: FRAMES["again"].count(), {"here"}),
    Case("it is changed where it is now", sql("ALTER TABLE again ADD COLUMNS (x INT)"), set(),
         {"there"}, "ALTER"),
    Case("TRUNCATE", sql("TRUNCATE TABLE kept"), set(), {"wh/kept"}, "TRUNCATE"),
    Case("DROP", sql("DROP TABLE kept"), set(), {"wh/kept"}, "DROP"),
]  # fmt: skip

QUERIES = [
    Case(
        "CREATE VIEW",
        sql("CREATE VIEW sales_view AS SELECT id, name FROM sales"),
        {"wh/sales"}, {"sales_view"}, "CREATE",
    ),
    Case(
        "a view over a view",
        sql("CREATE VIEW top_view AS SELECT v.id FROM sales_view v JOIN days ON v.id = days.id"),
        {"sales_view", "wh/sales", "wh/days"}, {"top_view"}, "CREATE",
    ),
    Case(
        "from a view over a view",
        sql("CREATE TABLE of_view USING parquet AS SELECT * FROM top_view"),
        {"top_view", "sales_view", "wh/sales", "wh/days"}, {"wh/of_view"}, "CREATE",
    ),
    Case(
        "CREATE OR REPLACE VIEW",
        sql("CREATE OR REPLACE VIEW other_view AS SELECT id FROM days"),
        {"wh/days"}, {"other_view"}, "OVERWRITE",
    ),
    Case("ALTER VIEW AS", sql("ALTER VIEW other_view AS SELECT id FROM sales"), {"wh/sales"},
         {"other_view"}, "OVERWRITE"),
    Case("ALTER VIEW SET TBLPROPERTIES",
         sql("ALTER VIEW other_view SET TBLPROPERTIES ('a' = 'b')"), set(), {"other_view"},
         "ALTER"),
    Case("RENAME of a view", sql("ALTER VIEW other_view RENAME TO same_view"), {"other_view"},
         {"same_view"}, "RENAME"),
    Case("DROP VIEW", sql("DROP VIEW same_view"), set(), {"same_view"}, "DROP"),
    Case(
        "a frame in the text of a query",
        lambda s, d: [s.sql("SELECT id FROM {frame}", frame=s.table("sales")).collect()
                      for _ in range(2)],
        {"wh/sales"},
    ),
    Case("a temporary view", _temporary_view, {"people"}, {"from_view"}, "CREATE"),
    Case(
        "join, group, sort, limit, window",
        sql("CREATE TABLE joined USING parquet AS SELECT s.name, count(*) AS n,"
            " row_number() OVER (ORDER BY s.name) AS r FROM sales s LEFT JOIN days d"
            " ON s.id = d.id GROUP BY s.name ORDER BY n LIMIT 5"),
        {"wh/sales", "wh/days"}, {"wh/joined"}, "CREATE",
    ),
    Case("union by name", _union_by_name, {"people", "orders"}, {"union"}, "CREATE"),
    Case(
        "union, except, intersect",
        sql("CREATE TABLE sets USING parquet AS (SELECT id FROM sales UNION SELECT id FROM days)"
            " EXCEPT (SELECT id FROM mart.target INTERSECT SELECT id FROM of_view)"),
        {"wh/sales", "wh/days", "wh/mart.db/target", "wh/of_view"}, {"wh/sets"}, "CREATE",
    ),
    Case(
        "a scalar subquery that stands alone",
        sql("CREATE TABLE scalar USING parquet AS"
            " SELECT (SELECT max(id) FROM days) AS m FROM sales"),
        {"wh/sales", "wh/days"}, {"wh/scalar"}, "CREATE",
    ),
    Case(
        "IN",
        sql("CREATE TABLE ins USING parquet AS"
            " SELECT * FROM sales WHERE id IN (SELECT id FROM days)"),
        {"wh/sales", "wh/days"}, {"wh/ins"}, "CREATE",
    ),
    Case(
        "NOT EXISTS, correlated",
        sql("CREATE TABLE exs USING parquet AS SELECT * FROM sales s WHERE NOT EXISTS"
            " (SELECT 1 FROM days d WHERE d.id = s.id AND d.id > (SELECT min(id) FROM of_view))"),
        {"wh/sales", "wh/days", "wh/of_view"}, {"wh/exs"}, "CREATE",
    ),
    Case(
        "CTE, used twice",
        sql("CREATE TABLE cte USING parquet AS WITH c AS (SELECT id FROM sales)"
            " SELECT a.id FROM c a JOIN c b ON a.id = b.id"),
        {"wh/sales"}, {"wh/cte"}, "CREATE",
    ),
    Case(
        "a self-join",
        sql("INSERT INTO cte SELECT a.id FROM sales a JOIN sales b ON a.id = b.id + 1"),
        {"wh/sales"}, {"wh/cte"},
    ),
    Case(
        "an input that the optimizer prunes",
        sql("INSERT INTO cte SELECT id FROM days WHERE 1 = 0"),
        {"wh/days"}, {"wh/cte"},
    ),
    Case(
        "a join that the optimizer prunes",
        sql("INSERT INTO cte SELECT s.id FROM sales s LEFT JOIN (SELECT DISTINCT id FROM days) d"
            " ON s.id = d.id"),
        {"wh/sales", "wh/days"}, {"wh/cte"},
    ),
    Case(
        "explode and rollup",
        sql("INSERT INTO cte SELECT sum(id) FROM"
            " (SELECT explode(array(id, 1)) AS id, name FROM sales) GROUP BY ROLLUP (name)"),
        {"wh/sales"}, {"wh/cte"},
    ),
    Case("a cached frame", _cached, {"people"}, {"from_cache"}, "CREATE"),
    Case("after unpersist", _after_unpersist, {"people"}, {"after_unpersist"}, "CREATE"),
    Case("a Python function", _python_function, {"people"}, {"upper"}, "CREATE"),
    Case(
        "rows of an RDD", _through_rdd, {"people"}, {"through_rdd"}, "CREATE",
        unresolved={"LogicalRDD"},
    ),
    Case("fetching rows", read_sql("SELECT * FROM top_view"),
         {"top_view", "sales_view", "wh/sales", "wh/days"}),
    Case("counting", lambda s, d: s.table("sales").count(), {"wh/sales"}),
    Case("toPandas", lambda s, d: s.table("sales").toPandas(), {"wh/sales"}),
    Case(
        "a variable that is set from a query",
        sql("DECLARE VARIABLE top BIGINT; SET VAR top = (SELECT max(id) FROM sales)"),
        {"wh/sales"}, since=(4, 0),
    ),
    Case(
        "a query that filters by a variable",
        read_sql("SELECT * FROM days WHERE id < top"),
        {"wh/days", "wh/sales"}, since=(4, 0),
    ),
    Case(
        "EXECUTE IMMEDIATE into a variable",
        sql("EXECUTE IMMEDIATE 'SELECT min(id) FROM days' INTO top"),
        {"wh/days"}, since=(4, 0),
    ),
    Case(
        "a variable as a parameter of EXECUTE IMMEDIATE",
        sql("EXECUTE IMMEDIATE 'INSERT INTO mart.target SELECT id, name FROM days WHERE id < :p'"
            " USING (top AS p)"),
        {"wh/days"}, {"wh/mart.db/target"}, unresolved={"VariableReference"}, since=(4, 3),
    ),
    Case(
        "a variable in VALUES",
        sql("INSERT INTO mart.target VALUES (top, 'top')"),
        set(), {"wh/mart.db/target"}, unresolved={"VariableReference"}, since=(4, 0),
    ),
    Case(
        "a variable in VALUES of a subquery",
        sql("INSERT INTO mart.target SELECT t.id, 'all' FROM (VALUES (top)) t(id) UNION ALL"
            " SELECT id, name FROM sales"),
        {"wh/sales"}, {"wh/mart.db/target"}, unresolved={"VariableReference"}, since=(4, 0),
    ),
    Case(
        "VALUES without variables",
        sql("INSERT INTO mart.target VALUES (1, 'x'), (DEFAULT, 'y')"),
        set(), {"wh/mart.db/target"}, since=(4, 0),
    ),
    Case(
        "EXECUTE IMMEDIATE without parameters",
        sql("EXECUTE IMMEDIATE 'INSERT INTO mart.target SELECT id, name FROM days'"),
        {"wh/days"}, {"wh/mart.db/target"}, since=(4, 0),
    ),
    Case(
        "a script that sets a variable and writes",
        lambda s, d: s.sql("BEGIN DECLARE low BIGINT; SET low = (SELECT min(id) FROM sales);"
                           " INSERT INTO mart.target SELECT id, name FROM days WHERE id >= low;"
                           " END").collect(),
        {"wh/sales", "wh/days"}, {"wh/mart.db/target"}, since=(4, 0),
    ),
    Case(
        "rows of a loop of a script",
        lambda s, d: s.sql("BEGIN FOR r AS (SELECT id FROM days) DO INSERT INTO mart.target"
                           " SELECT id, name FROM sales WHERE id = r.id; END FOR; END").collect(),
        {"wh/days", "wh/sales"}, {"wh/mart.db/target"},
        # A loop fetches its rows by a job of an RDD, beside the execution with their plan.
        unresolved={"VariableReference", "ExternalRDD"}, since=(4, 0),
    ),
    Case(
        "a variable that is set again to a value",
        sql("SET VAR top = 5; INSERT INTO mart.target SELECT id, name FROM days WHERE id < top"),
        {"wh/days"}, {"wh/mart.db/target"}, since=(4, 0),
    ),
    Case("a checkpoint", _checkpoint, {"wh/sales"}, {"from_checkpoint"}, "CREATE"),
    Case("a checkpoint that is joined with itself", _checkpoints, {"wh/sales"},
         {"wh/checkpoints"}, "CREATE"),
    Case("a sink in memory that a batch reads", _memory_sink, {"people"}, {"from_memory"},
         "CREATE"),
    Case(
        "CACHE TABLE reads, lazily it does not",
        sql("CACHE TABLE kept_sales AS SELECT id FROM sales; UNCACHE TABLE kept_sales;"
            " CACHE LAZY TABLE lazy_days AS SELECT id FROM days; UNCACHE TABLE lazy_days"),
        {"wh/sales"},
    ),
    Case(
        "a function in SQL reads where it is used",
        sql("CREATE TEMPORARY FUNCTION top_id() RETURNS BIGINT RETURN (SELECT max(id) FROM days);"
            " INSERT INTO cte SELECT id FROM sales WHERE id < top_id()"),
        {"wh/sales", "wh/days"}, {"wh/cte"}, since=(4, 0),
    ),
    Case(
        "to explain and to describe a query does not read",
        sql("EXPLAIN SELECT * FROM sales; DESCRIBE QUERY SELECT * FROM sales"),
    ),
    Case("ANALYZE TABLES", sql("ANALYZE TABLES IN mart COMPUTE STATISTICS"),
         {"wh/mart.db/target", "far"}),
    Case("settings touch nothing", sql("SET spark.sql.ansi.enabled=true; SHOW TABLES")),
    Case("an INSERT that names no column of its source",
         sql("INSERT INTO mart.target SELECT nope, 'x' FROM sales"), fails=True,
         unresolved={"QueryExecution"}, since=(4, 3)),  # no execution before 4.3
    Case("a write that fails", _failing, {"people"}, {"failed"}, "CREATE", fails=True),
]  # fmt: skip


def _partitions(spark: Any, d: str) -> None:
    frame = spark.range(5).selectExpr("id", "id * 2 AS twice", "IF(id < 3, 'mon', 'tue') AS day")
    frame.coalesce(1).write.partitionBy("day").saveAsTable("parts")


def _cached_twice(spark: Any, d: str) -> None:
    cached = spark.table("parts").cache()
    cached.write.parquet(f"{d}/filled")
    cached.write.parquet(f"{d}/filled_again")
    cached.unpersist()


def _second_version(spark: Any, d: str) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.sources.useV1SourceList", "")
    session.read.schema("id bigint").json(f"{d}/mon_json").write.csv(f"{d}/from_v2")


COUNTED = [
    Case(
        "rows into partitions", _partitions, set(), {"wh/parts"}, "CREATE",
        counts=Counts(written={"wh/parts": [(5, 2)]}),
    ),
    Case(
        "a partition alone is counted where others are pruned",
        lambda s, d: s.table("parts").where("day = 'mon'").select("id").write.json(f"{d}/mon_json"),
        {"wh/parts"}, {"mon_json"}, "CREATE",
        counts=Counts({"wh/parts": [(3, 1)]}, {"mon_json": [(3, 1)]}),
    ),
    Case(
        "a filter on rows does not change what is read",
        lambda s, d: s.table("parts").where("twice % 3 = 1").write.parquet(f"{d}/filtered"),
        {"wh/parts"}, {"filtered"}, "CREATE",
        counts=Counts({"wh/parts": [(5, 2)]}, {"filtered": [(1, 1)]}),
    ),
    Case(
        "a limit counts what is written",
        lambda s, d: s.table("parts").limit(1).write.parquet(f"{d}/limited"),
        {"wh/parts"}, {"limited"}, "CREATE",
        counts=Counts(written={"limited": [(1, 1)]}),
    ),
    Case(
        "a self-join reads twice",
        sql("INSERT OVERWRITE DIRECTORY '{d}/pairs' USING parquet"
            " SELECT a.id, b.twice FROM parts a JOIN parts b ON a.id = b.id + 1"),
        {"wh/parts"}, {"pairs"}, "OVERWRITE",
        counts=Counts({"wh/parts": [(10, 4)]}, {"pairs": [(4, 1)]}),
    ),
    Case(
        "an exchange that is used again reads once",
        sql("INSERT OVERWRITE DIRECTORY '{d}/twice' USING parquet"
            " SELECT day, count(*) AS n FROM parts GROUP BY day"
            " UNION ALL SELECT day, count(*) AS n FROM parts GROUP BY day"),
        {"wh/parts"}, {"twice"}, "OVERWRITE",
        counts=Counts({"wh/parts": [(5, 2)]}),
    ),
    Case(
        "the run that fills a cache reads, one that uses it does not",
        _cached_twice, {"wh/parts"}, {"filled", "filled_again"}, "CREATE",
        counts=Counts(
            {"wh/parts": [(5, 2), None]}, {"filled": [(5, 1)], "filled_again": [(5, 1)]}
        ),
    ),
    Case(
        "partitions that are overwritten dynamically",
        sql("SET spark.sql.sources.partitionOverwriteMode=dynamic;"
            " INSERT OVERWRITE parts SELECT 9L, 18L, 'tue';"
            " RESET spark.sql.sources.partitionOverwriteMode"),
        set(), {"wh/parts"}, counts=Counts(written={"wh/parts": [(1, 1)]}),
    ),
    Case(
        "nothing is written",
        sql("INSERT OVERWRITE DIRECTORY '{d}/nothing' USING parquet"
            " SELECT id FROM parts WHERE twice % 7 = 3"),
        {"wh/parts"}, {"nothing"}, "OVERWRITE",
        counts=Counts({"wh/parts": [(4, 2)]}, {"nothing": [(0, 1)]}),
    ),
    Case(
        "file sources of the second version", _second_version, {"mon_json"}, {"from_v2"}, "CREATE",
        counts=Counts({"mon_json": [(3, None)]}),
    ),
    Case(
        "a write that fails late",
        sql("INSERT OVERWRITE DIRECTORY '{d}/never' USING parquet"
            " SELECT IF(id = 9, raise_error('late'), id) AS x FROM parts"),
        {"wh/parts"}, {"never"}, "OVERWRITE", fails=True,
        counts=Counts({"wh/parts": [None]}, {"never": [None]}),
    ),
]  # fmt: skip

CASES = [*FILES, *TABLES, *QUERIES, *COUNTED]
