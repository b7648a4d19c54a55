"""Steps that make rows of groups: the function gets all rows of a group at once.

The item is the group. Its contributors are the rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.records.calls import AGGREGATED, EMITTED, ERROR, FILTERED_OUT, RETRIED, RowCalls
from lineage.records.frames import is_frame, rows_of_frame
from lineage.records.recording import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lineage.records.recording import Recording


def call_group(calls: RowCalls, group: Any) -> tuple[Any, int, Exception | None]:
    """Call the function for a group: its result, the number of retries, the error of the last."""
    retries = 0
    while True:
        try:
            return calls.function(group), retries, None
        except Exception as error:  # noqa: BLE001 - raised by the caller
            if retries == calls.retries:
                return None, retries, error
            retries += 1


def record_group(
    calls: RowCalls,
    group: Any,
    keys: tuple[Callable[[Any], Any], Callable[[Any], Any]],
    recording: Recording,
) -> tuple[Any, int, Exception | None]:
    """Do as ``call_group``, and record the group. ``keys``: of the group, of a row."""
    rows: Sequence[Any] = ()
    try:
        # Before the call, because the function may change the group.
        rows = rows_of_frame(group) if is_frame(group) else list(group)
        hashed, id = _identify_group(rows, keys[0], recording)
        contributors = [keys[1](row) for row in rows] if hashed < recording.threshold else []
    except Exception as failed:  # noqa: BLE001 - the key is of the recording, not of the job
        recording.part.count_unrecorded(failed)
        hashed, id, contributors = recording.threshold, None, []
    result, retries, error = call_group(calls, group)
    emissions = _count_outputs(result)
    if error is not None:
        outcome = ERROR
    else:
        outcome = AGGREGATED | (EMITTED if emissions else FILTERED_OUT)
        outcome |= RETRIED if retries else 0
    call = Call(outcome, emissions, retries, error)
    recording.count_row(call, len(rows))
    if id is not None and hashed < recording.threshold:
        recording.record_group(id, hashed, call, contributors)
    return result, retries, error


def _identify_group(
    rows: Sequence[Any], key_of_group: Callable[[Any], Any], recording: Recording
) -> tuple[int, bytes | None]:
    """Return the hash and the id of a group; it has the key of its first row."""
    if not rows:
        return recording.threshold, None
    key = key_of_group(rows[0])
    hashed = recording.hash_of(key)
    recording.part.digest += hashed
    return hashed, recording.group_id(key)


def _count_outputs(result: Any) -> int:
    if result is None:
        return 0
    if is_frame(result) or isinstance(result, (list, tuple)):
        return len(result)
    return 1
