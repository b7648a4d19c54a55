"""Files of query logs: their forms, and those that have no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.log_files import read_file

from lineage.errors import UsageError
from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.known import NAMES
from lineage.readers.query_logs.sources import Files

if TYPE_CHECKING:
    from pathlib import Path

    from lineage.errors import InvalidEvent


def test_csv_with_the_columns_of_the_generic_form_is_recognized(tmp_path: Path):
    path = tmp_path / "log.csv"
    path.write_text("time,job,session,text\n2026-01-05T06:00:00Z,load,1,DELETE FROM t\n")
    [row], bad = read_file(path, "generic")
    assert (row.job, row.session, row.text, bad) == ("load", "1", "DELETE FROM t", [])


@pytest.mark.parametrize("form", NAMES)
@pytest.mark.parametrize("text", ["first,second\n1,2\n", '[{"first": 1}]', "first,second\n"])
def test_a_file_without_rows_of_the_named_form_is_reported(tmp_path: Path, form: str, text: str):
    path = tmp_path / "log"
    path.write_text(text)
    files = Files.find_files((str(path),), form)
    assert list(files.read_rows(Reading(lambda _: None), [])) == []
    assert files.without_rows == [(str(path), form)]


def test_rows_that_are_passed_over_are_rows_of_the_form(tmp_path: Path):
    path = tmp_path / "jobs.csv"
    path.write_text("job_id,end_time,referenced_tables,destination_table\nj1,,,\n")
    files = Files.find_files((str(path),), "bigquery")
    assert list(files.read_rows(Reading(lambda _: None), [])) == []
    assert files.without_rows == []


def test_a_log_of_a_directory_may_have_no_rows(tmp_path: Path):
    """A server writes logs also while no client is connected."""
    (tmp_path / "log.csv").write_text("time,job,session,text\n")
    files = Files.find_files((str(tmp_path),), None)
    assert list(files.read_rows(Reading(lambda _: None), [])) == []
    assert files.without_rows == []


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-30 15:38:36.123 UTC [811] LOG:  starting PostgreSQL 15.18, compiled by gcc\n",
        "2026-11-30 15:38:36.123 UTC [811] etl@shop LOG:  statement: select a, b from t\n",
    ],
)
def test_the_plain_text_of_postgresql_is_no_csvlog(tmp_path: Path, line: str):
    """It is left out beside other logs. Alone, it is reported with the setting."""
    text, other = tmp_path / "postgresql.log", tmp_path / "z.csv"
    text.write_text(line)
    with pytest.raises(UsageError, match="plain text") as raised:
        list(Files.find_files((str(text),), None).read_rows(Reading(lambda _: None), []))
    assert raised.value.hint == "Set log_destination = 'jsonlog' on the server."
    for expected in (1, 0):
        bad: list[InvalidEvent] = []
        files = Files.find_files((str(tmp_path),), None)
        assert list(files.read_rows(Reading(bad.append), [])) == []
        assert (files.omitted, len(bad)) == ([str(text)], expected)
        other.write_text("time,job,session,text\n")
