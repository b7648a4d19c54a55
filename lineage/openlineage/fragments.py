"""A run event cut into pieces before any of it is read: job, inputs, outputs, and what is left.

The three are most of an event, and mostly were met before: who knows where they stand can look
them up, and need not read them to find where they end. Where they stand is guessed, by how
producers write. What is left shows whether it was guessed right: it has marks instead of them.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple, TypeAlias

# Nobody who writes an event can know it.
MARK = secrets.token_hex(8)

# What is left, job, inputs and outputs.
Pieces: TypeAlias = tuple[bytes, bytes, bytes, bytes]


class _Style(NamedTuple):
    """How a producer begins those members of an object that are not its first."""

    job: bytes
    inputs: bytes
    outputs: bytes
    producer: bytes
    marks: bytes

    @classmethod
    def from_separators(cls, comma: bytes, colon: bytes) -> _Style:
        job, inputs, outputs, producer = (
            b'%b"%b"%b' % (comma, name, colon)
            for name in (b"job", b"inputs", b"outputs", b"producer")
        )
        marks = b"".join(b'%b"%b"' % (key, MARK.encode()) for key in (job, inputs, outputs))
        return cls(job, inputs, outputs, producer, marks)


_SPACED = _Style.from_separators(b", ", b": ")
_COMPACT = _Style.from_separators(b",", b":")
_FIRST_KEY = 30


def split_event(text: bytes) -> Pieces | None:
    """Return what may be the pieces of an event, if they stand where they mostly do.

    They are its pieces if what is left is JSON whose job, inputs and outputs are ``MARK``, and each
    of the others is JSON too.
    """
    style = _COMPACT if text.find(b": ", 0, _FIRST_KEY) < 0 else _SPACED
    before, _, rest = text.partition(style.inputs)
    left, has_job, job = before.rpartition(style.job)
    if has_job:
        inputs, _, rest = rest.partition(style.outputs)
    else:  # sorted by name
        left = before
        inputs, _, rest = rest.partition(style.job)
        job, _, rest = rest.partition(style.outputs)
    if not rest:
        return None
    if rest.endswith(b"]}"):
        return left + style.marks + b"}", job, inputs, rest[:-1]
    outputs, producer, rest = rest.partition(style.producer)
    return left + style.marks + producer + rest, job, inputs, outputs
