"""The decorator ``step``: a Python function whose rows are recorded by a capture."""

from __future__ import annotations

import inspect
import itertools
import logging
import re
import threading
import uuid
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, cast

from lineage.errors import UsageError
from lineage.records import groups
from lineage.records.calls import Maps, RowCalls, iterate_rows, record_row, record_rows
from lineage.records.dead_letters import DeadLetterFile, dead_letter_directory
from lineage.records.frames import is_frame, map_frames
from lineage.records.keys import key_function
from lineage.records.recordings import open_recording, recording_scope
from lineage.records.tasks import current_task

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable

    from lineage.records.keys import Key
    from lineage.records.recording import Recording

MAPS = ("one_to_one", "one_to_many", "one_to_none", "many_to_one")

logger = logging.getLogger(__name__)


class Step:
    """A function of a row, or of a group of rows, that can be recorded.

    Called with an iterator of rows or of pandas DataFrames it returns an iterator of the outputs:
    for ``mapInPandas``, ``foreachPartition``, ``rdd.mapPartitions`` and plain iterators. Called
    with one row it returns the result of the function: for ``rdd.map``. A step ``by`` a key is
    called with a group: for ``applyInPandas``. ``step`` describes the parameters.
    """

    # pyspark counts the parameters of a function by its signature.
    __signature__ = inspect.Signature(
        [inspect.Parameter("rows", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    )

    def __init__(self, function: Callable[[Any], Any], **options: Any) -> None:
        self.function = function
        self.name: str = options["name"] or getattr(function, "__name__", type(function).__name__)
        self.__name__ = self.name
        self.__doc__ = function.__doc__
        self.maps = _check_maps(options["maps"], options["by"], function)
        self._key_of = key_function(options["key"])
        self._group_key_of = key_function(options["by"])
        self.source = options["source"] or _name_source(options["key"], self.name)
        self._retries = _check_retries(options["retries"])
        self._dead_letters = None
        if options["dead_letter"] is not None:
            self._dead_letters = dead_letter_directory(options["dead_letter"])
            if self.maps == "many_to_one":
                raise UsageError(
                    "A step over groups has no dead letters.", "Leave out dead_letter."
                )
        self._token = uuid.uuid4().hex[:12]
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_local"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _local=threading.local())

    def __repr__(self) -> str:
        return f"<step {self.name} of {self.source}, {self.maps}>"

    def __call__(self, rows: Any) -> Any:
        """Process an iterator of rows, one row, or a group."""
        if self.maps == "many_to_one":
            return self._call_group(rows)
        if isinstance(rows, Iterator):
            return self._iterate_rows(rows)
        return self._call_row(rows)

    def _iterate_rows(self, rows: Iterator[Any]) -> Iterator[Any]:
        first = next(rows, _NO_ROW)
        if first is _NO_ROW:
            return
        every = itertools.chain((first,), rows)
        with self._open_letters() as letters:
            calls = RowCalls(self.function, self.maps, self._retries, letters)
            recording = self._current_recording()

            def iterate_some(each: Iterable[Any]) -> Iterator[Any]:
                if recording is None:
                    return iterate_rows(calls, each)
                return record_rows(calls, each, self._key_of, recording)

            yield from map_frames(every, iterate_some) if is_frame(first) else iterate_some(every)

    def _open_letters(self) -> Any:
        """Open the file of dead letters for this attempt; without one, return a null context."""
        if self._dead_letters is None:
            return nullcontext()
        context = current_task()
        attempt = uuid.uuid4().hex[:12]
        node = re.sub(r"\W+", "_", self.name)
        if context is None:
            return DeadLetterFile(self._dead_letters, f"{node}-{attempt}", attempt)
        place = f"{context.stageId()}-{context.partitionId():05}"
        name = f"{node}-{self._token}-{place}"
        return DeadLetterFile(self._dead_letters, name, f"{context.taskAttemptId()}-{attempt}")

    def _call_row(self, row: Any) -> Any:
        """Return the result of the function for one row, as it is."""
        if self._dead_letters is not None:
            raise UsageError(
                f"The step {self.name} has dead letters and was called with a single row.",
                "Call it with an iterator: rdd.mapPartitions(step) in place of rdd.map(step).",
            )
        calls = _SingleCall(self.function, self.maps, self._retries)
        recording = self._current_recording()
        if recording is None:
            outputs = calls.iterate_row(row, lambda _: None, lambda: None)
        else:
            outputs = record_row(calls, row, self._key_of, recording)
        for _ in outputs:
            pass
        return calls.result

    def _call_group(self, group: Any) -> Any:
        calls = RowCalls(self.function, self.maps, self._retries)
        recording = self._current_recording()
        if recording is None:
            result, _, error = groups.call_group(calls, group)
        else:
            keys = (self._group_key_of, self._key_of)
            result, _, error = groups.record_group(calls, group, keys, recording)
        if error is not None:
            raise error
        return result

    def _current_recording(self) -> Recording | None:
        """Return the recording of this thread in the current capture; None without a capture."""
        try:
            scope = recording_scope()
            if scope is None:
                return None
            opened: tuple[Any, Recording | None] | None = getattr(self._local, "opened", None)
            if opened is None or opened[0] != scope:
                opened = self._local.opened = (scope, open_recording(self.name, self.source))
            return opened[1]
        except Exception:
            logger.warning("The step %s is not recorded.", self.name, exc_info=True)
            return None


class _SingleCall(RowCalls):
    """A call for one row that retains the result as it is."""

    result: Any = None

    def outputs_of(self, result: Any) -> Iterable[Any]:
        """Return the outputs in a result, to be counted."""
        self.result = result
        if self.maps == "one_to_many" and not isinstance(result, Iterator):
            return super().outputs_of(result)
        if self.maps == "one_to_many":
            self.result = list(result)
            return cast("list[Any]", self.result)
        return super().outputs_of(result)


_NO_ROW = object()


def _check_maps(maps: str | None, by: Key, function: Callable[[Any], Any]) -> Maps:
    if maps is None:
        if by is not None:
            return "many_to_one"
        return "one_to_many" if inspect.isgeneratorfunction(function) else "one_to_one"
    if maps not in MAPS:
        raise UsageError(f"maps={maps!r} is not valid.", f"Use one of: {', '.join(MAPS)}.")
    if (maps == "many_to_one") != (by is not None):
        raise UsageError(
            f'maps="{maps}" does not fit by={by!r}.', "Give the key of the groups as by=."
        )
    return cast("Maps", maps)


def _check_retries(retries: int) -> int:
    if not isinstance(retries, int) or retries < 0:
        raise UsageError(f"retries={retries!r} is not a number of calls.", "Give 0 or more.")
    return retries


def _name_source(key: Key, name: str) -> str:
    """Return the source of the items: the columns of their key, else the name of the step."""
    if key is None or callable(key):
        return name
    return str(key) if isinstance(key, (str, int)) else ",".join(map(str, key))


def step(
    function: Callable[[Any], Any] | None = None,
    *,
    key: Key = None,
    maps: Maps | None = None,
    by: Key = None,
    retries: int = 0,
    dead_letter: str | os.PathLike[str] | None = None,
    name: str | None = None,
    source: str | None = None,
) -> Any:
    """Make a function of a row a step, as a decorator or as a function.

    ``key``: the column, columns or function that identify a row; by default its whole content.
    ``maps``: "one_to_one": the result is the output, None is no output (the default);
    "one_to_many": the result is an iterable of outputs (the default of generators);
    "one_to_none": the function consumes rows; "many_to_one": it gets the rows of a group.
    ``by``: the key of the groups. ``retries``: number of further calls after an error.
    ``dead_letter``: directory for rows that still fail; the job then continues. Without it the
    error is raised. ``name``: the node, by default the name of the function. ``source``: the
    source of the key, by default the names of its columns: steps with one source share their items.

    Raises UsageError if a parameter is invalid.
    """

    def make_step(function: Callable[[Any], Any]) -> Step:
        return Step(
            function, key=key, maps=maps, by=by, retries=retries, dead_letter=dead_letter,
            name=name, source=source,
        )  # fmt: skip

    return make_step if function is None else make_step(function)
