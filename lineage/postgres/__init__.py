"""Install, start and stop the private PostgreSQL server with Apache AGE."""

from __future__ import annotations

from lineage.postgres.state_file import running_dsn

__all__ = ["running_dsn"]
