"""A session that counts its statements."""

from __future__ import annotations

from typing import Any

from lineage.query.session import Session


class CountingSession(Session):
    """A session that counts the statements of queries."""

    statements = 0

    def fetch(self, *arguments: Any, **params: Any) -> list[Any]:
        self.statements += 1
        return super().fetch(*arguments, **params)

    def fetch_rows(self, *arguments: Any) -> list[Any]:
        self.statements += 1
        return super().fetch_rows(*arguments)
