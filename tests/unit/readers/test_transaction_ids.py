"""Ids of transactions in logs of PostgreSQL: which statements an error undoes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.postgres_logs import error, plan, read_run, read_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

A, B, C = (f"INSERT INTO public.{name} SELECT * FROM public.s" for name in "abc")
CHAIN = "COMMIT AND CHAIN"
RETURN = "ROLLBACK TO SAVEPOINT p"


def tables(outputs: dict[str, frozenset[str]]) -> set[str]:
    return {name.rpartition(".")[2] for name in outputs}


def duration(vxid: str, text: str, **fields: str) -> dict[str, str]:
    """Return a line of log_min_duration_statement, with the id after the statement."""
    return {"message": f"duration: 1.5 ms  statement: {text}", "vxid": vxid, **fields}


def started(vxid: str, text: str, **fields: str) -> dict[str, str]:
    """Return a line of log_statement, with the id before the statement."""
    return {"message": f"statement: {text}", "vxid": vxid, **fields}


def failed(vxid: str, text: str, **fields: str) -> dict[str, str]:
    return error(text, vxid=vxid, **fields)


@pytest.mark.parametrize(
    "lines",
    [
        [duration("5/1", "BEGIN"), duration("5/1", A), duration("5/2", CHAIN), duration("5/2", B)],
        [started("5/1", "BEGIN"), started("5/1", A), started("5/1", CHAIN), started("5/2", B)],
    ],
)
def test_an_error_after_commit_and_chain_does_not_undo_the_commit(
    tmp_path: Path, lines: list[dict[str, str]]
):
    run = read_run(tmp_path, *lines, failed("5/2", "SELECT 1/0"), duration("5/0", "ROLLBACK"))
    assert tables(run.outputs) == {"a"}
    lines = [*lines, failed("5/2", "SELECT 1/0"), duration("5/0", "COMMIT"), duration("5/0", C)]
    assert tables(read_run(tmp_path, *lines).outputs) == {"a", "c"}


def test_an_error_does_not_undo_what_a_block_wrote_before_a_pause_and_a_savepoint(tmp_path: Path):
    """The statements after the pause have the id of a BEGIN that is in the part before it."""
    before = [started("3/8", "BEGIN"), started("3/8", A)]
    texts = ["SELECT 2", B, "SAVEPOINT p", "SELECT 1/0"]
    after = [started("3/8", each) for each in texts]
    after += [failed("3/8", "SELECT 1/0")]
    after += [started("3/8", each) for each in (RETURN, C, "COMMIT")]
    late = [
        {**each, "application_name": "night", "timestamp": f"2026-01-31 02:00:{number:02}.123 UTC"}
        for number, each in enumerate(after)
    ]
    runs = read_runs(tmp_path, *before, *late)
    written = [name for run in runs.values() for name in run.outputs]
    assert tables(dict.fromkeys(written, frozenset())) == {"a", "b", "c"}


def test_a_transaction_that_began_before_the_log_is_a_block(tmp_path: Path):
    begin = [started("3/8", A), started("3/8", "SAVEPOINT p"), started("3/8", B)]
    begin += [failed("3/8", "SELECT 1/0"), started("3/8", RETURN), started("3/8", C)]
    assert tables(read_run(tmp_path, *begin, started("3/8", "COMMIT")).outputs) == {"a", "c"}
    assert read_run(tmp_path, *begin, started("3/8", "ROLLBACK")).outputs == {}


def test_a_rollback_undoes_a_transaction_that_began_before_the_log(tmp_path: Path):
    run = read_run(tmp_path, started("3/8", A), started("3/8", "ROLLBACK"), started("3/9", B))
    assert tables(run.outputs) == {"b"}


def test_what_a_rollback_to_an_earlier_savepoint_undoes_is_not_known(tmp_path: Path):
    run = read_run(tmp_path, *(started("3/8", each) for each in (A, RETURN, B, "COMMIT")))
    assert run.unresolved == {"what a ROLLBACK to the savepoint p undoes is not known"}
    assert "b" in tables(run.outputs)


def test_a_failed_commit_undoes_a_transaction_that_began_before_the_log(tmp_path: Path):
    lines = [duration("3/8", A), failed("3/8", "COMMIT"), duration("3/0", B)]
    assert tables(read_run(tmp_path, *lines).outputs) == {"b"}


TEXT = f"BEGIN; {A}; COMMIT; {B}; SELECT 1/0"
DOUBT = "it is not known which statements of the failed text its COMMIT committed"


@pytest.mark.parametrize("show", [started, lambda vxid, text: plan(text, vxid=vxid)])
def test_an_error_in_a_later_transaction_of_a_text_does_not_undo_its_commit(
    tmp_path: Path, show: Callable[[str, str], dict[str, str]]
):
    run = read_run(tmp_path, show("3/8", TEXT), failed("3/9", TEXT), duration("3/0", C))
    assert (tables(run.outputs), run.unresolved) == ({"a", "c"}, frozenset())
    run = read_run(tmp_path, show("3/8", TEXT), failed("3/8", TEXT), duration("3/0", C))
    assert tables(run.outputs) == {"c"}
    text = f"BEGIN; {A}; COMMIT; {B}; COMMIT; SELECT 1/0"
    run = read_run(tmp_path, show("3/8", text), failed("3/9", text))
    assert (tables(run.outputs), run.unresolved) == ({"a"}, {DOUBT})


def test_what_a_text_committed_is_not_known_without_the_row_of_its_start(tmp_path: Path):
    run = read_run(tmp_path, failed("3/9", TEXT))
    assert (run.outputs, run.unresolved) == ({}, {DOUBT})
    assert read_run(tmp_path, failed("3/9", f"BEGIN; {A}; COMMIT")).unresolved == frozenset()


def test_a_savepoint_of_a_sample_holds_back_no_later_writes(tmp_path: Path):
    """A threshold or a sample leaves out BEGIN and COMMIT, of which ids show the end."""
    lines = [duration("5/1", "SAVEPOINT p"), duration("5/1", A), duration("5/2", B)]
    run = read_run(tmp_path, *lines, duration("5/0", C))
    assert (tables(run.outputs), run.unresolved) == ({"a", "b", "c"}, frozenset())
    assert tables(read_run(tmp_path, *lines[:2], duration("5/0", C)).outputs) == {"a", "c"}
    assert tables(read_run(tmp_path, *lines[:2]).outputs) == {"a"}
    lines = [duration("5/1", RETURN), duration("5/1", B), duration("5/2", C)]
    assert tables(read_run(tmp_path, *lines).outputs) == {"b", "c"}


@pytest.mark.parametrize(
    "rollback",
    [
        duration("5/0", "ROLLBACK"),
        duration("5/0", f"{C}; ROLLBACK"),
        duration("5/2", "ROLLBACK AND CHAIN"),
        duration("5/2", "ROLLBACK; BEGIN"),
    ],
)
def test_a_rollback_whose_line_has_the_id_after_it_undoes_the_transaction(
    tmp_path: Path, rollback: dict[str, str]
):
    lines = [duration("5/1", "SAVEPOINT p"), duration("5/1", A), rollback]
    assert read_run(tmp_path, *lines, duration("5/0", "COMMIT")).outputs == {}


def test_a_rollback_of_a_later_text_undoes_no_earlier_transaction(tmp_path: Path):
    lines = [started("5/1", "SAVEPOINT p"), started("5/1", A), started("5/2", f"{B}; ROLLBACK")]
    assert tables(read_run(tmp_path, *lines).outputs) == {"a"}


def test_a_transaction_that_began_before_the_log_counts_before_and_after_a_pause(tmp_path: Path):
    before = [started("3/8", each) for each in (A, "SAVEPOINT p", B, RETURN)]
    after = [
        {**started("3/8", each), "timestamp": f"2026-01-31 02:00:{number:02}.123 UTC"}
        for number, each in enumerate((C, "COMMIT"))
    ]
    late = [{**each, "application_name": "night"} for each in after]
    runs = read_runs(tmp_path, *before, *late)
    written = {job: tables(run.outputs) for job, run in runs.items() if job in ("etl", "night")}
    assert written == {"etl": {"a"}, "night": {"c"}}
    assert not any(run.unresolved for run in runs.values())
