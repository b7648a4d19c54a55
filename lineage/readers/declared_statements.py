"""Statements that declare lineage: of scripts and of pg_stat_statements. Nothing shows a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.openlineage.timestamps import current_time
from lineage.readers.query_logs.run_events import (
    build_facet,
    encode_event,
    input_dataset,
    output_dataset,
)
from lineage.readers.query_logs.runs import LONGEST_SQL, Run
from lineage.readers.query_logs.stored_rows import DETAILS
from lineage.readers.server_names import ServerNames
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.readers.query_logs.forms.pg_stat_statements import DeclaredText
    from lineage.readers.query_logs.importing import LogSource
    from lineage.readers.report import ImportReport


class DeclaredJob:
    """A job, and what its statements would read and write if they all ran in one session."""

    def __init__(self, source: LogSource, name: str, database: str = "") -> None:
        self._run = Run(source.namespace, name, "", has_reported_id=True, first="")
        self._source = source
        self._server = ServerNames(source.namespace)
        self._session = Session(source.dialect, database or None, source.schema or None)

    def add_text(self, place: str, text: str, report: ImportReport) -> None:
        """Add the statements of a text, and report those that cannot be read."""
        name = self._server.name_dataset
        for statement in read_statements(text, self._source.dialect):
            report.statements += 1
            effect = self._session.apply_statement(statement)
            if effect.unresolved:
                report.add_unresolved(place, statement.shape, effect.unresolved)
            self._run.read_datasets("", map(name, effect.reads), fetched=not effect.flows)
            for flow in effect.flows:
                sources = set(map(name, flow.sources))
                columns = self._server.name_columns(flow.columns)
                self._run.write_dataset("", name(flow.target), flow.mode, sources, columns)
            if statement.shape and statement.shape not in self._run.texts:
                report.shapes += 1
                self._run.texts[statement.shape] = None

    def build_event(self, time: str, text: str | None) -> bytes | None:
        """Return the JobEvent; None if no statement reads or writes a table."""
        run = self._run
        if not run.inputs and not run.outputs:
            return None
        facets: dict[str, Any] = {
            "jobType": build_facet(
                "JobTypeJobFacet", processingType="BATCH", integration="SQL", jobType="SCRIPT"
            )
        }
        if text:
            facets["sql"] = build_facet("SQLJobFacet", query=text[:LONGEST_SQL])
        outputs = [
            output_dataset(*item) for item in sorted(run.outputs.items(), key=lambda i: i[0])
        ]
        event = {
            "eventTime": time,
            "job": {"namespace": run.namespace, "name": run.job, "facets": facets},
            "inputs": list(map(input_dataset, sorted(run.inputs))),
            "outputs": outputs,
        }
        return encode_event(event, "JobEvent")

    def select_text(self, text: str) -> str | None:
        """Return the text to keep: nothing, the shapes of the statements, or all of it."""
        if self._source.detail == DETAILS["none"]:
            return None
        return text if self._source.detail == DETAILS["full"] else ";\n".join(self._run.texts)


def declared_events(
    source: LogSource, declared: Iterable[tuple[str, DeclaredText]], report: ImportReport
) -> Iterator[bytes]:
    """Yield a JobEvent for each user and database of pg_stat_statements."""
    jobs: dict[str, tuple[DeclaredJob, list[str]]] = {}
    for place, each in declared:
        name = ".".join(filter(None, (each.database, each.user))) or "pg_stat_statements"
        if name not in jobs:
            jobs[name] = DeclaredJob(source, name, each.database), []
        jobs[name][0].add_text(place, each.text, report)
        jobs[name][1].append(each.text)
    time = current_time()
    for _, (job, texts) in sorted(jobs.items()):
        if event := job.build_event(time, job.select_text(";\n".join(texts))):
            yield event
