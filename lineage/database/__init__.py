"""Access to PostgreSQL: connections, errors, statements and migrations."""

from __future__ import annotations
