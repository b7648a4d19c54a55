"""Hops as bytes: 6 bytes for most. ``lineage.record_hops`` of the database decodes them too.

A hop is the number of its node, one byte with its outcome, one byte of flags, and the counts that
are known: of contributors, outputs and retries. Numbers are groups of 7 bits, the lowest first; the
highest bit of a byte says that another one follows. The flags are the cardinality (2 bits), 4 for
``truncated``, and 8, 16 and 32 for a known count of contributors, outputs and retries.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRUNCATED = 4
_COUNTS = (8, 16, 32)


class PackedHop(NamedTuple):
    """A hop as it is stored. ``node``: ordinal in ``record_node``. Counts are None if unknown."""

    node: int
    outcome: int
    cardinality: int
    truncated: bool
    contributors: int | None
    emissions: int | None
    retries: int | None


def pack_hops(hops: Iterable[PackedHop]) -> bytes:
    """Return the bytes of hops."""
    packed = bytearray()
    for hop in hops:
        counts = (hop.contributors, hop.emissions, hop.retries)
        _append_number(packed, hop.node)
        flags = hop.cardinality | (_TRUNCATED if hop.truncated else 0)
        for flag, count in zip(_COUNTS, counts, strict=True):
            flags |= 0 if count is None else flag
        packed += bytes((hop.outcome, flags))
        for count in counts:
            if count is not None:
                _append_number(packed, count)
    return bytes(packed)


def unpack_hops(packed: bytes) -> list[PackedHop]:
    """Return the hops of ``pack_hops``."""
    hops = []
    at = 0
    while at < len(packed):
        node, at = _read_number(packed, at)
        outcome, flags = packed[at], packed[at + 1]
        at += 2
        counts: list[int | None] = []
        for flag in _COUNTS:
            count = None
            if flags & flag:
                count, at = _read_number(packed, at)
            counts.append(count)
        hops.append(PackedHop(node, outcome, flags & 3, bool(flags & _TRUNCATED), *counts))
    return hops


def _append_number(packed: bytearray, number: int) -> None:
    while number > 127:
        packed.append(number & 127 | 128)
        number >>= 7
    packed.append(number)


def _read_number(packed: bytes, at: int) -> tuple[int, int]:
    """Return a number and the position after it."""
    number = shift = 0
    while packed[at] > 127:
        number |= (packed[at] & 127) << shift
        shift += 7
        at += 1
    return number | packed[at] << shift, at + 1


def pack_ids(ids: Iterable[str]) -> bytes | None:
    """Return UUIDs as 16 bytes each; None for none."""
    return b"".join(uuid.UUID(id).bytes for id in ids) or None


def unpack_ids(packed: bytes | None) -> tuple[str, ...]:
    """Return the UUIDs of ``pack_ids``."""
    every = packed or b""
    return tuple(str(uuid.UUID(bytes=every[at : at + 16])) for at in range(0, len(every), 16))
