"""The report of a pipeline's run: its nodes and edges, with exact counts of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

Overflow: TypeAlias = Literal["materialize", "degrade", "drop", "strict"]


class NodeReport(Struct, frozen=True, kw_only=True):
    """Rows of one node of a run.

    ``outcomes``: number of rows with each outcome, by its name in lower case. A row counts under
    each of its flags. ``rows_in``, ``rows_out``: None if Spark did not count them.
    """

    node_id: str
    operator: str
    rows_in: int | None
    rows_out: int | None
    outcomes: Mapping[str, int]


class Edge(Struct, frozen=True, kw_only=True):
    """Two nodes that recorded items passed one after the other, and the number of these items.

    Between operators of Spark: the number of rows, or None if Spark did not count them.
    """

    source: str
    target: str
    items: int | None


class PipelineReport(Struct, frozen=True, kw_only=True):
    """The outcomes of rows in one run of a pipeline. All counts are of rows, and exact.

    ``sample``: share of the items that are sampled, from 0 to 1. ``sampled``: rows of sampled
    items. Each of these is ``recorded`` (in the memory of the capture), ``written_through`` (passed
    to the sinks instead) or ``dropped``. ``unrecorded``: rows whose key could not be determined;
    they have an outcome and no item. ``degraded``: whether the cap was reached.
    """

    pipeline_id: str
    run_id: str
    pipeline_name: str | None = None
    nodes: tuple[NodeReport, ...] = ()
    edges: tuple[Edge, ...] = ()
    started_at: str | None = None
    ended_at: str | None = None
    sample: float = 1.0
    cap: int = 0
    overflow: Overflow = "degrade"
    degraded: bool = False
    sampled: int = 0
    recorded: int = 0
    written_through: int = 0
    dropped: int = 0
    unrecorded: int = 0
