"""Scripts of SQL: each file declares the inputs and outputs of its statements."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.errors import InvalidEvent
from lineage.openlineage.timestamps import current_time, of_datetime
from lineage.readers.client_commands import split_script
from lineage.readers.declared_statements import DeclaredJob, begin_session
from lineage.readers.files import STANDARD_INPUT, find_source_files, open_sources
from lineage.readers.script_routines import ScriptRoutines
from lineage.sql.statements import read_statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.client_commands import ScriptPart
    from lineage.readers.files import OnBad
    from lineage.readers.log_source import LogSource
    from lineage.readers.report import ImportReport
    from lineage.sql.records import Statement

ENDINGS = (".sql", ".ddl", ".hql")


@dataclass(frozen=True)
class _Script:
    """A file, and the statements of each of its parts."""

    name: str
    parts: list[tuple[ScriptPart, tuple[Statement, ...]]]


@dataclass(frozen=True)
class Scripts:
    """Files of SQL for one server. ``job``: name of the job; "" for the name of each file."""

    names: list[str]
    database: str
    job: str

    @classmethod
    def find_files(cls, sources: tuple[str, ...], database: str, job: str) -> Scripts:
        """Find the scripts of ``sources``. Raises UsageError."""
        return cls(find_source_files(sources, ENDINGS), database, job)

    def declare_events(
        self, source: LogSource, report: ImportReport, on_bad: OnBad
    ) -> Iterator[bytes]:
        """Yield a JobEvent for each file, at the time at which the file was last changed.

        With a name of a job, all files together are one job, and its time is the newest. A job with
        a file that is not text is not declared. A file may call the routines that another creates.
        """
        incomplete: set[str] = set()
        scripts = list(self._read_scripts(source.dialect, on_bad, incomplete))
        routines = self._collect_routines(scripts, source)
        report.uncalled += routines.list_uncalled()
        source = replace(source, catalog=routines.extend_catalog(source.catalog))
        jobs: dict[str, tuple[DeclaredJob, list[str], str]] = {}
        for script in scripts:
            name = self._job_name(script.name)
            job, texts, newest = jobs.get(name) or (
                DeclaredJob(source, name, self.database), [], "",
            )  # fmt: skip
            for part, statements in script.parts:
                if part.reason:
                    report.add_unresolved(script.name, "script", (part.reason,))
                elif part.database:
                    job.connect_database(part.database)
                else:
                    job.add_statements(script.name, statements, report)
                    texts.append(part.text)
            jobs[name] = job, texts, max(newest, change_time(script.name))
        for name, (job, texts, time) in sorted(jobs.items()):
            if name in incomplete:
                continue  # the statements that were read would replace those of the whole job
            if event := job.build_event(time, job.select_text(";\n".join(texts)), report):
                yield event

    def _job_name(self, file: str) -> str:
        return self.job or Path(file).stem

    def _read_scripts(self, dialect: str, on_bad: OnBad, incomplete: set[str]) -> Iterator[_Script]:
        """Read the files; ``on_bad`` gets those that are not text, ``incomplete`` their jobs."""
        for file in open_sources(self.names, on_bad):
            try:
                yield _read_script(file.name, file.read_text(), dialect)
            except InvalidEvent as error:
                incomplete.add(self._job_name(file.name))
                on_bad(error)

    def _collect_routines(self, scripts: list[_Script], source: LogSource) -> ScriptRoutines:
        """Return the routines of all files, each in a session of its own."""
        routines = ScriptRoutines()
        for script in scripts:
            session = begin_session(source, self.database)
            for part, statements in script.parts:
                if part.database:
                    routines.add_session(session)
                    session = begin_session(source, part.database)
                routines.add_statements(script.name, session, statements)
            routines.add_session(session)
        return routines


def _read_script(name: str, text: str, dialect: str) -> _Script:
    parts = split_script(text, dialect)
    return _Script(name, [(part, read_statements(part.text, dialect)) for part in parts])


def change_time(name: str) -> str:
    """Return the time at which a file was last changed; of standard input, the current time."""
    path = Path(name)
    if name == STANDARD_INPUT or not path.exists():
        return current_time()
    return of_datetime(datetime.fromtimestamp(path.stat().st_mtime, timezone.utc))
