"""Bearer tokens, stored as hashes, with a scope and optional namespaces."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from lineage import naming
from lineage.database.errors import translate_errors
from lineage.database.rights import require_owner
from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import psycopg

Scope: TypeAlias = Literal["read", "write"]

_BYTES = 32
_PREFIX = "lineage_"  # lets secret scanners recognise tokens

_ADD = """
INSERT INTO lineage.token (name, sha256, scope, namespaces) VALUES (%s, %b, %s, %s)
ON CONFLICT DO NOTHING
"""
_ALL = "SELECT name, scope, namespaces FROM lineage.token ORDER BY name"
_FIND = "SELECT name, scope, namespaces FROM lineage.find_token(%b)"


@dataclass(frozen=True, slots=True)
class Token:
    """The rights of a token. Without ``namespaces`` it covers all."""

    name: str
    scope: Scope
    namespaces: tuple[str, ...] = ()

    def covers_namespace(self, namespace: str) -> bool:
        """Return whether the token covers a namespace; ``*`` in its namespaces matches any text."""
        return not self.namespaces or naming.covers_namespace(self.namespaces, namespace)


def add_token(
    conn: psycopg.Connection[Any], name: str, scope: Scope, namespaces: Sequence[str] = ()
) -> str:
    """Create a token and return it; only its hash is stored.

    Raises UsageError if the name is empty, or if a token of that name exists.
    """
    if not name.strip():
        raise UsageError("The name of the token is empty.", "Name the client that will use it.")
    require_owner(conn, "make a token")
    token = _PREFIX + secrets.token_urlsafe(_BYTES)
    with translate_errors():
        done = conn.execute(_ADD, (name, token_digest(token), scope, list(namespaces)))
    if not done.rowcount:
        raise UsageError(
            f'A token with the name "{name}" already exists.',
            f"Use another name, or remove the token: lineage token remove {name}",
        )
    return token


def remove_token(conn: psycopg.Connection[Any], name: str) -> None:
    """Remove a token. Raises UsageError if there is none of that name."""
    require_owner(conn, "remove a token")
    with translate_errors():
        done = conn.execute("DELETE FROM lineage.token WHERE name = %s", (name,))
    if not done.rowcount:
        raise UsageError(
            f'There is no token with the name "{name}".', "List tokens: lineage token list"
        )


def list_tokens(conn: psycopg.Connection[Any]) -> list[Token]:
    """Return all tokens by name."""
    with translate_errors():
        rows = conn.execute(_ALL).fetchall()
    return [Token(name, scope, tuple(namespaces)) for name, scope, namespaces in rows]


def find_token(conn: psycopg.Connection[Any], sha256: bytes) -> Token | None:
    """Return the token with this digest."""
    with translate_errors():
        rows = conn.execute(_FIND, (sha256,)).fetchall()
    return next((Token(name, scope, tuple(of)) for name, scope, of in rows), None)


def token_digest(token: str) -> bytes:
    """Return the digest by which a token is stored."""
    return hashlib.sha256(token.encode(errors="replace")).digest()
