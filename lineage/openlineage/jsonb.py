"""Make JSON storable as jsonb: replace values that PostgreSQL cannot store, or reject the event.

Nearly all events need neither. ``replace_unstorable`` therefore searches the bytes for indications
of such values, and parses the JSON only if there are any.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal, InvalidOperation
from itertools import accumulate, islice
from typing import TYPE_CHECKING

import msgspec

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

# A jsonb number has at most 131,072 digits before the decimal point and 16,383 after it.
_MAX_DIGITS = 4_000
_MAX_EXPONENT = 9_999
# About 6,000 levels exceed the stack of PostgreSQL's default size (max_stack_depth).
_DEEPEST = 2_500
_MAX_PARTS = 4

# U+0000, and halves of surrogate pairs.
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_BACKSLASH = ord("\\")
_UNSTORABLE_ESCAPE = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")

# Digits and signs become 0, and E becomes e, to find long numbers by their shape. Other text of
# this shape is checked again.
_SHAPE = bytes.maketrans(b"E123456789+-", b"e00000000000")
# Sampling each 64th byte cannot miss that many digits.
_STRIDE = 64
_DIGITS_MET = b"0" * (_MAX_DIGITS // _STRIDE)
_EXPONENT = b"0e00000"
_LONG_EXPONENT = re.compile(_EXPONENT + rb"0*[\s,\]}]")
_STEPS = bytes.maketrans(b"[{]}", b"\x02\x02\x00\x00")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[{]}"))


def replace_unstorable(text: bytes) -> bytes:
    """Replace each character that PostgreSQL cannot store by U+FFFD.

    A number that is not JSON, or that is too large to be stored, becomes null. Raises InvalidEvent
    if the JSON is nested too deeply to be stored.
    """
    # Each level needs an opening and a closing bracket.
    if len(text) > 2 * _DEEPEST and _may_be_deeper(text, _DEEPEST):
        raise InvalidEvent("The event is nested too deeply.")
    has_character = _may_have_character(text)
    if not (has_character or _may_have_number(text) or _may_have_long_number(text)):
        return text
    try:
        value = _DECODER.decode(text.decode().strip())
        has_lost = next(_unstorable_paths(value, ""), None) is not None
        value = _replace_characters(value)
    except RecursionError as error:
        raise InvalidEvent("The event is nested too deeply.") from error
    except ValueError as error:
        raise InvalidEvent(f"The event is not JSON: {error}.") from error
    return _ENCODER.encode(value) if has_character or has_lost else text


def parse_json(text: bytes) -> object:
    """Parse JSON with numbers of any length. Raises ValueError."""
    return _DECODER.decode(text.decode().strip())


def find_lost(text: bytes, limit: int) -> list[str]:
    """Return the paths of at most ``most`` numbers that ``replace_unstorable`` makes null."""
    if not (_may_have_number(text) or _may_have_long_number(text)):
        return []
    try:
        return list(islice(_unstorable_paths(_DECODER.decode(text.decode().strip()), ""), limit))
    except (RecursionError, ValueError):
        return []


def _may_have_number(text: bytes) -> bool:
    """Return whether the text has NaN or Infinity, as Python writes them; also within strings."""
    return b"NaN" in text or b"Infinity" in text


def _unstorable_paths(value: object, path: str) -> Iterator[str]:
    if value is _LOST:
        yield path.removeprefix(".")
    elif isinstance(value, list):
        for n, item in enumerate(value):
            if isinstance(item, list | dict) or item is _LOST:
                yield from _unstorable_paths(item, f"{path}[{n}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, list | dict) or item is _LOST:
                yield from _unstorable_paths(item, f"{path}.{key[:100]}")


def has_no_sign(part: bytes) -> bool:
    """Return whether ``part``, one of up to four parts of an event, needs no replacement.

    If this is true for all parts, it is true for the event.
    """
    return not (
        _may_have_character(part)
        or _may_be_deeper(part, _DEEPEST // _MAX_PARTS)
        or _may_have_long_number(part)
    )


def _may_have_character(text: bytes) -> bool:
    return _BACKSLASH in text and _UNSTORABLE_ESCAPE.search(text) is not None


def _may_be_deeper(text: bytes, deepest: int) -> bool:
    """Return whether the JSON may be nested deeper; brackets within strings are counted, too."""
    if len(text) <= deepest or text.count(b"[") + text.count(b"{") <= deepest:
        return False
    steps = text.translate(_STEPS, _NO_BRACKETS)
    return max(accumulate(step - 1 for step in steps)) > deepest


def _may_have_long_number(text: bytes) -> bool:
    shape = text.translate(_SHAPE)
    is_long = len(shape) >= _MAX_DIGITS and _DIGITS_MET in shape[::_STRIDE]
    if is_long and b"0" * _MAX_DIGITS in shape:
        return True
    at = shape.find(_EXPONENT)
    while at >= 0:
        # A hexadecimal digest may have this shape, but the end of a number does not follow it.
        if _LONG_EXPONENT.match(shape, at):
            return True
        at = shape.find(_EXPONENT, at + 1)
    return False


class _Lost:
    """The parsed value of a number that cannot be stored."""


_LOST = _Lost()


def _no_constant(name: str) -> _Lost:
    return _LOST


def _parse_number(text: str) -> Decimal | _Lost:
    try:
        number = Decimal(text)
        if len(text) <= _MAX_DIGITS and abs(number.adjusted()) <= _MAX_EXPONENT:
            return number
    except InvalidOperation:  # the exponent alone has too many digits
        pass
    return _LOST


_DECODER = json.JSONDecoder(
    parse_constant=_no_constant, parse_float=_parse_number, parse_int=_parse_number
)
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def _replace_characters(value: object) -> object:
    if value is _LOST:
        return None
    if isinstance(value, str):
        return _UNSTORABLE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_replace_characters(item) for item in value]
    if isinstance(value, dict):
        return {_replace_characters(key): _replace_characters(item) for key, item in value.items()}
    return value
