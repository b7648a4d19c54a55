"""The number of calls of a computation: a measure of its work that no other load changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def count_calls(compute: Callable[[], object]) -> int:
    """Return the number of calls that ``compute`` makes, of functions in Python and in C."""
    calls = 0

    def count_event(_: FrameType, event: str, __: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count_event)
    try:
        compute()
    finally:
        sys.setprofile(before)
    return calls
