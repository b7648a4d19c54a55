"""The graph of a database that was restored from a dump, as AGE knows it.

AGE knows a graph by the OID that its schema had when it was made, and pg_dump writes that number
down. In the restored database the schema has another one: queries that give whole vertices fail
then (AGE 1.8.0: "Graph with oid ... does not exist").
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
    """Does AGE know the graph by the number of another database?"""
    with translate_errors():
        [(is_strange,)] = conn.execute(_IS_STRANGE).fetchall()
    return bool(is_strange)


def adopt_graph_oid(conn: Connection) -> bool:
    """Put the number right; return whether it was wrong. Connections made before do not know it.

    Raises MigrationError where the role may not.
    """
    if not is_strange(conn):
        return False
    try:
        _ADOPT_GRAPH.execute(conn)
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationError(
            "The database was restored from a dump, and this role may not tell AGE so.",
            "Let a superuser run: lineage migrate",
        ) from error
    return True
