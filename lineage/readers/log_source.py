"""The server of statements, and facts about it that are known before they are read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lineage.sql.catalogs import Catalog


@dataclass(frozen=True)
class LogSource:
    """The server of a log. ``schema``: of tables that are named without one.

    ``detail``: how much of the texts is kept. ``database``: of sessions whose rows have none.
    ``catalog``: the catalog of the server, if one was imported; declared statements are read by it.
    """

    namespace: str
    dialect: str
    schema: str = ""
    detail: int = 1
    database: str = ""
    catalog: Catalog | None = field(default=None, compare=False)
