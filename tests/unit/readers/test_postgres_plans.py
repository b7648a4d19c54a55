"""Plans of auto_explain, and statements of one transaction without a BEGIN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.log_files import read_file
from support.postgres_logs import audit, error, nested_plan, plan, read_run, write_log

from lineage.readers.log_source import LogSource
from lineage.readers.query_logs.folding import PartReader
from lineage.readers.query_logs.importing import read_rows
from lineage.readers.query_logs.stored_rows import load_row
from lineage.readers.report import ImportReport
from lineage.readers.server_names import ServerNames
from lineage.sql.catalogs import Catalog
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from pathlib import Path

A, B = (f"INSERT INTO public.{name} SELECT * FROM public.s" for name in "ab")
FAILING = "INSERT INTO public.c SELECT 1/0"
CHECKS = """\
SELECT 1 FROM ONLY "public"."p" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x
SELECT 1 FROM "public"."c" x WHERE $1 OPERATOR(pg_catalog.=) "p" FOR KEY SHARE OF x
SELECT 1 FROM (SELECT "at" AS r FROM ONLY "public"."p" x WHERE "id" OPERATOR(pg_catalog.=) $1 \
AND "at" OPERATOR(pg_catalog.&&) $2 FOR KEY SHARE OF x) x1 \
HAVING $2 OPERATOR(pg_catalog.<@) pg_catalog.range_agg(x1.r)
SELECT fk."p" FROM ONLY "public"."c" fk LEFT OUTER JOIN ONLY "public"."p" pk \
ON ( pk."id" OPERATOR(pg_catalog.=) fk."p") WHERE pk."id" IS NULL AND (fk."p" IS NOT NULL)
""".splitlines()


def duration(text: str, **fields: str) -> dict[str, str]:
    return {"message": f"duration: 1.5 ms  execute <unnamed>: {text}", **fields}


def test_the_plans_of_a_text_that_failed_do_not_count(tmp_path: Path):
    """The server undoes all statements of the text; each plan has the whole text."""
    text = f"{A}; {B}; {FAILING}"
    lines = [plan(text, vxid="3/21"), plan(text, vxid="3/21"), error(text, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs == {}
    lines = [plan(A, vxid="3/20"), plan(text, vxid="3/21"), error(text, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.a"}


@pytest.mark.parametrize("form", ["statement", "plan", "audit", "error"])
def test_a_text_that_failed_is_counted_once(tmp_path: Path, form: str):
    text = f"{A}; {FAILING}"
    lines = {
        "statement": [{"message": f"statement: {text}", "vxid": "3/21"}],
        "plan": [plan(text, vxid="3/21"), plan(text, vxid="3/21")],
        "audit": [{"message": audit(1, 1, text), "vxid": "3/21"}],
        "error": [],
    }[form]
    run = read_run(tmp_path, *lines, error(text, vxid="3/21"))
    assert (run.outputs, run.statements, run.failed) == ({}, 1, 1)


def test_a_plan_before_the_error_of_a_later_execution_counts(tmp_path: Path):
    lines = [plan(A, vxid="3/20"), error(A, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.a"}


@pytest.mark.parametrize("check", CHECKS)
def test_the_check_of_a_foreign_key_is_no_source(tmp_path: Path, check: str):
    insert = "INSERT INTO public.c VALUES (1, 1)"
    run = read_run(tmp_path, nested_plan(check), plan(insert), duration(insert))
    assert (run.inputs, run.outputs) == (frozenset(), {"shop.public.c": frozenset()})
    run = read_run(tmp_path, audit(1, 1, insert), audit(1, 2, check), audit(2, 1, insert))
    assert (run.inputs, run.outputs) == (frozenset(), {"shop.public.c": frozenset()})


def test_the_check_of_a_foreign_key_does_not_hide_the_statement_that_failed(tmp_path: Path):
    """The check of a deferred constraint has a number of its own."""
    lines = [audit(1, 1, "BEGIN", "BEGIN"), audit(2, 1, A), audit(3, 1, "COMMIT", "COMMIT")]
    lines += [audit(4, 1, CHECKS[0], "SELECT"), error("COMMIT"), audit(5, 1, B)]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.b"}


@pytest.mark.parametrize(
    ("transaction", "expected"), [("3/17", set()), ("3/18", {"shop.public.a"})]
)
def test_an_error_undoes_the_statements_of_its_pipeline(
    tmp_path: Path, transaction: str, expected: set[str]
):
    lines = [duration(A, vxid="3/17"), error(FAILING, vxid=transaction)]
    assert read_run(tmp_path, *lines).outputs.keys() == expected


def test_an_error_in_a_block_does_not_undo_what_precedes_a_savepoint(tmp_path: Path):
    texts = ["BEGIN", A, "SAVEPOINT p"]
    lines = [duration(each, vxid="3/17") for each in texts]
    lines += [error(FAILING, vxid="3/17"), duration("ROLLBACK TO p", vxid="3/17")]
    run = read_run(tmp_path, *lines, duration("COMMIT", vxid="3/17"))
    assert run.outputs.keys() == {"shop.public.a"}


CALL = "CALL public.p()"
DOUBT = "it is not known which statements of public.p its ROLLBACK undid"


def read_call(path: Path, body: str, *lines: dict[str, str]) -> tuple[set[str], set[str]]:
    """Return the tables and reasons of a session whose catalog has the body of the procedure."""
    text = f"CREATE PROCEDURE public.p() LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
    [create] = read_statements(text, "postgres")
    assert create.routine is not None
    catalog = Catalog(routines={("shop", "public", "p"): create.routine.statements})
    placed, bad = read_file(write_log(path, *lines), "postgres-json")
    assert bad == []
    source = LogSource("postgres://db:5432", "postgres", "public")
    numbered = [(str(number), row) for number, row in enumerate(placed)]
    loaded = map(load_row, read_rows(source, numbered, ImportReport()))
    reader = PartReader(ServerNames("postgres://db:5432"), catalog)
    [run] = reader.fold_rows("session 1", loaded, has_ended=True)
    reasons = {each for each in run.reasons if not each.startswith("columns: ")}
    return {name.name.rpartition(".")[2] for name in run.outputs}, reasons


@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        (f"{A}; COMMIT; {B}; {FAILING};", set()),
        (f"{A}; COMMIT; IF x THEN ROLLBACK; END IF; {B}; {FAILING};", {DOUBT}),
        (f"{A}; CALL public.other(); {B}; {FAILING};", {DOUBT}),
    ],
)
def test_the_failure_of_a_procedure_undoes_its_last_transaction(
    tmp_path: Path, body: str, reasons: set[str]
):
    """A transaction that the procedure ended has another id than the error."""
    lines = [nested_plan(A, vxid="5/18"), nested_plan(B, vxid="5/19"), error(CALL, vxid="5/19")]
    assert read_call(tmp_path, body, *lines) == ({"a"}, reasons)
    lines = [{"message": f"statement: {CALL}", "vxid": "5/18"}, *lines]
    assert read_call(tmp_path, body, *lines) == ({"a"}, reasons)
    assert read_run(tmp_path, *lines).unresolved == {DOUBT}


def test_which_transactions_a_procedure_with_a_rollback_undid_is_not_known(tmp_path: Path):
    lines = [nested_plan(A, vxid="5/18"), nested_plan(B, vxid="5/19"), duration(CALL)]
    assert read_call(tmp_path, f"{A}; ROLLBACK; {B};", *lines) == ({"a", "b"}, {DOUBT})
    assert read_call(tmp_path, f"{A}; COMMIT; {B};", *lines) == ({"a", "b"}, set())


def test_set_local_outside_of_begin_ends_before_the_plans_of_the_next_call(tmp_path: Path):
    """The row of a statement that has ended has no id, and the plans of a call precede it."""
    path = duration("SET LOCAL search_path TO core", vxid="5/0")
    plans = [nested_plan(each, vxid="5/9") for each in ("INSERT INTO a SELECT * FROM public.s", B)]
    outputs = read_run(tmp_path, path, *plans, duration("SELECT public.f()", vxid="5/0")).outputs
    assert "shop.core.a" not in outputs
    own = nested_plan("SELECT set_config('search_path', 'core', true)", vxid="5/9")
    lines = [own, *plans, duration("SELECT public.f()", vxid="5/0")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.core.a", "shop.public.b"}
