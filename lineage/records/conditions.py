"""Errors in the conditions of users."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def condition_errors(where: Any) -> Iterator[None]:
    """Report a condition that does not fit the frame as an error of the user."""
    from pyspark.errors import AnalysisException, ParseException

    try:
        yield
    except (AnalysisException, ParseException) as error:
        reason = str(error).partition("\n")[0]
        raise UsageError(
            f"The condition {where!s} does not fit the frame: {reason}",
            "Use the columns that the frame has.",
        ) from error
