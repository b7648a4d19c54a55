"""Scripts of SQL: each file declares what its statements would read and write."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.openlineage.timestamps import current_time
from lineage.readers.client_commands import split_script
from lineage.readers.declared_statements import DeclaredJob
from lineage.readers.files import STANDARD_INPUT, find_source_files, open_sources
from lineage.readers.query_logs.rows import format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import OnBad
    from lineage.readers.log_source import LogSource
    from lineage.readers.report import ImportReport

ENDINGS = (".sql", ".ddl", ".hql")


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

        With a name of a job, all files together are one job, and its time is the newest.
        """
        jobs: dict[str, tuple[DeclaredJob, list[str], str]] = {}
        for file in open_sources(self.names, on_bad):
            name = self.job or Path(file.name).stem
            job, texts, newest = jobs.get(name) or (
                DeclaredJob(source, name, self.database), [], "",
            )  # fmt: skip
            for part in split_script(file.read_text(), source.dialect):
                if part.reason:
                    report.add_unresolved(file.name, "script", (part.reason,))
                elif part.database:
                    job.connect_database(part.database)
                else:
                    job.add_text(file.name, part.text, report)
                    texts.append(part.text)
            jobs[name] = job, texts, max(newest, change_time(file.name))
        for _, (job, texts, time) in sorted(jobs.items()):
            if event := job.build_event(time, job.select_text(";\n".join(texts)), report):
                yield event


def change_time(name: str) -> str:
    """Return the time at which a file was last changed; of standard input, the current time."""
    path = Path(name)
    if name == STANDARD_INPUT or not path.exists():
        return current_time()
    return format_time(datetime.fromtimestamp(path.stat().st_mtime, timezone.utc))
