"""Effects of the statements of a run, folded: each input and output once, with its sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from lineage.columns.compaction import merge_columns
from lineage.sql.records import CLIENT_MODES

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from lineage.columns.compaction import ColumnLineage
    from lineage.naming import DatasetName

# Reasons that a run lists, and bytes of its statements.
MAX_REASONS = 100
MAX_SQL_LENGTH = 20_000

_REPLACING = ("create", "overwrite")
_REMOVING = ("drop", "truncate")


@dataclass
class Output:
    """A table that a run wrote: how, and from which tables.

    ``from_memory``: whether a statement wrote values of the client. ``is_view``: whether the last
    statement defined it as a view, and no statement before named other sources of it.
    """

    mode: str = ""
    sources: set[DatasetName] = field(default_factory=set)
    from_memory: bool = False
    columns: ColumnLineage | None = None
    is_view: bool = False

    def add_write(
        self,
        mode: str,
        sources: Iterable[DatasetName],
        *,
        from_files: bool,
        is_view: bool = False,
    ) -> None:
        """Add a statement that wrote the table after those before."""
        sources = set(sources)
        if is_from_memory(mode, sources, from_files=from_files):
            self.from_memory = True
        self.sources |= sources
        if mode == "alter" and self.mode:
            return
        self.is_view = is_view and sources == self.sources and not self.from_memory
        if mode in (*_REPLACING, *_REMOVING) or self.mode not in (*_REPLACING, *_REMOVING):
            self.mode = mode
        elif self.mode in _REMOVING:
            self.mode = "overwrite"  # rows after a DROP or TRUNCATE replace all earlier ones


def is_from_memory(mode: str, sources: Collection[object], *, from_files: bool) -> bool:
    """Return whether a statement writes values of the client."""
    return not sources and mode in CLIENT_MODES and not from_files


class Unresolved(NamedTuple):
    """A statement that its session does not resolve: a call, or a table made before the log."""

    shape: str
    reasons: tuple[str, ...]


@dataclass
class Occurrences:
    """How often a run has an unresolved statement, and when it has it first."""

    time: str
    count: int = 0


@dataclass
class News:
    """Tables that a run reads or writes for the first time or in a new way, at one time."""

    inputs: set[DatasetName] = field(default_factory=set)
    outputs: dict[DatasetName, Output] = field(default_factory=dict)


@dataclass
class Run:
    """The statements of a job in a part. ``has_reported_id``: whether the log has the run's id."""

    namespace: str
    job: str
    id: str
    has_reported_id: bool
    first: str
    last: str = ""
    has_ended: bool = False
    has_failed: bool = False  # whether the last statement failed
    has_outcomes: bool = False  # whether the log shows how statements ended
    inputs: set[DatasetName] = field(default_factory=set)
    # Inputs whose rows a client received, in the order in which it did.
    fetched: dict[DatasetName, None] = field(default_factory=dict)
    outputs: dict[DatasetName, Output] = field(default_factory=dict)
    # Renamed views of earlier runs. If the run writes the old name, that is not their definition.
    moved_views: dict[DatasetName, DatasetName] = field(default_factory=dict)
    news: dict[str, News] = field(default_factory=dict)
    statements: int = 0
    failed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)  # why statements are unresolved
    # Statements that are unresolved in their session only.
    unresolved: dict[Unresolved, Occurrences] = field(default_factory=dict)
    texts: dict[str, None] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)

    def read_datasets(self, time: str, names: Iterable[DatasetName], *, fetched: bool) -> None:
        """Add tables that a statement read. ``fetched``: whether the client received their rows."""
        for name in names:
            if name not in self.inputs:
                self.inputs.add(name)
                self._news_at(time).inputs.add(name)
            if fetched:
                self.fetched[name] = None

    def write_dataset(
        self,
        time: str,
        name: DatasetName,
        mode: str,
        sources: Iterable[DatasetName],
        columns: ColumnLineage | None = None,
        *,
        from_files: bool = False,
        is_view: bool = False,
        received: Iterable[DatasetName] = (),
        others: Iterable[DatasetName] = (),
    ) -> None:
        """Add a table that a statement wrote, with the sources of its columns if they are known.

        Values of the client may be made of all rows that it received before, if the log shows all
        that the run did: those of the tables ``received``. Rows that the database read from files
        are no values of the client. ``others`` are sources that the statement does not name.
        """
        sources = set(sources)
        before = self.outputs.get(name)
        output = replace(before, sources=set(before.sources)) if before else Output()
        output.add_write(mode, sources, from_files=from_files, is_view=is_view)
        if is_from_memory(mode, sources, from_files=from_files) and not self.has_reported_id:
            received = set(received)
            self.read_datasets(time, received, fetched=False)  # before a pause, by another run
            output.sources |= received
        output.sources.update(others)
        if columns is not None:
            output.columns = merge_columns(output.columns, columns)
        if output != before:
            self._add_output(time, name, output)
        if moved := self.moved_views.pop(name, None):
            self._add_output(time, moved, replace(self.outputs[moved], is_view=False))

    def add_sources(self, time: str, name: DatasetName, sources: Iterable[DatasetName]) -> None:
        """Add sources of a table that a statement wrote before."""
        before = self.outputs[name]
        output = replace(before, sources=before.sources.union(sources))
        if output != before:
            self._add_output(time, name, output)

    def rename_dataset(
        self, time: str, old: DatasetName, new: DatasetName, *, is_view: bool
    ) -> None:
        """Add a table that a statement renamed. It is a view if the run defined it as one."""
        if known := self.outputs.get(old):
            is_view = known.is_view
        elif is_view:
            self.moved_views[old] = new
        self.write_dataset(time, new, "rename", {old}, is_view=is_view)

    def _add_output(self, time: str, name: DatasetName, output: Output) -> None:
        self.outputs[name] = output
        self._news_at(time).outputs[name] = output

    def _news_at(self, time: str) -> News:
        return self.news.setdefault(time, News())
