"""Files of query logs: their forms, and those that have no rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.log_files import read_file

from lineage.readers.query_logs.forms.form import Reading
from lineage.readers.query_logs.forms.known import NAMES
from lineage.readers.query_logs.sources import Files

if TYPE_CHECKING:
    from pathlib import Path


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
