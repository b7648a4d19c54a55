"""Errors in the conditions of users, and in the inputs of their queries."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def condition_errors(where: Any) -> Iterator[None]:
    """Report a condition that does not fit the frame as an error of the user.

    So is a malformed row that fails the query only because a trace reads all columns.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import AnalysisException, ParseException, PySparkException

    try:
        yield
    except ParseException as error:
        raise UsageError(
            f"The condition {where!s} cannot be parsed: {_first_line(error)}",
            "Use an expression of Spark SQL.",
        ) from error
    except AnalysisException as error:
        raise UsageError(
            f"The condition {where!s} does not fit the frame: {_first_line(error)}",
            "Use the columns that the frame has.",
        ) from error
    except (Py4JJavaError, PySparkException) as error:
        if "MALFORMED_RECORD" not in str(error):
            raise
        raise UsageError(
            "A source with the mode FAILFAST has a malformed row, which the query may not parse.",
            "Read the source with the mode PERMISSIVE, which gives null for malformed values.",
        ) from error


def _first_line(error: Exception) -> str:
    """Return the first line that has text: messages of the parser begin with an empty one."""
    return next((line for line in str(error).splitlines() if line.strip()), "")
