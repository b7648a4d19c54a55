"""Services of the collector only: the writers of events and plan documents, the owners of runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.http.services import Services

if TYPE_CHECKING:
    from lineage.events.entry import Entry
    from lineage.http.collector.group_commit import GroupCommitWriter
    from lineage.http.collector.run_owners import RunOwners
    from lineage.plan_documents.store import StoredDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorServices(Services):
    """The services of an application that receives events and plan documents."""

    owners: RunOwners
    events: GroupCommitWriter[Entry]
    documents: GroupCommitWriter[StoredDocument]
