"""Permission of a token for some namespaces to write to the runs in its events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lineage.openlineage import RunEvent
from lineage.plan_documents import run_owners
from lineage.plan_documents.run_owners import Owner

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import TypeAlias

    from lineage.database.side_connection import SideConnection
    from lineage.http.tokens import Token
    from lineage.openlineage import Event, Parent

    _Key: TypeAlias = tuple[tuple[str, ...], str, Parent | None]

_MAX_CACHED_RUNS = 10_000


class RunOwners:
    """Looks up the owners of runs, and caches the runs that a token may write to.

    The cache cannot become stale, because the owner of a run does not change.
    """

    def __init__(self, lookups: SideConnection) -> None:
        self._lookups = lookups
        self._known: set[_Key] = set()

    async def find_refusals(self, token: Token, events: Sequence[Event]) -> dict[int, str]:
        """Return by its index the run in an event that the token may not change.

        An unused run is claimed for the namespace and job of its event.
        """
        if not token.namespaces:
            return {}
        unknown = [n for n, event in enumerate(events) if not self._is_known(token, event)]
        if not unknown:
            return {}
        unknown_events = [events[n] for n in unknown]
        find = partial(run_owners.find_refusals, namespaces=token.namespaces, events=unknown_events)
        refusals = {unknown[n]: what for n, what in (await self._lookups.run_query(find)).items()}
        self._remember_events(token, (events[n] for n in unknown if n not in refusals))
        return refusals

    async def may_send(self, token: Token, applications: dict[str, str]) -> str | None:
        """Return an application that the token may not write to, else None.

        ``applications`` maps the run id of each application to its namespace.
        """
        if not token.namespaces:
            return None
        claims = {run: Owner(namespace, None) for run, namespace in applications.items()}
        owners = await self._lookups.run_query(partial(run_owners.claim_runs, claims=claims))
        foreign = (run for run in owners if not token.covers_namespace(owners[run].namespace))
        return next(
            (f'run "{run}" of namespace "{owners[run].namespace}"' for run in foreign), None
        )

    def _is_known(self, token: Token, event: Event) -> bool:
        return not isinstance(event, RunEvent) or _owner_key(token, event) in self._known

    def _remember_events(self, token: Token, events: Iterable[Event]) -> None:
        if len(self._known) > _MAX_CACHED_RUNS:
            self._known.clear()
        self._known.update(
            _owner_key(token, event) for event in events if isinstance(event, RunEvent)
        )


def _owner_key(token: Token, event: RunEvent) -> _Key:
    return token.namespaces, event.run_id, event.parent
