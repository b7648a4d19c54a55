"""Routines of scripts: a file calls those of another one, and those that none calls are named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from lineage.readers.log_source import LogSource
from lineage.readers.report import ImportReport
from lineage.readers.scripts import Scripts
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from pathlib import Path

INSERT = "INSERT INTO dw.t SELECT * FROM stg.s"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def import_files(
    folder: Path, dialect: str, texts: list[str], job: str = ""
) -> tuple[dict[str, list[str]], ImportReport]:
    """Return the outputs of each job of scripts a.sql, b.sql …, and the report."""
    for name, text in zip("abc", texts, strict=False):
        (folder / f"{name}.sql").write_text(text)
    report = ImportReport()
    source = LogSource(f"{dialect}://db", dialect)
    scripts = Scripts.find_files((str(folder),), "d", job)
    events = scripts.declare_events(source, report, lambda error: pytest.fail(str(error)))
    jobs = {each["job"]["name"]: each["outputs"] for each in map(json.loads, events)}
    return {job: [each["name"] for each in outputs] for job, outputs in jobs.items()}, report


def uncalled_of(report: ImportReport) -> list[str]:
    assert report.unresolved == []
    return [each.beginning for each in report.uncalled]


@pytest.mark.parametrize("job", ["", "load"])
def test_a_script_calls_a_procedure_of_a_later_file(folder: Path, job: str) -> None:
    create = f"CREATE PROCEDURE etl.p AS {INSERT}"
    jobs, report = import_files(folder, "tsql", ["EXEC etl.p", create], job)
    assert jobs == {job or "a": ["d.dw.t"]}
    assert uncalled_of(report) == []


def test_procedures_that_only_each_other_call_do_not_run(folder: Path) -> None:
    texts = [
        f"CREATE PROCEDURE p AS {INSERT}",
        "CREATE PROCEDURE q AS EXEC p\nGO\nCREATE PROCEDURE r AS SELECT 1\nGO\nEXEC r",
    ]
    jobs, report = import_files(folder, "tsql", texts)
    assert jobs == {}
    assert uncalled_of(report) == ["CREATE PROCEDURE p", "CREATE PROCEDURE q"]


def test_which_of_two_procedures_of_one_name_runs_is_not_known(folder: Path) -> None:
    texts = [f"CREATE PROCEDURE p AS {INSERT}", f"CREATE PROC p AS {INSERT}2", "EXEC p"]
    jobs, report = import_files(folder, "tsql", texts)
    assert jobs == {}
    assert [each.reason for each in report.unresolved] == [
        "which of the routines d.dbo.p runs is not known"
    ]


def test_a_script_calls_the_procedure_that_it_creates(folder: Path) -> None:
    texts = [f"CREATE PROCEDURE p() AS $$ {INSERT}{n} $$; CALL p()" for n in ("1", "2")]
    jobs, report = import_files(folder, "postgres", texts)
    assert jobs == {"a": ["d.dw.t"], "b": ["d.dw.t"]}
    assert uncalled_of(report) == []


@pytest.mark.parametrize(
    ("dialect", "text", "uncalled"),
    [
        ("snowflake", f"CREATE TASK dw.k SCHEDULE = '1 MINUTE' AS {INSERT}", "CREATE TASK DW.K"),
        ("mysql", f"CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO {INSERT}", "CREATE EVENT e"),
        ("mysql", f"CREATE TRIGGER g AFTER INSERT ON a FOR EACH ROW {INSERT}", "CREATE TRIGGER g"),
        ("postgres", f"CREATE FUNCTION f() RETURNS void AS $$ {INSERT} $$", "CREATE FUNCTION f"),
    ],
)  # fmt: skip
def test_what_no_script_calls_is_named(
    folder: Path, dialect: str, text: str, uncalled: str
) -> None:
    jobs, report = import_files(folder, dialect, [text])
    assert jobs == {}
    assert uncalled_of(report) == [uncalled]


@pytest.mark.parametrize(
    ("dialect", "begin"),
    [
        ("snowflake", "CREATE OR REPLACE TASK k WAREHOUSE = w AS"),
        ("mysql", "CREATE EVENT k ON SCHEDULE EVERY 1 DAY DO"),
        ("mysql", "CREATE DEFINER=`r`@`%` EVENT IF NOT EXISTS k ON SCHEDULE EVERY 1 DAY DO"),
    ],
)
def test_the_block_of_a_task_or_an_event_is_its_body(dialect: str, begin: str) -> None:
    text = f"{begin} BEGIN {INSERT}; DELETE FROM dw.u; END; DELETE FROM dw.v"
    created, after = read_statements(text, dialect)
    assert created.routine is not None
    assert [len(each.flows) for each in created.routine.statements] == [1, 1]
    assert [name[-1].lower() for name in after.written_tables] == ["v"]
