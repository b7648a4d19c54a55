"""The columns of outputs in a session: through temporary tables, with full names of tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from lineage.columns import algebra
from lineage.columns.algebra import FILTER, NOTHING, Deps, Field
from lineage.columns.compaction import ColumnLineage, bound_size, merge_columns
from lineage.sql.dialects import TSQL
from lineage.sql.names import ignore_case, index_names, is_session_name
from lineage.sql.records import DECLARE_TABLE
from lineage.sql.result_names import is_known_name
from lineage.sql.scopes import Unreadable
from lineage.sql.written_columns import (
    NO_TARGET,
    WrittenColumns,
    decode_table,
    encode_table,
    find_column,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.sql.qualified_names import Place
    from lineage.sql.records import Flow, Name, Statement

_UNRESOLVED = "columns: not all tables of the statement are known"
_VARIABLES = "columns: the values of variables are not traced"
_UNNAMED = "columns: a column without an alias has a name that the database generates"
_TRACED = (
    "CREATE TABLE",
    DECLARE_TABLE,
    "CREATE VIEW",
    "SELECT INTO",
    "INSERT",
    "UPDATE",
    "MERGE",
    "DELETE",
    "SELECT",
)


class Temporary(NamedTuple):
    """A temporary table: the tables whose rows it has, and its columns if they are known."""

    sources: tuple[Name, ...]
    columns: WrittenColumns | None = None
    drops_at_commit: bool = False

    def without_rows(self) -> Temporary:
        """Return the table with the same columns after its rows were removed."""
        columns = self.columns._replace(lineage=ColumnLineage()) if self.columns else None
        return self._replace(sources=(), columns=columns)

    def join_rows(self, other: Temporary) -> Temporary:
        """Return the table with the rows of either; only equal columns are known."""
        if other is self:  # as most tables are after a branch
            return self
        sources = tuple(dict.fromkeys((*self.sources, *other.sources)))
        columns = None
        if self.columns and other.columns and self.columns.names == other.columns.names:
            lineage = merge_columns(self.columns.lineage, other.columns.lineage)
            columns = self.columns._replace(lineage=lineage)
        return Temporary(sources, columns, self.drops_at_commit or other.drops_at_commit)


def join_tables(states: Iterable[dict[Name, Temporary]]) -> dict[Name, Temporary]:
    """Return the temporary tables that one of several ways may have left."""
    joined: dict[Name, Temporary] = {}
    for tables in states:
        for name, table in tables.items():
            joined[name] = joined[name].join_rows(table) if name in joined else table
    return joined


class TracedFlow(NamedTuple):
    """The columns of an output; ``reason``: why they are not known."""

    written: WrittenColumns | None = None
    reason: str = ""

    @property
    def column_lineage(self) -> ColumnLineage | None:
        if self.written is None:
            return None
        lineage = self.written.lineage
        named = {name: deps for name, deps in lineage.fields.items() if is_known_name(name)}
        return replace(lineage, fields=named)

    @property
    def _has_all_fields(self) -> bool:
        """Return whether variables determine only the choice of rows."""
        written = self.written if self.reason == _VARIABLES else None
        return written is not None and written.lineage.fields.keys() >= {*written.names}

    def write_temporary(
        self, before: Temporary | None, sources: Iterable[Name], mode: str
    ) -> Temporary:
        """Return a temporary table after the write; unknown columns stay unknown."""
        all_sources = tuple(dict.fromkeys((*(before.sources if before else ()), *sources)))
        if before is None:
            written = self.written
            return Temporary(all_sources, written if written and written.is_whole else None)
        if before.columns is None or (self.reason and not self._has_all_fields):
            return Temporary(all_sources)
        if self.written is None:
            return Temporary(all_sources, before.columns)
        lineage = merge_columns(before.columns.lineage, self.written.lineage)
        return Temporary(all_sources, before.columns._replace(lineage=lineage))


NOT_TRACED = TracedFlow()


@dataclass
class ColumnTracer:
    """Traces the columns of outputs by the columns of a catalog and of temporary tables."""

    columns: Mapping[Name, Sequence[str]]

    def __post_init__(self) -> None:
        self._folded = index_names(self.columns)

    def find_columns(self, name: Name) -> tuple[str, ...]:
        """Return the columns of a table by its full name; () if they are not known."""
        if not self.columns:
            return ()
        known = self.columns.get(name)
        if known is None:
            stored = self._folded.get(ignore_case(name))
            known = self.columns[stored] if stored is not None else ()
        return tuple(known)

    def _is_known_update(self, flow: Flow, place: Place) -> bool:
        return flow.mode != "update" or bool(self.find_columns(place.complete_name(flow.target)))

    def trace_flow(
        self,
        statement: Statement,
        flow: Flow,
        place: Place,
        temporary: Mapping[Name, Temporary],
    ) -> TracedFlow:
        """Return the columns of an output of a statement."""
        is_temporary = bool(temporary) and place.temporary_key(flow.target) in temporary
        if not (statement.shape and _may_have_columns(statement, flow, is_temporary=is_temporary)):
            return NOT_TRACED
        if statement.unresolved:
            return TracedFlow(None, _UNRESOLVED)
        # Other dialects have variables that their texts do not tell from columns.
        if place.dialect not in TSQL:
            if flow.from_variables:
                return TracedFlow(None, _VARIABLES)
            if not (flow.sources or is_temporary or self._is_known_update(flow, place)):
                return TracedFlow(None, f"columns: {NO_TARGET}")
        from lineage.sql.column_flows import trace_statement  # imports sqlglot

        written_tables = (each.target for each in statement.flows)
        names = dict.fromkeys((flow.target, *statement.reads, *written_tables))
        schemas = []
        for name in names:
            known = temporary.get(place.temporary_key(name)) if temporary else None
            if known is None:
                columns = self.find_columns(place.complete_name(name))
            else:
                columns = known.columns.names if known.columns else ()
            schemas.append((name, columns))
        written = trace_statement(statement.shape, place.dialect, flow.target, tuple(schemas))
        if written is None:
            return TracedFlow(None, _VARIABLES) if flow.from_variables else NOT_TRACED
        try:
            if isinstance(written, Unreadable):
                raise written
            is_named = all(map(is_known_name, written.names))
            resolved = _resolve_tables(written, statement, flow.target, place, temporary)
            if flow.from_variables:
                return _omit_variables(resolved)
            return TracedFlow(resolved, "" if is_named else _UNNAMED)
        except Unreadable as error:
            return TracedFlow(None, f"columns: {error}")


def _may_have_columns(statement: Statement, flow: Flow, *, is_temporary: bool) -> bool:
    """Return whether an output is one of those whose columns are traced.

    An UPDATE may have values of its own table, which is none of its sources.
    """
    if statement.kind not in _TRACED:
        return False
    if flow.mode == "delete":
        return is_temporary and len(statement.flows) == 1
    is_table = statement.kind in ("CREATE TABLE", DECLARE_TABLE)
    return bool(flow.sources) or is_temporary or is_table or flow.mode == "update"


def _omit_variables(written: WrittenColumns) -> TracedFlow:
    """Return the known sources of columns of which some may have values of variables."""
    lineage = written.lineage
    fields = {name: deps for name, deps in lineage.fields.items() if deps}
    if not fields:
        return TracedFlow(None, _VARIABLES)
    is_whole = written.is_whole and len(fields) == len(lineage.fields)
    lineage = replace(lineage, fields=fields)
    return TracedFlow(written._replace(lineage=lineage, is_whole=is_whole), _VARIABLES)


def _resolve_tables(
    written: WrittenColumns,
    statement: Statement,
    target: Name,
    place: Place,
    temporary: Mapping[Name, Temporary],
) -> WrittenColumns:
    """Replace tables as written by full names, and columns of temporary tables by their sources.

    Raises Unreadable if the columns of a temporary table are not known.
    """

    def resolve_source(source: algebra.Source) -> Deps:
        assert isinstance(source, Field)
        name = decode_table(source.dataset)
        if name != target and name not in statement.reads:  # a literal had the name
            raise Unreadable("the name of a table is not in the shape of the statement")
        known = temporary.get(place.temporary_key(name))
        if known is None:
            if is_session_name(name, place.dialect):
                raise Unreadable(f"the columns of the temporary table {name[-1]} are not known")
            dataset = encode_table(place.complete_name(name))
            return algebra.of_source(source._replace(dataset=dataset))
        columns = known.columns
        column = find_column(columns.names, source.column) if columns else None
        if columns is None or column is None:
            raise Unreadable(f"the columns of the temporary table {name[-1]} are not known")
        return columns.lineage.fields.get(column, NOTHING)

    lineage = written.lineage
    fields = {
        name: algebra.substitute_sources(deps, resolve_source)
        for name, deps in lineage.fields.items()
    }
    rows = [algebra.substitute_sources(lineage.rows, resolve_source)]
    for name in statement.reads:
        known = temporary.get(place.temporary_key(name)) if temporary else None
        if known is not None and known.sources:
            if known.columns is None:
                raise Unreadable(f"the columns of the temporary table {name[-1]} are not known")
            rows.append(algebra.apply_step(FILTER, known.columns.lineage.rows))
    return written._replace(lineage=bound_size(ColumnLineage(fields, algebra.merge_deps(rows))))


def rename_tables(
    columns: Mapping[Name, ColumnLineage], renames: Mapping[Name, Name]
) -> dict[Name, ColumnLineage]:
    """Return the columns of outputs after tables were renamed."""
    names = {encode_table(old): encode_table(new) for old, new in renames.items()}

    def rename_source(source: algebra.Source) -> Deps:
        assert isinstance(source, Field)
        dataset = names.get(source.dataset, source.dataset)
        return algebra.of_source(source._replace(dataset=dataset))

    return {
        renames.get(target, target): ColumnLineage(
            {n: algebra.substitute_sources(d, rename_source) for n, d in lineage.fields.items()},
            algebra.substitute_sources(lineage.rows, rename_source),
        )
        for target, lineage in columns.items()
    }
