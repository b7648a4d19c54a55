"""Tables that a program loads by SQL: files, and tables before temporary ones, are upstream."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import lineage
from lineage.hub import Context, Kind, LineageEvent, RelationalIo, RelationalOperation
from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WAREHOUSE = "postgres://wh:5432"


@pytest.fixture
def hub(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    # The file sink writes there; doctor reports files that other tests leave.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    yield lineage.hub.configure(spool=tmp_path, sink_ids=("graph", "file"))
    lineage.hub.configure({}, enabled=False)


def executed(sql: str) -> RelationalIo:
    """Return the observation of an executed statement."""
    return RelationalIo(RelationalOperation.EXEC, WAREHOUSE, sql=sql, catalog="wh", schema="public")


@pytest.mark.parametrize(
    "statements",
    [
        ["INSERT INTO prices (sku, price) VALUES (%s, %s)"],
        ["COPY prices (sku, price) FROM STDIN WITH (FORMAT csv)"],
        ["SELECT sku FROM products", "INSERT INTO prices VALUES (%(sku)s, %(price)s)"],
    ],
)
def test_a_table_has_the_file_whose_rows_the_program_sent(
    dsn: str, hub: Any, statements: list[str]
):
    with lineage.run("load_prices", namespace="shop") as run:
        run.reads("/landing/prices.csv")
        for sql in statements:
            run.add_observation(executed(sql))
    assert hub.shutdown(30).sinks["graph"].sent == 2
    with Graph(dsn) as graph:
        upstream = {each.name for each in graph.upstream(f"{WAREHOUSE}/wh.public.prices").datasets}
    tables = {"wh.public.products"} if len(statements) == 2 else set()
    assert upstream == {"/landing/prices.csv", *tables}


@pytest.mark.parametrize("by_events", [False, True])
def test_a_temporary_table_of_two_jobs_connects_none_of_their_tables(
    dsn: str, hub: Any, by_events: bool
):
    """Each job copies its own table through a temporary table with the same name."""
    for job, source, mart in (("sales", "orders", "revenue"), ("payroll", "salaries", "costs")):
        with lineage.run(job, namespace="shop") as run:
            for sql in (
                f"CREATE TEMP TABLE stage ON COMMIT DROP AS SELECT * FROM {source}",
                f"INSERT INTO {mart} SELECT * FROM stage",
            ):
                if by_events:
                    context = Context(run_id=run.run_id, pipeline=job)
                    hub.emit(LineageEvent.create_now(Kind.RELATIONAL_IO, context, executed(sql)))
                else:
                    run.add_observation(executed(sql))
    report = hub.shutdown(30)
    assert [each.rejected for each in report.sinks.values()] == [0, 0]
    with Graph(dsn) as graph:
        for source, mart in (("orders", "revenue"), ("salaries", "costs")):
            upstream = graph.upstream(f"{WAREHOUSE}/wh.public.{mart}").datasets
            assert [each.name for each in upstream] == [f"wh.public.{source}"]


def test_a_table_of_the_program_has_no_rows_that_only_the_database_copied(dsn: str, hub: Any):
    """Neither before nor after the first event of the run, which has the table already."""
    run = lineage.run("nightly", namespace="shop")
    run.add_observation(executed("INSERT INTO log (job, rows) VALUES (%s, %s)"))
    with run:
        run.add_observation(executed("INSERT INTO payroll SELECT * FROM salaries"))
        run.reads("/landing/prices.csv")
    assert hub.shutdown(30).sinks["graph"].sent == 2
    with Graph(dsn) as graph:
        for table, source in (("log", "/landing/prices.csv"), ("payroll", "wh.public.salaries")):
            upstream = graph.upstream(f"{WAREHOUSE}/wh.public.{table}").datasets
            assert [each.name for each in upstream] == [source]
