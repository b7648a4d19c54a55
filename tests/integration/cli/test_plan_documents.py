"""``lineage plan-documents``: the stored documents and their status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from lineage_cli import main

from lineage.plan_documents import queue, store

if TYPE_CHECKING:
    import psycopg

LINES = (Path(__file__).parents[2] / "golden/spools/batch.jsonl").read_bytes().splitlines()
NEWER = b'{"lineage": 9, "kind": "x", "time": 1, "app": {"run": "r"}}'


@pytest.fixture(autouse=True)
def _kept(conn: psycopg.Connection[Any], dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Store one converted, one rejected and one pending document, in this order."""
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    for line in (LINES[0], NEWER, LINES[1]):
        store.append_documents(conn, [store.read_document(line)])
        if line != LINES[1]:
            queue.convert_pending(conn)


def listed(*words: str) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["plan-documents", *words, "--format", "jsonl"])
    assert result.exit_code == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_newest_come_first_with_what_became_of_them() -> None:
    assert [(row["kind"], row["state"]) for row in listed()] == [
        ("execution_start", "pending"),
        ("x", "rejected"),
        ("application_start", "converted"),
    ]


def test_documents_are_listed_by_application_and_if_rejected() -> None:
    [failed] = listed("--rejected")
    assert (failed["application"], failed["kind"]) == ("r", "x")
    assert "has format 9" in failed["reason"]
    assert len(listed("--application", json.loads(LINES[0])["app"]["run"])) == 2


def test_the_documents_themselves_are_as_they_came() -> None:
    result = CliRunner().invoke(main, ["plan-documents", "--body", "--limit", "1"])
    assert result.stdout_bytes == LINES[1] + b"\n"
