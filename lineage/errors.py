"""Every error that lineage raises on purpose.

    LineageError
    ├── UsageError            a setting, an option or an argument is wrong
    ├── DatabaseError         the database cannot be reached or cannot do what is asked
    │   ├── DatabaseUnavailable
    │   ├── AgeMissing
    │   ├── NotMigrated
    │   ├── MigrationError
    │   └── QueueFull         more waits for the database than memory should hold
    ├── ServerError           the private server cannot be installed, started or stopped
    ├── QueryError            a Cypher query is wrong or was refused
    │   └── QueryTimeout      a query took longer than it may
    ├── NotFound              no dataset, job, run or query of that name
    ├── Ambiguous             a name that fits several
    ├── InvalidEvent          an event or a plan document that cannot be read
    ├── SpoolError            a spool that cannot be read or written
    └── JarError              no listener jar that fits

Each message says what is wrong with which thing; ``hint`` says what to do next. ``exit_code`` is
what the command line ends with: 1 where the question was answered and the answer is no, 2 where it
could not be asked.
"""

from __future__ import annotations


class LineageError(Exception):
    """The base of all errors of this package."""

    exit_code = 2

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def lines(self) -> tuple[str, ...]:
        """The message with its hint, and what is listed below it; no line break parts them."""
        return (f"{self.message} {self.hint}" if self.hint else self.message,)

    def __str__(self) -> str:
        return "\n  ".join(self.lines)


class UsageError(LineageError):
    """A setting, an option or an argument is wrong."""


class DatabaseError(LineageError):
    """The database cannot be reached or cannot do what is asked."""


class DatabaseUnavailable(DatabaseError):
    """No server answers, or it refuses the connection."""


class AgeMissing(DatabaseError):
    """The server has no Apache AGE, or the database has no extension."""


class NotMigrated(DatabaseError):
    """The database has not all migrations of this version."""


class MigrationError(DatabaseError):
    """A migration cannot be applied, or an applied one was edited."""


class QueueFull(DatabaseError):
    """More waits for the database than memory should hold."""

    def __init__(self) -> None:
        super().__init__("The database is behind.", "Try again.")


class ServerError(LineageError):
    """The private server cannot be installed, started or stopped."""


class QueryError(LineageError):
    """A Cypher query is wrong or was refused; ``excerpt`` is its line and a caret, where one is."""

    def __init__(
        self, message: str, hint: str | None = None, excerpt: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, hint)
        self.excerpt = excerpt

    @property
    def lines(self) -> tuple[str, ...]:
        """The message, the hint, and below them the place in the query."""
        return (*super().lines, *self.excerpt)


class QueryTimeout(QueryError):
    """A query was cancelled because it took longer than it may."""


class NotFound(LineageError):
    """There is no dataset, job, run or query of that name."""

    exit_code = 1


class Ambiguous(LineageError):
    """A name fits several things; ``candidates`` lists them."""

    def __init__(self, message: str, candidates: list[str], hint: str | None = None) -> None:
        super().__init__(message, hint)
        self.candidates = candidates

    @property
    def lines(self) -> tuple[str, ...]:
        """The message, the hint, and the candidates a line each; of many the first."""
        listed = self.candidates[:10]
        if more := len(self.candidates) - len(listed):
            listed = [*listed, f"and {more} more"]
        return (*super().lines, *listed)


class InvalidEvent(LineageError):
    """An event or a plan document cannot be read; nothing of it was taken."""


class SpoolError(LineageError):
    """A spool cannot be read or written."""


class JarError(LineageError):
    """There is no listener jar that fits this Spark."""
