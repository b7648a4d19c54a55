"""Steps whose columns no event reported: answers about columns name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import dataset, derived, job_event, run_event, schema
from support.events.months import by_its_second

import lineage
from lineage.ingest.writer import write_events
from lineage.maintenance.archive_runs import archive_runs
from lineage.projection import archived_runs

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg
    import pytest

    from lineage.query.records import UnreportedColumns

    Connection = psycopg.Connection[Any]

LOAD = run_event("load", "COMPLETE", 1, "load", ("raw",), ("silver",))
AGGREGATE = run_event(
    "aggregate", "COMPLETE", 2, "aggregate", ("silver",),
    (dataset("gold", columnLineage=derived(("total", "silver", "price"))),),
)  # fmt: skip
READ = dataset("b", schema=schema(x="int"))
TOTAL = ("query", "column", "gold", "total")


def steps(unreported: tuple[UnreportedColumns, ...]) -> list[tuple[str, str | None, str | None]]:
    return [
        (each.source.name, each.target and each.target.name, each.job and each.job.name)
        for each in unreported
    ]


def run(dsn: str, *words: str) -> list[str]:
    return CliRunner().invoke(main, [*words, "--dsn", dsn]).output.splitlines()


def test_a_trace_says_that_it_ends_where_columns_were_not_reported(
    conn: Connection, dsn: str
) -> None:
    """gold.total is of silver.price; of which column of raw that is, no run said."""
    write_events(conn, [LOAD, AGGREGATE])
    with lineage.connect(dsn) as graph:
        trace = graph.column_lineage("gold", "total")
        ended = graph.column_lineage("gold", "total", depth=1)
    assert [str(each) for each in trace.columns] == ["s3://lake/silver.price"]
    assert steps(trace.unreported) == [("raw", "silver", "load")]
    assert ended.unreported == ()
    assert run(dsn, *TOTAL) == [
        "s3://lake/gold.total",
        "└── s3://lake/silver.price  [DIRECT, aggregate]",
        "",
        "UNKNOWN, because columns were not reported",
        "s3://lake/silver  from s3://lake/raw by load",
    ]
    rows = CliRunner().invoke(main, [*TOTAL, "--format", "csv", "--dsn", dsn])
    assert "s3://lake/silver  from s3://lake/raw by load" in rows.stderr
    assert "UNKNOWN" not in rows.stdout


def test_a_downstream_trace_says_what_may_derive_from_it(conn: Connection, dsn: str) -> None:
    copy = run_event("copy", "COMPLETE", 3, "copy", ("gold",), ("report", "summary"))
    write_events(conn, [AGGREGATE, copy])
    with lineage.connect(dsn) as graph:
        trace = graph.column_lineage("silver", "price", "downstream")
        limited = graph.column_lineage("silver", "price", "downstream", limit=1)
    assert steps(trace.unreported) == [("gold", "report", "copy"), ("gold", "summary", "copy")]
    assert (limited.unreported, limited.omitted) == (trace.unreported[:1], {"unreported": 1})


def test_a_run_without_columns_is_not_covered_by_another_run_of_its_job(
    conn: Connection, dsn: str
) -> None:
    """The first run reports columns from raw; the second also reads gold, and reports none."""
    columns = dataset("v", columnLineage=derived(("x", "raw", "price")))
    write_events(conn, [
        AGGREGATE,
        run_event("1", "COMPLETE", 3, "ver", ("raw",), (columns,)),
        run_event("2", "COMPLETE", 4, "ver", ("raw", "gold"), ("v",)),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        assert steps(graph.impact("gold", "total").unreported) == [("gold", "v", "ver")]
        assert graph.impact("raw", "price").unreported == ()
    both = run_event("3", "COMPLETE", 5, "ver", ("raw", "gold"), (columns,))
    write_events(conn, [both])  # it read gold, and no column is from there
    with lineage.connect(dsn) as graph:
        assert graph.impact("gold", "total").unreported == ()


def test_columns_of_another_output_do_not_cover_an_output(conn: Connection, dsn: str) -> None:
    first = dataset("first", columnLineage=derived(("a", "gold", "total")))
    write_events(conn, [
        AGGREGATE, run_event("two", "COMPLETE", 3, "two", ("gold",), (first, "second")),
        run_event("none", "COMPLETE", 4, "none", ("gold",),
                  (dataset("empty", columnLineage={"fields": {}}),)),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        assert steps(graph.impact("gold", "total").unreported) == [
            ("gold", "empty", "none"), ("gold", "second", "two"),
        ]  # fmt: skip


def test_a_declared_step_without_columns_is_unknown(conn: Connection, dsn: str) -> None:
    rep = dataset("rep", columnLineage=derived(("total", "gold", "total")))
    write_events(conn, [
        AGGREGATE,
        job_event(3, "nightly", ("gold",), (rep,)),
        job_event(3, "without", ("gold",), ("rep2",)),
    ])  # fmt: skip
    with lineage.connect(dsn) as graph:
        assert steps(graph.impact("gold", "total").unreported) == [("gold", "rep2", "without")]
        assert graph.impact("gold", "total", observed=True).unreported == ()
    assert run(dsn, "impact", "gold", "--column", "total")[-1] == (
        "s3://lake/rep2  from s3://lake/gold declared by without"
    )
    # The design says the columns of a step whose runs do not.
    write_events(conn, [run_event("n", "COMPLETE", 4, "nightly", ("gold",), ("rep",))])
    with lineage.connect(dsn) as graph:
        assert steps(graph.impact("gold", "total").unreported) == [("gold", "rep2", "without")]
        observed = graph.impact("gold", "total", observed=True)
    assert steps(observed.unreported) == [("gold", "rep", "nightly")]


def test_a_step_whose_columns_no_run_reported_is_unknown_after_an_archive(
    conn: Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An old producer reported no columns; a new one does, but the job reads b no longer."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    columns = dataset("t", columnLineage=derived(("x", "a", "x")))
    old = [run_event(f"old {month}", "COMPLETE", month, "load", ("a", READ), ("t",))
           for month in range(3)]  # fmt: skip
    new = [run_event(f"new {month}", "COMPLETE", month, "load", ("a",), (columns,))
           for month in range(3, 6)]  # fmt: skip
    write_events(conn, [by_its_second(text) for text in (*old, *new)])

    def unreported() -> list[Any]:
        with lineage.connect(dsn) as graph:
            return [
                steps(answer.unreported)
                for answer in (
                    graph.column_lineage("t", "x"),
                    graph.column_lineage("b", "x", "downstream"),
                    graph.impact("b", "x"),
                )
            ]

    assert unreported() == [[("b", "t", "load")]] * 3
    assert sum(file.runs for file in archive_runs(conn, "2025-07-01", str(tmp_path))) == 4
    assert unreported() == [[("b", "t", "load")]] * 3


def test_the_last_run_that_reported_the_columns_of_a_step_covers_archived_ones(
    conn: Connection, dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The job read b until March. None of the reported columns is from there."""
    monkeypatch.setattr(archived_runs, "PREVIOUS_RUNS", 0)
    columns = dataset("t", columnLineage=derived(("x", "a", "x")))
    write_events(conn, [
        by_its_second(run_event(f"{month}", "COMPLETE", month, "load", reads, (columns,)))
        for month in range(6) for reads in [("a", READ) if month < 3 else ("a",)]
    ])  # fmt: skip
    assert sum(file.runs for file in archive_runs(conn, "2025-07-01", str(tmp_path))) == 4
    with lineage.connect(dsn) as graph:
        assert graph.column_lineage("t", "x").unreported == ()
        assert graph.impact("b", "x").unreported == ()
