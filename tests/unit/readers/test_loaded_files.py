"""Rows that a database reads from files are no values of the client, which may be of any table."""

from __future__ import annotations

import pytest
from support.query_logs import fold_rows, later_row, make_row

from lineage.readers.declared_statements import DeclaredJob
from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.observed import ObservedFlow, ObservedStatement
from lineage.readers.query_logs.rows import Kind
from lineage.readers.report import ImportReport
from lineage.sql.records import Flow, statement_from_json, statement_to_json
from lineage.sql.statements import read_statements

FROM_FILES = [
    ("snowflake", "COPY INTO sales.dbo.t FROM @stage"),
    ("postgres", "COPY sales.dbo.t FROM '/srv/f.csv'"),
    ("postgres", "COPY sales.dbo.t FROM PROGRAM 'zcat f.gz'"),
    ("redshift", "COPY sales.dbo.t FROM 's3://b/f' IAM_ROLE 'r' CSV"),
    ("bigquery", "LOAD DATA INTO sales.dbo.t FROM FILES (uris = ['gs://b/f'])"),
    ("tsql", "BULK INSERT sales.dbo.t FROM 'f.csv'"),
    ("mysql", "LOAD DATA INFILE '/srv/f.csv' INTO TABLE sales.t"),
    ("hive", "LOAD DATA LOCAL INPATH '/srv/f.csv' INTO TABLE sales.t"),
]
FROM_THE_CLIENT = [
    ("postgres", "COPY sales.dbo.t (a) FROM STDIN"),
    ("tsql", "INSERT sales.dbo.t VALUES (1)"),
    ("mysql", "LOAD DATA LOCAL INFILE 'f.csv' INTO TABLE sales.t"),
]


@pytest.mark.parametrize(("dialect", "text"), FROM_FILES + FROM_THE_CLIENT)
def test_values_of_the_client_may_be_of_the_rows_that_it_received(dialect: str, text: str) -> None:
    wm = "sales.wm" if dialect in ("mysql", "hive") else "sales.dbo.wm"
    rows = [make_row(1, f"SELECT max(x) FROM {wm}"), make_row(2, text), later_row()]
    run = fold_rows((row._replace(dialect=dialect) for row in rows), dialect)["load"]
    [sources] = run.outputs.values()
    assert len(sources) == (0 if (dialect, text) in FROM_FILES else 1)


@pytest.mark.parametrize(("end", "sources"), [("'/srv/f.csv'", 0), ("STDIN", 1)])
def test_the_files_of_a_script_are_no_values_of_its_tables(end: str, sources: int) -> None:
    job, report = (
        DeclaredJob(LogSource("postgres://db", "postgres", "public"), "load"),
        ImportReport(),
    )
    job.add_statements(
        "f.sql",
        read_statements(f"SELECT max(x) FROM d.s.wm; COPY d.s.t FROM {end}", "postgres"),
        report,
    )
    event = job.build_event("2026-01-05T06:00:00Z", None, report)
    assert event is not None
    assert event.count(b'"type":"JOB"') == sources


def test_a_load_that_the_database_reports_is_no_value_of_the_client() -> None:
    load = ObservedStatement(
        "1", (ObservedFlow(("d", "s", "t"), (), "append", from_files=True),), ()
    )
    query = ObservedStatement("2", (), (("d", "s", "wm"),))
    rows = [
        make_row(1, kind=Kind.STATEMENT, observed=query),
        make_row(2, kind=Kind.STATEMENT, observed=load),
        later_row(),
    ]
    assert fold_rows(rows)["load"].outputs == {"d.s.t": frozenset()}


def test_the_mark_is_stored_where_it_is_set() -> None:
    for text in ("COPY t FROM '/f'", "COPY t FROM STDIN"):
        (statement,) = read_statements(text, "postgres")
        stored = statement_to_json(statement)
        assert ("from_files" in stored["flows"][0]) == ("STDIN" not in text)
        assert statement_from_json(stored) == statement


def test_bigquery_replaces_rows_by_those_of_files() -> None:
    text = "LOAD DATA OVERWRITE d.t (a INT64) FROM FILES (uris = ['gs://b/f'])"
    (statement,) = read_statements(text, "bigquery")
    assert statement.flows == (Flow(("d", "t"), (), "overwrite", from_files=True),)
