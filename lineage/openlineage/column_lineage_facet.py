"""The columnLineage facet, in all its versions: which column derives from which."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.openlineage.interning import InternedParser
from lineage.openlineage.parser import LONGEST_KEY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.openlineage.events import Name

# As lineage.schema_fields() has it.
LONGEST_FIELD = 1_000
_LONGEST_SUBTYPE = 100

# As many places of what cannot be read are told.
MAX_REPORTED_PARTS = 20
_BYTES_EACH = 350  # of memory for a derivation

# Up to version 1-0-1 a field has one transformation for all its inputs.
_OLDER = {"MASKED": ("DIRECT", "TRANSFORMATION", True)}


class Derivation(NamedTuple):
    """A target field derives from a source field; an empty target is all fields of the dataset."""

    source: Name
    source_field: str
    target_field: str
    type: str
    subtype: str
    masking: bool


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """What a facet says: derivations sorted, and the JSON paths of what could not be read."""

    derivations: tuple[Derivation, ...]
    unreadable: tuple[str, ...]
    sources: tuple[Name, ...]
    digest: bytes


def column_lineage(facet: bytes) -> ColumnLineage:
    """Return what ``facet``, JSON text, says.

    What cannot be read in it is left out and told by its place.
    """
    return _FACETS[facet]


def _read_facet(facet: bytes, _path: str) -> ColumnLineage:
    unread: list[str] = []
    return merged_derivations(_facet_derivations(json.loads(facet), unread), unread)


def _facet_size(facet: bytes, found: ColumnLineage) -> int:
    return len(facet) + _BYTES_EACH * len(found.derivations)


_FACETS = InternedParser(_read_facet, size_of=_facet_size)  # runs of a job repeat their facet


def merged_derivations(derivations: Iterable[Derivation], unread: list[str]) -> ColumnLineage:
    """Return ``derivations`` as one statement. ``unreadable`` is looked at after they were
    taken.
    """
    rows = tuple(sorted(set(derivations)))
    paths = tuple(unread[:MAX_REPORTED_PARTS])
    digest = hashlib.sha256(json.dumps([rows, paths]).encode()).digest()
    return ColumnLineage(rows, paths, tuple(sorted({row.source for row in rows})), digest)


def _facet_derivations(facet: Any, unread: list[str]) -> Iterator[Derivation]:
    if not isinstance(facet, dict):
        unread.append("columnLineage")
        return
    if facet.get("_deleted") is True:
        return
    fields = facet.get("fields")
    if fields is not None and not isinstance(fields, dict):
        unread.append("fields")
    elif fields:
        for name, field in fields.items():
            yield from _field_derivations(name, field, unread)
    yield from _input_derivations(
        "", facet.get("dataset"), ("INDIRECT", "", False), "dataset", unread
    )


def _field_derivations(name: str, field: Any, unread: list[str]) -> Iterator[Derivation]:
    if not is_name(name) or not isinstance(field, dict):
        unread.append(f"fields.{name[:40]}")
        return
    older = field.get("transformationType")
    subtype = str(older) if is_name(older, _LONGEST_SUBTYPE) else ""
    how = _OLDER.get(subtype, ("DIRECT", subtype, False))
    yield from _input_derivations(
        name, field.get("inputFields"), how, f"fields.{name[:40]}.inputFields", unread
    )


def _input_derivations(
    target: str, inputs: Any, how: tuple[str, str, bool], path: str, unread: list[str]
) -> Iterator[Derivation]:
    if inputs is not None and not isinstance(inputs, list):
        unread.append(path)
        return
    for i, given in enumerate(inputs or ()):
        place = f"{path}[{i}]"
        if not _is_field(given):
            unread.append(place)
            continue
        source = (given["namespace"], given["name"])
        for type, subtype, masking in read_transformations(given, how, place, unread):
            yield Derivation(source, given["field"], target, type, subtype, masking)


def read_transformations(
    given: dict[str, Any], how: tuple[str, str, bool], place: str, unread: list[str]
) -> Iterator[tuple[str, str, bool]]:
    """Yield type, subtype and masking of each transformation of an input, ``how`` where none is."""
    stated = given.get("transformations")
    if not stated:
        yield how
        return
    for i, each in enumerate(stated if isinstance(stated, list) else [None]):
        if not isinstance(each, dict) or each.get("type") not in ("DIRECT", "INDIRECT"):
            unread.append(f"{place}.transformations[{i}]")
            continue
        subtype = each.get("subtype")
        if subtype is not None and not is_name(subtype, _LONGEST_SUBTYPE):
            unread.append(f"{place}.transformations[{i}].subtype")
            subtype = None
        yield each["type"], subtype or "", each.get("masking") is True


def _is_field(given: Any) -> bool:
    return (
        isinstance(given, dict)
        and isinstance(given.get("namespace"), str)
        and is_name(given.get("name"), LONGEST_KEY - len(given["namespace"].encode()))
        and is_name(given.get("field"))
    )


def is_name(given: Any, longest: int = LONGEST_FIELD) -> bool:
    """Return whether a value is a name that is not too long."""
    return isinstance(given, str) and given != "" and len(given.encode()) <= longest
