"""Events that are posted: written to the log before the answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from lineage.collector import bodies
from lineage.collector.bodies import Share
from lineage.collector.parts import Parts
from lineage.collector.problems import Problem
from lineage.errors import InvalidEvent
from lineage.graph import log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from lineage.collector.tokens import Token

PATH = "/api/v1/lineage"
CREATED = Response(status_code=201)


async def post_event(request: Request) -> Response:
    """One event: 201 without a body, as clients of OpenLineage expect it."""
    parts = Parts.of(request)
    token = await parts.access.token(request, "write")
    with Share(parts.room) as share:
        entry = single(parts, token, await bodies.received(request, share))
        await _write(parts, [entry])
    return CREATED


async def post_batch(request: Request) -> Response:
    """Many events, good and bad: the good ones are written, the bad ones told by their index.

    The answer has the form of OpenLineage's API for batches, 2.0.2.
    """
    parts = Parts.of(request)
    token = await parts.access.token(request, "write")
    with Share(parts.room) as share:
        read = _Read.of(token, bodies.events(await bodies.received(request, share)))
        parts.metrics.events["refused"].inc(len(read.failed))
        if read.good:
            await _write(parts, read.good)
    return JSONResponse(read.report())


@dataclass(frozen=True, slots=True)
class _Read:
    """The events of a request: those that can be written, and of the others the index and why."""

    good: list[log.Entry] = field(default_factory=list)
    failed: list[tuple[int, Problem]] = field(default_factory=list)

    @classmethod
    def of(cls, token: Token, texts: Sequence[bytes]) -> _Read:
        read = cls()
        for index, text in enumerate(texts):
            try:
                read.good.append(_entry(token, text))
            except Problem as problem:
                read.failed.append((index, problem))
        return read

    def report(self) -> dict[str, Any]:
        status = "success" if not self.failed else "partial_success" if self.good else "failure"
        return {
            "status": status,
            "summary": {
                "received": len(self.good) + len(self.failed),
                "successful": len(self.good),
                "failed": len(self.failed),
                "retriable": 0,
                "non_retriable": len(self.failed),
            },
            "failed_events": [
                {"index": index, "reason": problem.message, "retriable": False}
                for index, problem in self.failed
            ],
        }


def single(parts: Parts, token: Token, text: bytes) -> log.Entry:
    """Return the entry for a post of one event. Raises Problem."""
    try:
        return _entry(token, text)
    except Problem:
        parts.metrics.events["refused"].inc()
        raise


def _entry(token: Token, text: bytes) -> log.Entry:
    try:
        entry = log.read(text)
    except InvalidEvent as error:
        raise Problem(400, error.message, error.hint) from error
    namespace = entry.event.namespace
    if not token.covers(namespace):
        raise Problem(403, f'The token "{token.name}" is not good for namespace "{namespace}".')
    return entry


async def _write(parts: Parts, entries: Sequence[log.Entry]) -> None:
    """Return when they are on disk."""
    new = await parts.events.write(entries)
    parts.metrics.written(new, len(entries) - new)
