"""Conversion of spools to events, also of applications without an ``application_end`` document."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from lineage.errors import UsageError
from lineage.spark.conversion.convert import (
    abort_events,
    application_aborted,
    application_exited,
    convert_document,
)
from lineage.spark.document import spool
from lineage.spark.document.document import (
    APPLICATION_END,
    APPLICATION_START,
    EXECUTION_END,
    EXECUTION_START,
    QUERY_END,
    Document,
    Failure,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from openlineage.client.event_v2 import RunEvent

    from lineage.errors import InvalidEvent

DIED = "The driver terminated without a final document."


@dataclass
class Application:
    """The open executions and queries of an application while its documents are read.

    ``is_whole`` is true if the documents were read from the first one on.
    """

    exit_code: int | None = None
    running: dict[int, Document] = field(default_factory=dict)
    streaming: dict[str, Document] = field(default_factory=dict)
    last: Document | None = None
    is_whole: bool = False

    def convert_document(self, document: Document) -> list[RunEvent]:
        """Convert the next document to its events."""
        self.last = document
        if document.query:
            self.streaming[document.query.run] = document
            if document.kind == QUERY_END:
                del self.streaming[document.query.run]
        elif document.execution and document.kind == EXECUTION_START:
            self.running[document.execution.id] = document
        elif document.execution and document.kind == EXECUTION_END:
            started = self.running.pop(document.execution.id, None)
            document = complete_execution(document, started, is_lost=self.is_whole)
        elif document.kind == APPLICATION_START:
            self.is_whole = True
        return convert_document(document, self.exit_code)

    def end_incomplete(self) -> Iterator[RunEvent]:
        """Yield the end events of running executions, queries and the application.

        Their time is that of the last document. Yields nothing if the application has ended or has
        no documents.
        """
        if self.last is None or self.last.kind == APPLICATION_END:
            return
        for started in self.running.values():
            yield from abort_events(started, self.last.time, DIED)
        for query in self.streaming.values():
            died = replace(query, kind=QUERY_END, time=self.last.time, outcome="ABORT")
            yield from convert_document(replace(died, error=Failure("", DIED, None)))
        if self.exit_code is None:
            yield application_aborted(self.last, DIED)
        else:
            yield application_exited(self.last, self.exit_code)


def complete_execution(end: Document, started: Document | None, *, is_lost: bool) -> Document:
    """Add to the end of an execution the data of its start document.

    A start document without a plan has no START event: the end then creates it. An end without a
    plan gets the plan of its start. ``is_lost`` applies to an end without a start: it is true
    if the start document existed, but will never be read.
    """
    if started is None:
        return replace(end, announced=not is_lost)
    if started.main is None:
        return replace(end, announced=False, started=started.time)
    return replace(end, main=end.main or started.main)


def convert_applications(
    spooled: Iterable[spool.Spooled],
    bad: Callable[[InvalidEvent], None],
    exit_code: int | None = None,
) -> Iterator[RunEvent]:
    """Yield the events of applications, as returned by ``spool.find_applications``.

    ``bad`` is called with each line that is not a plan document, and conversion continues.
    ``exit_code`` is the exit code of the application's process, if the caller waited for it. Raises
    SpoolError if a file cannot be read, and UsageError if ``exit_code`` is passed for several
    applications.
    """
    spooled = list(spooled)
    if exit_code is not None and len(spooled) > 1:
        raise _of_several(exit_code)
    for each in spooled:
        yield from _convert_application(each, bad, exit_code)


def _convert_application(
    spooled: spool.Spooled, bad: Callable[[InvalidEvent], None], exit_code: int | None
) -> Iterator[RunEvent]:
    # One file may contain the documents of several applications, if files were concatenated.
    applications: dict[str, Application] = {}
    documents: Iterable[Document] = spool.read_documents(spooled, bad)
    if exit_code is not None:
        documents = list(documents)
        if len({document.app.run for document in documents}) > 1:
            raise _of_several(exit_code)
    for document in documents:
        application = applications.setdefault(document.app.run, Application(exit_code))
        yield from application.convert_document(document)
    for application in applications.values():
        has_exited = exit_code is not None
        if has_exited or spooled.application_state(application.last) is spool.State.DIED:
            yield from application.end_incomplete()


def _of_several(exit_code: int) -> UsageError:
    return UsageError(
        f"The exit code {exit_code} applies to one application, but the plan documents are from"
        " several.",
        "Specify the spool file of the application that it belongs to.",
    )
