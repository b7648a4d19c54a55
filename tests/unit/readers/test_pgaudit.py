"""Lines of pgaudit in the logs of PostgreSQL."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from support.log_files import read_file
from support.postgres_logs import audit, error, read_run, write_log

if TYPE_CHECKING:
    from pathlib import Path

INSERT = "INSERT INTO public.t SELECT * FROM public.s"
DROP = "DROP TABLE stage"
COPIED = {"shop.public.t": {"shop.public.s"}}


def test_a_statement_that_only_pgaudit_logs_counts(tmp_path: Path):
    assert read_run(tmp_path, audit(1, 1, INSERT)).outputs == COPIED


def test_an_audited_statement_that_an_error_follows_has_failed(tmp_path: Path):
    assert read_run(tmp_path, audit(1, 1, INSERT), error(INSERT)).outputs == {}


def test_an_error_of_another_statement_does_not_undo_an_audited_one(tmp_path: Path):
    """A statement that names a table that does not exist has no line of pgaudit."""
    run = read_run(tmp_path, audit(1, 1, INSERT), error("DELETE FROM public.nosuch"))
    assert run.outputs == COPIED


@pytest.mark.parametrize(
    "lines",
    [
        [f"statement: {DROP}", audit(2, 1, DROP)],
        [audit(2, 1, DROP), f"duration: 1.500 ms  statement: {DROP}"],
        [audit(2, 1, DROP), audit(2, 1, DROP)],
        [audit(2, 1, DROP), audit(2, 1, DROP, kind="OBJECT")],
    ],
)
def test_a_statement_that_several_lines_report_counts_once(tmp_path: Path, lines: list[str]):
    """A second DROP of a temporary table would be one of another table."""
    create = "CREATE TEMP TABLE stage AS SELECT 1"
    assert read_run(tmp_path, audit(1, 1, create), *lines).outputs == {}


def test_what_a_failed_function_did_is_undone(tmp_path: Path):
    """All lines with one number are of the statement of the client, which is the first."""
    call = "SELECT load()"
    lines = [audit(1, 1, call, "SELECT"), audit(1, 2, INSERT)]
    assert read_run(tmp_path, *lines).outputs == COPIED
    assert read_run(tmp_path, *lines, error(call)).outputs == {}


def test_transactions_are_followed(tmp_path: Path):
    lines = [audit(1, 1, "BEGIN", "BEGIN"), audit(2, 1, INSERT)]
    assert read_run(tmp_path, *lines, audit(3, 1, "ROLLBACK", "ROLLBACK")).outputs == {}
    assert read_run(tmp_path, *lines, audit(3, 1, "COMMIT", "COMMIT")).outputs == COPIED


def test_a_prepared_statement_is_that_of_its_execute(tmp_path: Path):
    """The line of its query has the text of PREPARE, also if it failed."""
    prepare, execute = f"PREPARE p AS {INSERT}", "EXECUTE p"
    lines = [
        audit(1, 1, prepare, "PREPARE"),
        audit(2, 1, prepare),
        audit(2, 2, execute, "EXECUTE"),
    ]
    assert read_run(tmp_path, *lines).outputs == COPIED
    assert read_run(tmp_path, *lines, error(execute)).outputs == {}


def test_the_statements_of_one_text_are_read_once(tmp_path: Path):
    text = f"CREATE TEMP TABLE stage AS SELECT * FROM public.s; {INSERT}; DROP TABLE stage"
    run = read_run(tmp_path, *(audit(number, 1, text) for number in (1, 2, 3)))
    assert run.outputs == COPIED
    run = read_run(tmp_path, audit(1, 1, text), error(text), audit(2, 1, text), audit(3, 1, text))
    assert run.outputs == COPIED, "it is executed again after an error"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            "AUDIT: SESSION,1,1,WRITE,INSERT,,,<not logged>,<not logged>",
            "pgaudit does not log the text of the statement. Set pgaudit.log_statement = on.",
        ),
        (
            audit(1, 1, INSERT) + ",5",
            "pgaudit logs statements in the order of their ends. Set pgaudit.log_rows = off.",
        ),
        ("AUDIT: SESSION,1", "The line is not one of pgaudit."),
    ],
)
def test_a_line_of_pgaudit_that_cannot_be_read_is_reported(tmp_path: Path, line: str, reason: str):
    path = write_log(tmp_path, line)
    rows, bad = read_file(path, "postgres-json")
    assert (rows, bad) == ([], [f"{path}:1: {reason}"])


def test_lines_of_objects_alone_are_passed_over(tmp_path: Path):
    """They do not show transactions."""
    path = write_log(tmp_path, audit(1, 1, INSERT, kind="OBJECT"))
    passed_over: Counter[str] = Counter()
    assert read_file(path, "postgres-json", passed_over) == ([], [])
    assert passed_over == {"pgaudit's object audit": 1}


def test_texts_with_passwords_are_not_read(tmp_path: Path):
    line = "AUDIT: SESSION,1,1,ROLE,CREATE ROLE,,,CREATE USER etl password <REDACTED>,<not logged>"
    assert read_file(write_log(tmp_path, line), "postgres-json") == ([], [])
