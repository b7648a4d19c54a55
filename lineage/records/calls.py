"""Calls of the function of a step: retries, dead letters, and the number of outputs of a row."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage.records.outcomes import Outcome
from lineage.records.recording import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from lineage.records.dead_letters import DeadLetterFile
    from lineage.records.recording import Recording

Maps: TypeAlias = Literal["one_to_one", "one_to_many", "one_to_none", "many_to_one"]

# As integers: the arithmetic of IntFlag takes a hundred times as long.
EMITTED = int(Outcome.EMITTED)
FILTERED_OUT = int(Outcome.FILTERED_OUT)
RETRIED = int(Outcome.RETRIED)
ERROR = int(Outcome.ERROR)
DEAD_LETTERED = int(Outcome.DEAD_LETTERED)
AGGREGATED = int(Outcome.AGGREGATED)

# Outputs of a row in its snapshot.
SNAPSHOT_OUTPUTS = 8


class RowCalls:
    """Calls the function of a step for rows.

    ``letters``: None if an error that remains after the retries is raised.
    """

    def __init__(
        self,
        function: Callable[[Any], Any],
        maps: Maps,
        retries: int,
        letters: DeadLetterFile | None = None,
    ) -> None:
        self.function = function
        self.maps = maps
        self.retries = retries
        self.letters = letters
        self.is_buffered = retries > 0 or letters is not None

    def outputs_of(self, result: Any) -> Iterable[Any]:
        """Return the outputs in a result: with retries a sequence, so that none is given twice."""
        if result is None:
            return ()
        if self.maps == "one_to_one":
            return (result,)
        if self.maps == "one_to_none":
            return ()
        if self.is_buffered and not isinstance(result, (list, tuple)):
            return list(result)
        outputs: Iterable[Any] = result
        return outputs

    def call_until_done(
        self, row: Any, failed: Exception | None = None
    ) -> tuple[Iterable[Any], int, Exception | None]:
        """Call the function until it succeeds: outputs, number of retries, error of the last call.

        ``failed``: the error of a first call that the caller has made.
        """
        error = failed
        for retries in range(0 if failed is None else 1, self.retries + 1):
            try:
                return self.outputs_of(self.function(row)), retries, None
            except Exception as raised:  # noqa: BLE001 - raised by the caller
                error = raised
        return (), self.retries, error

    def iterate_row(
        self,
        row: Any,
        on_done: Callable[[Call], None],
        item: Callable[[], str | None],
        failed: Exception | None = None,
        on_output: Callable[[Any], None] | None = None,
    ) -> Iterator[Any]:
        """Yield the outputs of a row; ``on_done`` gets its outcome, also after an error.

        ``on_output`` gets the first outputs before the caller, which may change them.
        """
        outputs, retries, error = self.call_until_done(row, failed)
        outcome = ERROR if error else 0
        emissions = 0
        try:
            if error is not None:
                if self.letters is None:
                    raise error
                self.letters.append_row(row, item(), error, retries)
                outcome |= DEAD_LETTERED
            for output in outputs:
                emissions += 1
                if on_output is not None and emissions <= SNAPSHOT_OUTPUTS:
                    on_output(output)
                yield output
        except Exception as raised:  # also by a generator that is not buffered
            error, outcome = raised, ERROR
            raise
        finally:
            if error is None:
                outcome = EMITTED if emissions or self.maps == "one_to_none" else FILTERED_OUT
                outcome |= RETRIED if retries else 0
            on_done(Call(outcome, emissions, retries, error))


def iterate_rows(calls: RowCalls, rows: Iterable[Any]) -> Iterator[Any]:
    """Yield the outputs of rows that are not recorded."""
    if calls.maps != "one_to_one":
        for row in rows:
            yield from calls.iterate_row(row, _ignore_call, _no_item)
        return
    function = calls.function
    for row in rows:
        try:
            output = function(row)
        except Exception as error:
            if not calls.is_buffered:
                raise
            yield from calls.iterate_row(row, _ignore_call, _no_item, error)
            continue
        if output is not None:
            yield output


def _ignore_call(call: Call) -> None:
    pass


def _no_item() -> None:
    return None


def record_rows(
    calls: RowCalls, rows: Iterable[Any], key_of: Callable[[Any], Any], recording: Recording
) -> Iterator[Any]:
    """Yield the same outputs as ``iterate_rows``, and record the outcome of each row."""
    if calls.maps == "one_to_one":
        return _record_simple_rows(calls, rows, key_of, recording)
    return _record_any_rows(calls, rows, key_of, recording)


def _record_any_rows(
    calls: RowCalls, rows: Iterable[Any], key_of: Callable[[Any], Any], recording: Recording
) -> Iterator[Any]:
    for row in rows:
        yield from record_row(calls, row, key_of, recording)


def record_row(
    calls: RowCalls, row: Any, key_of: Callable[[Any], Any], recording: Recording
) -> Iterator[Any]:
    """Yield the outputs of one row, and record its outcome."""
    # Before the call, because the function may change the row.
    key, hashed, before, readable = None, recording.threshold, None, False
    try:
        key = key_of(row)
        hashed = recording.hash_of(key)
        recording.part.digest += hashed
        readable = True
        if hashed < recording.threshold:
            before = recording.take_snapshot(row)
    except Exception as error:  # noqa: BLE001 - the key is of the recording, not of the job
        recording.part.count_unrecorded(error)

    is_sampled = readable and hashed < recording.threshold
    after: list[str | None] = []

    def on_done(call: Call) -> None:
        recording.count_row(call)
        if is_sampled:
            recording.record_item(key, hashed, call, (before, after))

    def on_output(output: Any) -> None:
        after.append(recording.take_snapshot(output))

    yield from calls.iterate_row(
        row,
        on_done,
        lambda: recording.item_text(key) if readable else None,
        on_output=on_output if is_sampled and recording.settings.mask is not None else None,
    )


def _record_simple_rows(
    calls: RowCalls, rows: Iterable[Any], key_of: Callable[[Any], Any], recording: Recording
) -> Iterator[Any]:
    """Record rows with one output or none. Most rows take the shortest way."""
    function, hash_of, part = calls.function, recording.hash_of, recording.part
    threshold, outcomes = recording.threshold, recording.part.outcomes
    outcomes.setdefault(EMITTED, 0)
    outcomes.setdefault(FILTERED_OUT, 0)
    for row in rows:
        try:
            key = key_of(row)
            hashed = hash_of(key)
            is_sampled = hashed < threshold
        except Exception:  # noqa: BLE001 - the key is of the recording; counted by record_row
            is_sampled = True
        if is_sampled:
            yield from record_row(calls, row, key_of, recording)
            continue
        part.digest += hashed
        try:
            output = function(row)
        except Exception as error:
            if not calls.is_buffered:
                outcomes[ERROR] = outcomes.get(ERROR, 0) + 1
                raise
            item = partial(recording.item_text, key)
            yield from calls.iterate_row(row, recording.count_row, item, error)
            continue
        if output is None:
            outcomes[FILTERED_OUT] += 1
        else:
            outcomes[EMITTED] += 1
            part.emissions += 1
            yield output
