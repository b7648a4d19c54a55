"""Commands of psql and mysql in scripts, and dumps that pg_dump and mysqldump write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage.readers.client_commands import ScriptPart, split_script
from lineage.readers.log_source import LogSource
from lineage.readers.report import ImportReport
from lineage.readers.scripts import Scripts

if TYPE_CHECKING:
    from pathlib import Path

PIECES = [
    "SELECT 1;", "INSERT INTO a SELECT b FROM c;", "\n", " ", "-- it's \\i a comment\n", "'\\.'",
    "$$ \\c x $$", "COPY t TO stdout;", "/* ; */", '"a;b"', "E'\\\\';",
]  # fmt: skip


def sql_of(text: str, dialect: str = "postgres") -> str:
    return "".join(part.text for part in split_script(text, dialect))


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_script_without_commands_is_not_changed(text: str) -> None:
    assert sql_of(text) == text
    assert sql_of(text, "mysql") == text


def test_the_data_of_copy_are_no_statements() -> None:
    text = (
        "COPY public.notes (id, text) FROM stdin;\n"
        "1\tit's; INSERT INTO a SELECT * FROM b;\n"
        "\\N\t\\\\. $$\n"
        "\\.\n\n"
        "INSERT INTO c SELECT * FROM d;\n"
    )
    first, second = text.splitlines(keepends=True)[0], text.splitlines(keepends=True)[-1]
    assert sql_of(text) == f"{first}\n{second}"
    cut = list(split_script(text.partition("\\.\n")[0], "postgres"))
    assert cut[-1] == ScriptPart(reason="the data of COPY do not end")


def test_commands_of_psql_are_read_or_left_out() -> None:
    text = (
        "\\restrict abc\n-- dump\n\\echo don't\n\\set ON_ERROR_STOP on\nSELECT 1;\n"
        "\\connect shop\nSELECT 2;\n\\c - admin\n\\connect \"dbname='other'\"\n"
        "\\ir more.sql\n\\copy w.a FROM 'a.csv' csv\nSELECT '\n\\c not_a_command\n';\n"
    )
    parts = list(split_script(text, "postgres"))
    assert [part.database for part in parts if part.database] == ["shop"]
    assert [part.reason for part in parts if part.reason] == [
        "the database of \\connect is not read",
        "the file that \\ir names is not read",
    ]
    sql = "".join(part.text for part in parts)
    assert "COPY w.a FROM 'a.csv' csv" in sql
    assert "\\c not_a_command" in sql
    assert "don't" not in sql


def test_a_command_after_a_statement_runs_it() -> None:
    text = (
        "SELECT count(*) AS n FROM w.t \\gset pre_\n"
        "SELECT x::text FROM t WHERE d = :'day' \\gexec\n"
    )
    parts = list(split_script(text, "postgres"))
    assert "".join(part.text for part in parts) == (
        "SELECT count(*) AS n FROM w.t ;\nSELECT x::text FROM t WHERE d = 'day' ;\n"
    )
    assert [part.reason for part in parts if part.reason] == [
        "the statements that \\gexec runs are not known"
    ]


@pytest.mark.parametrize("delimiter", [";;", "//", "$$"])
def test_a_delimiter_of_mysql_ends_statements(delimiter: str) -> None:
    body = f"BEGIN INSERT INTO a SELECT '{delimiter}' FROM b; DELETE FROM c; END"
    text = (
        f"SELECT 1;\nDELIMITER {delimiter}\nCREATE PROCEDURE p() {body}{delimiter}\n"
        f"CREATE PROCEDURE q() SELECT 1{delimiter}\ndelimiter ;\nSELECT 2;\n"
    )
    assert [part.text.strip() for part in split_script(text, "mysql")] == [
        "SELECT 1;", f"CREATE PROCEDURE p() {body}", "CREATE PROCEDURE q() SELECT 1", "",
        "SELECT 2;",
    ]  # fmt: skip


def test_variables_of_sqlcmd_have_their_values() -> None:
    text = (
        ':setvar Db "dw"\n:on error exit\n:setvar db2 x\n'
        "INSERT INTO [$(Staging)].dbo.t SELECT '$(Db)', '$(Job)' FROM $(DB).dbo.s, "
        "$(From).dbo.u;\n"
    )
    assert "".join(part.text for part in split_script(text, "tsql")) == (
        "INSERT INTO [$(Staging)].dbo.t SELECT 'dw', '$(Job)' FROM dw.dbo.s, $(From).dbo.u;\n"
    )


def test_a_command_of_sqlcmd_in_a_comment_or_a_string_is_none() -> None:
    text = "/* \n:r a.sql\n */ SELECT '\n:setvar x 1\n'\n:setvar x\t2\nSELECT $(x)"
    assert list(split_script(text, "tsql")) == [
        ScriptPart("/* \n:r a.sql\n */ SELECT '\n:setvar x 1\n'\n"), ScriptPart("SELECT 2"),
    ]  # fmt: skip


def test_setvar_without_a_name_sets_nothing() -> None:
    assert [part.text for part in split_script(":setvar\nSELECT $(x)", "tsql")] == [
        "", "SELECT $(x)",
    ]  # fmt: skip


def test_commands_of_sqlcmd_that_are_not_read_are_reported() -> None:
    parts = list(split_script(":r load.sql\n:connect prod\nSELECT 1\n", "tsql"))
    assert [part.reason for part in parts if part.reason] == [
        "the file that :r names is not read", "the server of :connect is not read",
    ]  # fmt: skip


def test_a_table_is_in_the_database_that_psql_connects_to(tmp_path: Path) -> None:
    script = tmp_path / "load.sql"
    script.write_text("INSERT INTO w.a TABLE w.b;\n\\connect archive\nINSERT INTO w.a TABLE w.b;\n")
    source = LogSource("postgres://db:5432", "postgres", "public", database="shop")
    report = ImportReport()
    scripts = Scripts.find_files((str(script),), "shop", "")
    [event] = scripts.declare_events(source, report, lambda error: pytest.fail(str(error)))
    assert report.unresolved == []
    for database in ("shop", "archive"):
        assert f'"name":"{database}.w.a"'.encode() in event


@pytest.mark.parametrize("end", ["", ";", " ;"])
def test_use_of_mysql_ends_at_its_line(end: str) -> None:
    query = "SELECT a FROM t\nUSE INDEX (i)\n/*\nUSE x\n*/;"
    text = f"SELECT 1\\G\nUSE shop{end}\n{query}\nuse other{end}\n"
    assert [part.text.strip() for part in split_script(text, "mysql") if part.text.strip()] == [
        "SELECT 1",
        "USE shop",
        query,
        "USE other",
    ]


@pytest.mark.parametrize("command", ["source f.sql", "SOURCE f.sql;", "\\. f.sql"])
def test_files_of_mysql_are_reported(command: str) -> None:
    parts = list(split_script(f"SELECT 1;\n{command}\nSELECT 2;", "mysql"))
    assert [part.reason for part in parts if part.reason] == [
        "the file that source names is not read"
    ]
    assert [part.text.strip() for part in parts if part.text] == ["SELECT 1;", "SELECT 2;"]
