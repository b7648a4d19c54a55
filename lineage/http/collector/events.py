"""Events that are posted: written to the log before the response."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace
from starlette.responses import JSONResponse, Response

from lineage.errors import InvalidEvent
from lineage.events.entry import Entry, read_entry
from lineage.http import request_body
from lineage.http.collector.services import CollectorServices
from lineage.http.errors import ApiError, not_good
from lineage.http.request_body import Reservation
from lineage.openlineage.events import count_names, datasets_of
from lineage.openlineage.foreign_namespaces import find_foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request

    from lineage.http.tokens import Token
    from lineage.openlineage import Event

PATH = "/api/v1/lineage"
CREATED = Response(status_code=201)
LINES = "application/x-ndjson"
MAX_REASONS = 100  # in one report
_MAX_LISTED_PARTS = 20  # of one event that a response lists as left out


def created_response(omitted: Sequence[str]) -> Response:
    """Return the response to one event.

    It has no body, as clients of OpenLineage expect, unless parts of the event could not be read.
    """
    return JSONResponse({"left_out": omitted}, 201) if omitted else CREATED


def _is_lines(request: Request) -> bool:
    return request.headers.get("content-type", "").lower().startswith(LINES)


async def post_event(request: Request) -> Response:
    """Store one event, or the events of NDJSON lines as a batch."""
    if _is_lines(request):
        return await post_batch(request)
    services = CollectorServices.of_request(request)
    token = await services.access.authenticate(request, "write")
    encoding = request.headers.get("content-encoding", "identity")
    with Reservation(services.body_budget) as share:
        body = await request_body.receive_body(request, share)
        entry, omitted = await read_single(services, token, (body, encoding), share)
        await _write_entries(services, [entry])
    return created_response(omitted)


async def post_batch(request: Request) -> Response:
    """Store the valid events of a batch, and report the others by their index.

    The response has the format of OpenLineage's API for batches, 2.0.2.
    """
    services = CollectorServices.of_request(request)
    token = await services.access.authenticate(request, "write")
    encoding = request.headers.get("content-encoding", "identity")
    with Reservation(services.body_budget) as share:
        body = await request_body.receive_body(request, share)
        of = partial(_ReadEvents.from_body, lines=_is_lines(request))
        read = await asyncio.to_thread(of, token, (body, encoding), share)
        read.reject_events(token, await services.owners.find_refusals(token, read.valid_events()))
        services.metrics.events["rejected"].inc(len(read.failed))
        if read.good:
            await _write_entries(services, list(read.good.values()))
    return JSONResponse(read.to_report())


@dataclass(frozen=True, slots=True)
class _ReadEvents:
    """The events of a request by their index: the valid ones, and the errors of the others."""

    good: dict[int, Entry] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    omitted: dict[int, list[str]] = field(default_factory=dict)

    @classmethod
    def from_body(
        cls, token: Token, packed: tuple[bytes, str], share: Reservation, *, lines: bool
    ) -> _ReadEvents:
        body = request_body.decode_body(*packed, share)
        share.reserve(len(body))  # for the texts of the events
        read = cls()
        for index, text in enumerate(request_body.split_events(body, lines=lines)):
            try:
                with share.reserve_for_parsing(text):
                    read.good[index], omitted = _read_entry(token, text)
                if omitted:
                    read.omitted[index] = omitted
            except ApiError as error:
                if error.status == 429:
                    raise
                read.failed[index] = error.message
        return read

    def valid_events(self) -> list[Event]:
        """Return the events that have not been rejected."""
        return [entry.event for entry in self.good.values()]

    def reject_events(self, token: Token, refusals: dict[int, str]) -> None:
        """Reject events by their index in the result of ``valid_events``."""
        indexes = list(self.good)
        for place, what in refusals.items():
            del self.good[indexes[place]]
            self.failed[indexes[place]] = not_good(token, what).message

    def to_report(self) -> dict[str, Any]:
        omitted = [
            {"index": index, "parts": self.omitted[index]}
            for index in sorted(self.omitted.keys() & self.good.keys())[:MAX_REASONS]
        ]
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
                {"index": index, "reason": _describe_error(number, reason), "retriable": False}
                for number, (index, reason) in enumerate(sorted(self.failed.items()))
            ],
            **({"left_out": omitted} if omitted else {}),
        }


def _describe_error(number: int, reason: str) -> str:
    if number < MAX_REASONS:
        return reason
    return f"Only the first {MAX_REASONS} reasons are reported."


async def read_single(
    services: CollectorServices, token: Token, packed: tuple[bytes, str], share: Reservation
) -> tuple[Entry, list[str]]:
    """Return the entry for a post of one event of any size, and the parts left out of it.

    Raises ApiError.
    """
    try:
        text = request_body.decode_small_body(*packed)
        entry, omitted = (
            await asyncio.to_thread(_read_large_event, token, packed, share)
            if text is None
            else _read_entry(token, text)
        )
        refusals = await services.owners.find_refusals(token, [entry.event])
        for foreign in refusals.values():
            raise not_good(token, foreign)
    except ApiError:
        services.metrics.events["rejected"].inc()
        raise
    return entry, omitted


def _read_large_event(
    token: Token, packed: tuple[bytes, str], share: Reservation
) -> tuple[Entry, list[str]]:
    text = request_body.decode_body(*packed, share)
    with share.reserve_for_parsing(text):
        return _read_entry(token, text)


def read_single_event(
    services: CollectorServices, token: Token, text: bytes
) -> tuple[Entry, list[str]]:
    """Return the entry for a post of one small event, by a token for all namespaces."""
    try:
        return _read_entry(token, text)
    except ApiError:
        services.metrics.events["rejected"].inc()
        raise


def _read_entry(token: Token, text: bytes) -> tuple[Entry, list[str]]:
    try:
        entry = read_entry(text)
    except InvalidEvent as error:
        raise ApiError(400, error.message, error.hint) from None
    if count_names(datasets_of(entry.event)) > request_body.MAX_NAMES:
        message = f"An event has more than {request_body.MAX_NAMES} names of datasets."
        raise ApiError(413, message, "Split the event into smaller events.")
    if token.namespaces and (foreign := find_foreign(entry.event, token.covers_namespace)):
        raise not_good(token, foreign)
    # The parsed parts are not needed while the entry waits for the database.
    omitted = entry.event.all_omitted()
    if len(omitted) > _MAX_LISTED_PARTS:
        omitted[_MAX_LISTED_PARTS:] = [f"and {len(omitted) - _MAX_LISTED_PARTS} more"]
    return replace(entry, event=entry.event.without_parts()), omitted


async def _write_entries(services: CollectorServices, entries: Sequence[Entry]) -> None:
    """Write entries, and return when they are on disk."""
    new = await services.events.write_entries(entries)
    services.metrics.observe_events(new, len(entries) - new)
