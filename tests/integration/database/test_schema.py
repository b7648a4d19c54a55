"""The schema of a fresh database equals the recorded schema, for every owner."""

from __future__ import annotations

import difflib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from support.source.schema_snapshot import schema_of

from lineage.database import migrations

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[object, ...]]

WRITTEN = Path(__file__).with_name("schema.sql")
REWRITE = "REWRITE_SCHEMA"


def difference(written: str, now: str) -> str:
    lines = difflib.unified_diff(written.splitlines(), now.splitlines(), "written", "now", n=0)
    return "\n".join(lines)


def test_the_schema_is_the_one_that_is_written_down(conn: Connection) -> None:
    now = schema_of(conn, bodies=False)
    if REWRITE in os.environ:
        WRITTEN.write_text(now)
    changed = difference(WRITTEN.read_text(), now)
    assert not changed, f"{changed}\nIf that is meant: {REWRITE}=1 pytest {__file__}"


def test_functions_that_are_replaced_stay_what_they_are(conn: Connection) -> None:
    before = schema_of(conn)
    conn.execute("UPDATE lineage.function_set SET sha256 = 'of another version'")

    assert migrations.apply_pending(conn) == ["functions"]

    assert difference(before, schema_of(conn)) == ""
    assert migrations.apply_pending(conn) == []


def test_each_function_is_defined_once() -> None:
    place = Path(migrations.__file__).parents[2] / "migrations"
    defined = [
        " ".join(line.split("(")[0].split()[-1:])
        for file in (place / "0001_schema.sql", *sorted((place / "functions").glob("*.sql")))
        for line in file.read_text().splitlines()
        if line.startswith(("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION"))
    ]
    assert {name for name in defined if defined.count(name) > 1} == set()
