"""Keys of rows: their canonical form, their hash, the sampling threshold and correlation ids.

All are equal in every process: none depends on PYTHONHASHSEED, on the order of rows or on the
partitioning.
"""

from __future__ import annotations

import operator
import struct
import sys
import uuid
from collections.abc import Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from hashlib import blake2b, sha1
from typing import TYPE_CHECKING, Any, TypeAlias

from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    # A column, an index, several of them, or a function of the row.
    Key: TypeAlias = "str | int | Sequence[str | int] | Callable[[Any], Any] | None"

HASHES = 1 << 64
_MASK = HASHES - 1
_unpack_number = struct.Struct("<Q").unpack
_NAMESPACE = uuid.UUID("b2a8a8f6-6c4b-5d0c-9f53-1c1f6a5f0e2b")
# Integers up to here are exact as floats, so that 5 and 5.0 are one key: pandas turns integers
# beside nulls into floats.
_EXACT_FLOATS = 1 << 53


def key_function(key: Key) -> Callable[[Any], Any]:
    """Return the function that reads the key of a row; None makes the row its own key.

    Raises UsageError if ``key`` is neither a name, an index, several of these nor a function.
    """
    if key is None:
        return _whole_row
    if isinstance(key, (str, int)) and not isinstance(key, bool):
        return operator.itemgetter(key)
    if callable(key):
        return key
    if isinstance(key, (list, tuple)) and key and all(isinstance(k, (str, int)) for k in key):
        return operator.itemgetter(*key)
    raise UsageError(
        f"{key!r} is not a valid key.",
        "Give the name of a column, a list of names, or a function of the row.",
    )


def _whole_row(row: Any) -> Any:
    return row


def canonical_key(key: Any) -> str:
    """Return a text that is equal for equal keys only, with the type and a mark for null."""
    if key is None:
        return "null"
    if isinstance(key, str):
        return f"s:{key}"
    if isinstance(key, bool):
        return f"o:{key}"
    if isinstance(key, int):
        return f"i:{int(key)}"
    if isinstance(key, float):
        whole = key.is_integer() and -_EXACT_FLOATS <= key <= _EXACT_FLOATS
        return f"i:{int(key)}" if whole else f"f:{float(key)!r}"
    if isinstance(key, (bytes, bytearray)):
        return f"b:{bytes(key).hex()}"
    if isinstance(key, (date, time)):
        return f"d:{key.isoformat()}"
    if isinstance(key, (Decimal, uuid.UUID, timedelta)):
        return f"{type(key).__name__}:{key}"
    if hasattr(key, "asDict"):  # a Row of Spark
        return canonical_key(key.asDict())
    if isinstance(key, Mapping):
        return _join_values("m", (each for pair in sorted(key.items()) for each in pair))
    if isinstance(key, (list, tuple)):
        return _join_values("t", key)
    return _canonical_other(key)


def _join_values(tag: str, values: Any) -> str:
    """Join the canonical values with their lengths, so that no other values give the same text."""
    texts = [canonical_key(value) for value in values]
    return f"{tag}:" + "".join(f"{len(text)},{text}" for text in texts)


def _canonical_other(key: Any) -> str:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(key, numpy.ndarray):
        return canonical_key(key.tolist())
    if numpy is not None and isinstance(key, numpy.generic):
        return canonical_key(key.item())
    raise TypeError(f"a key of the type {type(key).__name__} has no canonical form")


def hash_int(key: int) -> int:
    """Return the hash of an integer key, from 0 to 2**64 - 1."""
    mixed = (key * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93) & _MASK
    return mixed ^ (mixed >> 32)


def hash_key(key: Any) -> int:
    """Return the hash of a key, from 0 to 2**64 - 1: equal for keys with one canonical form.

    Raises TypeError if the key has no canonical form.
    """
    if type(key) is int:
        return hash_int(key)
    if type(key) is str:  # as below, without the calls
        data = b"s:" + key.encode("utf-8", "surrogatepass")
    else:
        text = canonical_key(key)
        if text[0] == "i":
            return hash_int(int(text[2:]))
        data = text.encode("utf-8", "surrogatepass")
    hashed: int = _unpack_number(blake2b(data, digest_size=8).digest())[0]
    return hashed


def salted_hash(key: Any, salt: int) -> int:
    """Return another hash of the key for each salt."""
    return hash_int(hash_key(key) ^ salt)


def sampling_threshold(rate: float) -> int:
    """Return the threshold of a sampling rate: an item is sampled if its hash is smaller.

    The items at one rate are among those at each higher rate. Raises UsageError if the rate is not
    between 0 and 1.
    """
    if not 0 <= rate <= 1:
        raise UsageError(f"The sampling rate {rate!r} is not between 0 and 1.")
    return int(rate * HASHES)


def salt_of_run(run_id: str) -> int:
    """Return the salt with which a run samples items of its own."""
    return hash_key(run_id)


def correlation_id(run_id: str, source: str, key: Any) -> str:
    """Return the id of the item with this key of a source in a run: a UUID."""
    return str(uuid.UUID(bytes=correlation_bytes(run_id, source, key)))


def correlation_bytes(run_id: str, source: str, key: Any) -> bytes:
    """Return the 16 bytes of a correlation id: a UUID of version 5."""
    name = _join_values("t", (run_id, source, canonical_key(key)))
    # As uuid.uuid5(), which rejects lone surrogates.
    digest = sha1(_NAMESPACE.bytes + name.encode("utf-8", "surrogatepass"), usedforsecurity=False)
    return uuid.UUID(bytes=digest.digest()[:16], version=5).bytes


def pipeline_uuid(name: str) -> str:
    """Return the id of a pipeline: the same for the same name."""
    return str(uuid.uuid5(_NAMESPACE, f"pipeline:{name}"))
