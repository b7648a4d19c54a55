"""The schema of a database as text: one line for each fact of the catalogs, in sorted order.

It contains the objects of our files only, because versions of PostgreSQL and AGE differ. Masked or
omitted are the names and bounds of partitions, which depend on the day. So are the bodies of array
functions and the indexes of search, which depend on the extensions of the server.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]

# Objects of AGE, except for our grants, and the indexes that exist only with pg_trgm.
_OF_OTHERS = re.compile(
    r"^(?!GRANT).*(_ag_label_|_label_id_seq|_age_cache_invalidate)"
    r"|CONSTRAINT \w+_pkey ON provenance"
    r'|INDEX .*gin_trgm_ops|INDEX .*_pkey"? ON provenance'
)
_MONTH = re.compile(r"(?<=_)\d{4}_\d{2}(?=\b|_)")
# Functions whose bodies depend on the extensions of the server.
_INSTALLED = frozenset({"int_array_union", "int_array_difference"})

_FACTS = Path(__file__).with_name("schema_facts.sql")
_FUNCTIONS = """
SELECT p.proname, p.oid::regprocedure::text, pg_get_functiondef(p.oid),
       CASE WHEN p.proowner = current_user::regrole THEN 'OWNER' ELSE p.proowner::regrole::text END
FROM pg_proc p WHERE p.pronamespace = 'lineage'::regnamespace AND p.prokind IN ('f', 'p')
ORDER BY p.proname, p.oid::regprocedure::text
"""


def schema_of(conn: Connection, *, bodies: bool = True) -> str:
    """Return the schema of ``conn``'s database as text, with or without the bodies of functions."""
    with conn.transaction():
        conn.execute("SET LOCAL search_path = pg_catalog")
        facts = {
            _MONTH.sub("MONTH", fact)
            for query in _FACTS.read_text().split(";\n")[:-1]
            for (fact,) in conn.execute(query.encode())
            if not _OF_OTHERS.search(fact)
        }
        functions = conn.execute(_FUNCTIONS).fetchall()
    return "\n".join([*sorted(facts), *(_definition(*each, bodies) for each in functions), ""])


def _definition(name: str, signature: str, definition: str, owner: str, bodies: bool) -> str:
    head, _, _ = definition.partition("\nAS ")
    # The body of a SQL-standard function follows all properties.
    head, _, _ = head.partition("\nRETURN ")
    head, _, _ = head.partition("\nBEGIN ATOMIC")
    masked = not bodies or name in _INSTALLED
    return f"FUNCTION {signature} OWNER {owner}\n{head if masked else definition}"
