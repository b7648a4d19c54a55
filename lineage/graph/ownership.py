"""Whose a run is: the namespace of the job that first used its id.

Senders that may write to some namespaces only claim a run before their first event of it is
logged. Claims of two senders meet in one row; a run of somebody without limits is found in the log,
which has each event before it is acknowledged, so nothing here waits for the projection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage import naming
from lineage.database.errors import errors
from lineage.errors import InvalidEvent
from lineage.graph import log
from lineage.openlineage import RunEvent
from lineage.plans import kept

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import psycopg

    from lineage.openlineage import Event, Parent
    from lineage.openlineage.events import Name

_CLAIMED = "SELECT run_id, namespace, job FROM lineage.run_owner WHERE run_id = ANY (%s)"

# The first that was logged, not the first by its time: a time can be made up.
_LOGGED = """
SELECT r.run_id, e.sha256, e.body
FROM unnest(%s::text[]) AS r (run_id)
CROSS JOIN LATERAL (
    SELECT min(e.id) AS id FROM lineage.event e WHERE e.run_id = r.run_id OFFSET 0) AS first
CROSS JOIN LATERAL (
    SELECT e.sha256, e.body FROM lineage.event e
    WHERE e.run_id = r.run_id AND e.id = first.id OFFSET 0) AS e
"""

# Of months that the log no longer has.
_PROJECTED = """
SELECT DISTINCT ON (r.run_id) r.run_id, j.namespace, j.name
FROM lineage.run r
JOIN lineage.execution x ON x.run = r.id
JOIN lineage.job j ON j.id = x.job
WHERE r.run_id = ANY (%s) AND x.first_seen IS NOT NULL
ORDER BY r.run_id, x.first_seen, j.namespace, j.name
"""

_SENT = """
SELECT DISTINCT ON (d.application) d.application, d.body FROM lineage.document d
WHERE d.application = ANY (%s) ORDER BY d.application, d.received_at, d.time, d.sha256
"""

_CLAIM = """
INSERT INTO lineage.run_owner (run_id, namespace, job)
SELECT * FROM unnest(%s::text[], %s::text[], %s::text[]) ORDER BY 1
ON CONFLICT DO NOTHING
"""

# Else the facts say no more than the log. A rebuild, which needs all of the log, locks them.
_IS_PRUNED = "SELECT EXISTS (SELECT FROM lineage.retention)"


class Owner(NamedTuple):
    """A namespace, and the job where it is known."""

    namespace: str
    job: str | None


def find_owners(conn: psycopg.Connection[Any], runs: Iterable[str]) -> dict[str, Owner]:
    """Return the owners of those runs that have one."""
    owners: dict[str, Owner] = {}
    missing = sorted(set(runs))
    with errors():
        for find in (_claimed, _logged, _sent, _dropped):
            if missing:
                owners |= find(conn, missing)
                missing = [run for run in missing if run not in owners]
    return owners


def claim_runs(conn: psycopg.Connection[Any], claims: Mapping[str, Owner]) -> dict[str, Owner]:
    """Let runs that have no owner be those of ``claims``; return who owns them now."""
    owners = find_owners(conn, claims)
    rows = [(run, *owners.get(run, owner)) for run, owner in claims.items()]
    with errors():
        if rows:
            conn.execute(_CLAIM, [list(column) for column in zip(*rows, strict=True)])
        return _claimed(conn, list(claims))


def find_refusals(
    conn: psycopg.Connection[Any], namespaces: Collection[str], events: Sequence[Event]
) -> dict[int, str]:
    """Return, by its index, which run of another namespace an event would change.

    The runs of events that change none are claimed.
    """
    runs = {event.run_id: Owner(*event.job.key) for event in events if isinstance(event, RunEvent)}
    owners = claim_runs(conn, runs)
    parents = {each.parent.run_id for each in events if isinstance(each, RunEvent) and each.parent}
    owners |= find_owners(conn, parents - owners.keys())
    refusals: dict[int, str] = {}
    for index, event in enumerate(events):
        if not isinstance(event, RunEvent):
            continue
        owner = owners[event.run_id]
        if not naming.covers(namespaces, owner.namespace):
            refusals[index] = f'run "{event.run_id}" of namespace "{owner.namespace}"'
        elif event.parent and not _is_true(namespaces, event.parent, owners):
            refusals[index] = _told(event.parent)
    return refusals


def _is_true(namespaces: Collection[str], parent: Parent, owners: Mapping[str, Owner]) -> bool:
    """Does a parent facet say nothing new of a run, or a job, of another namespace?

    Nobody else has said anything of a run that has no owner.
    """
    owner, job = owners.get(parent.run_id), parent.job
    if job is None or owner is None or _is_job(owner, job):
        return True
    return naming.covers(namespaces, job[0]) and naming.covers(namespaces, owner.namespace)


def _is_job(owner: Owner, job: Name) -> bool:
    return owner.namespace == job[0] and owner.job in (job[1], None)


def _told(parent: Parent) -> str:
    assert parent.job
    namespace, name = parent.job
    return f'parent run "{parent.run_id}": it is not of job "{name}" in namespace "{namespace}"'


def _claimed(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    return {run: Owner(*owner) for run, *owner in conn.execute(_CLAIMED, (runs,))}


def _logged(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    owners = {}
    for run, sha256, body in conn.execute(_LOGGED, (runs,)):
        try:
            event = log.stored(sha256, body).event
        except InvalidEvent:  # of a version that read more
            continue
        if isinstance(event, RunEvent):
            owners[run] = Owner(*event.job.key)
    return owners


def _sent(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    rows = conn.execute(_SENT, (runs,)).fetchall()
    return {run: Owner(kept.read(body.encode()).namespace, None) for run, body in rows}


def _dropped(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    row = conn.execute(_IS_PRUNED).fetchone()
    if not (row and row[0]):
        return {}
    return {run: Owner(*owner) for run, *owner in conn.execute(_PROJECTED, (runs,))}
