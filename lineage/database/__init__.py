"""Connections, errors and migrations: all that speaks to PostgreSQL as such."""

from __future__ import annotations
