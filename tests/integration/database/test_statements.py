"""Statements of files in PostgreSQL: their columns are the fields of their row types."""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from support.source.statement_files import NAMES, PATHS, file_of, module_of

from lineage.database.statements import Statement, StatementFile
from lineage.query.records import Dataset

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg

    Connection = psycopg.Connection[tuple[object, ...]]


class Thing(NamedTuple):
    number: int
    text: str


@dataclasses.dataclass
class Record:
    number: int
    text: str


THINGS = """\
-- name: select_things(least) -> Thing
-- Numbers.
SELECT n AS number, n || '%%' AS text FROM generate_series(1, 3) AS n WHERE n >= %(least)s

-- name: select_records(least) -> Record
-- The same.
SELECT n AS number, n || '%%' AS text FROM generate_series(1, 3) AS n WHERE n >= %(least)s

-- name: select_datasets() -> Dataset
-- One.
SELECT 1 AS id, 'file' AS namespace, '/a' AS name

-- name: select_texts(least) -> str
-- The texts alone.
SELECT n || '%%' AS text FROM generate_series(1, 3) AS n WHERE n >= %(least)s

-- name: set_time() -> None
-- No rows.
SET statement_timeout = '7s'
"""


@pytest.fixture
def things(tmp_path: Path) -> StatementFile:
    (tmp_path / "things.sql").write_text(THINGS)
    return StatementFile(str(tmp_path / "things.py"))


def test_rows_are_what_the_statement_declares(conn: Connection, things: StatementFile):
    select = things.statement("select_things", Thing)
    assert select.fetch(conn, least=2) == [Thing(2, "2%"), Thing(3, "3%")]
    assert select.fetch(conn, least=4) == []
    assert [row.text for row in select.execute(conn, least=3)] == ["3%"]
    assert select.fetch_one(conn, least=2) == Thing(2, "2%")
    assert select.fetch_one(conn, least=4) is None

    records = things.statement("select_records", Record)
    assert records.fetch(conn, least=3) == [Record(3, "3%")]
    datasets = things.statement("select_datasets", Dataset)
    assert datasets.fetch(conn) == [Dataset(1, "file", "/a")]
    assert things.statement("select_texts", str).fetch(conn, least=2) == ["2%", "3%"]


def test_rows_that_stay_tuples(conn: Connection, things: StatementFile):
    [row] = things.tuples("select_things", Thing).fetch(conn, least=3)
    assert (type(row), row) == (tuple, (3, "3%"))


def test_a_statement_without_rows(conn: Connection, things: StatementFile):
    things.statement("set_time").execute(conn)
    assert conn.execute("SHOW statement_timeout").fetchall() == [("7s",)]


def columns_of(conn: Connection, statement: Statement[Any]) -> list[str]:
    """Return the columns of a statement without running it."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return f"${numbers.setdefault(match[1], len(numbers) + 1)}" if match[1] else "%"

    text = re.sub(r"%(?:%|\((\w+)\)[sbt])", number, statement.text)
    prepared = conn.pgconn.prepare(b"described", text.encode())
    assert not prepared.error_message, f"{statement.name}: {prepared.error_message.decode()}"
    described = conn.pgconn.describe_prepared(b"described")
    conn.execute("DEALLOCATE described")
    return [(described.fname(n) or b"").decode() for n in range(described.nfields)]


def fields_of(row: Any) -> list[str]:
    """Return the fields of a row type of several columns."""
    if dataclasses.is_dataclass(row):
        return [field.name for field in dataclasses.fields(row)]
    return [*(row._fields if issubclass(row, tuple) else row.__struct_fields__)]


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_columns_are_the_fields_of_the_row_type(conn: Connection, path: Path):
    differ = {}
    for statement in file_of(module_of(path)).declared.values():
        columns = columns_of(conn, statement)
        if statement.row is None:
            expected: object = []
        elif statement.row in (str, int, float, bool, bytes):
            expected = columns[:1]
        else:
            expected = fields_of(statement.row)
        if columns != expected:
            differ[statement.name] = columns, expected
    assert differ == {}
