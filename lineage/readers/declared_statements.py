"""Statements that declare lineage: of scripts and of pg_stat_statements. Nothing shows a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lineage.openlineage.timestamps import current_time
from lineage.readers.complete_names import omit_incomplete
from lineage.readers.facets import build_facet
from lineage.readers.query_logs.run_events import (
    encode_event,
    input_dataset,
    output_dataset,
)
from lineage.readers.query_logs.runs import MAX_SQL_LENGTH, Run
from lineage.readers.query_logs.stored_rows import DETAILS
from lineage.readers.server_names import ServerNames
from lineage.readers.untraced_variables import UntracedVariables
from lineage.sql.effects import merge_effects
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from lineage.readers.log_source import LogSource
    from lineage.readers.query_logs.forms.pg_stat_statements import DeclaredText
    from lineage.readers.report import ImportReport
    from lineage.sql.effects import Effect
    from lineage.sql.records import Name, Statement


def begin_session(source: LogSource, database: str = "") -> Session:
    """Return a new session of a server in a database; by default in that of the source."""
    database = database or source.database
    return Session(source.dialect, database or None, source.schema or None, source.catalog)


class DeclaredJob:
    """A job, and the inputs and outputs of its statements if they all ran in one session."""

    def __init__(self, source: LogSource, name: str, database: str = "") -> None:
        self._run = Run(source.namespace, name, "", has_reported_id=True, first="")
        self._source = source
        self._database = database or source.database
        self._server = ServerNames(source.namespace)
        self._session = self._new_session()
        self._effects: list[Effect] = []
        # Tables that may have values that a client, or a variable, had read.
        self._tables_of_client: set[Name] = set()
        self._untraced = UntracedVariables(source.dialect)

    def connect_database(self, database: str) -> None:
        """Continue in a new session with another database."""
        self._database = database
        self._session = self._new_session()

    def add_statements(
        self, place: str, statements: Iterable[Statement], report: ImportReport
    ) -> None:
        """Add the statements of a script, and report those that could not be read.

        The script has the values that they write, except for those that the client sends to COPY,
        and those of variables whose assignments are not traced.
        """
        for statement in statements:
            effect = self._add_statement(place, statement, self._session, report)
            uses_untraced = self._untraced.follow_statement(statement)
            if uses_untraced or statement.kind in ("COPY", "LOAD"):
                self._tables_of_client.update(flow.target for flow in effect.flows)
            for old, new in effect.renames:
                if old in self._tables_of_client:
                    self._tables_of_client.add(new)
        self._session.end_text()

    def add_alone(
        self, place: str, text: str, temporary: Collection[Name], report: ImportReport
    ) -> None:
        """Add the statements of a text that ran at an unknown time, in an unknown session.

        ``temporary`` are the names of tables that other sessions may have had.
        """
        session = self._new_session()
        for statement in read_statements(text, self._source.dialect):
            used = {*statement.reads, *statement.written_tables} & {*temporary}
            if used - {*statement.temporary}:
                names = ", ".join(sorted(name[-1] for name in used))
                reason = f"whether {names} is a temporary table is not known"
                report.statements += 1
                report.add_unresolved(place, statement.shape, (reason,))
            elif not statement.transaction:
                effect = self._add_statement(place, statement, session, report)
                self._tables_of_client.update(flow.target for flow in effect.flows)

    def _new_session(self) -> Session:
        return begin_session(self._source, self._database)

    def _add_statement(
        self, place: str, statement: Statement, session: Session, report: ImportReport
    ) -> Effect:
        report.statements += 1
        effect = omit_incomplete(session.apply_statement(statement), self._source.dialect)
        if effect.unresolved:
            report.add_unresolved(place, statement.shape, effect.unresolved)
        self._effects.append(effect)
        if statement.shape and statement.shape not in self._run.texts:
            report.shapes += 1
            self._run.texts[statement.shape] = None
        return effect

    def _merge_effects(self, report: ImportReport) -> None:
        """Add the final effects of the statements to the run: without rolled-back ones."""
        run, name = self._run, self._server.name_dataset
        merged = merge_effects(self._effects)
        run.read_datasets("", map(name, merged.reads), fetched=False)
        for flow in merged.flows:
            columns = self._server.name_columns(flow.columns)
            has_values = flow.from_files or flow.target not in self._tables_of_client
            run.write_dataset(
                "",
                name(flow.target),
                flow.mode,
                set(map(name, flow.sources)),
                columns,
                from_files=has_values,
                is_view=flow.is_view,
            )
        for old, new in merged.renames:
            run.write_dataset("", name(new), "rename", {name(old)})
        if self._session.pending_effects:
            reason = "its last transaction has no COMMIT, so that its writes do not count"
            report.add_unresolved(run.job, "transaction", (reason,))

    def build_event(self, time: str, text: str | None, report: ImportReport) -> bytes | None:
        """Return the JobEvent; None if no statement reads or writes a table."""
        run = self._run
        self._merge_effects(report)
        if not run.inputs and not run.outputs:
            return None
        types = {"processingType": "BATCH", "integration": "SQL", "jobType": "SCRIPT"}
        facets = build_facet("jobType", "job", **types)
        if text:
            facets |= build_facet("sql", "job", query=text[:MAX_SQL_LENGTH])
        outputs = [
            output_dataset(*item) for item in sorted(run.outputs.items(), key=lambda i: i[0])
        ]
        return encode_event(
            "JobEvent",
            time,
            job={"namespace": run.namespace, "name": run.job, "facets": facets},
            inputs=list(map(input_dataset, sorted(run.inputs))),
            outputs=outputs,
        )

    def select_text(self, text: str) -> str | None:
        """Return the text to keep: nothing, the shapes of the statements, or all of it."""
        if self._source.detail == DETAILS["none"]:
            return None
        return text if self._source.detail == DETAILS["full"] else ";\n".join(self._run.texts)


def declared_events(
    source: LogSource, declared: Iterable[tuple[str, DeclaredText]], report: ImportReport
) -> Iterator[bytes]:
    """Yield a JobEvent for each user and database of pg_stat_statements."""
    declared = list(declared)
    temporary = {
        name
        for _, each in declared
        for statement in read_statements(each.text, source.dialect)
        for name in statement.temporary
    }
    jobs: dict[str, tuple[DeclaredJob, list[str]]] = {}
    for place, each in declared:
        name = ".".join(filter(None, (each.database, each.user))) or "pg_stat_statements"
        if name not in jobs:
            jobs[name] = DeclaredJob(source, name, each.database), []
        jobs[name][0].add_alone(place, each.text, temporary, report)
        jobs[name][1].append(each.text)
    time = current_time()
    for _, (job, texts) in sorted(jobs.items()):
        if event := job.build_event(time, job.select_text(";\n".join(texts)), report):
            yield event
