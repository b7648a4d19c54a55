"""The jobs run with both listeners, and the expected differences of their datasets with reasons.

Numbers in parentheses refer to docs/reference/known-weaknesses.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from support.cases.datasets import CASES, Case


@dataclass(frozen=True)
class Difference:
    """Datasets reported by only one of the two listeners, and the reason.

    openlineage-spark reports ``sometimes`` depending on when it accesses the catalog.
    """

    why: str
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    theirs_reads: set[str] = field(default_factory=set)
    theirs_writes: set[str] = field(default_factory=set)
    sometimes: set[str] = field(default_factory=set)


def _path_exists(spark: Any, d: str) -> None:
    spark.read.parquet(f"{d}/people").write.parquet(f"{d}/people")


COMPARED = [
    *CASES,
    Case("a write that fails before any job", _path_exists, {"people"}, {"people"}, fails=True),
]

PART_FILE = "the part file with the header is a separate dataset (31)"
SUBQUERY = "tables in subqueries that remain expressions are not reported (21)"
PRUNED = "relations that the optimizer removes are not reported (22)"
NO_ANALYZE = "the input of ANALYZE is not reported"
NO_VIEWS = "views are not reported"
NO_CHANGE = "these changes of a table are not reported"
OLD_NAME = "the old name of a renamed table is not reported"
DROPPED = "a dropped table is named by a path in the warehouse, regardless of its location"
VARIABLES = "what a variable was set from is not reported"
NOT_REPORTED = "queries whose root is a projection or an aggregate are not reported (37)"

DIFFERENCES = {
    "csv to json": Difference(PART_FILE, theirs_reads={"orders/part-*"}),
    "union by name": Difference(PART_FILE, theirs_reads={"orders/part-*"}),
    "binary files": Difference(
        "a single part file that is read is a separate dataset (31)",
        {"people"},
        theirs_reads={"people/part-*"},
    ),
    "file sources of the second version": Difference(
        "files that are read through DataSource V2 are not reported", {"mon_json"}
    ),
    "CHANGE COLUMN": Difference(NO_CHANGE, writes={"wh/kept"}),
    "SET TBLPROPERTIES": Difference(NO_CHANGE, writes={"wh/kept"}),
    "UNSET TBLPROPERTIES": Difference(NO_CHANGE, writes={"wh/kept"}),
    "RENAME PARTITION": Difference(NO_CHANGE, writes={"wh/days"}),
    "DROP PARTITION": Difference(NO_CHANGE, writes={"wh/days"}),
    "RECOVER PARTITIONS": Difference(NO_CHANGE, writes={"wh/days"}),
    "MSCK REPAIR TABLE": Difference(NO_CHANGE, writes={"wh/days"}),
    "ANALYZE reads": Difference(NO_ANALYZE, {"wh/days"}),
    "ANALYZE of an external table": Difference(NO_ANALYZE, {"outer"}),
    "ANALYZE TABLES": Difference(NO_ANALYZE, {"far", "wh/mart.db/target"}),
    "CREATE OR REPLACE VIEW": Difference(NO_VIEWS, {"wh/days"}, {"other_view"}),
    "ALTER VIEW AS": Difference(NO_VIEWS, {"wh/sales"}, {"other_view"}),
    "ALTER VIEW SET TBLPROPERTIES": Difference(NO_VIEWS, writes={"other_view"}),
    "RENAME": Difference(OLD_NAME, {"wh/saved"}),
    "RENAME in a database with a location of its own": Difference(OLD_NAME, {"apart/t"}),
    "DROP of an external table": Difference(
        DROPPED, writes={"outer"}, sometimes={"wh/mart.db/mart.db/outside"}
    ),
    "it is dropped": Difference(DROPPED, writes={"here"}, sometimes={"wh/again"}),
    "RENAME of a view": Difference(
        "a renamed view is named by the path of a table",
        {"other_view"},
        {"same_view"},
        theirs_writes={"wh/same_view"},
    ),
    "DROP VIEW": Difference(NO_VIEWS, writes={"same_view"}, sometimes={"wh/same_view"}),
    "part files are their directory": Difference(
        "a single part file that is read is a separate dataset (31)",
        theirs_reads={"by_day/day=x/part-*"},
    ),
    "CTAS of what is there does nothing": Difference(
        "a CTAS without effect is reported with its input and output (7)",
        theirs_reads={"people"},
        theirs_writes={"wh/sales"},
    ),
    "two inserts of one scan": Difference(
        "an insert into several tables is reported without outputs",
        writes={"wh/mart.db/target", "wh/days"},
    ),
    "CREATE VIEW": Difference(NO_VIEWS, {"wh/sales"}, {"sales_view"}),
    "a view over a view": Difference(NO_VIEWS, {"wh/sales", "wh/days", "sales_view"}, {"top_view"}),
    "from a view over a view": Difference(NO_VIEWS, {"top_view", "sales_view"}),
    "a scalar subquery that stands alone": Difference(SUBQUERY, {"wh/days"}),
    "NOT EXISTS, correlated": Difference(SUBQUERY, {"wh/of_view"}),
    "an input that the optimizer prunes": Difference(PRUNED, {"wh/days"}),
    "a join that the optimizer prunes": Difference(PRUNED, {"wh/days"}),
    "fetching rows": Difference(NOT_REPORTED, {"top_view", "sales_view", "wh/sales", "wh/days"}),
    "counting": Difference(NOT_REPORTED, {"wh/sales"}),
    "a frame of what it was": Difference(NOT_REPORTED, {"here"}),
    "a variable that is set from a query": Difference(VARIABLES, {"wh/sales"}),
    "a query that filters by a variable": Difference(VARIABLES, {"wh/sales"}),
    "a script that sets a variable and writes": Difference(VARIABLES, {"wh/sales"}),
    "a function in SQL reads where it is used": Difference(SUBQUERY, {"wh/days"}),
    "a checkpoint": Difference("what a checkpoint was made of is not reported", {"wh/sales"}),
    "a sink in memory that a batch reads": Difference(
        "a single part file that is read is a separate dataset (31)",
        {"people"},
        theirs_reads={"people/part-*"},
    ),
    "CACHE TABLE reads, lazily it does not": Difference(
        "the input of CACHE TABLE is not reported", {"wh/sales"}
    ),
}
