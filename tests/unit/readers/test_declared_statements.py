"""Scripts and rows of pg_stat_statements: the tables that they declare, by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lineage.readers.declared_statements import DeclaredJob, declared_events
from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.forms.pg_stat_statements import DeclaredText
from lineage.readers.report import ImportReport
from lineage.sql.catalogs import Catalog
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from collections.abc import Iterable

PLACE = LogSource("postgres://db:5432", "postgres", "public", database="shop")


def read_script(text: str, source: LogSource = PLACE) -> tuple[dict[str, set[str]], list[str]]:
    """Return the sources of each output of a script, and what is unresolved."""
    report = ImportReport()
    job = DeclaredJob(source, "load")
    job.add_statements("load.sql", read_statements(text, source.dialect), report)
    event = job.build_event("2026-01-05T06:00:00Z", None, report)
    return outputs_of([event] if event else []), [each.reason for each in report.unresolved]


def outputs_of(events: Iterable[bytes]) -> dict[str, set[str]]:
    return {
        output["name"]: {
            each["name"] for each in output["facets"]["lineage"]["inputs"] if "name" in each
        }
        for event in events
        for output in json.loads(event)["outputs"]
    }


def test_what_a_script_rolls_back_is_not_declared() -> None:
    text = """BEGIN; INSERT INTO a SELECT * FROM s; SAVEPOINT p; INSERT INTO b SELECT * FROM s;
        ROLLBACK TO p; COMMIT; BEGIN; DELETE FROM c; ROLLBACK"""
    assert read_script(text) == ({"shop.public.a": {"shop.public.s"}}, [])


def test_a_transaction_without_an_end_is_reported() -> None:
    outputs, unresolved = read_script("BEGIN; INSERT INTO a SELECT * FROM s")
    assert outputs == {}
    assert unresolved == ["its last transaction has no COMMIT, so that its writes do not count"]


def test_a_table_that_a_script_swaps_in_has_its_new_name() -> None:
    text = """CREATE TABLE t_new AS SELECT * FROM s; DROP TABLE t; ALTER TABLE t_new RENAME TO t;
        ALTER TABLE u_old RENAME TO u"""
    outputs, unresolved = read_script(text)
    assert outputs == {
        "shop.public.t": {"shop.public.s"},
        "shop.public.u": {"shop.public.u_old"},
    }
    assert not unresolved


@pytest.mark.parametrize(
    ("dialect", "database", "outputs"),
    [
        ("mysql", "", {}),
        ("mysql", "shop", {"shop.t": {"shop.s"}}),
        ("snowflake", "", {}),
        ("duckdb", "", {"t": {"s"}}),
    ],
)
def test_a_table_without_a_database_is_unresolved(
    dialect: str, database: str, outputs: dict[str, set[str]]
) -> None:
    source = LogSource(f"{dialect}://db", dialect, database=database)
    declared, unresolved = read_script("INSERT INTO t SELECT a FROM s", source)
    assert declared == outputs
    named = [reason.lower() for reason in unresolved]
    expected = "the database of s is not known the database of t is not known"
    assert named == ([] if outputs else [expected])


def test_only_the_tables_without_a_database_are_left_out() -> None:
    source = LogSource("mysql://db", "mysql")
    declared, unresolved = read_script("INSERT INTO a.t SELECT s.x FROM s, b.r", source)
    assert declared == {"a.t": {"b.r"}}
    assert unresolved == ["the database of s is not known"]


def test_columns_are_those_of_the_catalog() -> None:
    columns = {("shop", "public", "s"): ("id", "v"), ("shop", "public", "t"): ("k", "w")}
    source = LogSource(**{**vars(PLACE), "catalog": Catalog(columns)})
    report = ImportReport()
    job = DeclaredJob(source, "load")
    job.add_statements(
        "load.sql",
        read_statements("INSERT INTO t SELECT * FROM s ORDER BY 2 LIMIT 3", source.dialect),
        report,
    )
    event = job.build_event("2026-01-05T06:00:00Z", None, report)
    assert event is not None
    [output] = json.loads(event)["outputs"]
    fields = output["facets"]["columnLineage"]["fields"]
    assert {
        name: {each["field"] for each in value["inputFields"]} for name, value in fields.items()
    } == {"k": {"id"}, "w": {"v"}}


def jobs_of(event: bytes | None) -> set[str]:
    """Return the outputs whose sources are all inputs of the job."""
    assert event is not None
    return {
        output["name"]
        for output in json.loads(event)["outputs"]
        if {"type": "JOB"} in output["facets"]["lineage"]["inputs"]
    }


def test_the_literals_of_a_script_are_of_no_table() -> None:
    report = ImportReport()
    job = DeclaredJob(PLACE, "load")
    text = """SELECT max(a) FROM r; INSERT INTO a VALUES (1); UPDATE b SET x = now();
        BEGIN; MERGE INTO c USING (SELECT 1 AS x) v ON c.x = v.x WHEN MATCHED THEN DELETE; COMMIT;
        INSERT INTO d SELECT * FROM s; INSERT INTO d VALUES (1); COPY e FROM STDIN"""
    job.add_statements("load.sql", read_statements(text, PLACE.dialect), report)
    event = job.build_event("2026-01-05T06:00:00Z", None, report)
    assert outputs_of([event] if event else []) == {
        f"shop.public.{name}": {f"shop.public.{source}" for source in sources}
        for name, sources in {"a": "", "b": "", "c": "", "d": "s", "e": ""}.items()
    }
    assert jobs_of(event) == {"shop.public.e"}


def test_the_values_of_pg_stat_statements_may_be_of_all_tables_that_a_user_reads() -> None:
    rows = [
        ("row", DeclaredText(text, "etl", "shop"))
        for text in ("SELECT max(a) FROM r", "INSERT INTO a VALUES ($1)")
    ]
    [event] = declared_events(PLACE, rows, ImportReport())
    assert jobs_of(event) == {"shop.public.a"}


def read_rows(*texts: str) -> tuple[dict[str, set[str]], list[str]]:
    report = ImportReport()
    rows = [(f"row {n}", DeclaredText(text, "etl", "shop")) for n, text in enumerate(texts)]
    outputs = outputs_of(declared_events(PLACE, rows, report))
    return outputs, [each.reason for each in report.unresolved]


def test_rows_of_pg_stat_statements_are_of_no_session() -> None:
    """Their order is not known: neither a transaction nor a search path reaches another row."""
    texts = (
        "BEGIN",
        "SET search_path = other",
        "INSERT INTO a SELECT * FROM s",
        "ROLLBACK",
        "INSERT INTO b SELECT * FROM s",
    )
    expected = {"shop.public.a": {"shop.public.s"}, "shop.public.b": {"shop.public.s"}}
    assert read_rows(*texts) == (expected, [])
    assert read_rows(*reversed(texts)) == (expected, [])


def test_a_name_that_some_session_had_as_a_temporary_table_is_unresolved() -> None:
    texts = ("CREATE TEMP TABLE stage AS SELECT * FROM s", "INSERT INTO a SELECT * FROM stage")
    for rows in (texts, texts[::-1]):
        outputs, unresolved = read_rows(*rows)
        assert outputs == {}
        assert unresolved == ["whether stage is a temporary table is not known"]


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("snowflake", "SET m = (SELECT max(id) FROM wm); INSERT INTO log VALUES ($m)"),
        ("snowflake", "SET m = (SELECT max(id) FROM wm); SET n = $m; INSERT INTO log VALUES ($n)"),
        ("databricks", "SET VAR m = (SELECT max(id) FROM wm); INSERT INTO log VALUES (m)"),
        (
            "duckdb",
            "SET VARIABLE m = (SELECT max(id) FROM wm); INSERT INTO log VALUES (getvariable('m'))",
        ),
        (
            "postgres",
            (
                "SELECT set_config('x.m', max(id)::text, false) FROM wm; "
                "INSERT INTO log VALUES (current_setting('x.m'))"
            ),
        ),
        (
            "tsql",
            (
                "DECLARE @m int; EXEC sp_executesql N'SELECT @m = max(id) FROM wm', "
                "N'@m int OUTPUT', @m = @m OUTPUT; INSERT INTO log VALUES (@m)"
            ),
        ),
        ("tsql", "SELECT 1 FROM wm; DECLARE @m int = dbo.f(); INSERT INTO log VALUES (@m)"),
        (
            "mysql",
            (
                "CREATE PROCEDURE p(OUT n INT) BEGIN SELECT max(id) INTO n FROM wm; END; "
                "CALL p(@n); INSERT INTO log VALUES (@n)"
            ),
        ),
        ("postgres", "SELECT 1 FROM wm; COPY stg FROM STDIN; ALTER TABLE stg RENAME TO log"),
    ],
)
def test_values_of_untraced_variables_may_be_of_all_inputs(dialect: str, text: str) -> None:
    assert source_types(dialect, text)["log"] == {"JOB"}


def test_a_variable_that_an_update_assigns_is_traced() -> None:
    text = "DECLARE @m int; UPDATE wm SET @m = n = n + 1; INSERT INTO log VALUES (@m)"
    assert source_types("tsql", text)["log"] == {"DATASET"}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        ("snowflake", "SET m = 5; SELECT 1 FROM wm; INSERT INTO log VALUES ($m)"),
        ("snowflake", "SET m = (SELECT max(id) FROM wm); INSERT INTO log VALUES (1)"),
        ("tsql", "DECLARE @m int = 5; SELECT 1 FROM wm; INSERT INTO log VALUES (@m)"),
        (
            "tsql",
            (
                "SELECT 1 FROM wm; EXEC sp_executesql N'INSERT INTO log VALUES (@a)', N'@a int', "
                "@a = 1"
            ),
        ),
        ("mysql", "SET @m = 5; SELECT 1 FROM wm; INSERT INTO log VALUES (@m)"),
        ("postgres", "SELECT 1 FROM wm; INSERT INTO log VALUES (current_setting('x.m'))"),
    ],
)
def test_literals_and_their_variables_have_no_source(dialect: str, text: str) -> None:
    assert source_types(dialect, text)["log"] == set()


def source_types(dialect: str, text: str) -> dict[str, set[str]]:
    """Return the types of the sources of each output of a script."""
    report = ImportReport()
    job = DeclaredJob(LogSource("x://db", dialect, "public", database="shop"), "load")
    job.add_statements("load.sql", read_statements(text, dialect), report)
    event = job.build_event("2026-01-05T06:00:00Z", None, report)
    assert event
    return {
        output["name"].rpartition(".")[2].lower(): {
            each["type"] for each in output["facets"]["lineage"]["inputs"]
        }
        for output in json.loads(event)["outputs"]
    }
