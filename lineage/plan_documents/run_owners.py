"""Determine the owner of a run: the namespace of the job that first used its id.

A sender limited to some namespaces claims a run before its first event is logged. It also claims an
unused run that it names as a parent, for the job in the parent facet. Claims of two senders
conflict in one row. A run of a sender without limits is found in the log, which has each event
before it is acknowledged. No query waits for the projection.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lineage import naming
from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import InvalidEvent
from lineage.events.entry import stored_entry
from lineage.openlineage import RunEvent
from lineage.plan_documents import store

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    import psycopg

    from lineage.openlineage import Event, Parent

_CLAIMED = "SELECT run_id, namespace, job FROM lineage.run_owner WHERE run_id = ANY (%s)"

_SENT = """
SELECT DISTINCT ON (d.application) d.application, d.body FROM lineage.plan_document d
WHERE d.application = ANY (%s) ORDER BY d.application, d.received_at, d.time, d.sha256
"""

# The facts are read only if months of the log were dropped. Otherwise they contain no runs that the
# log lacks, and a rebuild, which requires the whole log, may hold an exclusive lock on them.
_IS_PRUNED = "SELECT EXISTS (SELECT FROM lineage.retention)"


class Owner(NamedTuple):
    """A namespace, and the job if it is known."""

    namespace: str
    job: str | None


class LoggedRun(NamedTuple):
    """A run, and the event that first used its id."""

    run_id: str
    sha256: bytes
    body: str


class OwnerRow(NamedTuple):
    """A run, and its job."""

    run_id: str
    namespace: str
    job: str


_SQL = StatementFile(__file__)
_SELECT_LOGGED = _SQL.statement("select_logged", LoggedRun)
_SELECT_PROJECTED = _SQL.statement("select_projected", OwnerRow)
_CLAIM_RUNS = _SQL.statement("claim_runs")


def find_owners(conn: psycopg.Connection[Any], runs: Iterable[str]) -> dict[str, Owner]:
    """Return the owners of those runs that have one."""
    owners: dict[str, Owner] = {}
    missing = sorted(set(runs))
    with translate_errors():
        for find in (_select_claimed, _select_logged, _select_sent, _select_dropped):
            if missing:
                owners |= find(conn, missing)
                missing = [run for run in missing if run not in owners]
    return owners


def claim_runs(conn: psycopg.Connection[Any], claims: Mapping[str, Owner]) -> dict[str, Owner]:
    """Assign runs without an owner to those in ``claims``; return all current owners."""
    owners = find_owners(conn, claims)
    return _claim_runs(
        conn, {run: _complete_owner(owners.get(run, owner), owner) for run, owner in claims.items()}
    )


def find_refusals(
    conn: psycopg.Connection[Any], namespaces: Collection[str], events: Sequence[Event]
) -> dict[int, str]:
    """Return, by index, the run of another namespace that an event would change.

    Other runs are claimed, and so are their parents, for the namespace of the job in the parent
    facet. Without that claim, another sender could use the id of the parent next.
    """
    of_runs = {n: event for n, event in enumerate(events) if isinstance(event, RunEvent)}
    # The first of several jobs wins, as in the log.
    owners = claim_runs(conn, {e.run_id: Owner(*e.job.key) for e in reversed(of_runs.values())})
    refusals: dict[int, str] = {}
    parents: dict[int, Parent] = {}
    for index, event in of_runs.items():
        owner = owners[event.run_id]
        if not naming.covers_namespace(namespaces, owner.namespace):
            refusals[index] = f'run "{event.run_id}" of namespace "{owner.namespace}"'
        elif event.parent and event.parent.job:
            parents[index] = event.parent
    owners |= _claim_parents(conn, parents.values(), owners)
    for index, parent in parents.items():
        if not _is_true(namespaces, parent, owners[parent.run_id]):
            refusals[index] = _describe_parent(parent)
    return refusals


def _claim_parents(
    conn: psycopg.Connection[Any], named: Iterable[Parent], known: Mapping[str, Owner]
) -> dict[str, Owner]:
    """Return the owners of parents that are not in ``known``.

    An unused run belongs to the namespace that is named first. Its job is unknown until it reports
    it itself, because a child may have another name for it.
    """
    parents = {each.run_id: each.job for each in reversed(list(named)) if each.run_id not in known}
    owners = find_owners(conn, parents)
    unused = {run: job for run, job in parents.items() if run not in owners}
    return owners | _claim_runs(
        conn, {run: Owner(job[0], None) for run, job in unused.items() if job}
    )


def _is_true(namespaces: Collection[str], parent: Parent, owner: Owner) -> bool:
    """Return whether a parent facet adds nothing about a run or job of another namespace."""
    assert parent.job
    namespace, job = parent.job
    if owner.namespace == namespace and owner.job in (job, None):
        return True
    return naming.covers_namespace(namespaces, namespace) and naming.covers_namespace(
        namespaces, owner.namespace
    )


def _describe_parent(parent: Parent) -> str:
    assert parent.job
    namespace, name = parent.job
    return f'parent run "{parent.run_id}": it is not of job "{name}" in namespace "{namespace}"'


def _complete_owner(owner: Owner, claim: Owner) -> Owner:
    """Return the owner; if it lacks only the job, return the claim."""
    return claim if owner.job is None and owner.namespace == claim.namespace else owner


def _claim_runs(conn: psycopg.Connection[Any], owners: Mapping[str, Owner]) -> dict[str, Owner]:
    """Store the owners of runs that have none; return the current owners."""
    if not owners:
        return {}
    namespaces = [owner.namespace for owner in owners.values()]
    jobs = [owner.job for owner in owners.values()]
    with translate_errors():
        _CLAIM_RUNS.execute(conn, runs=list(owners), namespaces=namespaces, jobs=jobs)
        return _select_claimed(conn, list(owners))


def _select_claimed(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    return {run: Owner(*owner) for run, *owner in conn.execute(_CLAIMED, (runs,))}


def _select_logged(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    owners = {}
    for run, sha256, body in _SELECT_LOGGED.fetch(conn, runs=runs):
        try:
            event = stored_entry(sha256, body).event
        except InvalidEvent:  # logged by a version that accepted it
            continue
        if isinstance(event, RunEvent):
            owners[run] = Owner(*event.job.key)
    return owners


def _select_sent(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    rows = conn.execute(_SENT, (runs,)).fetchall()
    return {run: Owner(store.read_document(body.encode()).namespace, None) for run, body in rows}


def _select_dropped(conn: psycopg.Connection[Any], runs: list[str]) -> dict[str, Owner]:
    [(is_pruned,)] = conn.execute(_IS_PRUNED).fetchall()
    if not is_pruned:
        return {}
    return {run: Owner(*owner) for run, *owner in _SELECT_PROJECTED.fetch(conn, runs=runs)}
