"""What is read of a source that may never end is completed meanwhile."""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from lineage.errors import DatabaseError
from lineage.ingest.completion import Completion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECONDS = 30.0


class Source:
    """Items that come one by one, and the completions of them."""

    def __init__(self, errors: int = 0) -> None:
        self.items: queue.Queue[int | None] = queue.Queue()
        self.completed: queue.Queue[int] = queue.Queue()
        self.met: list[int] = []
        self._errors = errors

    def complete(self) -> None:
        self.completed.put(len(self.met))
        if self._errors:
            self._errors -= 1
            raise DatabaseError("The server is starting.")

    def read_all(self, completion: Completion) -> None:
        for item in completion.watch_items(iter(self.items.get, None)):
            assert item is not None
            self.met.append(item)


@contextmanager
def reading(source: Source) -> Iterator[Callable[[], int]]:
    """Read a source in a thread; yield a function that waits for the next completion."""
    completion = Completion(source.complete, idle=0.01, interval=SECONDS)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(source.read_all, completion)
        try:
            yield lambda: source.completed.get(timeout=SECONDS)
        finally:
            source.items.put(None)
            done.result(SECONDS)


def test_each_silence_is_completed_once() -> None:
    source = Source()
    source.items.put(1)
    with reading(source) as next_completion:
        assert next_completion() == 1
        source.items.put(2)
        assert next_completion() == 2
    assert source.completed.empty()
    assert source.met == [1, 2]


@pytest.mark.parametrize("next_item", [2, None])
def test_an_error_in_a_silence_is_raised_with_the_next_item(next_item: int | None) -> None:
    source = Source(errors=1)
    source.items.put(1)
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(source.read_all, Completion(source.complete, idle=0.01))
        assert source.completed.get(timeout=SECONDS) == 1
        source.items.put(next_item)
        with pytest.raises(DatabaseError, match="starting"):
            done.result(SECONDS)
    assert source.met == [1]


@pytest.mark.parametrize(
    ("takes", "completed"),
    [(0.0, [5, 10, 15, 20, 25]), (0.5, [5, 10, 15, 20, 25]), (1.0, [5, 14, 23]), (9.0, [5])],
)
def test_a_source_that_is_never_silent_is_completed_regularly(
    takes: float, completed: list[int]
) -> None:
    """An item arrives each second; the next completion waits nine times as long as one took."""
    now = 0.0
    source = Source()

    def complete() -> None:
        nonlocal now
        now += takes
        source.complete()

    def items() -> Iterator[int]:
        nonlocal now
        for item in range(1, 30):
            now += 1
            yield item

    completion = Completion(complete, idle=SECONDS, interval=5, clock=lambda: now)
    for item in completion.watch_items(items()):
        source.met.append(item)
    assert [source.completed.get() + 1 for _ in range(source.completed.qsize())] == completed


def test_the_thread_ends_with_the_items() -> None:
    before = threading.active_count()
    source = Source()
    source.items.put(None)
    source.read_all(Completion(source.complete))
    assert threading.active_count() == before


def test_an_error_of_a_regular_completion_is_raised() -> None:
    source = Source(errors=1)
    source.items.put(1)
    with pytest.raises(DatabaseError, match="starting"):
        source.read_all(Completion(source.complete, interval=0))
