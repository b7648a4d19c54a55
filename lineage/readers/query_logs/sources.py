"""Read the rows of files of query logs, each in its form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lineage.directories import unrotated_name
from lineage.errors import InvalidEvent, UsageError
from lineage.readers.files import find_source_files, open_sources
from lineage.readers.query_logs.forms import pg_stat_statements
from lineage.readers.query_logs.forms.known import ENDINGS, FORMS, NAMES, find_form
from lineage.readers.server_names import check_namespace
from lineage.sql.dialects import traits_of
from lineage.sql.servers import DIALECTS, dialect_of_namespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Source
    from lineage.readers.query_logs.forms.form import Form, Reading
    from lineage.readers.query_logs.forms.pg_stat_statements import DeclaredText
    from lineage.readers.query_logs.rows import Row


@dataclass(frozen=True)
class Files:
    """Files of query logs, and the form that they have if it is known.

    ``listed``: those that directories have, and that were not named. ``omitted``: those of them
    that were not read, because they are texts of a server. ``without_rows``: files that have no
    row of their form, unless neither the file nor the form was named.
    """

    names: list[str]
    form: str | None
    listed: frozenset[str] = frozenset()
    omitted: list[str] = field(default_factory=list)
    without_rows: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def find_files(cls, sources: tuple[str, ...], form: str | None) -> Files:
        """Find the files of ``sources``. Raises UsageError."""
        if form is not None and form not in NAMES:
            raise UsageError(f"There is no form {form!r}.", f"Forms are {', '.join(NAMES)}.")
        names = find_source_files(sources, ENDINGS, rotated=True)
        return cls(names, form, frozenset(names) - {*sources})

    def read_rows(
        self, reading: Reading, declared: list[tuple[str, DeclaredText]]
    ) -> Iterator[tuple[str, Row]]:
        """Yield the rows of all files with their places.

        Rows of pg_stat_statements, which declare statements, are added to ``declared``. A file of
        an unknown form raises UsageError. If it is one of a directory, it is reported or, if it is
        a .log, left out: PostgreSQL has such a file, with messages of its start, beside .json. If
        there is no other file, it is reported too.
        """
        for source in open_sources(self.names, reading.on_bad):
            if not source.beginning:
                continue
            try:
                form: Form | None = find_form(source, self.form)
            except UsageError as error:
                if source.name not in self.listed:
                    raise
                if unrotated_name(source.name).endswith(".log"):
                    self.omitted.append(source.name)
                if self.omitted == self.names or source.name not in self.omitted:
                    reading.on_bad(InvalidEvent(error.message, error.hint))
                continue
            yield from self._read_source(source, form, reading, declared)

    def _read_source(
        self,
        source: Source,
        form: Form | None,
        reading: Reading,
        declared: list[tuple[str, DeclaredText]],
    ) -> Iterator[tuple[str, Row]]:
        """Yield the rows of a file. Note the file if it has none, not even of others."""
        before = len(declared), reading.others.total(), reading.passed_over.total()
        has_rows = False
        if form is None:
            declared += pg_stat_statements.read_source(source, reading)
        else:
            for row in form.read(source, reading):
                has_rows = True
                yield row
        after = len(declared), reading.others.total(), reading.passed_over.total()
        if not has_rows and before == after and (self.form or source.name not in self.listed):
            name = form.name if form else pg_stat_statements.NAME
            self.without_rows.append((source.name, name))


def choose_schema(schema: str | None, dialect: str) -> str:
    """Return the schema that is named, or the default of the dialect; "" if there is none."""
    return schema or traits_of(dialect).schema_of_sessions


def choose_dialect(dialect: str | None, form: str | None, namespace: str) -> str:
    """Return the dialect that is named, or that of the form or the server. Raises UsageError."""
    if dialect is not None and dialect not in DIALECTS:
        raise UsageError(
            f"There is no dialect {dialect!r}.", f"Dialects are {', '.join(DIALECTS)}."
        )
    of_form = FORMS[form].dialect if form in FORMS else ""
    chosen = dialect or of_form or dialect_of_namespace(namespace)
    if not chosen:
        raise UsageError(
            f"The dialect of {check_namespace(namespace)} is not known.",
            f"Name it with --dialect: {', '.join(DIALECTS)}.",
        )
    return chosen
