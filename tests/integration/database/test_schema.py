"""The schema of a fresh database, with the rights of each role, is the one that is written down."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from schema_snapshot import schema_of

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[object, ...]]

WRITTEN = Path(__file__).with_name("schema.sql")
REWRITE = "REWRITE_SCHEMA"


def difference(written: str, now: str) -> str:
    lines = difflib.unified_diff(written.splitlines(), now.splitlines(), "written", "now", n=0)
    return "\n".join(lines)


def test_the_schema_is_the_one_that_is_written_down(conn: Connection) -> None:
    now = schema_of(conn)
    if REWRITE in os.environ:
        WRITTEN.write_text(now)
    changed = difference(WRITTEN.read_text(), now)
    assert not changed, f"{changed}\nIf that is meant: {REWRITE}=1 pytest {__file__}"
