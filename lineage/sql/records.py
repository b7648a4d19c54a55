"""Inputs, outputs and definitions of a SQL statement, as far as its text alone shows them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import msgspec

if TYPE_CHECKING:
    from lineage.columns.compaction import ColumnLineage
else:  # msgspec evaluates the types of fields. No stored statement has columns.
    ColumnLineage = Any

# Server, database, schema and table; shorter if the text has fewer. "" is an omitted part: db..t.
Name: TypeAlias = tuple[str, ...]
# A value that is no default although it is empty.
_EMPTY_PATH = "search_path", ()
_FLAGS = frozenset({"from_files", "is_view", "from_variables"})
# The end of the kind of a statement that leaves a table as it is if there is one.
IF_ABSENT = " IF NOT EXISTS"
# The kind of a statement that declares a table variable of T-SQL.
DECLARE_TABLE = "DECLARE TABLE"
# The kind of a DELETE of all rows of a table.
DELETE_ALL = "DELETE ALL"
# The kind of a statement that empties partitions; other rows remain.
TRUNCATE_PARTITION = "TRUNCATE PARTITION"
Mode: TypeAlias = Literal[
    "create", "overwrite", "overwrite_partitions", "append", "update", "merge", "delete"
]
# Modes of statements that write values of the client, unless they name sources or files.
CLIENT_MODES: tuple[Mode, ...] = ("append", "update", "merge", "overwrite", "overwrite_partitions")


@dataclass(frozen=True)
class Flow:
    """A table whose rows or definition a statement changes, and the tables that its values use.

    ``mode`` is ``create`` (a new table or view), ``overwrite`` (all rows replaced),
    ``overwrite_partitions`` (other partitions remain), ``append``, ``update``, ``merge`` (rows
    matched by a key) or ``delete``. ``from_files``: the database reads
    the rows from files, so that the client does not send them. ``columns`` are the sources of the
    columns, if a session traced them; ``written_columns.encode_table`` names their tables.
    ``is_view``: the statement defined a view, which has no rows of its own. ``from_variables``: the
    statement uses variables, whose tables are sources too.
    """

    target: Name
    sources: tuple[Name, ...]
    mode: Mode
    from_files: bool = False
    columns: ColumnLineage | None = field(default=None, compare=False)
    is_view: bool = False
    from_variables: bool = False


@dataclass(frozen=True)
class View:
    """The definition of a view."""

    name: Name
    sources: tuple[Name, ...]


@dataclass(frozen=True)
class Call:
    """A call of a routine; ``statements`` are those in a text that is its argument.

    ``target`` is the table that receives the rows, in ``INSERT INTO t EXEC p``.
    """

    routine: Name
    statements: tuple[Statement, ...] = ()
    target: Name | None = None


@dataclass(frozen=True)
class Routine:
    """The definition of a procedure, function or trigger with the statements of its body."""

    name: Name
    statements: tuple[Statement, ...]


@dataclass(frozen=True)
class Handle:
    """A prepared statement, by its number or name.

    ``action`` is ``prepare``, ``execute`` or ``release``; a statement that prepares and executes
    has its statements in ``Statement.calls`` too.
    """

    action: Literal["prepare", "execute", "release"]
    key: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True)
class Savepoint:
    """A savepoint that a statement sets, releases, or returns to by a ROLLBACK.

    So is a transaction of PostgreSQL that PREPARE TRANSACTION keeps, until COMMIT PREPARED or
    ROLLBACK PREPARED; its ``name`` is a digest of the literal.
    """

    action: Literal["set", "return", "release", "prepare", "commit", "rollback"]
    name: str


class Branch(NamedTuple):
    """An arm of IF or CASE, a loop, or a block with its handlers of errors.

    The arms of one statement have its ``number``. ``is_optional``: whether none of the arms with
    statements may be executed. ``is_handled``: whether the later arms handle errors of the first.
    ``leads_to``: the loop at whose end a jump leaves the arm, or 0 for the end of the text; None if
    what follows the block is next.
    """

    number: int
    arm: int = 0
    is_optional: bool = True
    is_handled: bool = False
    leads_to: int | None = None


@dataclass(frozen=True)
class Statement:
    """A statement as a function of its text and its dialect.

    ``reads`` are all tables that the statement reads, also those that flow into no output.
    ``temporary`` are the outputs that exist in the session only. ``use`` is the database, or
    database and schema, that it makes the current ones; ``may_use`` if that is not certain.
    ``search_path`` is the result of SET search_path. It and temporary tables may last until the
    ``commit``, or until a routine ``return``s. ``resets`` is what returns to the state of the start
    of the session. ``attaches`` is a database with the schema that it has from the start.
    ``chains``: whether the end of a transaction begins the next one. ``renames`` are one after the
    other, or at once if the statement ``swaps`` two tables.
    ``branches`` are those of its text in which it is, the outermost first.
    ``functions`` are those in queries that are not part of the database: they may read or write
    tables. ``may_call`` are those of which only a routine that is known shows whether they are.
    Each item of ``unresolved`` is a sentence that names what the text alone
    does not determine; the other fields then have what is certain. No field has a literal of the
    text, except names of tables.
    """

    kind: str
    shape: str = ""
    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    temporary: tuple[Name, ...] = ()
    drops: tuple[Name, ...] = ()
    renames: tuple[tuple[Name, Name], ...] = ()
    swaps: bool = False
    calls: tuple[Call, ...] = ()
    functions: tuple[Name, ...] = ()
    may_call: tuple[Name, ...] = ()
    declares: tuple[View, ...] = ()
    routine: Routine | None = None
    use: Name | None = None
    may_use: Name | None = None
    search_path: tuple[str, ...] | None = None
    lasts_until: Literal["", "commit", "return"] = ""
    resets: tuple[Literal["search_path", "tables", "handles"], ...] = ()
    attaches: Name | None = None
    detaches: str = ""
    transaction: Literal["", "begin", "commit", "rollback"] = ""
    chains: bool = False
    autocommit: Literal["", "on", "off"] = ""
    savepoint: Savepoint | None = None
    handle: Handle | None = None
    unresolved: tuple[str, ...] = ()
    branches: tuple[Branch, ...] = ()

    @property
    def written_tables(self) -> tuple[Name, ...]:
        """The outputs, each once, in the order of the text."""
        return tuple(dict.fromkeys(flow.target for flow in self.flows))

    @property
    def empties_tables(self) -> bool:
        """Whether the outputs have no rows after the statement."""
        return self.kind in ("TRUNCATE", DELETE_ALL)


def statement_to_json(statement: Statement) -> dict[str, Any]:
    """Return the statement as JSON values, without the fields that have their default."""
    fields = asdict(statement, dict_factory=_drop_columns)
    return {key: value for key, value in fields.items() if value or (key, value) == _EMPTY_PATH}


def _drop_columns(items: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of a record without the columns that only a session traces.

    Flags of flows are left out where they are false, and jumps of branches where there is none, so
    that old and new statements are equal: the key of a stored row has a digest of this JSON.
    """
    return {
        key: tuple(map(_without_jump, value)) if key == "branches" else value
        for key, value in items
        if key != "columns" and (value or key not in _FLAGS)
    }


def _without_jump(branch: Branch) -> tuple[object, ...]:
    return branch[:-1] if branch.leads_to is None else branch


def statement_from_json(value: dict[str, Any]) -> Statement:
    """Return the statement that `statement_to_json` wrote."""
    return msgspec.convert(value, Statement)
