"""Parse the columnLineage facet, in all its versions."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.openlineage.interning import InternedParser
from lineage.openlineage.parser import MAX_KEY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lineage.openlineage.events import Name

# The limit of lineage.schema_fields().
MAX_FIELD_LENGTH = 1_000
_MAX_SUBTYPE_LENGTH = 100

# Maximum number of reported paths of unreadable parts.
MAX_REPORTED_PARTS = 20
_BYTES_EACH = 350  # estimated memory of a derivation

# Up to version 1-0-1 a field has one transformation for all its inputs.
_OLDER = {"MASKED": ("DIRECT", "TRANSFORMATION", True)}


class Derivation(NamedTuple):
    """The dependency of a target field on a source field; an empty target means all fields."""

    source: Name
    source_field: str
    target_field: str
    type: str
    subtype: str
    masking: bool


@dataclass(frozen=True, slots=True)
class ColumnLineage:
    """The content of a facet: sorted derivations, and the JSON paths of unreadable parts."""

    derivations: tuple[Derivation, ...]
    unreadable: tuple[str, ...]
    sources: tuple[Name, ...]
    digest: bytes


def column_lineage(facet: bytes) -> ColumnLineage:
    """Parse ``facet``, JSON text.

    Unreadable parts are omitted and reported by their path.
    """
    return _FACETS[facet]


def _read_facet(facet: bytes, _path: str) -> ColumnLineage:
    unreadable: list[str] = []
    return merged_derivations(_facet_derivations(json.loads(facet), unreadable), unreadable)


def _facet_size(facet: bytes, lineage: ColumnLineage) -> int:
    return len(facet) + _BYTES_EACH * len(lineage.derivations)


# Runs of a job repeat their facet. That of 85 columns takes 55 KB, so that those of 300 jobs fit.
_FACETS = InternedParser(_read_facet, 16 << 20, size_of=_facet_size)


def merged_derivations(derivations: Iterable[Derivation], unreadable: list[str]) -> ColumnLineage:
    """Build the sorted, distinct derivations.

    ``unreadable`` is read after ``derivations`` is exhausted, because parsing adds to it.
    """
    rows = tuple(sorted(set(derivations)))
    paths = tuple(unreadable[:MAX_REPORTED_PARTS])
    digest = hashlib.sha256(json.dumps([rows, paths]).encode()).digest()
    return ColumnLineage(rows, paths, tuple(sorted({row.source for row in rows})), digest)


def _facet_derivations(facet: Any, unreadable: list[str]) -> Iterator[Derivation]:
    if not isinstance(facet, dict):
        unreadable.append("columnLineage")
        return
    if facet.get("_deleted") is True:
        return
    fields = facet.get("fields")
    if fields is not None and not isinstance(fields, dict):
        unreadable.append("fields")
    elif fields:
        for name, field in fields.items():
            yield from _field_derivations(name, field, unreadable)
    yield from _input_derivations(
        "", facet.get("dataset"), ("INDIRECT", "", False), "dataset", unreadable
    )


def _field_derivations(name: str, field: Any, unreadable: list[str]) -> Iterator[Derivation]:
    if not is_name(name) or not isinstance(field, dict):
        unreadable.append(f"fields.{name[:40]}")
        return
    older = field.get("transformationType")
    subtype = str(older) if is_name(older, _MAX_SUBTYPE_LENGTH) else ""
    how = _OLDER.get(subtype, ("DIRECT", subtype, False))
    yield from _input_derivations(
        name, field.get("inputFields"), how, f"fields.{name[:40]}.inputFields", unreadable
    )


def _input_derivations(
    target: str, inputs: Any, how: tuple[str, str, bool], path: str, unreadable: list[str]
) -> Iterator[Derivation]:
    if inputs is not None and not isinstance(inputs, list):
        unreadable.append(path)
        return
    for i, entry in enumerate(inputs or ()):
        place = f"{path}[{i}]"
        if not _is_field(entry):
            unreadable.append(place)
            continue
        source = (entry["namespace"], entry["name"])
        for type, subtype, masking in read_transformations(entry, how, place, unreadable):
            yield Derivation(source, entry["field"], target, type, subtype, masking)


def read_transformations(
    entry: dict[str, Any], how: tuple[str, str, bool], place: str, unreadable: list[str]
) -> Iterator[tuple[str, str, bool]]:
    """Yield type, subtype and masking of each transformation; ``how`` if there is none.

    The source remains certain if its transformation cannot be read. Then ``how`` has its type.
    """
    transformations = entry.get("transformations")
    if not transformations:
        yield how
        return
    for i, each in enumerate(transformations if isinstance(transformations, list) else [None]):
        if not isinstance(each, dict):
            unreadable.append(f"{place}.transformations[{i}]")
            yield how
            continue
        type, subtype = each.get("type"), each.get("subtype")
        if type not in ("DIRECT", "INDIRECT"):
            unreadable.append(f"{place}.transformations[{i}].type")
            type = how[0]
        if subtype is not None and not is_name(subtype, _MAX_SUBTYPE_LENGTH):
            unreadable.append(f"{place}.transformations[{i}].subtype")
            subtype = None
        yield type, subtype or "", each.get("masking") is True


def _is_field(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("namespace"), str)
        and is_name(value.get("name"), MAX_KEY_BYTES - len(value["namespace"].encode()))
        and is_name(value.get("field"))
    )


def is_name(value: Any, longest: int = MAX_FIELD_LENGTH) -> bool:
    """Return whether a value is a name that is not too long."""
    return isinstance(value, str) and value != "" and len(value.encode()) <= longest
