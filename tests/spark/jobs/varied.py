"""Plans of all kinds, step by step; the job description names the step."""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

home = Path(sys.argv[1])
spark = SparkSession.builder.appName("Varied").getOrCreate()
sc = spark.sparkContext


@contextlib.contextmanager
def step(name: str, fails: bool = False):
    sc.setJobDescription(name)
    try:
        yield
    except Exception:
        if not fails:
            raise
    else:
        assert not fails, f"{name} should have failed"
    finally:
        sc.setJobDescription(None)


def lake(name: str) -> str:
    return str(home / "lake" / name)


def files_of_every_format():
    with step("range to parquet"):
        frame = spark.range(20).selectExpr("id", "concat('n', id) name", "id % 3 kind", "id * 2 v")
        frame.write.parquet(lake("people"))
    chain = ["parquet", "csv", "json", "orc"]
    spark.read.parquet(lake("people")).write.parquet(lake("c-parquet"))
    for source, target in itertools.pairwise(chain):
        with step(f"{source} to {target}"):
            reader = spark.read.schema("id long, name string, kind long, v long").format(source)
            reader.load(lake(f"c-{source}")).write.format(target).save(lake(f"c-{target}"))
    with step("orc to text"):
        spark.read.orc(lake("c-orc")).select("name").write.text(lake("c-text"))
    with step("text to rows"):
        spark.read.text(lake("c-text")).collect()


def tables_and_views():
    with step("save as table"):
        spark.read.parquet(lake("people")).write.saveAsTable("people")
    with step("ctas"):
        spark.sql(
            "CREATE TABLE kinds USING parquet AS SELECT kind, count(*) n FROM people GROUP BY 1"
        )
    with step("insert into"):
        spark.sql("INSERT INTO kinds SELECT id, v FROM people WHERE id > 3")
    with step("insert overwrite directory"):
        directory = lake("directory")
        spark.sql(f"INSERT OVERWRITE DIRECTORY '{directory}' USING json SELECT * FROM kinds")
    with step("table with a location"):
        spark.sql(
            f"CREATE TABLE placed (id BIGINT, k BIGINT) USING parquet PARTITIONED BY (k)"
            f" LOCATION '{lake('placed')}'"
        )
    with step("insert into partitions"):
        spark.sql("INSERT OVERWRITE placed PARTITION (k) SELECT id, kind FROM people")
    with step("read of one partition"):
        spark.table("placed").where("k = 1").write.parquet(lake("one-partition"))
    with step("create view"):
        spark.sql("CREATE VIEW big AS SELECT id, upper(name) AS name FROM people WHERE v > 10")
    with step("view over view"):
        spark.sql("SELECT name FROM big").write.parquet(lake("from-view"))
    spark.table("kinds").createOrReplaceTempView("passing")
    with step("temporary view"):
        spark.sql("SELECT kind FROM passing").write.parquet(lake("from-temporary"))


def queries():
    people, kinds = spark.table("people"), spark.table("kinds")
    orders = spark.read.json(lake("c-json"), schema="id long, v long")
    with step("join, union and aggregate"):
        joined = people.join(orders.withColumnRenamed("v", "w"), "id").select("kind", "w")
        united = joined.union(kinds.selectExpr("kind", "n"))
        united.groupBy("kind").agg(F.sum("w").alias("w")).write.parquet(lake("joined"))
    with step("scalar subquery"):
        spark.sql("SELECT id, (SELECT max(n) FROM kinds) m FROM people").write.parquet(
            lake("scalar")
        )
    with step("in subquery"):
        spark.sql("SELECT id FROM people WHERE kind IN (SELECT kind FROM kinds)").write.parquet(
            lake("in")
        )
    with step("exists subquery"):
        spark.sql(
            "SELECT id FROM people p WHERE EXISTS (SELECT 1 FROM kinds k WHERE k.kind = p.kind)"
        ).write.parquet(lake("exists"))
    with step("pruned by the optimizer"):
        spark.sql("SELECT id FROM people WHERE 1 = 0").write.parquet(lake("pruned"))
    with step("cte"):
        spark.sql(
            "WITH a AS (SELECT kind FROM kinds), b AS (SELECT * FROM a) SELECT x.kind"
            " FROM b x JOIN b y ON x.kind = y.kind"
        ).write.parquet(lake("cte"))
    double = F.udf(lambda n: n * 2, "long")
    with step("python udf"):
        people.select(double("id").alias("twice")).write.parquet(lake("udf"))
    with step("nested column"):
        people.select(F.struct("id", "name").alias("s")).select("s.name").write.parquet(
            lake("nested")
        )


def cached_frames():
    cached = spark.read.parquet(lake("people")).where("id > 2").cache()
    with step("first read of a cached frame"):
        cached.count()
    with step("write of a cached frame"):
        cached.write.parquet(lake("cached"))
    cached.unpersist(blocking=True)
    with step("write after unpersist"):
        cached.write.parquet(lake("unpersisted"))


def actions():
    people = spark.table("people")
    for name in ("collect", "count", "toLocalIterator"):
        with step(f"action {name}"):
            result = getattr(people, name)()
            list(result) if name == "toLocalIterator" else None
    with step("action take"):
        people.take(2)
    with step("action on the result of a command"):
        spark.sql("INSERT INTO kinds SELECT 7, 7").collect()
    with step("noop"):
        people.write.format("noop").mode("overwrite").save()


def sessions_and_threads():
    other = spark.newSession()
    other.conf.set("spark.sql.adaptive.enabled", "false")
    other.conf.set("spark.sql.sources.useV1SourceList", "")
    other.conf.set("spark.lineage.tags", "team:other")
    with step("without adaptive execution"):
        other.sql("SELECT kind, count(*) n FROM people GROUP BY kind").write.parquet(
            lake("not-adaptive")
        )
    with step("second version of file sources"):
        other.read.csv(lake("c-csv")).write.mode("overwrite").csv(lake("csv-v2"))

    listeners = other._jsparkSession.listenerManager()
    assert listeners.listListeners()[0].getClass().getSimpleName() == "QueryListener"
    listeners.clear()
    with step("listeners cleared"):
        other.sql("SELECT kind FROM people").write.parquet(lake("cleared"))

    def work(number: int):
        session = spark if number % 2 else other
        for repeat in range(3):
            sc.setLocalProperty("spark.job.description", f"thread {number}")
            session.range(5).write.parquet(lake(f"thread-{number}-{repeat}"))

    from pyspark import InheritableThread

    threads = [InheritableThread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def secrets():
    people = spark.table("people")
    with step("secret in an option"):
        people.write.option("secretToken", "hunter2-option").csv(lake("secret"))
    with step("secret in sql"):
        spark.sql(
            f"CREATE TABLE guarded USING csv OPTIONS (path '{lake('guarded')}',"
            " password 'hunter2-sql') AS SELECT id FROM people"
        )
    url = "jdbc:derby:memory:shop;create=true;user=sa;password=hunter2-url"
    with step("jdbc write"):
        people.select("id", "v").write.jdbc(url, "ORDERS")
    with step("jdbc read"):
        spark.read.jdbc(url, "ORDERS", properties={"password": "hunter2-url"}).write.parquet(
            lake("from-jdbc")
        )
    with step("secret in an error", fails=True):
        people.write.jdbc("jdbc:nobody://sa:hunter2-error@localhost/x?password=hunter2-error", "T")


def failures():
    people = spark.table("people")
    with step("path exists", fails=True):
        people.write.parquet(lake("people"))
    with step("late stage", fails=True):
        wide = people.repartition(2).groupBy("kind").agg(F.sum("v").alias("v"))
        joined = wide.join(people.groupBy("kind").count(), "kind").orderBy("v")
        checked = F.expr("IF(v < 0, v, CAST(raise_error('late stage broke') AS BIGINT)) AS v")
        joined.select(checked).write.parquet(lake("late"))

    def broken(value):
        raise ValueError("python broke")

    with step("python error", fails=True):
        people.select(F.udf(broken, "long")("id")).write.parquet(lake("broken"))

    with step("unknown table", fails=True):
        spark.table("nowhere").count()
    cancelled()


def cancelled():
    started = home / "started"

    def slow(value):
        import time

        started.touch()
        time.sleep(60)
        return value

    def run():
        sc.setJobGroup("slow ones", "cancelled")
        with contextlib.suppress(Exception):
            spark.range(1).select(F.udf(slow, "long")("id")).write.parquet(lake("slow"))

    from pyspark import InheritableThread

    thread = InheritableThread(target=run)
    thread.start()
    pause = threading.Event()
    while not started.exists():
        pause.wait(0.05)
    sc.cancelJobGroup("slow ones")
    thread.join()


for part in (
    files_of_every_format,
    tables_and_views,
    queries,
    cached_frames,
    actions,
    sessions_and_threads,
    secrets,
    failures,
):
    part()
spark.stop()
