"""The private PostgreSQL server with Apache AGE: its programs, its data, its life."""

from __future__ import annotations

from lineage.postgres.state_file import running_dsn

__all__ = ["running_dsn"]
