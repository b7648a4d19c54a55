"""What the rows of SQL Server's sessions mean, seen in real logs: each trap is a test."""

from __future__ import annotations

import pytest
from support.query_logs import FoldedRun, fold_rows, later_row, make_row

from lineage.readers.query_logs.rows import Kind, Row


def load_run(*rows: Row) -> FoldedRun:
    """Return the run of the job ``load``, which has ended."""
    return fold_rows([*rows, later_row()])["load"]


def test_a_temporary_table_is_passed_through() -> None:
    run = load_run(
        make_row(1, "SELECT a, b INTO #stage FROM dbo.raw_orders"),
        make_row(
            2, "INSERT INTO dbo.clean SELECT s.a FROM #stage s JOIN ref..customers c ON 1 = 1"
        ),
    )
    assert run.outputs == {
        "sales.dbo.clean": {"sales.dbo.raw_orders", "ref.dbo.customers"},
    }


def test_a_reset_connection_drops_temporary_tables() -> None:
    """#stage after the reset is another table, whose making is not in the log."""
    run = load_run(
        make_row(1, "SELECT a INTO #stage FROM dbo.raw_orders"),
        make_row(2, kind=Kind.RESET),
        make_row(3, "INSERT INTO dbo.later SELECT * FROM #stage"),
    )
    assert run.outputs["sales.dbo.later"] == set()
    assert any("#stage" in reason for reason in run.unresolved)
    assert not any("stage" in name for name in run.inputs)


def test_temporary_tables_of_two_sessions_are_different() -> None:
    run = load_run(
        make_row(1, "SELECT a INTO #stage FROM dbo.one"),
        make_row(2, "SELECT a INTO #stage FROM dbo.two", session="61"),
        make_row(3, "INSERT INTO dbo.target SELECT * FROM #stage"),
    )
    assert run.outputs["sales.dbo.target"] == {"sales.dbo.one"}


def test_a_prepared_statement_counts_for_each_execution_by_its_handle() -> None:
    prepare = (
        "declare @p1 int set @p1=1 exec sp_prepexec @p1 output,N'@P1 int,@P2 nvarchar(4000)',"
        "N'INSERT INTO dbo.rates (id, v) VALUES (@P1, @P2)',1,N'x' select @p1"
    )
    executions = [make_row(2 + n / 1000, f"exec sp_execute 1,{n},N'y'") for n in range(50)]
    run = load_run(make_row(1, prepare), *executions)
    assert set(run.outputs) == {"sales.dbo.rates"}
    assert run.unresolved == set()


def test_a_handle_that_the_log_does_not_prepare_is_unresolved() -> None:
    run = load_run(make_row(1, "exec sp_execute 7,1,N'y'"))
    assert run.outputs == {}
    assert run.unresolved


def test_the_text_within_sp_executesql_is_read() -> None:
    text = "exec sp_executesql N'SELECT a INTO dbo.t FROM dbo.s WHERE d = @P1',N'@P1 date','2026'"
    assert load_run(make_row(1, text)).outputs == {"sales.dbo.t": {"sales.dbo.s"}}


def test_a_request_is_passed_over_if_its_statements_are_rows() -> None:
    """The statements say more: the batch as a whole would be read with both branches."""
    run = load_run(
        make_row(1.5, "INSERT INTO dbo.a SELECT * FROM dbo.b", kind=Kind.STATEMENT, position=1),
        make_row(2, "IF 1 = 1 INSERT INTO dbo.a SELECT * FROM dbo.b ELSE DELETE FROM dbo.c",
                 duration=1_000_000, position=2),
    )  # fmt: skip
    assert run.outputs == {"sales.dbo.a": {"sales.dbo.b"}}


def test_a_request_without_rows_of_its_statements_counts() -> None:
    """Statements of an earlier request of the session are not those of this one."""
    run = load_run(
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b", kind=Kind.STATEMENT, position=1),
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b", duration=1000, position=2),
        make_row(2, "INSERT INTO dbo.c SELECT * FROM dbo.d", duration=999_000, position=3),
    )
    assert run.outputs == {
        "sales.dbo.a": {"sales.dbo.b"},
        "sales.dbo.c": {"sales.dbo.d"},
    }


def test_a_failed_request_writes_nothing() -> None:
    run = load_run(
        make_row(1, "INSERT INTO dbo.never SELECT * FROM dbo.gone", failed=True),
        make_row(2, "INSERT INTO dbo.a SELECT * FROM dbo.b"),
    )
    assert set(run.outputs) == {"sales.dbo.a"}
    assert run.inputs == {"sales.dbo.b"}
    assert run.state == "COMPLETE"


def test_a_run_whose_last_request_failed_has_failed() -> None:
    run = load_run(
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b"),
        make_row(2, "INSERT INTO dbo.never SELECT * FROM dbo.gone", failed=True),
    )
    assert run.state == "FAIL"


def test_an_error_is_of_the_statement_that_it_was_raised_in() -> None:
    """sql_statement_completed has no result: error_reported tells which one failed."""
    run = load_run(
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b", kind=Kind.STATEMENT, duration=500_000),
        make_row(1.6, kind=Kind.RAISED),
        make_row(2, "INSERT INTO dbo.c SELECT * FROM dbo.d", kind=Kind.STATEMENT, duration=900_000),
        make_row(3, "INSERT INTO dbo.e SELECT * FROM dbo.f", kind=Kind.STATEMENT, duration=900_000),
    )
    assert set(run.outputs) == {"sales.dbo.a", "sales.dbo.e"}


def test_a_rollback_of_the_driver_undoes_its_transaction() -> None:
    run = load_run(
        make_row(1, "BEGIN TRAN"),
        make_row(2, "INSERT INTO dbo.a SELECT * FROM dbo.b"),
        make_row(3, "IF @@TRANCOUNT > 0 ROLLBACK TRAN"),
        make_row(4, "BEGIN TRAN"),
        make_row(5, "INSERT INTO dbo.c SELECT * FROM dbo.d"),
        make_row(6, "IF @@TRANCOUNT > 0 COMMIT TRAN"),
    )
    assert run.outputs == {"sales.dbo.c": {"sales.dbo.d"}}


def test_a_rollback_undoes_a_transaction_that_the_log_does_not_begin() -> None:
    """Drivers without autocommit start transactions that Extended Events do not show."""
    run = load_run(
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b"),
        make_row(2, "IF @@TRANCOUNT > 0 COMMIT TRAN"),
        make_row(3, "INSERT INTO dbo.c SELECT * FROM dbo.d"),
        make_row(4, "IF @@TRANCOUNT > 0 ROLLBACK TRAN"),
    )
    assert set(run.outputs) == {"sales.dbo.a"}


def test_the_database_of_a_row_wins_over_use() -> None:
    run = load_run(
        make_row(1, "USE other"),
        make_row(2, "INSERT INTO a SELECT * FROM b", database="third"),
    )
    assert run.outputs == {"third.dbo.a": {"third.dbo.b"}}


def test_starting_events_show_no_outcome() -> None:
    run = load_run(make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b", kind=Kind.STARTING))
    assert run.outputs == {"sales.dbo.a": {"sales.dbo.b"}}
    assert run.state == "RUNNING"


def test_the_end_of_a_statement_wins_over_its_start() -> None:
    text = "INSERT INTO dbo.a SELECT * FROM dbo.b"
    run = load_run(
        make_row(1, text, kind=Kind.STARTING),
        make_row(2, text, kind=Kind.REQUEST, failed=True, duration=1_000_000),
    )
    assert run.outputs == {}


def test_each_output_has_the_sources_of_its_statements() -> None:
    """A run that loads two tables is no product of its inputs and outputs."""
    run = load_run(
        make_row(1, "INSERT INTO dbo.a SELECT * FROM dbo.b"),
        make_row(2, "INSERT INTO dbo.c SELECT * FROM dbo.d"),
        make_row(3, "INSERT INTO dbo.c SELECT * FROM dbo.e"),
    )
    assert run.outputs == {
        "sales.dbo.a": {"sales.dbo.b"},
        "sales.dbo.c": {"sales.dbo.d", "sales.dbo.e"},
    }


def test_values_of_the_client_may_be_of_what_it_had_read() -> None:
    run = load_run(
        make_row(1, "INSERT INTO dbo.log VALUES (1)"),
        make_row(2, "SELECT * FROM dbo.a"),
        make_row(3, "INSERT INTO dbo.x SELECT * FROM dbo.y"),
        make_row(4, "INSERT INTO dbo.b VALUES (1)"),
        make_row(5, "SELECT * FROM dbo.c"),
    )
    assert run.outputs == {
        "sales.dbo.log": set(),
        "sales.dbo.x": {"sales.dbo.y"},
        "sales.dbo.b": {"sales.dbo.a"},
    }


@pytest.mark.parametrize(("pause", "runs"), [(29 * 60, 1), (31 * 60, 2)])
def test_a_pause_of_more_than_30_minutes_ends_a_run(pause: int, runs: int) -> None:
    text = "INSERT INTO dbo.a SELECT * FROM dbo.b"
    rows = [make_row(1, text), make_row(1 + pause, text, job="load" if runs == 1 else "load2")]
    states = [run.state for run in fold_rows(rows).values()]
    assert states == ["RUNNING"] if runs == 1 else ["COMPLETE", "RUNNING"]
