"""Record the run of a generator, which is suspended between its items."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator

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


async def run_async_generator(active: ActiveRun, generator: Any) -> AsyncIterator[Any]:
    """Drive an asynchronous generator as ``run_generator`` does. Values cannot be sent to it."""
    active.start_run()
    try:
        while True:
            try:
                with active.activate_run():
                    item = await anext(generator)
            except StopAsyncIteration:
                break
            yield item
        active.end_run()
    except BaseException as error:
        await generator.aclose()
        active.end_run(error)
        raise
