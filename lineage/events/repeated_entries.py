"""Datasets that an event lists several times as inputs, or several times as outputs.

openlineage-spark does so if the facets differ: for two versions of a table, and for parts of it. A
dataset has one access in a run, and of equal facets the last one would win.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Raw, json

if TYPE_CHECKING:
    from lineage.events.explicit_sources import Access
    from lineage.openlineage import Facets
    from lineage.openlineage.events import Name

_VERSION, _VERSIONS, _SUBSET = "version", "lineage_versions", "subset"
_STATISTICS = {False: "inputStatistics", True: "outputStatistics"}
_COUNTS = ("rowCount", "size", "fileCount")


def unite_entries(accesses: list[Access]) -> list[Access]:
    """Return the accesses of an event; the last one of a dataset has what all of them report."""
    last = {access[0]: place for place, access in enumerate(accesses)}
    if len(last) == len(accesses):
        return accesses
    result = list(accesses)
    listed: dict[tuple[Name, bool], list[Facets]] = {}
    for key, facets, _ in accesses:
        listed.setdefault(key, []).append(facets)
    for key, entries in listed.items():
        if len(entries) > 1:
            _, facets, columns = accesses[last[key]]
            result[last[key]] = key, {**facets, **_united_facets(entries, key[1])}, columns
    return result


def _united_facets(entries: list[Facets], is_output: bool) -> dict[str, Raw]:
    united: dict[str, Raw] = {}
    versions = set() if is_output else {text for each in entries for text in _read_versions(each)}
    if len(versions) > 1:
        united[_VERSIONS] = Raw(json.encode({"versions": sorted(versions)}))
    name = _STATISTICS[is_output]
    if (statistics := _add_statistics(entries, name, is_output)) is not None:
        united[name] = Raw(json.encode(statistics))
    return united


def _read_versions(facets: Facets) -> list[str]:
    """Return the versions that an entry reports, as lineage.read_versions()."""
    listed = _read_body(facets, _VERSIONS).get("versions")
    versions = listed if isinstance(listed, list) else ()
    known = [text for text in versions if isinstance(text, str)]
    return known or [
        text for text in (_read_body(facets, _VERSION).get("datasetVersion"),)
        if isinstance(text, str)
    ]  # fmt: skip


def _add_statistics(entries: list[Facets], name: str, is_output: bool) -> dict[str, Any] | None:
    """Add the counts of different parts; None if all entries are of one part.

    Entries of one part repeat its counts. An entry without a subset is of all parts of its version.
    Versions of inputs are different parts if each entry reports one.
    """
    counts = [(each, body) for each in entries if (body := _read_body(each, name))]
    has_versions = not is_output and all(_read_versions(each) for each, _ in counts)
    parts = {
        (tuple(_read_versions(each)) if has_versions else (), bytes(each.get(_SUBSET, b""))): body
        for each, body in counts
    }
    if len(parts) < 2:
        return None
    whole = {version for version, subset in parts if not subset}
    counted = [
        body for (version, subset), body in parts.items() if not subset or version not in whole
    ]
    # A count that a part lacks is not known of all.
    return {
        count: sum(body[count] for body in counted)
        for count in _COUNTS
        if all(type(body.get(count)) is int for body in counted)
    }


def _read_body(facets: Facets, name: str) -> dict[str, Any]:
    body = json.decode(facets[name]) if name in facets else None
    return body if isinstance(body, dict) else {}
