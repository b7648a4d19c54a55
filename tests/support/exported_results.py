"""Comparison of results with those of the events that they were exported as."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import msgspec

from lineage.export import openlineage
from lineage.ingest.writer import write_events
from lineage.query import Graph
from lineage.query.records import ColumnTrace, JobTrace, Trace
from lineage.query.run_records import RunDependency
from support.reference.graph import clear

if TYPE_CHECKING:
    from collections.abc import Callable

    import psycopg

    Connection = psycopg.Connection[Any]


_OF_THE_GRAPH = ("id", "runs", "stale", "volumes", "unreported")


def plain(value: Any) -> Any:
    """Return a result without the fields that a copy cannot have: ids, run counts, staleness.

    Volumes of runs are sums over all their datasets; a copy has those of the result only. It has no
    steps without reported columns, since no column of the result derives from them.
    """
    if isinstance(value, msgspec.Struct):
        names = value.__struct_fields__
    elif dataclasses.is_dataclass(value):
        names = tuple(field.name for field in dataclasses.fields(value))
    else:
        names = ()
    if said := [name for name in names if name not in _OF_THE_GRAPH]:
        return {name: plain(getattr(value, name)) for name in said}
    if isinstance(value, tuple):
        return sorted((plain(each) for each in value if not is_read_again(each, value)), key=repr)
    return value


def is_read_again(link: Any, links: tuple[Any, ...]) -> bool:
    """Return whether the same read by another name of the dataset has a version.

    Exported events name a dataset by one name, and therefore have one read of it in a run.
    """
    return isinstance(link, RunDependency) and any(
        each.version is not None
        and each == msgspec.structs.replace(link, version=each.version, exact=each.exact)
        for each in links
        if link.version is None
    )


def is_name_alone(answer: Any) -> bool:
    """Return whether the answer is that its root has no lineage."""
    return isinstance(answer, Trace | JobTrace) and not answer.edges


def assert_same(original: Graph, copy: Connection, ask: Callable[[Graph], object]) -> None:
    """Assert that the answer, exported and written to another database, is the same there."""
    answer = ask(original)
    if isinstance(answer, ColumnTrace) and not any(
        answer.root in (edge.source, edge.target) for edge in answer.edges
    ):
        return  # no event reports a single column without a derivation
    exported = list(openlineage.events_of_session(original.session, answer))
    if not exported and is_name_alone(answer):
        return  # no event reports a name that was an alias only
    clear(copy)
    write_events(copy, [json.dumps(event) for event in exported])
    assert plain(ask(Graph.over(copy))) == plain(answer)
