"""Plan documents as they came: read as far as every version has it, and kept once each."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct

from lineage.errors import InvalidEvent
from lineage.openlineage.times import of_milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import psycopg

_YEAR_10000 = 253_402_300_800_000  # in milliseconds: what comes before, the database can hold
_Name = Annotated[str, Meta(pattern=r"^[\x20-\x7e]{1,100}$")]

# The columns of a document, in the order of Kept.
KEPT = "d.sha256, lineage.iso(d.time), d.application, d.kind, d.execution, d.body, d.namespaces"

_APPEND = """
WITH new AS (
    INSERT INTO lineage.document (sha256, time, application, kind, execution, body, namespaces)
    SELECT d.sha256, d.time, d.application, d.kind, d.execution, d.body,
           (SELECT array_agg(n) FROM json_array_elements_text(d.namespaces::json) AS n)
    FROM unnest(%b::bytea[], %s::timestamptz[], %b::text[], %b::text[], %s::bigint[],
                %b::text[], %b::text[])
         AS d (sha256, time, application, kind, execution, body, namespaces)
    ON CONFLICT DO NOTHING
    RETURNING sha256, time
), queued AS (
    INSERT INTO lineage.unconverted (sha256, time) SELECT sha256, time FROM new
)
SELECT sha256 FROM new
"""

_COUNT = "SELECT count(*) FROM lineage.document"

_OF_EXECUTIONS = """
SELECT {kept}
FROM (SELECT DISTINCT * FROM unnest(%b::text[], %s::bigint[]) AS e (application, execution)) AS e
CROSS JOIN LATERAL (SELECT * FROM lineage.document d
                    WHERE d.application = e.application AND d.execution = e.execution OFFSET 0) AS d
""".replace("{kept}", KEPT)

_ENDS = """
SELECT {kept} FROM lineage.document d
WHERE d.application = ANY (%s) AND d.execution IS NULL AND d.kind = 'application_end'
  AND EXISTS (SELECT FROM lineage.document s
              WHERE s.application = d.application AND s.execution IS NULL
                AND s.kind = 'application_start')
""".replace("{kept}", KEPT)

_WITHOUT_START = """
SELECT {kept} FROM lineage.document d
WHERE d.application = ANY (%s) AND d.kind = 'execution_end'
  AND NOT EXISTS (SELECT FROM lineage.document s
                  WHERE s.application = d.application AND s.execution = d.execution
                    AND s.kind = 'execution_start')
""".replace("{kept}", KEPT)


@dataclass(frozen=True, slots=True)
class Kept:
    """A document with what tells it from others. ``time`` is UTC in ISO 8601.

    ``namespaces`` are those of the token that it came with; its events may change no others.
    """

    sha256: bytes
    time: str
    application: str
    kind: str
    execution: int | None
    body: str
    namespaces: Sequence[str] | None = None
    namespace: str = "default"


class _Application(Struct):
    run: _Name
    namespace: str | None = None


class _Envelope(Struct):
    lineage: int
    kind: _Name
    time: Annotated[int, Meta(ge=0, lt=_YEAR_10000)]
    app: _Application
    execution: Any = None


_ENVELOPE = msgspec.json.Decoder(_Envelope)


def read(line: bytes) -> Kept:
    """Return the document of a line, of any version and kind. Raises InvalidEvent."""
    try:
        envelope, body = _ENVELOPE.decode(line), line.decode()
    except RecursionError as error:
        raise InvalidEvent("it is nested too deeply") from error
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$")
        raise InvalidEvent(f"{place.strip('`.') or 'it'}: {what}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidEvent(f"it is no JSON: {error}") from error
    return Kept(
        hashlib.sha256(line).digest(),
        of_milliseconds(envelope.time),
        envelope.app.run,
        envelope.kind,
        _execution(envelope.execution),
        body,
        namespace=envelope.app.namespace or "default",
    )


def _execution(stated: Any) -> int | None:
    id = stated.get("id") if isinstance(stated, dict) else None
    return id if isinstance(id, int) and abs(id) < 1 << 63 else None


def append(conn: psycopg.Connection[Any], documents: Iterable[Kept]) -> list[Kept]:
    """Keep documents, and leave those that are new to be converted; return these."""
    # In order of content: two writers of the same documents never wait for each other in a ring.
    batch = [kept for _, kept in sorted({kept.sha256: kept for kept in documents}.items())]
    rows = conn.execute(
        _APPEND,
        (
            [kept.sha256 for kept in batch],
            [kept.time for kept in batch],
            [kept.application for kept in batch],
            [kept.kind for kept in batch],
            [kept.execution for kept in batch],
            [kept.body for kept in batch],
            [json.dumps(kept.namespaces) if kept.namespaces else None for kept in batch],
        ),
    ).fetchall()
    new = {sha256 for (sha256,) in rows}
    return [kept for kept in batch if kept.sha256 in new]


def of_executions(conn: psycopg.Connection[Any], documents: Iterable[Kept]) -> list[Kept]:
    """Return all documents of the executions that ``documents`` are about."""
    about = [(kept.application, kept.execution) for kept in documents if kept.execution is not None]
    applications, executions = [run for run, _ in about], [id for _, id in about]
    return fetched(conn, _OF_EXECUTIONS, (applications, executions))


def ends(conn: psycopg.Connection[Any], applications: list[str]) -> list[Kept]:
    """Return the ends of those applications of which the start is there as well."""
    return fetched(conn, _ENDS, (applications,))


def without_start(conn: psycopg.Connection[Any], applications: list[str]) -> list[Kept]:
    """Return the ends of executions whose start is not there."""
    return fetched(conn, _WITHOUT_START, (applications,))


def fetched(conn: psycopg.Connection[Any], statement: str, params: Any) -> list[Kept]:
    """Return the documents that a statement gives."""
    return [Kept(*row) for row in conn.execute(statement, params)]


def count(conn: psycopg.Connection[Any]) -> int:
    """Return how many documents there are."""
    return int(conn.execute(_COUNT).fetchall()[0][0])
