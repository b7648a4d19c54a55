"""Small Spark jobs on Hive tables, a database and other sources, with their reads and writes.

Names are as in ``datasets``; ``db:sales.orders`` is a table of the database. ``columns`` and
``rows`` are in the notation of ``columns``, with the last part of the name of a dataset.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Job:
    """The session, directory and database of a case."""

    spark: Any
    d: str
    url: str
    user: str
    password: str

    def sql(self, text: str) -> None:
        for part in text.split(";"):
            self.spark.sql(part.format(d=self.d, url=self.url, u=self.user, p=self.password))

    def database(self, **options: str) -> Any:
        """Return a frame read from the database, with the credentials as options."""
        given = {"url": self.url, "user": self.user, "password": self.password} | options
        return self.spark.read.format("jdbc").options(**given).load()

    def into(self, frame: Any, table: str, mode: str, **options: str) -> None:
        """Write a frame into a table of the database."""
        given = {"user": self.user, "password": self.password} | options
        frame.write.mode(mode).options(**given).jdbc(self.url, table)

    def file(self, name: str) -> str:
        """Write a file for LOAD DATA and return its path."""
        Path(self.d, name).write_text("1,ann\n")
        return f"{self.d}/{name}"


@dataclass(frozen=True)
class Case:
    name: str
    run: Callable[[Job], object]
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    change: str | None = None
    mode: str | None = None
    columns: dict[str, str] | None = None
    rows: str = ""
    unresolved: set[str] = field(default_factory=set)
    in_memory: set[str] = field(default_factory=set)
    fails: bool = False
    since: tuple[int, int] = (3, 5)


def sql(text: str) -> Callable[[Job], object]:
    return lambda job: job.sql(text)


JOIN = (
    "SELECT o.id, p.name AS who FROM sales.orders o JOIN sales.people p ON o.person = p.id"
    " WHERE o.amount > 10"
)
TOTALS = "(SELECT person, sum(amount) AS total FROM sales.orders GROUP BY person) AS t"
ORDERS = {"id": "orders.id", "person": "orders.person", "amount": "orders.amount"}
PART = {"partitionColumn": "id", "lowerBound": "1", "upperBound": "3", "numPartitions": "2"}

DATABASE = [
    Case(
        "a table of a database",
        lambda j: j.database(dbtable="sales.orders").write.parquet(f"{j.d}/orders"),
        {"db:sales.orders"}, {"orders"}, "CREATE", "create", ORDERS,
    ),
    Case(
        "a query of a database",
        lambda j: j.database(query=JOIN).write.parquet(f"{j.d}/joined"),
        {"db:sales.orders", "db:sales.people"}, {"joined"}, "CREATE", "create",
        {"id": "orders.id", "who": "people.name"},
        "join(orders.person, people.id) where(orders.amount)",
    ),
    Case(
        "a query in place of a table",
        lambda j: j.database(dbtable=TOTALS).write.parquet(f"{j.d}/totals"),
        {"db:sales.orders"}, {"totals"}, "CREATE", "create",
        {"person": "orders.person", "total": "agg(orders.amount)"}, "by(orders.person)",
    ),
    Case(
        "a query whose columns only the database knows",
        lambda j: j.database(query="SELECT name FROM sales.people NATURAL JOIN sales.orders")
        .write.parquet(f"{j.d}/natural"),
        {"db:sales.orders", "db:sales.people"}, {"natural"}, "CREATE", "create",
        unresolved={"LogicalRelation"},
    ),
    Case(
        "a table read in partitions",
        lambda j: j.database(dbtable="sales.orders", **PART).write.parquet(f"{j.d}/parted"),
        {"db:sales.orders"}, {"parted"}, "CREATE", "create", ORDERS,
    ),
    Case(
        "append to a database",
        lambda j: j.into(j.spark.range(1).selectExpr("id", "id AS person", "id AS amount"),
                         "sales.kept", "append"),
        set(), {"db:sales.kept"}, None, "append", in_memory={"Range"},
    ),
    Case(
        "overwrite of a table of a database",
        lambda j: j.into(j.spark.read.parquet(f"{j.d}/orders"), "sales.kept", "overwrite"),
        {"orders"}, {"db:sales.kept"}, "OVERWRITE", "overwrite", ORDERS,
    ),
    Case(
        "overwrite that keeps the table and truncates it",
        lambda j: j.into(j.spark.read.parquet(f"{j.d}/orders"), "sales.kept", "overwrite",
                         truncate="true"),
        {"orders"}, {"db:sales.kept"}, "OVERWRITE", "overwrite", ORDERS,
    ),
    Case(
        "a table that is there is left alone",
        lambda j: j.into(j.spark.read.parquet(f"{j.d}/orders"), "sales.kept", "ignore"),
    ),
    Case(
        "a table that is not there is made",
        lambda j: j.into(j.spark.read.parquet(f"{j.d}/orders"), "sales.made", "ignore"),
        {"orders"}, {"db:sales.made"}, "CREATE", "create", ORDERS,
    ),
    Case(
        "a connection that fails does not tell its password",
        lambda j: j.spark.read.format("jdbc").option("dbtable", "sales.orders")
        .option("url", f"{j.url}?user=nobody_{j.user}&password={j.password}").load().count(),
        unresolved={"QueryExecution"}, fails=True, since=(4, 3),  # no execution before 4.3
    ),
    Case(
        "a write that fails does not tell its password",
        lambda j: j.into(j.spark.range(1), "sales.kept", "append", user=f"nobody_{j.user}"),
        set(), {"db:sales.kept"}, None, "append", in_memory={"Range"}, fails=True,
    ),
    Case(
        "CREATE TABLE USING jdbc",
        sql("CREATE TABLE linked USING jdbc OPTIONS (url '{url}', dbtable 'sales.orders',"
            " user '{u}', password '{p}')"),
        set(), {"wh/linked"}, "CREATE", "create",
    ),
    Case(
        "from a table USING jdbc",
        lambda j: j.spark.table("linked").write.parquet(f"{j.d}/of_linked"),
        {"wh/linked", "db:sales.orders"}, {"of_linked"}, "CREATE", "create", ORDERS,
    ),
    Case(
        "into a table USING jdbc",
        sql("INSERT INTO linked VALUES (100L, 1L, 5L)"),
        set(), {"wh/linked", "db:sales.orders"}, None, "append", in_memory={"LocalRelation"},
    ),
    Case(
        "aggregates and joins that the database runs for Spark",
        lambda j: j.spark.sql("SELECT p.name, sum(o.amount) AS total FROM pg.sales.orders o"
                              " JOIN pg.sales.people p ON o.person = p.id GROUP BY p.name")
        .write.parquet(f"{j.d}/by_name"),
        {"db:sales.orders", "db:sales.people"}, {"by_name"}, "CREATE", "create",
        {"name": "people.name", "total": "agg(orders.amount)"},
        "join(orders.person, people.id) by(people.name)",
    ),
    Case(
        "CTAS in a database's catalog",
        sql("CREATE TABLE pg.sales.ctas AS SELECT id, amount + 1 AS more FROM pg.sales.orders"),
        {"db:sales.orders"}, {"db:sales.ctas"}, "CREATE", "create",
        {"id": "orders.id", "more": "f(orders.amount)"},
    ),
    Case(
        "INSERT in a database's catalog",
        sql("INSERT INTO pg.sales.ctas SELECT id, amount FROM pg.sales.orders WHERE id < 3"),
        {"db:sales.orders"}, {"db:sales.ctas"}, None, "append",
        {"id": "orders.id", "more": "orders.amount"}, "where(orders.id)",
    ),
    Case(
        "RTAS in a database's catalog",
        sql("CREATE OR REPLACE TABLE pg.sales.ctas AS SELECT id, person AS more"
            " FROM pg.sales.orders WHERE amount > 5"),
        {"db:sales.orders"}, {"db:sales.ctas"}, "OVERWRITE", "overwrite",
        {"id": "orders.id", "more": "orders.person"}, "where(orders.amount)",
    ),
    Case("ADD COLUMN in a database's catalog", sql("ALTER TABLE pg.sales.ctas ADD COLUMNS (x INT)"),
         set(), {"db:sales.ctas"}, "ALTER", "alter"),
    Case("RENAME COLUMN in a database's catalog",
         sql("ALTER TABLE pg.sales.ctas RENAME COLUMN x TO y"),
         set(), {"db:sales.ctas"}, "ALTER", "alter"),
    Case("RENAME in a database's catalog", sql("ALTER TABLE pg.sales.ctas RENAME TO sales.other"),
         {"db:sales.ctas"}, {"db:sales.other"}, "RENAME", "rename"),
    Case("DROP in a database's catalog", sql("DROP TABLE pg.sales.other"),
         set(), {"db:sales.other"}, "DROP", "drop"),
]  # fmt: skip

BOTH = {"id": "raw.id", "name": "raw.name"}

HIVE = [
    Case(
        "CREATE TABLE of Hive",
        sql("CREATE TABLE raw (id BIGINT, name STRING) ROW FORMAT DELIMITED"
            " FIELDS TERMINATED BY ',' STORED AS TEXTFILE"),
        set(), {"wh/raw"}, "CREATE", "create",
    ),
    Case(
        "LOAD DATA LOCAL",
        lambda j: j.sql(f"LOAD DATA LOCAL INPATH '{j.file('in.txt')}' INTO TABLE raw"),
        {"in.txt"}, {"wh/raw"}, None, "append",
    ),
    Case(
        "LOAD DATA OVERWRITE",
        lambda j: j.sql(f"LOAD DATA INPATH '{j.file('in2.txt')}' OVERWRITE INTO TABLE raw"),
        {"in2.txt"}, {"wh/raw"}, "OVERWRITE", "overwrite",
    ),
    Case(
        "CTAS of Hive, as ORC",
        sql("CREATE TABLE orcs STORED AS ORC AS SELECT id, upper(name) AS name FROM raw"),
        {"wh/raw"}, {"wh/orcs"}, "CREATE", "create", {"id": "raw.id", "name": "f(raw.name)"},
    ),
    Case(
        "CTAS of Hive, as text",
        sql("CREATE TABLE texts STORED AS TEXTFILE AS SELECT * FROM raw"),
        {"wh/raw"}, {"wh/texts"}, "CREATE", "create", BOTH,
    ),
    Case(
        "INSERT OVERWRITE of a text table",
        sql("INSERT OVERWRITE TABLE texts SELECT * FROM raw"),
        {"wh/raw"}, {"wh/texts"}, "OVERWRITE", "overwrite", BOTH,
    ),
    Case(
        "an external table",
        sql("CREATE EXTERNAL TABLE far (id BIGINT, name STRING) STORED AS PARQUET"
            " LOCATION '{d}/far'"),
        set(), {"far"}, "CREATE", "alter",
    ),
    Case(
        "INSERT into an external table",
        sql("INSERT INTO far SELECT * FROM raw"),
        {"wh/raw"}, {"far"}, None, "append", BOTH,
    ),
    Case(
        "LOAD DATA into an external table",
        lambda j: j.sql("CREATE EXTERNAL TABLE lines (id BIGINT, name STRING) STORED AS TEXTFILE"
                        " LOCATION '{d}/lines';"
                        f" LOAD DATA LOCAL INPATH '{j.file('in4.txt')}' INTO TABLE lines"),
        {"in4.txt"}, {"lines"},
    ),
    Case("DROP of an external table", sql("DROP TABLE lines"), set(), {"lines"}, "DROP", "alter"),
    Case(
        "a database with a location of its own",
        sql("CREATE DATABASE mart LOCATION '{d}/elsewhere';"
            " CREATE TABLE mart.m STORED AS ORC AS SELECT * FROM raw"),
        {"wh/raw"}, {"elsewhere/m"}, "CREATE", "create", BOTH,
    ),
    Case(
        "saveAsTable of Hive",
        lambda j: j.spark.table("raw").write.format("hive").saveAsTable("saved"),
        {"wh/raw"}, {"wh/saved"}, "CREATE", "create", BOTH,
    ),
    Case(
        "saveAsTable in a database with a location of its own",
        lambda j: j.spark.table("raw").write.format("hive").saveAsTable("mart.s"),
        {"wh/raw"}, {"elsewhere/s"}, "CREATE", "create", BOTH,
    ),
    Case("RENAME in a database with a location of its own",
         sql("ALTER TABLE mart.s RENAME TO mart.r"), {"elsewhere/s"}, {"elsewhere/r"}, "RENAME",
         "rename"),
    Case(
        "a partitioned table of Hive",
        sql("CREATE TABLE days (id BIGINT, name STRING) PARTITIONED BY (day STRING)"
            " STORED AS TEXTFILE"),
        set(), {"wh/days"}, "CREATE", "create",
    ),
    Case(
        "INSERT OVERWRITE of a partition of Hive",
        sql("INSERT OVERWRITE TABLE days PARTITION (day = 'mon') SELECT * FROM raw"),
        {"wh/raw"}, {"wh/days"}, None, "overwrite_partitions", BOTH,
    ),
    Case(
        "dynamic partitions of Hive",
        sql("INSERT INTO days PARTITION (day) SELECT id, name, substr(name, 1, 1) FROM raw"),
        {"wh/raw"}, {"wh/days"}, None, "append", BOTH | {"day": "f(raw.name)"},
    ),
    Case(
        "INSERT OVERWRITE of dynamic partitions of Hive",
        sql("INSERT OVERWRITE TABLE days PARTITION (day) SELECT id, name, 'tue' FROM raw"),
        {"wh/raw"}, {"wh/days"}, None, "overwrite_partitions", BOTH,
    ),
    Case(
        "LOAD DATA OVERWRITE of a partition",
        lambda j: j.sql(f"LOAD DATA LOCAL INPATH '{j.file('in3.txt')}' OVERWRITE INTO TABLE days"
                        " PARTITION (day = 'fri')"),
        {"in3.txt"}, {"wh/days"}, None, "overwrite_partitions",
    ),
    Case(
        "two inserts of one scan of Hive",
        sql("FROM raw INSERT INTO orcs SELECT id, name INSERT INTO texts SELECT id, name"),
        {"wh/raw"}, {"wh/orcs", "wh/texts"}, None, "append", BOTH,
    ),
    Case(
        "INSERT OVERWRITE DIRECTORY of Hive",
        sql("INSERT OVERWRITE LOCAL DIRECTORY '{d}/exported' ROW FORMAT DELIMITED"
            " FIELDS TERMINATED BY ',' SELECT * FROM raw"),
        {"wh/raw"}, {"exported"}, "OVERWRITE", "overwrite", BOTH,
    ),
    Case(
        "views over views of Hive",
        sql("CREATE VIEW v AS SELECT id, name FROM raw; CREATE VIEW w AS SELECT id FROM v;"
            " INSERT INTO texts SELECT id, 'x' FROM w"),
        {"v", "w", "wh/raw"}, {"v", "w", "wh/texts"},
    ),
    Case(
        "functions of Hive",
        sql("CREATE TEMPORARY FUNCTION up AS 'org.apache.hadoop.hive.ql.udf.generic."
            "GenericUDFUpper'; CREATE TEMPORARY FUNCTION total AS"
            " 'org.apache.hadoop.hive.ql.udf.generic.GenericUDAFSum';"
            " INSERT INTO texts SELECT total(id), up(name) AS up FROM raw GROUP BY name"),
        {"wh/raw"}, {"wh/texts"}, None, "append", {"id": "agg(raw.id)", "name": "f(raw.name)"},
        "by(raw.name)",
    ),
    Case("REPAIR TABLE of Hive", sql("MSCK REPAIR TABLE days"), set(), {"wh/days"}, "ALTER",
         "alter"),
    Case("SET LOCATION of a partition",
         lambda j: (Path(j.d, "moved").mkdir(),
                    j.sql("ALTER TABLE days PARTITION (day = 'mon') SET LOCATION '{d}/moved'")),
         {"moved"}, {"wh/days"}, None, "overwrite_partitions"),
    Case("SET SERDEPROPERTIES", sql("ALTER TABLE raw SET SERDEPROPERTIES ('field.delim' = ',')"),
         set(), {"wh/raw"}, "ALTER", "alter"),
    Case("TRUNCATE of a table of Hive", sql("TRUNCATE TABLE texts"), set(), {"wh/texts"},
         "TRUNCATE", "truncate"),
]  # fmt: skip

OTHERS = [
    Case(
        "a list of the driver",
        lambda j: j.spark.createDataFrame([(1, "a")], "id INT, n STRING").write.parquet(
            f"{j.d}/listed"),
        set(), {"listed"}, "CREATE", "create", in_memory={"LogicalRDD"},
    ),
    Case(
        "a collection that was made parallel",
        lambda j: j.spark.createDataFrame(
            j.spark.sparkContext.parallelize([1, 2]).map(lambda x: (x,)), "id INT")
        .write.parquet(f"{j.d}/parallel"),
        set(), {"parallel"}, "CREATE", "create", in_memory={"LogicalRDD"},
    ),
    Case(
        "an RDD over text files",
        lambda j: j.spark.createDataFrame(
            j.spark.sparkContext.textFile(f"{j.d}/in.txt").map(lambda line: (line,)), "x STRING")
        .write.parquet(f"{j.d}/of_lines"),
        {"in.txt"}, {"of_lines"}, "CREATE", "create", unresolved={"LogicalRDD"},
    ),
    Case(
        "an RDD over a frame of partitions",
        lambda j: j.spark.createDataFrame(
            j.spark.read.parquet(f"{j.d}/orders").rdd.map(lambda row: (row.id,)), "id BIGINT")
        .write.parquet(f"{j.d}/of_rdd"),
        {"orders"}, {"of_rdd"}, "CREATE", "create", unresolved={"LogicalRDD"},
    ),
    Case(
        "VALUES and a range",
        lambda j: j.spark.sql("SELECT t.a FROM VALUES (1) AS t (a) JOIN range(3) ON id = a")
        .write.parquet(f"{j.d}/values"),
        set(), {"values"}, "CREATE", "create", in_memory={"LocalRelation", "Range"},
    ),
]  # fmt: skip

SHELF = "tests.Shelf"
A_SHELF = "tests.ShelfTable:a"


def _python_source(job: Job) -> None:
    from support.spark.python_source import Customers

    job.spark.dataSource.register(Customers)
    job.spark.read.parquet(f"{job.d}/orders").write.format("crm").mode("append").save(
        f"{job.d}/clients"
    )


CONNECTORS = [
    Case(
        "append to a connector without a catalog",
        lambda j: j.spark.read.parquet(f"{j.d}/orders").write.format(SHELF).mode("append")
        .save("a"),
        {"orders"}, {A_SHELF}, None, "append", ORDERS,
    ),
    Case(
        "overwrite in a connector without a catalog",
        lambda j: j.spark.read.parquet(f"{j.d}/orders").where("id < 3").write.format(SHELF)
        .mode("overwrite").save("a"),
        {"orders"}, {A_SHELF}, "OVERWRITE", "overwrite", ORDERS, "where(orders.id)",
    ),
    Case(
        "from a connector without a catalog",
        lambda j: j.spark.read.format(SHELF).load("a").where("amount > 5").groupBy("person")
        .agg({"amount": "sum"}).toDF("person", "total").write.parquet(f"{j.d}/of_shelf"),
        {A_SHELF}, {"of_shelf"}, "CREATE", "create",
        {"person": "a.person", "total": "agg(a.amount)"}, "where(a.amount) by(a.person)",
    ),
    Case(
        "options of a connector are in the name, and secrets are not",
        lambda j: j.spark.read.format(SHELF).options(region="eu", apiKey="k-123").load("a").count(),
        {f"{A_SHELF}?region=eu"},
    ),
    Case(
        "CTAS in a connector's catalog",
        sql("CREATE TABLE shelf.top.t AS SELECT id, amount FROM parquet.`{d}/orders`"),
        {"orders"}, {"shelf:top.t"}, "CREATE", "create",
        {"id": "orders.id", "amount": "orders.amount"},
    ),
    Case(
        "INSERT in a connector's catalog",
        sql("INSERT INTO shelf.top.t SELECT id, person FROM parquet.`{d}/orders`"),
        {"orders"}, {"shelf:top.t"}, None, "append",
        {"id": "orders.id", "amount": "orders.person"},
    ),
    Case(
        "RTAS in a connector's catalog",
        sql("REPLACE TABLE shelf.top.t AS SELECT id, amount * 2 AS twice"
            " FROM parquet.`{d}/orders` WHERE person = 1"),
        {"orders"}, {"shelf:top.t"}, "OVERWRITE", "overwrite",
        {"id": "orders.id", "twice": "f(orders.amount)"}, "where(orders.person)",
    ),
    Case(
        "CREATE OR REPLACE, by writeTo",
        lambda j: j.spark.table("shelf.top.t").writeTo("shelf.top.u").createOrReplace(),
        {"shelf:top.t"}, {"shelf:top.u"}, "OVERWRITE", "overwrite",
        {"id": "t.id", "twice": "t.twice"},
    ),
    Case(
        "INSERT OVERWRITE in a connector's catalog",
        sql("INSERT OVERWRITE shelf.top.u SELECT twice, id FROM shelf.top.t"),
        {"shelf:top.t"}, {"shelf:top.u"}, "OVERWRITE", "overwrite",
        {"id": "t.twice", "twice": "t.id"},
    ),
    Case("RENAME in a connector's catalog", sql("ALTER TABLE shelf.top.u RENAME TO top.v"),
         {"shelf:top.u"}, {"shelf:top.v"}, "RENAME", "rename"),
    Case("DROP in a connector's catalog", sql("DROP TABLE shelf.top.v"), set(), {"shelf:top.v"},
         "DROP", "drop"),
    Case(
        "into a data source in Python",
        _python_source,
        {"orders"}, {"crm:clients"}, None, "append", ORDERS, since=(4, 0),
    ),
    Case(
        "from a data source in Python",
        lambda j: j.spark.read.format("crm").load(f"{j.d}/clients")
        .selectExpr("id", "amount + 1 AS n").write.parquet(f"{j.d}/of_clients"),
        {"crm:clients"}, {"of_clients"}, "CREATE", "create",
        {"id": "clients.id", "n": "f(clients.amount)"}, since=(4, 0),
    ),
]  # fmt: skip


def _view_of_a_client(job: Job) -> None:
    job.spark.read.parquet(f"{job.d}/orders").createOrReplaceTempView("mine")
    query = "SELECT person, max(id) AS id FROM mine GROUP BY person"
    job.sql(f"CREATE TABLE by_view STORED AS ORC AS {query}")


def _function_of_a_client(job: Job) -> None:
    from pyspark.sql.functions import udf

    double = udf(lambda amount: amount * 2, "bigint")
    frame = job.spark.read.parquet(f"{job.d}/orders")
    frame.select("id", double("amount").alias("twice")).write.parquet(f"{job.d}/doubled")


# Cases that a client of Spark Connect runs in the same application.
CONNECT = [
    Case(
        "connect: files",
        lambda j: j.spark.read.parquet(f"{j.d}/orders").where("amount > 5").select("id")
        .write.parquet(f"{j.d}/connected"),
        {"orders"}, {"connected"}, "CREATE", "create", {"id": "orders.id"}, "where(orders.amount)",
        since=(4, 0),
    ),
    Case(
        "connect: a table of a database",
        sql("CREATE TABLE remote STORED AS ORC AS SELECT id, amount + 1 AS n FROM pg.sales.orders"),
        {"db:sales.orders"}, {"wh/remote"}, "CREATE", "create",
        {"id": "orders.id", "n": "f(orders.amount)"}, since=(4, 0),
    ),
    Case(
        "connect: a view of the client",
        _view_of_a_client,
        {"orders"}, {"wh/by_view"}, "CREATE", "create",
        {"person": "orders.person", "id": "agg(orders.id)"}, "by(orders.person)", since=(4, 0),
    ),
    Case(
        "connect: a function of the client",
        _function_of_a_client,
        {"orders"}, {"doubled"}, "CREATE", "create",
        {"id": "orders.id", "twice": "f(orders.amount)"}, since=(4, 0),
    ),
    Case(
        "connect: rows of the client",
        lambda j: j.spark.createDataFrame([(1, "a")], "id INT, n STRING").write.mode("append")
        .parquet(f"{j.d}/of_client"),
        set(), {"of_client"}, None, "append", in_memory={"LocalRelation"}, since=(4, 0),
    ),
    Case(
        "connect: rows that the client fetches",
        lambda j: j.spark.table("remote").collect(),
        {"wh/remote"}, since=(4, 0),
    ),
    Case(
        "connect: a write that fails",
        lambda j: j.spark.read.parquet(f"{j.d}/orders")
        .selectExpr("cast(raise_error(cast(id AS STRING)) AS STRING) AS x")
        .write.parquet(f"{j.d}/never"),
        {"orders"}, {"never"}, "CREATE", "create", fails=True, since=(4, 0),
    ),
]  # fmt: skip

APPLICATION = [*DATABASE, *HIVE, *OTHERS, *CONNECTORS]
CASES = [*APPLICATION, *CONNECT]
