"""A database with the functions of another version: no command reads or writes it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.events.builders import run_event
from support.services.command_line import answer, graph_of, run

import lineage
from lineage.errors import NotMigrated

if TYPE_CHECKING:
    from pathlib import Path

_graph = graph_of([run_event("r", "COMPLETE", 0, "load", ("raw",), ("clean",))])

COMMANDS = [
    "query clean", "query job load", "show clean", "runs", "impact raw", "search raw", "datasets",
    "stats", "rank", "plan", "cypher 'MATCH (n) RETURN n'", "events", "plan-documents", "status",
    "modes list", "token list", "forward list", "graph export",
    "ingest {directory}/events.jsonl", "graph import {directory}/graph.json",
    "modes set etl/load append", "rank --store", "rebuild", "replay --spark",
    "prune --before 2027-01 --yes", "archive --before 2027-01 --to {directory}/lake",
    "archive-runs --before 2027-01 --to {directory}/lake",
]  # fmt: skip


@pytest.fixture
def other_version(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("UPDATE lineage.function_set SET sha256 = 'of another version'")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_reads_and_writes_nothing(
    other_version: None, dsn: str, tmp_path: Path, command: str
) -> None:
    (tmp_path / "events.jsonl").write_text(run_event("new", "COMPLETE", 1, "load", ("raw",)))
    (tmp_path / "graph.json").write_text('{"nodes": [], "edges": []}')
    result = run(*shlex.split(command.format(directory=tmp_path)))
    assert (result.exit_code, result.stdout) == (2, "")
    assert "has the SQL functions of another version. Replace them: lineage migrate" in (
        result.stderr
    )
    with psycopg.connect(dsn) as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchall() == [(1,)]
    assert not (tmp_path / "lake").exists()


def test_a_migration_makes_it_readable(other_version: None) -> None:
    assert run("migrate").exit_code == 0
    assert "raw" in answer("query", "clean")


def test_python_reads_nothing(other_version: None, dsn: str) -> None:
    with pytest.raises(NotMigrated, match="the SQL functions of another version"):
        lineage.connect(dsn)
