"""Values of a client: they may come from the rows that it had received when it wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.postgres_logs import audit, error, nested_plan, plan, read_run
from support.query_logs import fold_rows, later_row, make_row

from lineage.readers.query_logs.rows import Kind

if TYPE_CHECKING:
    from pathlib import Path

READ = "SELECT * FROM d.orders"
WRITE = "INSERT INTO d.log VALUES (1)"


def sources_of_log(statements: list[str], dialect: str = "postgres", **fields: Any) -> set[str]:
    """Return the sources of the table ``log`` after the statements of a session."""
    rows = [
        make_row(number, text, kind=Kind.STATEMENT, position=number, **fields)
        for number, text in enumerate(statements)
    ]
    outputs = fold_rows([*rows, later_row()], dialect)["load"].outputs
    return {source.rpartition(".")[2] for source in outputs["sales.d.log"]}


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ([READ, WRITE], {"orders"}),
        ([WRITE, READ], set()),
        (["BEGIN", READ, WRITE, "COMMIT"], {"orders"}),
        (["BEGIN", WRITE, READ, "COMMIT"], set()),
        (["BEGIN", WRITE, READ, "UPDATE d.log SET a = 1", "COMMIT"], {"orders"}),
        *[
            ([WRITE, READ, after], set())
            for after in ("DELETE FROM d.log WHERE a = 2", "TRUNCATE d.log", "DROP TABLE d.log")
        ],
    ],
)
def test_what_a_client_reads_later_is_no_source(statements: list[str], expected: set[str]) -> None:
    assert sources_of_log(statements) == expected


def test_jobs_of_one_user_without_a_session_are_no_client() -> None:
    fields: dict[str, object] = {"session": "", "process": "", "user": "service"}
    assert sources_of_log([READ, WRITE], **fields) == set()
    assert sources_of_log([READ, WRITE], **{**fields, "session": "s"}) == {"orders"}


def test_a_commit_counts_for_the_jobs_that_wrote() -> None:
    """A comment names the job of a statement, and a driver commits without it."""
    texts = [("nightly", "INSERT INTO d.log SELECT * FROM d.orders"), ("etl", "COMMIT")]
    rows = [
        make_row(number, text, job=job, kind=Kind.STATEMENT)
        for number, (job, text) in enumerate([("etl", "BEGIN"), *texts])
    ]
    runs = fold_rows([*rows, later_row()], "postgres")
    assert runs["nightly"].outputs == {"sales.d.log": {"sales.d.orders"}}
    assert runs["nightly"].state == "COMPLETE"
    assert runs["etl"].outputs == {}


PAUSE = 45 * 60


@pytest.mark.parametrize(
    ("dialect", "before", "after", "expected"),
    [
        ("postgres", ["BEGIN", READ], [WRITE, "COMMIT"], {"orders"}),
        ("postgres", ["BEGIN", READ, WRITE], ["COMMIT"], {"orders"}),
        ("postgres", ["BEGIN", WRITE, READ], ["COMMIT"], set()),
        ("postgres", ["BEGIN", READ, WRITE], ["SELECT * FROM d.late", "COMMIT"], {"orders"}),
        ("mysql", ["SET autocommit = 0", READ], [WRITE, "COMMIT"], {"orders"}),
        ("mysql", ["SET autocommit = 0", READ, "COMMIT"], [WRITE, "COMMIT"], set()),
    ],
)
def test_a_transaction_goes_on_with_what_the_client_received_before_a_pause(
    dialect: str, before: list[str], after: list[str], expected: set[str]
) -> None:
    """A program reads, computes for a long time, and writes."""
    fields: dict[str, Any] = {"process": "", "kind": Kind.STATEMENT, "schema": "d"}
    if dialect == "mysql":
        fields["schema"] = ""
    rows = [make_row(second, text, **fields) for second, text in enumerate(before)]
    rows += [
        make_row(PAUSE + second, text, job="score", **fields) for second, text in enumerate(after)
    ]
    later = later_row()._replace(job="end")
    run = fold_rows([*rows, later], dialect)["score"]
    [sources] = run.outputs.values()
    assert {source.rpartition(".")[2] for source in sources} == expected
    assert sources <= run.inputs


def test_a_client_that_changes_its_name_has_what_it_received_when_it_wrote() -> None:
    """The COMMIT after a pause is of the job that read another table after the values."""
    texts = [("load", "BEGIN"), ("load", READ), ("load", WRITE), ("score", "SELECT * FROM d.other")]
    fields: dict[str, Any] = {"process": "", "kind": Kind.STATEMENT}
    rows = [make_row(second, text, job=job, **fields) for second, (job, text) in enumerate(texts)]
    rows.append(make_row(PAUSE, "COMMIT", job="end", **fields))
    run = fold_rows([*rows, later_row()], "postgres")["end"]
    assert run.outputs == {"sales.d.log": {"sales.d.orders"}}


def duration(text: str) -> dict[str, str]:
    return {"message": f"duration: 1.5 ms  statement: {text}"}


LOOKUP = "SELECT max(x) FROM public.lookup"
VALUES = "INSERT INTO public.t VALUES (r.x)"


@pytest.mark.parametrize(
    ("call", "nested", "expected"),
    [
        ("CREATE TABLE public.t AS SELECT * FROM f()", [LOOKUP], {"lookup"}),
        ("INSERT INTO public.t SELECT f(x) FROM public.s", [LOOKUP], {"lookup", "s"}),
        ("SELECT f()", [LOOKUP, VALUES], {"lookup"}),
        ("SELECT f()", [VALUES, LOOKUP], {"lookup"}),
        ("SELECT f()", [LOOKUP, "INSERT INTO public.t SELECT * FROM public.s"], {"s"}),
        ("SELECT f()", [LOOKUP, "DELETE FROM public.t", VALUES], {"lookup"}),
    ],
)
def test_what_a_function_reads_is_a_source_of_the_values_of_its_call(
    tmp_path: Path, call: str, nested: list[str], expected: set[str]
) -> None:
    sources = {f"shop.public.{name}" for name in expected}
    plans = [nested_plan(text) for text in nested]
    assert (
        read_run(tmp_path, *plans, plan(call), duration(call)).outputs["shop.public.t"] == sources
    )
    assert read_run(tmp_path, *plans, plan(call)).outputs["shop.public.t"] == sources
    lines = [audit(1, number, text) for number, text in enumerate([call, *nested], start=1)]
    assert read_run(tmp_path, *lines).outputs["shop.public.t"] == sources
    begin, commit = audit(2, 1, "BEGIN", "BEGIN"), audit(3, 1, "COMMIT", "COMMIT")
    assert read_run(tmp_path, begin, *lines, commit).outputs["shop.public.t"] == sources


@pytest.mark.parametrize(
    "expression",
    [
        "exists (SELECT 1 FROM public.lookup)",
        "not exists(SELECT 1 FROM public.lookup)",
        "n := (SELECT max(x) FROM public.lookup)",
        "r.n = coalesce((SELECT max(x) FROM public.lookup), 0)",
        "a[1] := ARRAY(SELECT x FROM public.lookup)",
        "(SELECT count(*) FROM public.lookup) > 0",
        "n < (SELECT max(x) FROM public.lookup)",
        "(SELECT max(x) FROM public.lookup)",
    ],
)
def test_an_expression_of_a_function_is_a_query(tmp_path: Path, expression: str) -> None:
    for lines in (
        [nested_plan(expression), nested_plan(VALUES), plan("SELECT f()")],
        [audit(1, 1, "SELECT f()"), audit(1, 2, expression, "SELECT"), audit(1, 3, VALUES)],
    ):
        run = read_run(tmp_path, *lines)
        assert run.outputs == {"shop.public.t": {"shop.public.lookup"}}
        assert run.unresolved == set()


def test_a_client_receives_what_a_function_reads_but_not_what_a_trigger_reads(
    tmp_path: Path,
) -> None:
    insert = "INSERT INTO public.other VALUES (1)"
    for call, expected in (("SELECT f()", {"shop.public.lookup"}), (insert, set())):
        lines = [nested_plan(LOOKUP), plan(call), plan(VALUES)]
        assert read_run(tmp_path, *lines).outputs["shop.public.t"] == expected
        lines = [audit(1, 1, call), audit(1, 2, LOOKUP), audit(2, 1, VALUES)]
        assert read_run(tmp_path, *lines).outputs["shop.public.t"] == expected


def test_auto_explain_does_not_show_the_definitions_of_a_procedure(tmp_path: Path) -> None:
    call, create = "CALL swap()", "CREATE TABLE public.t AS SELECT * FROM public.s"
    run = read_run(tmp_path, nested_plan(create), duration(call))
    assert run.outputs == {"shop.public.t": {"shop.public.s"}}
    assert run.unresolved == {"the body of the procedure swap is not known"}
    assert read_run(tmp_path, audit(1, 1, call), audit(1, 2, create)).unresolved == set()


def test_the_error_of_a_statement_does_not_undo_a_call_before_it(tmp_path: Path) -> None:
    lines = [nested_plan(LOOKUP), nested_plan(VALUES), plan("SELECT f()"), error("SELECT 1/0")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.t"}
