"""Uses secrets wherever a job may have them, and writes their number to a file."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from support.cases.secrets import NAMES, TEXTS, planted, secret

home = Path(sys.argv[1])
spark = SparkSession.builder.appName(f"file:{home}/job?sig={secret(1)}").getOrCreate()
sc = spark.sparkContext
rows = spark.range(3).selectExpr("id", "cast(id as string) v")
rows.write.saveAsTable("cust")
used = 10


def some(texts: tuple[str, ...]) -> list[str]:
    global used
    made = planted(texts, used)
    used += len(texts)
    return made


def fresh() -> str:
    global used
    used += 1
    return secret(used - 1)


def attempt(statement: str) -> None:
    with contextlib.suppress(Exception):
        spark.sql(statement).collect()


def write(**options: str) -> None:
    rows.write.format("noop").options(**options).mode("append").save()


write(**{f"endpoint.{at}": text for at, text in enumerate(some(TEXTS))})
write(**{name: fresh() for name in NAMES})

sc.setJobDescription("\n".join(some(TEXTS)))
sc.setJobGroup(f"https://h/x?sig={fresh()}", f"SELECT * FROM t WHERE a = '{fresh()}'")
rows.count()
sc.setJobGroup("load", f"load with token={fresh()}")
rows.count()
sc.textFile(__file__).count()
sc.setJobGroup("plain", "plain")

for text in ("\n".join(some(TEXTS)), f"SELECT * FROM t WHERE k = '{fresh()}'"):

    def fail(value: str, text: str = text) -> str:
        raise ValueError(text)

    with contextlib.suppress(Exception):
        rows.select(F.udf(fail)("v")).collect()
    with contextlib.suppress(Exception):
        rows.select(F.raise_error(F.lit(text))).collect()

for name in NAMES:
    if name.startswith(("spark.", "fs.", "password")):
        attempt(f"SET {name}={fresh()} and {fresh()}")
for text in some(TEXTS[:20]):
    attempt(f"SET some.url = {text}")

for statement in (
    "SELECT aes_encrypt(v, '{}abc') FROM cust",
    "SELECT aes_encrypt(v, '{}') FROM cust",
    "SELECT aes_encrypt(v, '{}abc', 'NONE') FROM cust",
    "SELECT base64(aes_decrypt(v, '{}')) FROM cust",
    "SELECT *, 1 AS one FROM cust WHERE v = '{}' -- once it was {}",
    "SELECT nosuch(v, '{}') FROM cust",
    "SELECT missing, concat(v, '{}') c FROM cust",
    "SELECT v + array('{}') FROM cust",
    "SELECT cast('{}' AS INT) FROM cust",
    'SELECT hash(id, "{}") h /* {} */ FROM cust',
    "SELECT CASE WHEN v = '{}' THEN 1 END FROM cust",
    "SELECT v = r'{}', v LIKE '%{}' FROM cust",
    "INSERT INTO cust VALUES (1, '{}')",
    "CREATE TABLE hidden USING parquet AS SELECT id, sha2(concat(v, '{}'), 256) h FROM cust",
    "CREATE VIEW seen AS SELECT id, sha2(concat(v, '{}'), 256) h FROM cust",
    "CREATE VIEW secretive AS SELECT * FROM cust WHERE v IN ('{}', '{}')",
    "CREATE OR REPLACE TEMP VIEW passing AS SELECT concat(v, '{}') c FROM cust",
    "SELECT * FROM seen",
    "SELECT * FROM secretive",
    "SELECT * FROM passing",
    "CREATE TABLE described (a INT) USING parquet OPTIONS ('password' '{}', 'db.auth.pass' '{}')",
    "ALTER TABLE described SET TBLPROPERTIES ('api.token' = '{}', 'url' = 'https://a:{}@h')",
    "COMMENT ON TABLE described IS 'see https://a:{}@h'",
    "DECLARE VARIABLE hidden_key STRING DEFAULT '{}'",
    "SET VAR hidden_key = '{}'",
    "EXECUTE IMMEDIATE 'SELECT aes_encrypt(v, ''{}'') FROM cust'",
    "SELECT * FROM cust WHERE id = (SELECT max(id) FROM cust WHERE v <> '{}')",
    "DELETE FROM cust WHERE v = '{}'",
    "CACHE TABLE kept AS SELECT * FROM cust WHERE v <> '{}'",
    "SELECT id FROM cust GROUP BY id HAVING max(v) <> '{}'",
    "SELECT * FROM parquet.`https://h/x?sig={}`",
    "DECLARE VARIABLE first_key STRING DEFAULT '{}'",
    "CREATE TABLE named USING parquet AS SELECT id, sha2(concat(v, first_key), 256) FROM cust",
    "CREATE TABLE named_too USING parquet AS SELECT sha2(concat(v, '{}'), 256) FROM cust",
    "CREATE FUNCTION salted(a STRING, b STRING DEFAULT '{}') RETURNS STRING RETURN a || '{}' || b",
    "CREATE FUNCTION salts() RETURNS TABLE (a STRING) RETURN SELECT v || '{}' FROM cust",
    "SELECT salted(v) FROM cust",
):
    while "{}" in statement:
        statement = statement.replace("{}", fresh(), 1)
    attempt(statement)

with contextlib.suppress(Exception):
    rows.select(F.expr(f"nosuch(v, '{fresh()}')")).collect()
with contextlib.suppress(Exception):
    rows.select(F.expr(f"aes_encrypt(v, '{fresh()}', 'NONE')")).collect()
rows.select(F.expr(f"aes_encrypt(v, '{fresh()}abc')")).write.mode("append").format("noop").save()

for at, frame in enumerate(
    (
        rows.select(F.sha2(F.concat("v", F.lit(fresh())), 256)),
        spark.sql(
            f"SELECT hmac || '{fresh()}' FROM (SELECT concat(v, '{fresh()}') AS hmac FROM cust)"
        ),
    )
):
    frame.write.parquet(f"{home}/lake/unnamed/{at}")

rows.write.parquet(f"{home}/lake/signed?sv=1&sig={fresh()}")
rows.write.parquet(f"{home}/lake/spoken/token={fresh()}/x")
database = f"jdbc:derby:memory:shop;create=true;user=sa;password={fresh()}"
rows.write.format("jdbc").options(url=database, dbtable="CUST", password=fresh()).save()
bought = f"SELECT \"id\", '{fresh()}' AS said FROM CUST"
for query in (bought, f"SELECT nosuch FROM CUST '{fresh()}'"):
    with contextlib.suppress(Exception):
        read = spark.read.format("jdbc").options(url=database, query=query).load()
        read.write.mode("append").parquet(f"{home}/lake/bought")

(home / "planted").write_text(str(used))
