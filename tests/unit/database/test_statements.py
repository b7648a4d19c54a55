"""Parsing of files of SQL statements, and its errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest
from support.source.statement_files import NAMES, PATHS, ROOT, file_of, module_of

from lineage.database.statements import Statement, StatementFile, parse_statements

if TYPE_CHECKING:
    from pathlib import Path


class RunRow(NamedTuple):
    run_id: str


def test_a_statement_is_what_follows_its_description():
    text = (
        "-- About runs.\n\n"
        "-- name: select_runs(id, limit) -> RunRow\n"
        "-- The newest runs of a job.\n"
        "-- Of those at the same time the id decides.\n"
        "SELECT r.run_id -- newest first\n"
        "FROM lineage.run r\n\n"
        "  -- name: this is none\n"
        "WHERE r.job = %(id)s AND r.n %% 2 = 0 LIMIT %(limit)s\n\n\n"
        "-- name: delete_runs() -> None\n"
        "-- All of them.\n"
        "DELETE FROM lineage.run\n"
    )
    assert parse_statements("runs.sql", text) == {
        "select_runs": (
            "RunRow",
            (
                "SELECT r.run_id -- newest first\n"
                "FROM lineage.run r\n\n"
                "  -- name: this is none\n"
                "WHERE r.job = %(id)s AND r.n %% 2 = 0 LIMIT %(limit)s"
            ),
        ),
        "delete_runs": ("None", "DELETE FROM lineage.run"),
    }


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["SELECT 1"], "f.sql:1: SQL before the first header, -- name:"),
        (["-- name: a -> int", "-- One.", "SELECT 1"], "f.sql:1: a header is -- name: select_"),
        (["-- name: a()", "-- One.", "SELECT 1"], "f.sql:1: a header is"),
        (["-- name: a(x,y) -> int", "-- One.", "SELECT 1"], "f.sql:1: a header is"),
        (["-- name: a() -> int", "-- One."], "f.sql:1: a has no body"),
        (["", "-- name: a() -> int", "-- One.", "", ""], "f.sql:2: a has no body"),
        (["-- name: a() -> int", "SELECT 1"], "f.sql:1: a has no description"),
        (
            ["-- name: a(id) -> int", "-- One.", "SELECT %(id)s, %(at)s, %(by)s"],
            "f.sql:1: a uses at, by, not declared in its header",
        ),
        (
            ["-- name: a(id, at) -> int", "-- One.", "SELECT %(id)s"],
            "f.sql:1: a declares at and does not use it",
        ),
        (["-- name: a() -> int", "-- One.", "SELECT 5 % 2"], "f.sql:1: a has a % that is no"),
        (["-- name: a() -> int", "-- One.", "SELECT %s"], "f.sql:1: a has a % that is no"),
        (
            ["-- name: a() -> int", "-- One.", "SELECT 1"] * 2,
            "f.sql:4: there is a statement a above",
        ),
    ],
)
def test_what_is_wrong_is_reported_with_file_and_line(lines: list[str], said: str):
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the text is compared
        parse_statements("f.sql", "\n".join(lines))
    assert str(error.value).startswith(said)


@pytest.fixture
def runs(tmp_path: Path) -> StatementFile:
    text = "-- name: select_runs() -> RunRow\n-- All.\nSELECT run_id FROM lineage.run\n"
    (tmp_path / "runs.sql").write_text(text)
    return StatementFile(str(tmp_path / "runs.py"))


def test_the_file_of_a_module_stands_beside_it(runs: StatementFile):
    statement = runs.statement("select_runs", RunRow)
    assert statement.text == "SELECT run_id FROM lineage.run"


def test_nothing_is_read_before_a_statement_is_used(tmp_path: Path):
    statement = StatementFile(str(tmp_path / "absent.py")).statement("select_runs", RunRow)
    with pytest.raises(FileNotFoundError):
        _ = statement.text


def test_a_statement_that_the_file_does_not_have(runs: StatementFile):
    with pytest.raises(ValueError, match=r"runs.sql: it has no statement select_jobs"):
        _ = runs.statement("select_jobs").text


def test_another_row_type_than_that_of_the_header(runs: StatementFile):
    message = "rows of select_runs are RunRow in its header and str in its module"
    with pytest.raises(ValueError, match=message):
        _ = runs.statement("select_runs", str).text


def test_no_statement_is_declared_twice(runs: StatementFile):
    runs.statement("select_runs", RunRow)
    with pytest.raises(ValueError, match="select_runs is declared twice in its module"):
        runs.statement("select_runs", RunRow)


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_each_statement_has_a_row_type_and_is_used(path: Path):
    module = module_of(path)
    file = file_of(module)
    assert sorted(file.parse_texts) == sorted(file.declared)
    assert all(statement.text for statement in file.declared.values())
    for name, value in vars(module).items():
        if isinstance(value, Statement):
            word = re.compile(rf"\b{name}\b")
            sources = [path.with_suffix(".py")] if name.startswith("_") else ROOT.rglob("*.py")
            assert sum(len(word.findall(source.read_text())) for source in sources) > 1, name


def test_there_are_statements_in_files():
    assert "query/datasets.sql" in NAMES
