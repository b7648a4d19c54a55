"""The collection of garbage while very many objects are made."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def pause_collection() -> Iterator[None]:
    """Pause the collection of garbage while objects are made of which nearly all remain in use.

    Python would examine them again and again, which took a third of the time of an import.
    """
    is_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_enabled:
            gc.enable()
