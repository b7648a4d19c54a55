"""Names that fit into an index entry of the database; longer ones are shortened or refused."""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias

# Namespace and name.
Name: TypeAlias = tuple[str, str]
# Both parts of a key are in one index entry of the database, which holds 2,704 bytes.
MAX_KEY_BYTES = 2_400
_DIGITS = 32


def shorten_name(text: str, max_bytes: int) -> str:
    """Return ``text`` if it has at most ``most`` bytes, else its beginning and a digest of it.

    Different texts remain different: the digest has 128 bits.
    """
    encoded = text.encode(errors="replace")
    if len(encoded) <= max_bytes:
        return text
    digest = hashlib.sha256(encoded).hexdigest()[:_DIGITS]
    return f"{encoded[: max_bytes - _DIGITS - 3].decode(errors='ignore')}\u2026{digest}"


def shorten_key(namespace: str, name: str) -> Name:
    """Shorten a key to its maximum length; the namespace then gets at most half of it."""
    if len((namespace + name).encode(errors="replace")) <= MAX_KEY_BYTES:
        return namespace, name
    namespace = shorten_name(namespace, MAX_KEY_BYTES // 2)
    return namespace, shorten_name(name, MAX_KEY_BYTES - len(namespace.encode(errors="replace")))


def read_key(value: Any) -> Name | None:
    """Return namespace and name of an object in a facet; None if it lacks them or is too long."""
    if not isinstance(value, dict):
        return None
    namespace, name = value.get("namespace"), value.get("name")
    if not isinstance(namespace, str) or not isinstance(name, str) or not name:
        return None
    return None if len((namespace + name).encode()) > MAX_KEY_BYTES else (namespace, name)
