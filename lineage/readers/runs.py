"""What the statements of a run did, folded: each input and each output once, with its sources."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineage.naming import DatasetName

# Reasons and shapes that a run keeps of each kind; further ones are counted.
MOST = 100

_REPLACING = ("create", "overwrite")
_REMOVING = ("drop", "truncate")


@dataclass
class Output:
    """A table that a run wrote: how, and from which tables.

    ``from_memory``: whether a statement wrote values of the client. ``columns``: the columns that
    each column was made from; None if a statement did not show them.
    """

    mode: str
    sources: set[DatasetName] = field(default_factory=set)
    from_memory: bool = False
    columns: dict[str, Any] | None = field(default_factory=dict)
    statements: int = 0

    def add_mode(self, mode: str) -> None:
        """Combine the mode of an earlier statement with that of a later one."""
        if mode in (*_REPLACING, *_REMOVING) or self.mode not in (*_REPLACING, *_REMOVING):
            self.mode = mode
        elif self.mode in _REMOVING:
            self.mode = "overwrite"  # rows after a DROP or TRUNCATE replace all earlier ones


@dataclass
class News:
    """Tables that a run reads or writes for the first time, or from new sources, at a time."""

    inputs: set[DatasetName] = field(default_factory=set)
    outputs: dict[DatasetName, Output] = field(default_factory=dict)


@dataclass
class Run:
    """The statements of a job in a part."""

    job: str
    id: str
    first: str
    last: str
    has_ended: bool = False
    is_given: bool = False  # whether the log has the id of the run
    has_failed: bool = False  # whether the last statement failed
    outcome_unknown: bool = False  # whether no statement has an outcome
    inputs: Counter[DatasetName] = field(default_factory=Counter)
    fetched: set[DatasetName] = field(default_factory=set)  # inputs whose rows a client received
    outputs: dict[DatasetName, Output] = field(default_factory=dict)
    news: dict[str, News] = field(default_factory=dict)
    statements: int = 0
    failed: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    shapes: dict[str, None] = field(default_factory=dict)
    users: set[str] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)
