"""Write modes that users set for jobs whose events do not report one, stored as events.

The job facet ``lineage_write_modes`` has the mode of a job and modes for single datasets.
"""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import msgspec

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.events.static_times import next_static_time
from lineage.ingest.writer import write_events
from lineage.naming import DatasetName
from lineage.openlineage.written_events import build_event, complete_facets
from lineage.query.names import resolve_dataset, resolve_job
from lineage.query.session import Session

if TYPE_CHECKING:
    import psycopg

    from lineage.query.records import Dataset, Job

Mode = Literal["append", "overwrite", "overwrite_partitions", "unknown"]
FACET = "lineage_write_modes"
_SQL = StatementFile(__file__)
_HAS_WRITTEN = _SQL.statement("has_written", bool)

_OF_JOB = """
SELECT lineage.iso8601(j.first_seen), j.facets -> %s FROM lineage.job j WHERE j.id = %s
"""
_OF_ALL = """
SELECT j.namespace || '/' || j.name, j.facets -> %(facet)s FROM lineage.job j
WHERE j.facets ? %(facet)s ORDER BY j.namespace, j.name
"""
_NAMES = "SELECT n.namespace, n.name FROM lineage.dataset n WHERE n.canonical = %s"


@dataclass(frozen=True, slots=True)
class WriteMode:
    """The write mode of a job for a dataset, or for all datasets without a mode."""

    job: str
    dataset: str | None
    mode: str


class _DatasetMode(msgspec.Struct, frozen=True):
    namespace: str
    name: str
    mode: Mode


class _Modes(msgspec.Struct, frozen=True):
    """The body of the facet."""

    mode: Mode = "unknown"
    datasets: tuple[_DatasetMode, ...] = ()


def set_mode(
    conn: psycopg.Connection[Any], name: str, mode: Mode, dataset: str | None = None
) -> WriteMode:
    """Set the write mode of the job ``name``, or of its writes to ``dataset``, and return it.

    ``unknown`` for a job removes all its modes. ``unknown`` for a dataset takes precedence over the
    mode of the job. Raises NotFound and Ambiguous for a name.
    """
    session = Session.over(conn)
    job = resolve_job(session, name)
    of = resolve_dataset(session, dataset) if dataset is not None else None
    with translate_errors():
        [(first_seen, stored)] = conn.execute(_OF_JOB, (FACET, job.id)).fetchall()
        revision, modes = _read_modes(stored)
        names = set(conn.execute(_NAMES, (of.id,)).fetchall()) if of else set()
    if of is not None:
        modes = _with_dataset(modes, of, mode, names)
    else:
        modes = _Modes(mode, () if mode == "unknown" else modes.datasets)
    write_events(conn, [_build_event(job, modes, next_static_time(first_seen, revision))])
    return WriteMode(job.full_name, of.full_name if of else None, mode)


def list_modes(conn: psycopg.Connection[Any]) -> tuple[WriteMode, ...]:
    """Return all modes, ordered by the names of jobs and datasets."""
    listed = []
    with translate_errors():
        for job, stored in conn.execute(_OF_ALL, {"facet": FACET}).fetchall():
            _, modes = _read_modes(stored)
            if modes.mode != "unknown":
                listed.append(WriteMode(job, None, modes.mode))
            for each in modes.datasets:
                name = DatasetName(each.namespace, each.name).full_name
                listed.append(WriteMode(job, name, each.mode))
    return tuple(listed)


def has_written(session: Session, job: str, dataset: str | None) -> bool:
    """Return whether any run of a job wrote a dataset; None is any dataset."""
    of = resolve_dataset(session, dataset).id if dataset is not None else None
    [written] = session.fetch(_HAS_WRITTEN, job=resolve_job(session, job).id, dataset=of)
    return written


def _with_dataset(modes: _Modes, of: Dataset, mode: Mode, names: set[tuple[str, str]]) -> _Modes:
    """Return the modes with a new one for a dataset, replacing those of all its names."""
    others = [each for each in modes.datasets if (each.namespace, each.name) not in names]
    if (mode, modes.mode) != ("unknown", "unknown"):
        others.append(_DatasetMode(of.namespace, of.name, mode))
    return _Modes(modes.mode, tuple(sorted(others, key=lambda each: (each.namespace, each.name))))


def _read_modes(stored: Any) -> tuple[str | None, _Modes]:
    """Return the revision of a stored facet, and those of its modes that queries apply."""
    revision, body = stored or (None, None)
    if not isinstance(body, dict):
        return revision, _Modes()
    mode: Mode = body["mode"] if body.get("mode") in get_args(Mode) else "unknown"
    named = body.get("datasets")
    datasets = []
    for each in named if isinstance(named, list) else [named]:
        with contextlib.suppress(msgspec.ValidationError):
            datasets.append(msgspec.convert(each, _DatasetMode))
    return revision, _Modes(mode, tuple(datasets))


def _build_event(job: Job, modes: _Modes, time: str) -> str:
    """Return the event that reports the modes."""
    datasets = [msgspec.structs.asdict(each) for each in modes.datasets]
    facets = complete_facets({FACET: {"mode": modes.mode, "datasets": datasets}}, "job")
    part = {"namespace": job.namespace, "name": job.name, "facets": facets}
    return json.dumps(build_event("JobEvent", time, job=part))
