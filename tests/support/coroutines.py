"""Coroutines run to their end, in a test process that may also hold a browser."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a thread of its own with the caller's context and return its result.

    Playwright's browser keeps an event loop running in the main thread until the session ends, and
    ``asyncio.run`` refuses to start a second one there.
    """
    context = contextvars.copy_context()
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(context.run, asyncio.run, coroutine).result()  # type: ignore[arg-type]
