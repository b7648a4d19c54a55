"""Facets read from the log: schemas of datasets at a time, and facets reported by a run.

The fact tables hold each facet as its latest event reported it. Older values exist only in the log;
they are merged by the same code as in the projection.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.errors import InvalidEvent
from lineage.events.entry import stored_entry
from lineage.events.merge import Batch
from lineage.openlineage import RunEvent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from lineage.events.entry import Entry
    from lineage.events.states import EntityState
    from lineage.query.session import Session


# Length of the time at the beginning of a revision.
_TIME = len("2026-01-31T18:00:00.000000Z")
# Runs to read first, and events of each; both grow by the factor _MORE until all are decided.
_RUNS, _EVENTS, _MORE = 2, 4, 8


class SchemaRow(NamedTuple):
    """The newest schema facet of a dataset, and all names of it."""

    dataset: int
    revision: str | None
    body: Any
    names: list[tuple[str, str]]


class EventRow(NamedTuple):
    """An event that may report the schema of a dataset; see the statement for ``floor``."""

    dataset: int
    sha256: bytes
    body: str | None
    floor: str | None


class RunEventRow(NamedTuple):
    """An event of a run."""

    run_id: str
    sha256: bytes
    body: str | None


_SQL = StatementFile(__file__)
_SELECT_NEWEST_SCHEMAS = _SQL.statement("select_newest_schemas", SchemaRow)
_SELECT_EVENTS_ABOUT = _SQL.statement("select_events_about", EventRow)
_SELECT_EVENTS_OF_RUNS = _SQL.statement("select_events_of_runs", RunEventRow)
_SELECT_UNLOGGED = _SQL.statement("select_unlogged", int)
_SELECT_COMPLETE_FROM = _SQL.statement("select_complete_from", str)


class _LoggedSchema(NamedTuple):
    """The latest schema in some events of the log: its time and body, "" and None if none has one.

    ``floor``: events of that time or before were not read; "" if all were.
    """

    time: str
    body: Any
    floor: str

    @property
    def is_newest(self) -> bool:
        """Whether no event that was not read can have a newer schema."""
        return not self.floor or self.time > self.floor


class SchemasAt(NamedTuple):
    """Schemas as of a time, by dataset.

    ``unknown``: datasets whose schema was reported by events that are not in the log. The others
    without a schema had reported none.
    """

    reported: Mapping[int, Any]
    unknown: frozenset[int]


@dataclass(frozen=True, slots=True)
class LoggedFacets:
    """Facets reported by the events of one run.

    ``job``: facets of its job by name. ``schemas``: (revision, body) by the reported namespace and
    name; the greater revision wins.
    """

    job: Mapping[str, Any]
    schemas: Mapping[tuple[str, str], tuple[str, Any]]

    def newest_schema(self, names: Iterable[tuple[str, str]]) -> Any:
        """Return the latest schema of a dataset with these names, or None."""
        facets = [self.schemas[name] for name in names if name in self.schemas]
        return max(facets, key=lambda entry: entry[0])[1] if facets else None


def newest_schemas(session: Session, datasets: Iterable[int], since: str) -> list[SchemaRow]:
    """Read the latest schema facet of each dataset whose schema was reported after ``since``.

    For ``schemas_at``. The schemas of all other datasets are the same at any time from then on.
    """
    return session.fetch(_SELECT_NEWEST_SCHEMAS, ids=sorted(datasets), since=since)


def schemas_at(session: Session, newest: Iterable[SchemaRow], at: str) -> SchemasAt:
    """Return the schemas of datasets as of a time.

    ``at``: a time in the format of ``lineage.openlineage.timestamps``.
    """
    schemas: dict[int, Any] = {}
    unknown: set[int] = set()
    names: dict[int, set[tuple[str, str]]] = {}
    for row in newest:
        if row.revision is not None and row.revision[:_TIME] <= at:
            schemas[row.dataset] = row.body
        elif row.revision is not None:
            names[row.dataset] = {(namespace, name) for namespace, name in row.names}
    runs, events = _RUNS, _EVENTS
    while names:
        logged = _read_schemas(session, names, at, runs, events)
        unlogged = _select_unlogged(session, logged, at)
        for id, schema in logged.items():
            if id in unlogged:
                unknown.add(id)
            elif not schema.is_newest:
                continue
            elif schema.body is not None:
                schemas[id] = schema.body
            del names[id]
        runs, events = runs * _MORE, events * _MORE
    reported = {id: body for id, body in schemas.items() if not _is_deleted(body)}
    return SchemasAt(reported, frozenset(unknown))


def _read_schemas(
    session: Session, names: Mapping[int, set[tuple[str, str]]], at: str, runs: int, events: int
) -> dict[int, _LoggedSchema]:
    """Return the latest schema of each dataset in this number of runs and events."""
    rows = session.fetch(_SELECT_EVENTS_ABOUT, ids=sorted(names), at=at, runs=runs, events=events)
    return {
        id: _newest_schema([row for row in rows if row.dataset == id], names[id]) for id in names
    }


def _newest_schema(rows: Sequence[EventRow], names: set[tuple[str, str]]) -> _LoggedSchema:
    batch = Batch.merge_entries(_readable_entries((row.sha256, row.body) for row in rows))
    facets = [batch.datasets[name] for name in names if name in batch.datasets]
    newest = max(
        (seen.facets["schema"] for seen in facets if "schema" in seen.facets),
        key=lambda entry: entry[0],
        default=None,
    )
    floor = max((row.floor for row in rows if row.floor), default="")
    if newest is None:
        return _LoggedSchema("", None, floor)
    return _LoggedSchema(newest[0][:_TIME], json.loads(bytes(newest[1])), floor)


def _select_unlogged(
    session: Session, logged: Mapping[int, _LoggedSchema], at: str
) -> frozenset[int]:
    """Return the datasets whose schemas may be newer in events that are not in the log."""
    read_from = [max(schema.time, schema.floor) or None for schema in logged.values()]
    return frozenset(session.fetch(_SELECT_UNLOGGED, ids=list(logged), since=read_from, at=at))


def of_runs(session: Session, run_ids: Sequence[str]) -> dict[str, LoggedFacets]:
    """Return the facets reported by the events of each run, for runs with events in the log."""
    events: dict[str, list[Entry]] = {}
    for row in session.fetch(_SELECT_EVENTS_OF_RUNS, run_ids=list(run_ids)):
        events.setdefault(row.run_id, []).extend(_readable_entries([(row.sha256, row.body)]))
    return {run_id: _merge_entries(mine) for run_id, mine in events.items()}


def _merge_entries(entries: list[Entry]) -> LoggedFacets:
    batch = Batch.merge_entries(entries)
    jobs = {entry.event.job.key for entry in entries if isinstance(entry.event, RunEvent)}
    together: dict[str, Any] = {}
    for key in sorted(jobs):
        together |= _facet_bodies(batch.jobs[key])
    schemas = {
        key: (revision, json.loads(bytes(body)))
        for key, seen in batch.datasets.items()
        for revision, body in [seen.facets.get("schema", ("", b"null"))]
        if revision
    }
    return LoggedFacets(
        together, {key: facet for key, facet in schemas.items() if not _is_deleted(facet[1])}
    )


def log_complete_from(session: Session) -> str | None:
    """Return the time from which the log has all events; None if it has all."""
    return session.fetch_one(_SELECT_COMPLETE_FROM)


def _facet_bodies(seen: EntityState) -> dict[str, Any]:
    bodies = {name: json.loads(bytes(body)) for name, (_, body) in seen.facets.items()}
    return {name: body for name, body in bodies.items() if not _is_deleted(body)}


def _is_deleted(body: Any) -> bool:
    return isinstance(body, dict) and body.get("_deleted") is True


def _readable_entries(logged: Iterable[tuple[bytes, str | None]]) -> list[Entry]:
    """Return the entries that contribute to the graph and that this version can parse."""
    entries = []
    for sha256, body in logged:
        if body is not None:
            try:
                entries.append(stored_entry(sha256, body))
            except InvalidEvent:
                continue
    return entries


def facet_text(body: Any) -> str | None:
    """Encode a facet as JSON text; None for None."""
    return None if body is None else json.dumps(body)


def schema_of_run(
    facets_by_run: Mapping[str, LoggedFacets], run_id: str, name: tuple[str, str]
) -> Any:
    """Return the schema that a run reported for a dataset name, or None."""
    return facets_by_run[run_id].newest_schema([name]) if run_id in facets_by_run else None
