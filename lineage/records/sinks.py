"""Sinks of items and reports: protocols, simple sinks, and sinks by name.

A sink has ``record_items``, ``record_report`` or both. Distributions add sinks under a name by the
entry point group ``lineage.record_sinks``; the entry point is called without arguments.
"""

from __future__ import annotations

import difflib
import logging
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib.metadata import EntryPoint

    from lineage.records.items import Item
    from lineage.records.reports import PipelineReport

ENTRY_POINTS = "lineage.record_sinks"

logger = logging.getLogger(__name__)


@runtime_checkable
class ItemSink(Protocol):
    """Receives the items of a run, in batches."""

    def record_items(self, items: Sequence[Item], /) -> None:
        """Record items. An item may come in several pieces, which have the same id."""
        ...


@runtime_checkable
class PipelineSink(Protocol):
    """Receives the report of a run, once."""

    def record_report(self, report: PipelineReport, /) -> None:
        """Record the report, after all items."""
        ...


class NullSink:
    """Discards items and reports."""

    def record_items(self, items: Sequence[Item], /) -> None:
        """Discard the items."""

    def record_report(self, report: PipelineReport, /) -> None:
        """Discard the report."""


class LoggingSink:
    """Logs a line for each node of a report, and one for each item with an error."""

    def __init__(self, name: str = "lineage.records") -> None:
        """Log to the logger ``name``."""
        self._logger = logging.getLogger(name)

    def record_items(self, items: Sequence[Item], /) -> None:
        """Log the items with errors."""
        for item in items:
            for hop in item.hops:
                if hop.error:
                    outcomes = "|".join(hop.outcome.flag_names)
                    line = "item %s at %s: %s after %s retries: %s"
                    self._logger.warning(
                        line, item.correlation_id, hop.node_id, outcomes, hop.retry_count, hop.error
                    )

    def record_report(self, report: PipelineReport, /) -> None:
        """Log the counts of each node."""
        for node in report.nodes:
            counts = ", ".join(f"{name} {n:,}" for name, n in node.outcomes.items() if n)
            line = "run %s, %s: %s rows in, %s out; %s"
            self._logger.info(
                line, report.run_id, node.node_id, node.rows_in, node.rows_out, counts
            )


class CallableSink:
    """Calls functions: ``on_items`` with each batch of items, ``on_report`` with the report."""

    def __init__(
        self,
        on_items: Callable[[Sequence[Item]], Any] | None = None,
        on_report: Callable[[PipelineReport], Any] | None = None,
    ) -> None:
        """Store the functions; None discards their arguments."""
        self._on_items = on_items
        self._on_report = on_report

    def record_items(self, items: Sequence[Item], /) -> None:
        """Call ``on_items``."""
        if self._on_items is not None:
            self._on_items(items)

    def record_report(self, report: PipelineReport, /) -> None:
        """Call ``on_report``."""
        if self._on_report is not None:
            self._on_report(report)


def resolve_sinks(sinks: Iterable[Any]) -> list[tuple[str, Any]]:
    """Return names and sinks for names, sinks and functions of items.

    A sink that cannot be created is left out with a warning. Raises UsageError for an unknown name
    and for a value that is not a sink.
    """
    resolved: list[tuple[str, Any]] = []
    for each in sinks:
        if isinstance(each, str):
            sink = _create_sink(each)
            resolved += [(each, sink)] if sink is not None else []
        elif isinstance(each, (ItemSink, PipelineSink)):
            resolved.append((type(each).__name__, each))
        elif callable(each):
            resolved.append((getattr(each, "__name__", "function"), CallableSink(each)))
        else:
            raise UsageError(
                f"{each!r} is not a sink.",
                "A sink has a method record_items or record_report, or is a function of items.",
            )
    return resolved


def _create_sink(name: str) -> Any:
    factories: dict[str, Callable[[], Any]] = _load_entry_points()
    factories.update(logging=LoggingSink, null=NullSink, graph=_graph_sink)
    if name not in factories:
        near = difflib.get_close_matches(name, factories, n=1)
        raise UsageError(
            f'There is no sink "{name}".',
            f"Did you mean {near[0]}?" if near else f"There are {', '.join(sorted(factories))}.",
        )
    try:
        return factories[name]()
    except Exception as error:  # noqa: BLE001 - the job runs without this sink
        logger.warning("The sink %s cannot be used: %s", name, error)
        return None


def _graph_sink() -> Any:
    from lineage.records.graph_sink import GraphSink

    return GraphSink()


def _load_entry_points() -> dict[str, Callable[[], Any]]:
    from importlib.metadata import entry_points

    return {point.name: partial(_load_sink, point) for point in entry_points(group=ENTRY_POINTS)}


def _load_sink(point: EntryPoint) -> Any:
    return point.load()()
