"""Plans of auto_explain, and statements of one transaction without a BEGIN."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.postgres_logs import error, plan, read_run

if TYPE_CHECKING:
    from pathlib import Path

A, B = (f"INSERT INTO public.{name} SELECT * FROM public.s" for name in "ab")
FAILING = "INSERT INTO public.c SELECT 1/0"


def duration(text: str, **fields: str) -> dict[str, str]:
    return {"message": f"duration: 1.5 ms  execute <unnamed>: {text}", **fields}


def test_the_plans_of_a_text_that_failed_do_not_count(tmp_path: Path):
    """The server undoes all statements of the text; each plan has the whole text."""
    text = f"{A}; {B}; {FAILING}"
    lines = [plan(text, vxid="3/21"), plan(text, vxid="3/21"), error(text, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs == {}
    lines = [plan(A, vxid="3/20"), plan(text, vxid="3/21"), error(text, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.a"}


def test_a_plan_before_the_error_of_a_later_execution_counts(tmp_path: Path):
    lines = [plan(A, vxid="3/20"), error(A, vxid="3/21")]
    assert read_run(tmp_path, *lines).outputs.keys() == {"shop.public.a"}


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
