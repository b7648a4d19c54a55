"""Record the run of a generator, which is suspended between its items."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator

    from lineage.hub.active_run import ActiveRun


def run_generator(active: ActiveRun, generator: Any) -> Generator[Any, Any, Any]:
    """Drive a generator. The run is the current one only while the generator runs."""
    active.start_run()
    resume = functools.partial(next, generator)
    try:
        while True:
            try:
                with active.activate_run():
                    item = resume()
            except StopIteration as end:
                active.end_run()
                return end.value
            try:
                sent = yield item
                resume = functools.partial(generator.send, sent)
            except GeneratorExit:
                with active.activate_run():
                    generator.close()
                raise
            except BaseException as error:  # noqa: BLE001 - it is the generator's to handle
                resume = functools.partial(generator.throw, error)
    except BaseException as error:
        active.end_run(error)
        raise


def record_async_generator(
    function: Callable[..., Any], start: Callable[[], ActiveRun]
) -> Callable[..., Any]:
    """Return an asynchronous generator function that drives those of ``function``."""

    async def call_async_generator(*args: Any, **named: Any) -> AsyncIterator[Any]:
        active, generator = start(), function(*args, **named)
        active.start_run()
        resume: Callable[[], Any] = generator.__anext__
        try:
            while True:
                try:
                    with active.activate_run():
                        item = await resume()
                except StopAsyncIteration:
                    active.end_run()
                    return
                try:
                    sent = yield item
                    resume = functools.partial(generator.asend, sent)
                except GeneratorExit:
                    with active.activate_run():
                        await generator.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - it is the generator's to handle
                    resume = functools.partial(generator.athrow, error)
        except BaseException as error:
            active.end_run(error)
            raise

    return call_async_generator
