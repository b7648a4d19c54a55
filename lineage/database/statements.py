"""SQL statements in ``.sql`` files beside their modules, and the types of their rows.

The statements of ``traces.py`` are in ``traces.sql``, each under a header and a description:

    -- name: select_runs(id, limit) -> RunRow
    -- The newest runs of a job.
    SELECT r.run_id, r.state FROM lineage.run r WHERE r.job = %(id)s LIMIT %(limit)s

The module declares it with the type of its rows, which the header names:

    _SQL = StatementFile(__file__)
    _SELECT_RUNS = _SQL.statement("select_runs", RunRow)

    for run in _SELECT_RUNS.fetch(conn, id=job, limit=20):
        print(run.run_id)

A row type is one of these:

- a NamedTuple, dataclass or msgspec Struct whose fields are the columns, in the same order and with
  the same names: each row is an instance of it;
- ``str``, ``int``, ``float``, ``bool`` or ``bytes``, for statements with one column: each row is
  its value;
- None, the default, for statements without rows.

Creating a NamedTuple for each of many rows takes time. ``_SQL.tuples("select_edges", EdgeRow)``
declares a statement that returns plain tuples of the same columns instead.

The file is read at the first use of a statement, not on import. A percent sign that does not begin
a parameter is written ``%%``.
"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import psycopg

    RowFactory: TypeAlias = Callable[[psycopg.Cursor[Any]], Callable[[Any], Any]]

Row = TypeVar("Row")

_NAME = "-- name:"
_HEADER = re.compile(r"-- name: (\w+)\(((?:\w+(?:, \w+)*)?)\) -> (\w+)")
_PERCENT = re.compile(r"%(?:%|\((\w+)\)[sbt]|)")
_SCALARS = (str, int, float, bool, bytes)


class StatementFile:
    """The ``.sql`` file beside a module, with the statements that the module declares."""

    def __init__(self, module: str) -> None:
        """Store the path of the file; ``module`` is the ``__file__`` of the module."""
        self.path = Path(module).with_suffix(".sql")
        self.declared: dict[str, Statement[Any]] = {}

    @overload
    def statement(self, name: str) -> Statement[None]: ...

    @overload
    def statement(
        self, name: str, row: type[Row], *, binary: bool = ..., prepare: bool | None = ...
    ) -> Statement[Row]: ...

    def statement(
        self,
        name: str,
        row: type[Any] | None = None,
        *,
        binary: bool = False,
        prepare: bool | None = None,
    ) -> Statement[Any]:
        """Declare the statement ``name`` with rows of the type ``row``.

        ``binary``: whether the server sends values in binary format. ``prepare`` is that of
        psycopg: if it is False, each call plans the statement for its values. Raises ValueError if
        the module has already declared the statement.
        """
        if name in self.declared:
            raise ValueError(f"{self.path}: {name} is declared twice in its module")
        statement = self.declared[name] = Statement(self, name, row)
        statement.binary, statement.prepare = binary, prepare
        return statement

    def tuples(
        self, name: str, row: type[tuple[Any, ...]], *, binary: bool = False
    ) -> Statement[tuple[Any, ...]]:
        """Declare the statement ``name``, whose rows are plain tuples of the columns of ``row``."""
        statement: Statement[Any] = self.statement(name, row, binary=binary)
        statement.row_factory = plain_rows
        return statement

    @cached_property
    def parse_texts(self) -> dict[str, tuple[str, str]]:
        """The row type and the SQL of each statement in the file, by name.

        Raises ValueError with file and line for an invalid statement.
        """
        return parse_statements(str(self.path), self.path.read_text("utf-8"))


class Statement(Generic[Row]):
    """A statement of a file, and the type of its rows."""

    def __init__(self, file: StatementFile, name: str, row: type[Row] | None) -> None:
        """Store the name and the row type; the docstring of the module lists the row types."""
        self.file = file
        self.name = name
        self.row = row
        self.binary = False
        self.prepare: bool | None = None

    @cached_property
    def text(self) -> str:
        """The SQL, to be executed with a mapping of parameters, even if it has none.

        Raises ValueError if the file has no such statement, or one with another row type.
        """
        if self.name not in self.file.parse_texts:
            raise ValueError(f"{self.file.path}: it has no statement {self.name}")
        named, text = self.file.parse_texts[self.name]
        declared = self.row.__name__ if self.row else "None"
        if named != declared:
            raise ValueError(
                f"{self.file.path}: rows of {self.name} are {named} in its header and {declared} in"
                " its module"
            )
        return text

    @cached_property
    def row_factory(self) -> RowFactory:
        """The row factory of psycopg that creates rows of the type ``row``."""
        from psycopg import rows

        if self.row is None:
            return rows.tuple_row
        if self.row in _SCALARS:
            return rows.scalar_row
        if issubclass(self.row, tuple):
            make: Callable[[Any], Row] = self.row._make  # type: ignore[attr-defined]
            return lambda _: make
        return rows.args_row(self.row)

    def execute(self, conn: psycopg.Connection[Any], /, **params: object) -> psycopg.Cursor[Row]:
        """Execute the statement and return the cursor of its rows."""
        cursor = conn.cursor(row_factory=self.row_factory, binary=self.binary)
        return cursor.execute(self.text, params, prepare=self.prepare)

    def stream_rows(self, conn: psycopg.Connection[Any], /, **params: object) -> Generator[Row]:
        """Yield the rows as they arrive, for results larger than memory.

        The connection executes nothing else, not even a rollback, until the last row has been read
        or the generator is closed.
        """
        cursor = conn.cursor(row_factory=self.row_factory)
        yield from cursor.stream(self.text, params, binary=self.binary)

    def fetch(self, conn: psycopg.Connection[Any], /, **params: object) -> list[Row]:
        """Return all rows of the statement."""
        return self.execute(conn, **params).fetchall()

    def fetch_one(self, conn: psycopg.Connection[Any], /, **params: object) -> Row | None:
        """Return the first row of the statement, or None if it has no rows."""
        return self.execute(conn, **params).fetchone()


def plain_rows(cursor: psycopg.Cursor[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return plain tuples as rows: a row factory of psycopg."""
    from psycopg.rows import tuple_row

    return tuple_row(cursor)


def parse_statements(path: str, text: str) -> dict[str, tuple[str, str]]:
    """Return the row type and the SQL of each statement of a file, by name.

    Raises ValueError with file and line for an invalid or duplicate header, and for a missing
    description or body. The same applies to parameters that are not declared or not used.
    """
    lines = text.splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith(_NAME)]
    if any(line and not line.startswith("--") for line in lines[: (starts or [len(lines)])[0]]):
        raise ValueError(f"{path}:1: SQL before the first header, {_NAME}")
    statements: dict[str, tuple[str, str]] = {}
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        place = f"{path}:{start + 1}"
        header = _HEADER.fullmatch(lines[start])
        if header is None:
            raise ValueError(
                f"{place}: a header is {_NAME} select_runs(id, limit) -> RunRow; this is"
                f" {lines[start]}"
            )
        name, params, row = header.groups()
        if name in statements:
            raise ValueError(f"{place}: there is a statement {name} above")
        statements[name] = row, _read_body(place, name, lines[start + 1 : end])
        _check_params(place, name, statements[name][1], set(params.split(", ")) - {""})
    return statements


def _read_body(place: str, name: str, lines: list[str]) -> str:
    """Return the SQL after the description."""
    described = next((n for n, line in enumerate(lines) if not line.startswith("--")), len(lines))
    if not described:
        raise ValueError(f"{place}: {name} has no description: a line that begins with --")
    body = "\n".join(lines[described:]).strip()
    if not body:
        raise ValueError(f"{place}: {name} has no body")
    return body


def _check_params(place: str, name: str, body: str, declared: set[str]) -> None:
    """Raise ValueError unless the body has the parameters that the header declares."""
    used = set()
    for match in _PERCENT.finditer(body):
        if match[0] == "%":
            raise ValueError(f"{place}: {name} has a % that is no parameter: write %%")
        if match[1]:
            used.add(match[1])
    if unknown := sorted(used - declared):
        raise ValueError(f"{place}: {name} uses {', '.join(unknown)}, not declared in its header")
    if unused := sorted(declared - used):
        raise ValueError(f"{place}: {name} declares {', '.join(unused)} and does not use it")
