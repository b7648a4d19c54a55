"""Repair of the graph OID in a database that was restored from a dump.

AGE identifies a graph by the OID of its schema at creation, and pg_dump dumps that number. In the
restored database the schema has another OID, so that queries that return whole vertices fail
(AGE 1.8.0: "Graph with oid ... does not exist").
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from lineage.database.errors import translate_errors
from lineage.database.statements import StatementFile
from lineage.errors import MigrationError

if TYPE_CHECKING:
    Connection = psycopg.Connection[Any]

_IS_STRANGE = """
SELECT EXISTS (SELECT FROM ag_catalog.ag_graph
               WHERE name = 'provenance' AND graphid <> namespace::oid)
"""


_SQL = StatementFile(__file__)
_ADOPT_GRAPH = _SQL.statement("adopt_graph")


def is_strange(conn: Connection) -> bool:
    """Return whether AGE has the graph OID of another database."""
    with translate_errors():
        [(is_strange,)] = conn.execute(_IS_STRANGE).fetchall()
    return bool(is_strange)


def adopt_graph_oid(conn: Connection) -> bool:
    """Correct the graph OID; return whether it was wrong. Open connections keep the old OID.

    Raises MigrationError if the role lacks the right.
    """
    if not is_strange(conn):
        return False
    try:
        _ADOPT_GRAPH.execute(conn)
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationError(
            "The database was restored from a dump; this role may not correct its graph OID.",
            "Run as a superuser: lineage migrate",
        ) from error
    return True
