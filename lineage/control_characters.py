"""Escape control characters and invisible characters.

Names come from producers of events. Printed unescaped, a name could move the cursor, begin a new
line, or reverse the text that follows.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# The categories Cc, Cs, Zl and Zp of Unicode, and of Cf all that have no glyph: zero-width
# characters, bidirectional controls, tags. Joined emoji and Arabic number signs are readable text.
_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0001\U000e0020-\U000e007f]"
)
# Line breaks and tabs between the values of a JSON document are not part of a string.
_HIDDEN_IN_JSON = re.compile(_HIDDEN.pattern.replace("\x00-\x1f", "", 1))
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def escape_controls(text: str, keep: str = "") -> str:
    r"""Return ``text`` with escapes such as ``\n``, ``\x1b``, ``\u202e`` for invisible characters.

    Characters of ``keep`` are not escaped. The result is for people: an escape cannot be
    distinguished from a backslash in a name.
    """
    return replace_controls(text, lambda each: each if each in keep else _escape_character(each))


def replace_controls(text: str, replacement: Callable[[str], str]) -> str:
    """Return ``text`` with the ``replacement`` of each control or invisible character."""
    if text.isprintable():
        return text
    return _HIDDEN.sub(lambda match: replacement(match[0]), text)


def escape_json(text: str) -> str:
    r"""Return an equal JSON document with escapes such as ``\u202e`` in its strings."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _HIDDEN_IN_JSON.sub(lambda match: _escaped_in_json(match[0]), text)


def _escape_character(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return _SHORT.get(character) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_in_json(character: str) -> str:
    # json.dumps does not escape DEL
    return "\\u007f" if character == "\x7f" else json.dumps(character)[1:-1]
