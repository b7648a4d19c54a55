"""Split a run event, unparsed, into job, inputs, outputs and the rest.

These three are most of an event and are often repeated, so they are looked up in a cache without
parsing. Their positions are guessed from the formats of known producers. The rest then has marks in
their places, which shows whether the guess was right.
"""

from __future__ import annotations

import secrets
from typing import NamedTuple, TypeAlias

# Random, so that no event contains it.
MARK = secrets.token_hex(8)

# The rest, job, inputs and outputs.
Pieces: TypeAlias = tuple[bytes, bytes, bytes, bytes]


class _Style(NamedTuple):
    """Separators of a producer before the members of an object, except for the first member."""

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
    """Return possible fragments of an event, or None if it has another format.

    They are its fragments if the rest is JSON whose job, inputs and outputs are ``MARK``, and if
    each of the others is JSON, too.
    """
    style = _COMPACT if text.find(b": ", 0, _FIRST_KEY) < 0 else _SPACED
    before, _, rest = text.partition(style.inputs)
    left, has_job, job = before.rpartition(style.job)
    if has_job:
        inputs, _, rest = rest.partition(style.outputs)
    else:  # keys in alphabetical order
        left = before
        inputs, _, rest = rest.partition(style.job)
        job, _, rest = rest.partition(style.outputs)
    if not rest:
        return None
    if rest.endswith(b"]}"):
        return left + style.marks + b"}", job, inputs, rest[:-1]
    outputs, producer, rest = rest.partition(style.producer)
    return left + style.marks + producer + rest, job, inputs, outputs
