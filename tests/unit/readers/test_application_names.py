"""Application names that a task gives its connections, and what an import reads from them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from lineage_cli import main

import lineage
from lineage.errors import UsageError
from lineage.readers.application_names import split_name

if TYPE_CHECKING:
    from uuid import UUID

RUN = "0190c0de-0000-7000-8000-000000000001"
JOBS = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x17F), min_size=1, max_size=30
).filter(lambda job: "::" not in job and job.isprintable() and bool(job.strip()) and job[-1] != ":")


@given(JOBS, st.none() | st.uuids())
def test_an_import_reads_the_job_and_the_run_that_the_task_gave(job: str, run: UUID | None):
    name = lineage.application_name(job, run and str(run))
    assert split_name(name) == (job, str(run) if run else "")


def test_a_run_id_above_the_maximum_length_is_omitted():
    """PostgreSQL would cut the id within, and the import would take it for a part of the job."""
    assert lineage.application_name("load", RUN, longest=63) == f"python_task::load::{RUN}"
    assert lineage.application_name("load" * 10, RUN, longest=63) == f"python_task::{'load' * 10}"


@pytest.mark.parametrize("job", ["", " ", "a::b", "a\nb", "x" * 200])
def test_a_name_that_an_import_would_read_otherwise_is_rejected(job: str):
    with pytest.raises(UsageError):
        lineage.application_name(job)


def test_the_script_records_ends_of_statements_of_named_applications_only():
    shown = CliRunner().invoke(main, ["import", "xevents", "--script"])
    assert shown.exit_code == 0, shown.stderr
    events = set(re.findall(r"ADD EVENT sqlserver\.(\w+)", shown.stdout))
    assert events >= {
        "sql_statement_completed", "sp_statement_completed", "rpc_completed",
        "sql_batch_completed", "error_reported", "logout",
    }  # fmt: skip
    assert not {event for event in events if event.endswith("_starting")}
    assert "N'python[_]task::%'" in shown.stdout  # a bare _ would match any character


def test_a_prefix_cannot_end_the_literal_of_the_script():
    shown = CliRunner().invoke(main, ["import", "xevents", "--script", "--app-prefix", "x'; --"])
    assert shown.exit_code == 2
