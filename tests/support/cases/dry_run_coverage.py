"""The commands of docs/reference/coverage.md, with the jobs that run them in a dry run.

``RUN`` has the sections of the page that contain commands. A key is how the first cell of a row
starts. Its value has texts of a job that a test runs as a dry run, or the reason why the row has no
command of its own.
"""

from __future__ import annotations

import re
from pathlib import Path

Reason = str
Runs = tuple[str, ...] | Reason

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "reference" / "coverage.md"
COMMANDS = ROOT / "tests" / "spark" / "jobs" / "commands.py"
LAKE_COMMANDS = ROOT / "tests" / "connectors" / "jobs" / "lake_commands.py"

READS = "it only reads"
SAME_COMMANDS = "its writes are the commands of the other rows"
STREAMS = ('"file stream"', '"table stream"', '"batches"')

SOURCES: dict[str, Runs] = {
    "files": ('"parquet"', '"partitions"', '"overwrite"', '"json"', '"text"', '"xml"'),
    "avro": SAME_COMMANDS,
    "tables of the session catalog": (
        "INSERT INTO shop.texts", "STORED AS ORC AS", "STORED AS PARQUET AS", '"replace"',
        "CREATE VIEW", "CREATE EXTERNAL TABLE",
    ),
    "LOAD DATA": (
        "LOAD DATA LOCAL", "LOAD DATA INPATH", "ALTER TABLE", "RENAME TO shop.sales",
        "TRUNCATE TABLE", "DROP TABLE", "ANALYZE TABLE ", "ANALYZE TABLES",
    ),
    "tables of a metastore": SAME_COMMANDS,
    "JDBC": ('"jdbc"', "INSERT INTO shop.linked", "INSERT INTO db.app.orders", "USING jdbc"),
    "connectors (DataSource V2)": ('"connector"', '"connector overwrite"'),
    "catalogs of connectors": (
        "CREATE TABLE db.app", "CREATE OR REPLACE TABLE db.app", "INSERT INTO db.app",
        "INSERT OVERWRITE db.app", '"writeTo append"', '"writeTo replace"', "RENAME TO app.sales",
        "DROP TABLE db.app",
    ),
    "data sources in Python": ('"Python source"',),
    "Spark ML": ("save_model",),
    "`transpose()`": READS,
    "Spark Connect": "its clients have no driver on this machine; the reference says so",
    "`noop`": ('"noop"',),
    "lists and pandas frames": READS,
    "RDDs over files": READS,
    "`checkpoint()`": ('"checkpoint"', '"local checkpoint"', '"memory stream"'),
    "jobs of RDDs alone": ('"text file"', '"sequence file"'),
}  # fmt: skip

WRITES: dict[str, Runs] = {
    "streaming query into files": STREAMS,
    "streaming query into the console": ('"memory stream"', '"noop stream"'),
    "`foreach`": ('"foreach stream"',),
    "MERGE of a connector that only": ("WHEN NOT MATCHED THEN INSERT *",),
    "INSERT by position": (
        "INSERT INTO shop.orders VALUES", "BY NAME", "(day, id) VALUES",
        "PARTITION (day = 'thu')", "PARTITION (day) SELECT",
    ),
    "CTAS": ("USING parquet AS", "CREATE VIEW", '"table"', '"buckets"', '"writeTo"'),
    "MERGE, UPDATE |": ("MERGE INTO", "UPDATE"),
    "DELETE": ("DELETE FROM",),
    "MERGE, UPDATE, DELETE of": ("MERGE INTO db", "UPDATE db", "DELETE FROM db"),
}  # fmt: skip

SCRIPTS: dict[str, Runs] = {
    "SET VAR": ("SET VAR", "INTO top", "DECLARE VARIABLE", "DROP TEMPORARY VARIABLE"),
    "queries that use a variable": ("WHERE id < top",),
    "`?` and `:name`": ("USING 5",),
    "BEGIN": ("BEGIN DECLARE", "BEGIN FOR"),
    "CREATE FUNCTION in SQL": ("CREATE FUNCTION shop.next_id", "FUNCTION top_id()"),
    "CACHE TABLE": ("CACHE TABLE", "CACHE LAZY TABLE"),
    "EXPLAIN": ("EXPLAIN", "DESCRIBE", "SHOW", "SET spark", "USE shop", "REFRESH", "UNCACHE"),
    "DROP DATABASE": ("DROP DATABASE", "DROP NAMESPACE", "CREATE INDEX"),
}

CHANGES: dict[str, Runs] = {
    "CREATE TABLE, LIKE": (
        "CREATE TABLE shop.empty", "LIKE shop.orders", "LIKE shop.orders LOCATION", "CREATE VIEW",
        "CREATE OR REPLACE VIEW", "ALTER VIEW shop.mondays AS",
    ),
    "ADD, CHANGE, RENAME": (
        "ADD COLUMNS", "ALTER COLUMN", "RENAME COLUMN", "DROP COLUMN", "REPLACE COLUMNS",
        "SET TBLPROPERTIES", "UNSET TBLPROPERTIES", "SET SERDEPROPERTIES", "COMMENT ON",
        "SET LOCATION",
    ),
    "ADD, DROP, RENAME, RECOVER": (
        "ADD PARTITION", "DROP PARTITION", "RENAME TO PARTITION", "RECOVER PARTITIONS",
        "MSCK REPAIR", "TRUNCATE TABLE shop.orders PARTITION",
    ),
    "RENAME, with": (
        "RENAME TO", "ALTER VIEW shop.mondays RENAME", "TRUNCATE TABLE", "DROP TABLE", "DROP VIEW",
    ),
    "LOAD DATA": ("LOAD DATA",),
    "the same of a connector's catalog": (
        "ALTER TABLE db", "TRUNCATE TABLE db", "COMMENT ON TABLE db",
    ),
    "any other command": ("CREATE INDEX", "CREATE OR REPLACE FUNCTION"),
}  # fmt: skip

KAFKA: dict[str, Runs] = {
    "batch read: `subscribe`, `assign`": READS,
    "batch read: `subscribePattern`": READS,
    "batch read: a table": READS,
    "stream read: `subscribe`, `assign`": STREAMS,
    "stream read: `subscribePattern`": STREAMS,
    "batch and stream write: option": ('"jdbc"', '"connector"', '"file stream"'),
    "batch and stream write: column `topic`, a literal": ('"jdbc"', '"file stream"'),
    "batch and stream write: column `topic`, any": ('"jdbc"', '"file stream"'),
    "writes in `foreachBatch`": ('"batches"',),
}

LAKES: dict[str, Runs] = {
    "Delta: reads": READS,
    "Delta: `save`": (
        '"frame append"', '"frame overwrite"', '"frame path"', "USING delta AS",
        "CREATE OR REPLACE TABLE {others} USING delta AS", "INSERT INTO {pairs} VALUES",
        "INSERT OVERWRITE {pairs}", "REPLACE WHERE",
    ),
    "Delta: MERGE": (
        "MERGE INTO {pairs}", "UPDATE {pairs}", "DELETE FROM {pairs}", '"api merge"',
        '"api update"', '"api delete"',
    ),
    "Delta: generated columns": SAME_COMMANDS,
    "Delta: change feed": READS,
    "Delta: streams": "streaming queries are refused, of any source",
    "Delta: RESTORE": ("RESTORE TABLE", '"api restore"'),
    "Delta: CLONE": ("SHALLOW CLONE",),
    "Delta: OPTIMIZE": ("OPTIMIZE {pairs}", "VACUUM", '"api optimize"', '"api vacuum"'),
    "Iceberg: reads": READS,
    "Iceberg: CTAS": (
        "USING iceberg AS", "CREATE OR REPLACE TABLE {others} USING iceberg",
        "INSERT OVERWRITE {pairs}", '"frame replace"',
    ),
    "Iceberg: MERGE": ("MERGE INTO {pairs}", "UPDATE {pairs}", "IN (SELECT id FROM {others})"),
    "Iceberg: DELETE of whole": ("DELETE FROM {pairs}", '"api delete"'),
    "Iceberg: metadata tables": READS,
    "Iceberg: branches": ("CREATE BRANCH", "CREATE TAG", "DROP TAG", "ADD PARTITION FIELD"),
    "Iceberg: CREATE VIEW": "it is not run: a command that the dry run does not know stops the job",
    "Iceberg: `CALL`": (
        "rewrite_data_files", "rewrite_manifests", "expire_snapshots", "remove_orphan_files",
    ),
}  # fmt: skip

RUN = {
    "Sources and sinks": (SOURCES, COMMANDS),
    "Writes": (WRITES, COMMANDS),
    "Session variables and scripts": (SCRIPTS, COMMANDS),
    "Kafka": (KAFKA, COMMANDS),
    "Delta Lake and Iceberg": (LAKES, LAKE_COMMANDS),
    "Changes of tables and views": (CHANGES, COMMANDS),
}


def rows_of(section: str) -> list[str]:
    """Return the rows of the table in a section of the page."""
    text = PAGE.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| (.*)", text, re.MULTILINE)[1:]
