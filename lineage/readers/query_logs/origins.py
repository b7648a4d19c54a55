"""The effects of statements in their runs, with what else their values may come from."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from lineage.readers.query_logs.runs import is_from_memory
from lineage.sql.records import CLIENT_MODES, IF_ABSENT, TRUNCATE_PARTITION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lineage.naming import DatasetName
    from lineage.readers.query_logs.runs import Run
    from lineage.readers.server_names import ServerNames
    from lineage.sql.effects import Effect
    from lineage.sql.records import Flow


@dataclass
class Call:
    """A statement whose functions and triggers have rows of their own.

    The tables that these read are sources of all values that the call writes, in any order: the row
    of a query follows those of the statements that are executed while its rows are read.
    ``receiver`` is the run whose client receives the rows of the call.
    """

    reads: dict[DatasetName, None] = field(default_factory=dict)
    writes: dict[DatasetName, Run] = field(default_factory=dict)
    receiver: Run | None = None

    def read_datasets(self, time: str, names: Iterable[DatasetName]) -> None:
        """Add tables that a nested statement read."""
        new = [name for name in names if name not in self.reads]
        self.reads.update(dict.fromkeys(new))
        for target, run in self.writes.items():
            run.add_sources(time, target, new)
        if self.receiver is not None:
            self.receiver.read_datasets(time, new, fetched=True)


class Origin(NamedTuple):
    """The origin of the values of a statement.

    ``client``: the run at that time; the effect may count for a later one, which committed it.
    ``fetched``: the number of tables from which that client had received rows before.
    ``has_functions``: whether the statement calls functions of users.
    """

    run: Run
    client: Run
    fetched: int
    call: Call | None
    has_functions: bool

    @property
    def received_tables(self) -> Iterable[DatasetName]:
        """The tables from which the client had received rows before."""
        return islice(self.client.fetched, self.fetched)


def add_effect(
    server: ServerNames, origin: Origin, time: str, effect: Effect, *, fetched: bool = False
) -> None:
    """Add the effect of a statement to its run, at the time at which it became certain.

    ``fetched``: whether the client received the rows that it read.
    """
    run, call = origin.run, origin.call
    names = list(map(server.name_dataset, effect.reads))
    run.read_datasets(time, names, fetched=fetched)
    if fetched and call is not None:
        call.receiver = run
        run.read_datasets(time, call.reads, fetched=True)
    run.last = max(run.last, time)
    for step in effect.steps:
        _add_writes(server, origin, time, step)


def _add_writes(server: ServerNames, origin: Origin, time: str, effect: Effect) -> None:
    run, name = origin.run, server.name_dataset
    for flow in effect.flows:
        target, mode = name(flow.target), _mode_of(effect.kind, flow)
        others: Iterable[DatasetName] = ()
        if origin.call is not None and _has_values(flow, mode, origin):
            others = origin.call.reads
            origin.call.writes[target] = run
        run.write_dataset(
            time,
            target,
            mode,
            set(map(name, flow.sources)),
            server.name_columns(flow.columns),
            from_files=flow.from_files,
            is_view=flow.is_view,
            received=origin.received_tables,
            others=others,
        )
    for old, new in effect.renames:
        run.rename_dataset(time, name(old), name(new), is_view=effect.kind == "RENAME VIEW")
    for dropped in effect.drops:
        run.write_dataset(time, name(dropped), "drop", ())


def _has_values(flow: Flow, mode: str, origin: Origin) -> bool:
    """Return whether a write has values of variables, or values that functions returned."""
    if origin.has_functions and not flow.is_view:
        return mode in ("create", *CLIENT_MODES)
    return is_from_memory(mode, flow.sources, from_files=flow.from_files)


def _mode_of(kind: str, flow: Flow) -> str:
    """Return the mode of a write, empty if it is not known.

    CREATE TABLE IF NOT EXISTS leaves the rows of a table that exists, and writes some only by a
    query. TRUNCATE of a partition is a change of the table without new rows.
    """
    if kind.endswith(IF_ABSENT):
        return "" if flow.sources else "alter"
    if kind == TRUNCATE_PARTITION:
        return "alter"
    return "truncate" if kind == "TRUNCATE" else flow.mode
