"""Parse the XML of Extended Events: ``<event>`` elements, alone or in a ring buffer.

Character references to control characters occur in ``event_data``; XML 1.0 does not allow them.
They are replaced before parsing. A document with a DTD is refused: entities could expand it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, ParseError, fromstring

from lineage.errors import InvalidEvent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.readers.files import Record

_REFERENCE = re.compile(r"&#(?:x([0-9a-fA-F]{1,6})|([0-9]{1,7}));")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_DOCTYPE = re.compile(r"<!(?:DOCTYPE|ENTITY)")


def parse_event(xml: str, place: str) -> Record:
    """Return the fields and actions of one ``<event>``. Raises InvalidEvent."""
    return _event_record(_parse_document(xml, place))


def parse_events(xml: str, place: str) -> Iterator[Record]:
    """Yield each ``<event>`` of a ring buffer, or of elements one after the other.

    Raises InvalidEvent.
    """
    bare = _DECLARATION.sub("", xml, count=1)
    for element in _parse_document(f"<events>{bare}</events>", place).iter("event"):
        yield _event_record(element)


def _parse_document(xml: str, place: str) -> Element:
    plain = _CONTROL.sub(_REPLACEMENT, _REFERENCE.sub(_replace_reference, xml))
    if _DOCTYPE.search(re.sub(r"<!\[CDATA\[.*?\]\]>", "", plain, flags=re.DOTALL)):
        raise InvalidEvent(f"{place}: The XML has a DTD, which events do not have.")
    try:
        return fromstring(plain)  # a document with a DTD is refused above
    except ParseError as error:
        reason, line, column = str(error).partition(":")[0], *error.position
        raise InvalidEvent(
            f"{place}: event_data is not XML: {reason} at {line}:{column}."
        ) from None


def _replace_reference(match: re.Match[str]) -> str:
    code = int(match[1], 16) if match[1] else int(match[2])
    if code in (0x9, 0xA, 0xD) or 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD:
        return match[0]
    return match[0] if 0x10000 <= code <= 0x10FFFF else _REPLACEMENT


def _event_record(event: Element) -> Record:
    """Return ``name``, ``timestamp`` and all fields; the text of a value wins over its number."""
    record: Record = {"name": event.get("name") or "", "timestamp": event.get("timestamp") or ""}
    for part in event:
        value, text = part.find("value"), part.find("text")
        chosen = text if text is not None and text.text else value
        text_of_part = (chosen.text or "") if chosen is not None else ""
        record.setdefault((part.get("name") or "").lower(), text_of_part)
    return record
