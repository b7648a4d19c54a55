"""The exceptions of this package.

    LineageError
    ├── UsageError            a setting, an option or an argument is wrong
    ├── DatabaseError         the database cannot be reached or cannot execute a request
    │   ├── DatabaseUnavailable
    │   ├── AgeMissing
    │   ├── NotMigrated
    │   ├── MigrationError
    │   └── QueueFull         the queue of writes has reached its limit
    ├── ServerError           the private server cannot be installed, started or stopped
    ├── QueryError            a Cypher query is invalid or was rejected
    │   └── QueryTimeout      a query exceeded its timeout
    ├── NotFound              no dataset, job, run or query of that name
    ├── Ambiguous             a name that matches several entities
    ├── InvalidEvent          an event or a plan document that cannot be read
    ├── InvalidGraph          a graph model that cannot be read
    ├── ServiceUnavailable    a service that an import reads does not answer, or refuses to
    ├── SpoolError            a spool that cannot be read or written
    ├── LakeError             a file of an event lake that cannot be read or written
    ├── CaptureOverflow       a capture has more items than its cap, and is strict
    ├── StaleInputs           the inputs of a traced table have changed since its run
    └── JarError              no listener jar for this version of Spark

Each message names the failure and its value; ``hint`` is the remedy. ``exit_code`` is the exit code
of the command: 1 if the query ran and its result is negative, 2 if it could not run, 3 if its
result would be that of other data.
"""

from __future__ import annotations


class LineageError(Exception):
    """Base class of all errors of this package."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def lines(self) -> tuple[str, ...]:
        """The message with its hint on one line, then one line for each listed item."""
        return (f"{self.message} {self.hint}" if self.hint else self.message,)

    def __str__(self) -> str:
        return "\n  ".join(self.lines)


class ServiceUnavailable(LineageError):
    """A service that an import reads does not answer, or refuses to."""


class UsageError(LineageError):
    """A setting, an option or an argument is wrong."""


class DatabaseError(LineageError):
    """The database cannot be reached or cannot execute a request."""


class DatabaseUnavailable(DatabaseError):
    """The server does not respond, or rejects the connection."""


class AgeMissing(DatabaseError):
    """The server has no Apache AGE, or the database has no extension."""


class NotMigrated(DatabaseError):
    """The database lacks migrations of this version."""


class MigrationError(DatabaseError):
    """A migration cannot be applied, or an applied one was edited."""


class QueueFull(DatabaseError):
    """The queue of writes to the database has reached its limit of memory."""

    def __init__(self) -> None:
        super().__init__(
            "The queue of writes to the database has reached its memory limit.",
            "Try again in a while.",
        )


class ServerError(LineageError):
    """The private server cannot be installed, started or stopped."""


class QueryError(LineageError):
    """A Cypher query is invalid or was rejected.

    ``excerpt``: the line of the error and a caret, if any. ``position``: line and column, from 1.
    """

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        excerpt: tuple[str, ...] = (),
        position: tuple[int, int] | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.excerpt = excerpt
        self.position = position

    @property
    def lines(self) -> tuple[str, ...]:
        """The message with its hint, then the position in the query."""
        return (*super().lines, *self.excerpt)


class QueryTimeout(QueryError):
    """A query was cancelled because it exceeded its timeout."""


class NotFound(LineageError):
    """There is no dataset, job, run or query of that name."""

    exit_code = 1


class Ambiguous(LineageError):
    """A name matches several entities; ``candidates`` lists them."""

    def __init__(self, message: str, candidates: list[str], hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.candidates = candidates

    @property
    def lines(self) -> tuple[str, ...]:
        """The message with its hint, then one line for each of the first candidates."""
        listed = self.candidates[:10]
        if more := len(self.candidates) - len(listed):
            listed = [*listed, f"and {more} more"]
        return (*super().lines, *listed)


class InvalidEvent(LineageError):
    """An event or a plan document cannot be read; no part of it was stored."""


class InvalidGraph(LineageError):
    """A graph model, or one of its nodes or edges, is not valid; no part of it was stored."""


class SpoolError(LineageError):
    """A spool cannot be read or written."""


class LakeError(LineageError):
    """A file of an event lake cannot be read or written, or is not the one that was archived."""


class CaptureOverflow(LineageError):
    """A strict capture has more items than its cap."""

    exit_code = 1


class StaleInputs(LineageError):
    """The inputs of a table are not those of the run that wrote it; ``changes`` lists them."""

    exit_code = 3

    def __init__(self, table: str, run_id: str, changes: list[str], run_count: int = 1) -> None:
        force = "--force (in Python force=True) traces the rows as they are now."
        if run_count == 1:
            message = f"The inputs of {table} have changed since run {run_id} wrote it."
            hint = f"Restore them or run the job again; {force}"
        else:
            message = (
                f"The inputs of {table} are not those of any of the {run_count} runs that wrote it,"
                f" least unlike run {run_id}."
            )
            hint = f"The command may need other arguments. Else restore the inputs; {force}"
        super().__init__(message, hint)
        self.changes = changes

    @property
    def lines(self) -> tuple[str, ...]:
        """The message with its hint, then one line for each input."""
        return (*super().lines, *self.changes)


class JarError(LineageError):
    """There is no listener jar for this version of Spark."""
