"""Send events to a target, one after the other, in a separate thread."""

from __future__ import annotations

import contextlib
import json
import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.database.connection import connect
from lineage.errors import LineageError, NotFound
from lineage.forwarding.cursor import Cursor
from lineage.forwarding.responses import is_about_event, retry_after_seconds

if TYPE_CHECKING:
    from openlineage.client.transport import Transport

    from lineage.forwarding.cursor import PendingEvent
    from lineage.forwarding.targets import Target

LOG = logging.getLogger(__name__)

BATCH_SIZE = 100  # maximum number of events sent again after a crash
_LOOK_SECONDS = 1.0
_STANDBY_SECONDS = 5.0
_FIRST_PAUSE = 1.0
_MAX_PAUSE_SECONDS = 300.0


class _Unsent(Exception):
    """The target does not accept events now; ``pause`` is the wait that it requested."""

    def __init__(self, reason: str, pause: float = 0.0) -> None:
        super().__init__(reason)
        self.pause = pause


@dataclass(frozen=True)
class _Rejection:
    """The target has processed the event and rejected it."""

    reason: str


class Sender:
    """Sends events to one target until it is stopped or, with ``once``, has sent pending events."""

    def __init__(self, target: Target, dsn: str | None, *, once: bool = False) -> None:
        """Create the transport.

        With ``once`` the sender ends when all events are sent that existed at its start, or at the
        first failure. Raises UsageError if the target's transport cannot be created.
        """
        self.target = target
        self.error: str | None = None
        self.rejected = 0  # events
        self._dsn = dsn
        self._once = once
        self._transport: Transport = target.make_transport()
        self._stopping = threading.Event()
        self._pause = 0.0
        self._thread = threading.Thread(
            target=self._forward_until_stopped, name=f"lineage-forward-{target.name}"
        )

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current event."""
        self._stopping.set()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end; return whether it has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _forward_until_stopped(self) -> None:
        while not self._stopping.is_set():
            try:
                self._with_connection()
            except NotFound as error:
                self._record_failure(str(error))
                break
            except LineageError as error:
                self._record_failure(str(error))
                self._stopping.wait(0 if self._once else self._longer_pause())
            if self._once:
                break
        with contextlib.suppress(Exception):
            self._transport.close(1.0)

    def _with_connection(self) -> None:
        """Send over one connection to the database. Raises DatabaseError and NotFound."""
        with connect(self._dsn, autocommit=True) as conn:
            cursor = Cursor(conn, self.target.name)
            if not cursor.claim_target():
                self._record_failure("another process forwards to this target")
                self._stopping.wait(0 if self._once else _STANDBY_SECONDS)
                return
            self._send_until_stopped(cursor)
            cursor.release_target()

    def _send_until_stopped(self, cursor: Cursor) -> None:
        """Send events; return when the sender is stopped or, with ``once``, is done."""
        cursor.register_target(from_beginning=self.target.from_beginning)
        goal = cursor.newest_id()
        while not self._stopping.is_set():
            pause = self._send_part(cursor)
            if pause and self._once and (self.error or cursor.reached_id >= goal):
                return
            self._stopping.wait(pause)

    def _send_part(self, cursor: Cursor) -> float:
        """Send the next events; return the number of seconds to wait before the next call."""
        try:
            some = self._send_batch(cursor)
        except _Unsent as unsent:
            cursor.record_failure(str(unsent))
            self._record_failure(str(unsent))
            return self._longer_pause(unsent.pause)
        self._report_recovery()
        return 0.0 if some else _LOOK_SECONDS

    def _send_batch(self, cursor: Cursor) -> bool:
        """Send a batch; return whether it had events.

        Raises _Unsent if an event cannot be sent; the cursor is moved past the events before it.
        """
        events = cursor.next_events(BATCH_SIZE)
        done = sent = 0
        try:
            for event in events:
                if self._stopping.is_set():
                    break
                if not self.target.accepts_event(event.body):
                    done = event.id
                    continue
                if rejection := self._send_event(event):
                    cursor.record_rejection(event.id, rejection.reason)
                    self.rejected += 1
                    LOG.warning(
                        "%s rejected event %d: %s", self.target.name, event.id, rejection.reason
                    )
                sent += not rejection
                done = event.id
        finally:
            if done:
                cursor.advance(done, sent)
        return bool(events)

    def _send_event(self, event: PendingEvent) -> _Rejection | None:
        """Send one event. Raises _Unsent if the target accepts no events now."""
        try:
            # a dictionary, because the transports serialize an event of any class
            event_body = json.loads(event.body)
        except (ValueError, RecursionError) as error:
            return _Rejection(f"the event cannot be read: {error}")
        try:
            self._transport.emit(event_body)
        except RecursionError:
            return _Rejection("the event is nested too deeply to be sent")
        except Exception as error:  # noqa: BLE001 - transports raise any exception
            return self._classify_error(error)
        return None

    def _classify_error(self, error: Exception) -> _Rejection:
        """Return the rejection of the event. Raises _Unsent if the error concerns the target."""
        response = getattr(error, "response", None)
        status = getattr(response, "status_code", None)
        if not isinstance(status, int):
            reason = f"the target is not reachable: {self.target.describe_error(error)}"
            raise _Unsent(reason) from None
        message = f"the target responded with {status} {getattr(response, 'reason', '')}".rstrip()
        if is_about_event(status):
            return _Rejection(message)
        raise _Unsent(message, retry_after_seconds(response)) from None

    def _longer_pause(self, least: float = 0.0) -> float:
        """Double and return the pause, which is at least ``least`` and at most the limit."""
        doubled = max(2 * self._pause, _FIRST_PAUSE, least)
        self._pause = min(doubled, _MAX_PAUSE_SECONDS)
        return self._pause

    def _record_failure(self, reason: str) -> None:
        if reason != self.error:  # log a repeated failure only once
            LOG.warning("No events are forwarded to %s: %s", self.target.name, reason)
        self.error = reason

    def _report_recovery(self) -> None:
        if self.error:
            LOG.info("Events are forwarded to %s again", self.target.name)
        self.error, self._pause = None, 0.0
