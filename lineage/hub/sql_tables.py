"""The tables that the SQL text of an observation reads and writes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from lineage.hub.output_facets import merge_modes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.hub.events import RelationalIo
    from lineage.sql import Session
    from lineage.sql.effects import Effect
    from lineage.sql.records import Name, Statement

# Stands for the program in the sources of a table. It passes through temporary tables as others do.
_CLIENT = ("", "", "", "")
_LOADING = ("COPY", "LOAD")

# The sessions of a client by namespace, catalog and schema.
Sessions: TypeAlias = "dict[tuple[str, str | None, str | None], Session]"


@dataclass
class SqlTables:
    """Names of tables; ``outputs`` have the tables that their values use.

    ``received``: the inputs whose rows may come to the program. ``modes``: how the outputs are
    written, if it is certain. ``views``: those that are only defined, without rows.
    ``from_client``: those that have rows or values that the program sends.
    ``unresolved``: sentences about what the text does not determine.
    """

    inputs: list[str] = field(default_factory=list)
    received: set[str] = field(default_factory=set)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    modes: dict[str, str] = field(default_factory=dict)
    views: set[str] = field(default_factory=set)
    from_client: set[str] = field(default_factory=set)
    drops: list[str] = field(default_factory=list)
    renames: list[tuple[str, str]] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)


def read_tables(payload: RelationalIo, sessions: Sessions) -> SqlTables:
    """Read the SQL of an observation in the dialect of its namespace.

    ``sessions``: those that earlier texts of its client have left; the text adds its own. A write
    in a transaction counts when its text ends, because clients commit by a function, not by a text.
    So a search path of the transaction is certain in its own text only.
    """
    from lineage.sql.servers import dialect_of_namespace

    dialect = dialect_of_namespace(payload.namespace)
    if dialect is None:
        scheme = payload.namespace.partition(":")[0].lower()
        return SqlTables(unresolved=[f'The dialect of "{scheme}" is not known.'])
    from lineage.sql import Effect, Session, merge_effects, read_parameters, read_statements

    key = (payload.namespace, payload.catalog, payload.schema)
    session = sessions.get(key)
    if session is None:
        session = sessions[key] = Session(dialect, payload.catalog, payload.schema)
    session.start_batch()
    parameters = read_parameters(payload.sql or "", dialect)
    statements = [
        _add_client(_mark_files(each, dialect), are_written=parameters.are_written)
        for each in read_statements(parameters.text, dialect)
    ]
    effects: list[Effect] = []
    received: set[str] = set()
    for statement in statements:
        may_return = _may_return_rows(statement, session)
        effects.append(session.apply_statement(statement))
        received.update(".".join(name) for name in effects[-1].reads if may_return)
    session.end_text()
    session.open_local_path()
    effects.append(Effect(committed=session.take_pending_effects()))
    effect = _without_open_names(merge_effects(effects), session)
    tables = SqlTables(
        received=received,
        unresolved=[*dict.fromkeys((*effect.unresolved, *_loaded_files(statements)))],
    )
    tables.inputs = [".".join(name) for name in effect.reads if name != _CLIENT]
    for flow in effect.flows:
        target = ".".join(flow.target)
        sources = tables.outputs.setdefault(target, [])
        for each in flow.sources:
            if each == _CLIENT:
                tables.from_client.add(target)
            elif (name := ".".join(each)) not in sources:
                sources.append(name)
    modes = _modes_of_targets(effect, effects)
    tables.modes = {".".join(name): mode for name, mode in modes.items()}
    rows = {".".join(flow.target) for flow in effect.flows if not flow.is_view}
    tables.views = tables.outputs.keys() - rows
    tables.drops = [name for each in effect.drops if (name := ".".join(each)) not in tables.outputs]
    tables.renames = [(".".join(old), ".".join(new)) for old, new in effect.renames]
    return tables


def _mark_files(statement: Statement, dialect: str) -> Statement:
    """Mark the tables that have rows of files in FROM.

    DuckDB reads these in the process of the program, which may have named them as inputs.
    """
    from lineage.sql.row_sources import reads_files

    if not statement.flows or not reads_files(statement.shape, dialect):
        return statement
    client = (_CLIENT,) if dialect == "duckdb" else ()
    flows = tuple(
        flow
        if flow.mode == "delete"
        else replace(flow, sources=(*flow.sources, *client), from_files=True)
        for flow in statement.flows
    )
    return replace(statement, flows=flows)


def _add_client(statement: Statement, *, are_written: bool) -> Statement:
    """Add the program to the sources of tables that it sends rows or values to.

    ``are_written``: whether parameters of the text are values. Literals have no source, because it
    is the text that has them.
    """
    from lineage.sql.records import CLIENT_MODES

    if not are_written and statement.kind not in _LOADING:
        return statement
    flows = tuple(
        replace(flow, sources=(*flow.sources, _CLIENT))
        if flow.mode in CLIENT_MODES and not flow.from_files and not {*flow.sources} - {flow.target}
        else flow
        for flow in statement.flows
    )
    return replace(statement, flows=flows)


def _may_return_rows(statement: Statement, session: Session) -> bool:
    """Return whether rows of the tables that a statement reads may come to the program.

    A table may be read for more than its rows in an output. Only what is certain does not come.
    """
    from lineage.sql.returned_rows import returns_rows

    executed = [each for call in statement.calls for each in call.statements]
    if statement.handle is not None and statement.handle.action == "execute":
        executed += session.handles.get(statement.handle.key, ())
    if executed:
        return any(_may_return_rows(each, session) for each in executed)
    if returns_rows(statement, session.dialect):
        return True
    if statement.kind == "SELECT":  # its rows are those of variables
        return False
    used = {source for flow in statement.flows for source in flow.sources}
    return not statement.flows or not used.issuperset(statement.reads)


def _without_open_names(effect: Effect, session: Session) -> Effect:
    """Return an effect without the tables whose schema or database the session left open.

    Those of the observation are not certain to be theirs.
    """
    of_flows = (name for flow in effect.flows for name in (flow.target, *flow.sources))
    of_renames = (name for pair in effect.renames for name in pair)
    names = dict.fromkeys((*of_flows, *effect.reads, *effect.drops, *of_renames))
    left_open = {name: None for name in names if session.leaves_open(name)}
    reasons = [
        f"the {'database' if len(name) > 1 else 'schema'} of {'.'.join(name)} is not known"
        for name in left_open
    ]
    return replace(
        effect,
        flows=tuple(
            replace(flow, sources=tuple(each for each in flow.sources if each not in left_open))
            for flow in effect.flows
            if flow.target not in left_open
        ),
        reads=tuple(name for name in effect.reads if name not in left_open),
        drops=tuple(name for name in effect.drops if name not in left_open),
        renames=tuple(pair for pair in effect.renames if not left_open.keys() & pair),
        unresolved=(*effect.unresolved, *reasons),
    )


def _loaded_files(statements: Iterable[Statement]) -> list[str]:
    """Return a sentence for each table that the database loads from files."""
    targets = (flow.target for each in statements for flow in each.flows if flow.from_files)
    return [f"the files from which {'.'.join(name)} is loaded are not known" for name in targets]


def _modes_of_targets(effect: Effect, applied: Iterable[Effect]) -> dict[Name, str]:
    """Return the mode of each output of a text.

    ``CREATE TABLE IF NOT EXISTS`` may leave the table as it is, and TRUNCATE is a removal of rows.
    """
    from lineage.sql.records import IF_ABSENT

    truncated: set[Name] = set()
    optional: set[Name] = set()
    for each in applied:
        targets = {flow.target for flow in each.flows}
        if each.kind == "TRUNCATE":
            truncated |= targets
        elif each.kind.endswith(IF_ABSENT):
            optional |= targets.difference(effect.drops)
    modes: dict[Name, str] = {}
    for flow in effect.flows:
        mode: str = flow.mode
        if mode == "create" and flow.target in optional:
            continue
        if mode == "delete" and flow.target in truncated:
            mode = "truncate"
        known = modes.get(flow.target)
        modes[flow.target] = mode if known is None else merge_modes(known, mode)
    return modes
