"""All forms of query logs, and how the form of a file is recognized."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lineage.errors import UsageError
from lineage.readers.files import table_columns
from lineage.readers.query_logs.forms import (
    bigquery,
    databricks,
    generic,
    mysql,
    mysql_audit,
    pg_stat_statements,
    postgres,
    snowflake,
    xevents,
)

if TYPE_CHECKING:
    from lineage.readers.files import Source
    from lineage.readers.query_logs.forms.form import Form

FORMS = {
    form.name: form
    for form in (
        generic.FORM,
        postgres.JSON_FORM,
        postgres.CSV_FORM,
        xevents.FORM,
        snowflake.FORM,
        bigquery.FORM,
        databricks.FORM,
        mysql.FORM,
        mysql_audit.FORM,
    )
}
NAMES = (*FORMS, pg_stat_statements.NAME)
ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".xml", ".log")
_MAX_COLUMNS_LENGTH = 200
_COLUMN = re.compile(r"[^\W\d][\w ()]{0,39}")


def find_form(source: Source, name: str | None) -> Form | None:
    """Return the form ``name``, or that of a file; None for rows of pg_stat_statements.

    Raises UsageError if no form matches.
    """
    if name is not None:
        return FORMS.get(name)
    for form in FORMS.values():
        if form.matches(source):
            return form
    if pg_stat_statements.matches_source(source):
        return None
    if postgres.is_plain_text(source):
        raise UsageError(
            f"{source.name} is PostgreSQL's log as plain text, which is not read.",
            "Set log_destination = 'jsonlog' on the server.",
        )
    columns = table_columns(source)
    # The first line of a file without a header is data, which may be secret.
    named = ", ".join(name for name in columns if _COLUMN.fullmatch(name))[:_MAX_COLUMNS_LENGTH]
    raise UsageError(
        f"{source.name} has none of the known forms; its columns are {named or 'not names'}.",
        "Name one with --form, or write JSON lines of the generic form.",
    )
