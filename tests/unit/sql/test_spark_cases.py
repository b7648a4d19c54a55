"""The queries whose columns Spark's plans show, read as texts: no source is missing.

A text is read by whole columns, so that a field of a struct may have the sources of the others.
"""

from __future__ import annotations

import re

import pytest
from support.cases import columns, nested_columns
from support.cases import sql as further

from lineage.columns import algebra
from lineage.sql import Catalog, Session, read_statements
from lineage.sql.written_columns import decode_table

# A comma inside of <> is of a type.
_BETWEEN_COLUMNS = re.compile(r",\s*(?![^<]*>)")
TABLES = {
    ("s", table): tuple(column.split()[0] for column in _BETWEEN_COLUMNS.split(schema))
    for table, (schema, _) in columns.TABLES.items()
}
CASES = {
    case.name: case
    for case in (*columns.CASES, *further.CASES, *nested_columns.CASES)
    if isinstance(case.query, str)
}
# They are reported as unresolved.
NOT_READ = {
    "INLINE and POSEXPLODE": "the column sku is ambiguous or unknown",
    "STACK": "the column k is ambiguous or unknown",
    "functions of functions": "an expression of type column is not supported",
    "elements that a function chooses": "an expression of type column is not supported",
    "INLINE of arrays that the query made": "the column a is in none of the tables",
    "VARIANT": "the statement cannot be parsed",
}


def sources_of(deps: algebra.Deps) -> set[str]:
    return {f"{decode_table(each.dataset)[-1]}.{each.column}" for each in algebra.fields_of(deps)}


def whole_columns(notation: str) -> set[str]:
    return {".".join(name.split(".")[:2]) for name, _, _ in columns.edges(notation)}


@pytest.mark.parametrize("name", CASES)
def test_each_source_that_a_plan_shows_is_read(name: str) -> None:
    case = CASES[name]
    session = Session("spark", None, "s", Catalog(TABLES))
    [statement] = read_statements(f"CREATE VIEW v AS {case.query}", "spark")
    effect = session.apply_statement(statement)
    reasons = (*effect.unresolved, *effect.columns_unresolved)
    if name in NOT_READ:
        assert [reason.removeprefix("columns: ") for reason in reasons] == [NOT_READ[name]]
        return
    assert reasons == ()
    [flow] = effect.flows
    assert flow.columns is not None
    for column, expected in case.columns.items():
        assert whole_columns(expected) <= sources_of(flow.columns.fields[column]), column
    assert whole_columns(case.rows) <= sources_of(flow.columns.rows)
