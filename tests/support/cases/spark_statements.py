"""The Spark SQL cases that Spark runs without another catalog, and the tables that they need."""

from __future__ import annotations

from support.cases.statements import MANUALS, read_cases

TABLES = {
    "raw.orders": "id INT, total INT, tags ARRAY<STRING>",
    "raw.old_orders": "id INT, total INT",
    "raw.lines": "order_id INT, sku STRING, qty INT",
    "raw.goods": "sku STRING, name STRING",
    "raw.gone": "id INT",
    "raw.ids": "id INT",
    "raw.sales": "sku STRING, quarter INT, qty INT",
    "raw.wide": "sku STRING, q1 INT, q2 INT",
    "mart.orders_by_day": "id INT, total INT, day STRING",
    "mart.large": "id INT, total INT",
    "mart.small": "id INT, total INT",
    "mart.tags": "id INT, tag STRING",
    "mart.totals": "id INT, total INT",
    "mart.ids": "id INT",
}
PARAMETERS = {"mk15": {"low": 1}}
NOT_RUN = {
    "mk21": "needs a catalog with MERGE",
    "mk22": "needs a catalog with DELETE and UPDATE",
    "mk23": "needs a catalog with versions",
    "mk24": "needs Delta Lake",
    "mk25": "reads and moves files",
}
CASES = [
    case
    for case in read_cases(MANUALS)
    if case.dialect == "spark" and case.identifier not in NOT_RUN
]
