"""Convert pending documents, in batches of one transaction each.

Several processes may work on one queue; each claims documents that no other process has claimed.
Only one process at a time converts documents of an application. Of two documents that belong
together, the conversion of the last one therefore finds the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from psycopg import DataError, Error
from psycopg.errors import ProgramLimitExceeded

from lineage.database.errors import translate_error, translate_errors
from lineage.database.statements import StatementFile
from lineage.eventlog import log
from lineage.plan_documents import store
from lineage.plan_documents.store import StoredDocument, StoredDocumentRow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import psycopg

BATCH_SIZE = 200


_SQL = StatementFile(__file__)
_CLAIM_DOCUMENTS = _SQL.statement("claim_documents", StoredDocumentRow)


# Missing statistics of a new table must not cause a sequential scan once it is large.
_BY_INDEX = "SELECT set_config('enable_seqscan', 'off', true)"

# Advisory lock key. Conversions share the lock; a new conversion of all documents excludes them.
_SHARED = "SELECT pg_advisory_xact_lock_shared(7526)"
_ALL_ALONE = "SELECT pg_advisory_xact_lock(7526)"
_ALONE = """
SELECT pg_advisory_xact_lock(7526, key)
FROM (SELECT DISTINCT hashtext(run) AS key FROM unnest(%s::text[]) AS a (run) ORDER BY 1) AS k
"""

_SET_ASIDE = """
INSERT INTO lineage.plan_document_queue (sha256, time, reason)
SELECT * FROM unnest(%b::bytea[], %s::timestamptz[], %b::text[])
ON CONFLICT (sha256, time) DO UPDATE SET reason = excluded.reason
"""

# Rows that another process has claimed are deleted by that process. Waiting for it could deadlock.
_DONE = """
DELETE FROM lineage.plan_document_queue WHERE (sha256, time) IN (
    SELECT sha256, time FROM lineage.plan_document_queue WHERE sha256 = ANY (%b::bytea[])
    FOR UPDATE SKIP LOCKED)
"""

_COUNT = "SELECT count(*) FROM lineage.plan_document_queue WHERE reason IS NULL"


# Errors that one document causes each time it is converted. All others are database errors.
_OF_THE_DOCUMENT = (DataError, ProgramLimitExceeded)


def convert_pending(conn: psycopg.Connection[Any], limit: int = BATCH_SIZE) -> int:
    """Convert the oldest pending documents, at most ``limit``; return the number claimed.

    Their events are then in the log, and pending in the projection queue. A document that cannot be
    converted, or whose events the database rejects, remains in ``lineage.plan_document_queue`` with
    its reason. Raises DatabaseError; then nothing has changed.
    """
    while True:
        claimed: list[StoredDocument] = []
        try:
            return _convert_batch(conn, limit, claimed)
        except _OF_THE_DOCUMENT as error:
            if len(claimed) == 1:
                return _reject_documents(conn, claimed, error)
            limit = len(claimed) // 2
        except Error as error:
            raise translate_error(error) from error


def _convert_batch(conn: psycopg.Connection[Any], limit: int, claimed: list[StoredDocument]) -> int:
    with conn.transaction():
        conn.execute(_BY_INDEX)
        conn.execute(_SHARED)
        claimed[:] = store.fetch_documents(conn, _CLAIM_DOCUMENTS, limit=limit)
        if claimed:
            _convert_claimed(conn, claimed)
    return len(claimed)


def _convert_claimed(conn: psycopg.Connection[Any], claimed: Sequence[StoredDocument]) -> None:
    # Imported here, because a collector that receives only events does not need it.
    from lineage.plan_documents import conversion
    from lineage.plan_documents.token_scope import withhold_foreign

    runs = sorted({document.application for document in claimed})
    conn.execute(_ALONE, (runs,))
    incomplete = {
        end.application
        for end in store.select_ends(conn, runs)
        if conversion.reports_lost_documents(end)
    }
    related = store.of_executions(conn, claimed)
    again = [document for document in related if document.kind == "execution_end"]
    again += store.without_start(conn, sorted(incomplete))
    documents = {document.sha256: document for document in (*claimed, *again)}
    converted = conversion.convert_documents(documents.values(), related, incomplete)
    withhold_foreign(conn, converted, documents.values())
    if converted.entries:
        log.queue_events(conn, converted.entries)
    remove_from_queue(conn, claimed, converted.reasons)
    _delete_from_queue(conn, [sha256 for sha256 in documents if sha256 not in converted.reasons])


def _reject_documents(
    conn: psycopg.Connection[Any], claimed: Sequence[StoredDocument], error: Error
) -> int:
    with translate_errors(), conn.transaction():
        remove_from_queue(
            conn, claimed, {document.sha256: str(translate_error(error)) for document in claimed}
        )
    return len(claimed)


def remove_from_queue(
    conn: psycopg.Connection[Any], documents: Sequence[StoredDocument], reasons: Mapping[bytes, str]
) -> None:
    """Remove converted documents from the queue; store the reason of the others in it.

    The documents must be claimed, or all other conversions must be excluded.
    """
    aside = [document for document in documents if document.sha256 in reasons]
    if aside:
        keys, times = [each.sha256 for each in aside], [each.time for each in aside]
        conn.execute(_SET_ASIDE, (keys, times, [reasons[key] for key in keys]))
    _delete_from_queue(conn, [each.sha256 for each in documents if each.sha256 not in reasons])


def _delete_from_queue(conn: psycopg.Connection[Any], keys: list[bytes]) -> None:
    if keys:
        conn.execute(_DONE, (keys,))


def keep_others_out(conn: psycopg.Connection[Any]) -> None:
    """Wait for all other conversions to end, and exclude new ones until this transaction ends."""
    conn.execute(_ALL_ALONE)


def count_pending(conn: psycopg.Connection[Any]) -> int:
    """Return the number of pending documents."""
    with translate_errors():
        return int(conn.execute(_COUNT).fetchall()[0][0])
