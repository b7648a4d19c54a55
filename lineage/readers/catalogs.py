"""Catalogs of servers: columns of tables and bodies of routines, as sessions need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.readers import storage

if TYPE_CHECKING:
    import psycopg

Catalog: TypeAlias = Any


def load_catalog(conn: psycopg.Connection[Any], server: str) -> Catalog:
    """Return the catalog of a server; None if none was imported."""
    if not storage.select_objects(conn, server):
        return None
    return {}
