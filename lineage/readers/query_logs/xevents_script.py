"""The Extended Events session that records the input of ``lineage import xevents``."""

from __future__ import annotations

from lineage.readers.application_names import PREFIX, check_prefix

_ACTIONS = (
    "sqlserver.client_app_name", "sqlserver.client_hostname", "sqlserver.client_pid",
    "sqlserver.client_connection_id", "sqlserver.session_id", "sqlserver.database_name",
    "sqlserver.server_instance_name", "sqlserver.username", "package0.event_sequence",
)  # fmt: skip
_EVENTS = (
    ("sql_statement_completed", "", ""),
    ("sp_statement_completed", "", ""),
    ("rpc_completed", "SET collect_statement = (1) ", ""),
    ("sql_batch_completed", "", ""),
    ("error_reported", "", "severity > 10 AND "),
    ("logout", "", ""),
)
_ON_SERVER = """\
-- SQL Server, Azure SQL Managed Instance. The directory of the file must exist.
CREATE EVENT SESSION [lineage] ON SERVER
{events}
ADD TARGET package0.event_file (
    SET filename = N'lineage.xel', max_file_size = (100), max_rollover_files = (20))
WITH (MAX_DISPATCH_LATENCY = 30 SECONDS, EVENT_RETENTION_MODE = ALLOW_SINGLE_EVENT_LOSS,
      STARTUP_STATE = ON);
ALTER EVENT SESSION [lineage] ON SERVER STATE = START;
"""
_ON_DATABASE = """\
-- Azure SQL Database: a container of a storage account, to which the database has a credential.
-- CREATE EVENT SESSION [lineage] ON DATABASE
{events}
-- ADD TARGET package0.event_file (
--     SET filename = N'https://ACCOUNT.blob.core.windows.net/CONTAINER/lineage.xel',
--         max_file_size = (100), max_rollover_files = (20))
-- WITH (MAX_DISPATCH_LATENCY = 30 SECONDS, EVENT_RETENTION_MODE = ALLOW_SINGLE_EVENT_LOSS);
-- ALTER EVENT SESSION [lineage] ON DATABASE STATE = START;
"""
_EXPORT = """\
-- Export, to be read by: lineage import xevents events.csv --server HOST:PORT
-- SELECT object_name, event_data, file_name, file_offset, timestamp_utc
-- FROM sys.fn_xe_file_target_read_file(N'lineage*.xel', NULL, NULL, NULL);
"""


def session_script(prefix: str = PREFIX) -> str:
    """Return the T-SQL that creates the session for applications with ``prefix`` in their names.

    Raises UsageError if the prefix has characters other than letters, digits and ``_ : . -``.
    """
    events = _event_clauses(check_prefix(prefix))
    commented = "\n".join(f"-- {line}" for line in events.splitlines())
    return "\n".join(
        (_ON_SERVER.format(events=events), _ON_DATABASE.format(events=commented), _EXPORT)
    )


def _event_clauses(prefix: str) -> str:
    # _ matches any character in LIKE.
    pattern = prefix.replace("_", "[_]")
    clauses = [
        f"ADD EVENT sqlserver.{name} (\n"
        f"    {settings}ACTION ({', '.join(_ACTIONS)})\n"
        f"    WHERE ({condition}sqlserver.like_i_sql_unicode_string("
        f"sqlserver.client_app_name, N'{pattern}%')))"
        for name, settings, condition in _EVENTS
    ]
    return ",\n".join(clauses)
