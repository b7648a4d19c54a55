"""The catalog of a server, which all of its sessions share."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from lineage.sql.dialects import TSQL
from lineage.sql.names import fold_stored, ignore_case, index_names
from lineage.sql.records import Statement
from lineage.sql.session_columns import ColumnTracer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lineage.sql.effects import Effect
    from lineage.sql.qualified_names import Place
    from lineage.sql.records import Name, Routine

_MEMORY_SIZE = 20_000
# Dialects in which the names in a body are completed by the database of the routine, and the
# number of parts of a routine's full name. In others, they are completed as in the session.
_OWN_DATABASE = {**dict.fromkeys(TSQL, 3), "mysql": 2}
# The beginning of the body of a routine of Oracle with PRAGMA AUTONOMOUS_TRANSACTION.
AUTONOMOUS = Statement("AUTONOMOUS TRANSACTION")
_PARTS = 3  # of a full name: database, schema and table
_Key: TypeAlias = "tuple[int, str, str | None, tuple[str, ...], tuple[Name, ...]]"


class RoutineBody(NamedTuple):
    """The body of a routine; ``database`` is that of its tables, None for that of the session."""

    statements: Sequence[Statement]
    database: str | None = None

    @property
    def is_autonomous(self) -> bool:
        """Whether the body has a transaction of its own, which its caller does not undo."""
        return AUTONOMOUS in self.statements[:1]


@dataclass(frozen=True)
class Catalog:
    """The columns of tables and the bodies of routines of a server, by full names.

    ``declared`` are routines that scripts create. Sessions of a server share its catalog, because
    it caches the results of their look-ups.
    """

    columns: Mapping[Name, Sequence[str]] = field(default_factory=dict)
    routines: Mapping[Name, tuple[Statement, ...]] = field(default_factory=dict)
    declared: Mapping[Name, tuple[Statement, ...]] = field(default_factory=dict)
    # With the statement itself, so that no other has its id.
    _effects: dict[_Key, tuple[Statement, Effect]] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @cached_property
    def tracer(self) -> ColumnTracer:
        """Traces columns by those of the tables."""
        return ColumnTracer(self.columns)

    @cached_property
    def schemas_of_tables(self) -> dict[tuple[str, str], set[str]]:
        """The schemas that have a table, by its database and its name."""
        schemas: dict[tuple[str, str], set[str]] = {}
        for database, schema, table in (name for name in self.columns if len(name) == _PARTS):
            schemas.setdefault((database, table), set()).add(schema)
        return schemas

    @cached_property
    def known_schemas(self) -> set[tuple[str, str]]:
        """The schemas with tables, each with its database."""
        return {(name[0], name[1]) for name in self.columns if len(name) == _PARTS}

    @cached_property
    def folded_routines(self) -> dict[Name, Name | None]:
        """The names of routines by their parts without case; None if two differ by case only."""
        return index_names(self.routines)

    def find_routine(
        self, name: Name, place: Place, created: Mapping[Name, Sequence[Statement]]
    ) -> RoutineBody | None:
        """Return the routine of a name at a place; None if it is not known.

        ``created`` are the bodies of routines that the session created.
        """
        complete = place.complete_name(name)
        for known in (created, self.declared):
            if complete in known:
                return _body_of(complete, known[complete], place)
        complete = replace(place, tables=self.routines, schemas_of_tables={}).complete_name(name)
        if complete not in self.routines:
            complete = self.folded_routines.get(ignore_case(complete)) or ()
        return _body_of(complete, self.routines[complete], place) if complete else None

    def choose_body(
        self, name: Name, routine: Routine, created: tuple[Statement, ...] | None, dialect: str
    ) -> tuple[Statement, ...]:
        """Return the body of a new routine; of overloaded ones, it is not known which one runs.

        ``created`` is the body that the session created before. T-SQL and MySQL do not overload.
        """
        before = self.routines.get(name) if created is None else created
        if before in (None, routine.statements) or dialect in _OWN_DATABASE:
            return routine.statements
        return undetermined_body(name)

    def find_effect(self, statement: Statement, place: Place) -> Effect | None:
        """Return the remembered effect of a statement that does not depend on its session."""
        known = self._effects.get(_key_of(statement, place))
        return known[1] if known is not None else None

    def remember_effect(self, statement: Statement, place: Place, effect: Effect) -> None:
        """Remember the effect of a statement at a place, unless it depends on its session."""
        if is_independent(statement):
            if len(self._effects) >= _MEMORY_SIZE:
                self._effects.clear()
            self._effects[_key_of(statement, place)] = statement, effect


def undetermined_body(name: Name, number: int | None = None) -> tuple[Statement, ...]:
    """Return the body of a name that several routines have, ``number`` of them."""
    several = "routines" if number is None else f"{number} routines"
    reason = f"which of the {several} {'.'.join(name)} runs is not known"
    return (Statement("CALL", unresolved=(reason,)),)


def _body_of(name: Name, statements: Sequence[Statement], place: Place) -> RoutineBody:
    has_database = len(name) == _OWN_DATABASE.get(place.dialect)
    return RoutineBody(statements, fold_stored(name[0], place.dialect) if has_database else None)


def is_independent(statement: Statement) -> bool:
    """Return whether a statement neither changes nor uses the state of a session without tables."""
    changes = (
        statement.temporary, statement.drops, statement.renames, statement.calls,
        statement.functions, statement.may_call, statement.declares, statement.handle,
        statement.use, statement.search_path, statement.savepoint, statement.transaction,
        statement.routine, statement.autocommit, statement.may_use, statement.resets,
        statement.attaches, statement.detaches,
    )  # fmt: skip
    return statement.kind not in ("ALTER", "REFRESH") and not any(
        change not in (None, (), "") for change in changes
    )


def _key_of(statement: Statement, place: Place) -> _Key:
    path = place.schemas if place.is_at_start else (*place.schemas, "")
    return id(statement), place.dialect, place.database, path, place.attached
