"""Parse the facets of graph models: ``lineage_node``, ``lineage_edges``, ``lineage_confidence``.

A JobEvent or a DatasetEvent may have them. Values are agtype texts: JSON, but numbers that AGE can
store only as numeric have the suffix ``::numeric``. Their other spelling is that of the event,
because jsonb would change 1e16, 1.0 and -0.0.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from lineage.openlineage.long_names import MAX_KEY_BYTES
from lineage.openlineage.timestamps import normalize_time

if TYPE_CHECKING:
    from collections.abc import Mapping

    from msgspec import Raw

    from lineage.openlineage.long_names import Name

NODE, EDGES, CONFIDENCE = "lineage_node", "lineage_edges", "lineage_confidence"
NAMES = frozenset({NODE, EDGES, CONFIDENCE})
EDGE_TYPES = frozenset(
    {"produces", "consumes", "transforms", "materializes", "has_schema", "member_of"}
)

_REQUIRED = ("system", "node_type", "qualified_name", "display_name")
_OPTIONAL = (
    "environment_id", "environment_name", "cluster_id", "cluster_name", "catalog_type", "url",
)  # fmt: skip
# Each time is checked and then read; entities of one file share theirs.
_normalize_time = lru_cache(4096)(normalize_time)
_MAX_ID_BYTES = MAX_KEY_BYTES // 2  # two ids and a type are the key of an edge
_MIN_INTEGER, _MAX_INTEGER = -(2**63), 2**63 - 1


class AssetNode(Struct, frozen=True):
    """A node of a graph model. ``texts``, ``attributes``: agtype texts by key."""

    node_id: str
    first: str
    last: str
    texts: dict[str, str]
    attributes: dict[str, str]
    tags: tuple[str, ...]


class AssetEdge(Struct, frozen=True):
    """An edge of a graph model. ``key``: ids of its ends, and its type."""

    key: tuple[str, str, str]
    first: str
    last: str
    confidence: str
    attributes: str


class AssetFacets(Struct, frozen=True):
    """The node and the edges of an event. ``omitted``: paths of parts that cannot be read."""

    node: AssetNode | None
    edges: tuple[AssetEdge, ...]
    omitted: tuple[str, ...]


def asset_facets(facets: Mapping[str, Raw]) -> AssetFacets | None:
    """Parse the facets of a job or a dataset; None if it has none of a graph model."""
    if NODE not in facets and EDGES not in facets:
        return None
    return _read_facets(bytes(facets.get(NODE, b"null")), bytes(facets.get(EDGES, b"null")))


def pair_confidences(facet: bytes) -> tuple[dict[Name, float], dict[Name, float]]:
    """Return the confidence of each input and each output that ``lineage_confidence`` names."""
    body = json.loads(facet)
    sides: list[dict[Name, float]] = []
    for side in ("inputs", "outputs"):
        entries = body.get(side) if isinstance(body, dict) else None
        sides.append(
            {
                (each["namespace"], each["name"]): float(each["confidence"])
                for each in (entries if isinstance(entries, list) else ())
                if isinstance(each, dict)
                and isinstance(each.get("namespace"), str)
                and isinstance(each.get("name"), str)
                and _is_confidence(each.get("confidence"))
            }
        )
    return sides[0], sides[1]


def _read_facets(node_text: bytes, edges_text: bytes) -> AssetFacets:
    omitted: list[str] = []
    node_body, edges_body = (
        _DECODER.decode(node_text.decode()),
        _DECODER.decode(edges_text.decode()),
    )
    node = None
    if isinstance(node_body, dict):
        wrong = _wrong_part_of_node(node_body)
        node = None if wrong else _read_node(node_body)
        omitted += [f"{NODE}.{wrong}"] if wrong else []
    elif node_body is not None:
        omitted.append(NODE)
    edges = edges_body.get("edges") if isinstance(edges_body, dict) else None
    if edges_body is not None and not isinstance(edges, list):
        omitted.append(EDGES)
    read = []
    for number, body in enumerate(edges if isinstance(edges, list) else ()):
        place = f"{EDGES}.edges[{number}]"
        wrong = _wrong_part_of_edge(body) if isinstance(body, dict) else ""
        if wrong is None:
            read.append(_read_edge(body))
        else:
            omitted.append(f"{place}.{wrong}".rstrip("."))
    return AssetFacets(node, tuple(read), tuple(omitted))


def _wrong_part_of_node(body: dict[str, Any]) -> str | None:
    """Return the key of the first value that is not valid; None if there is none."""
    if not _is_id(body.get("node_id")):
        return "node_id"
    for key in _REQUIRED:
        if not isinstance(body.get(key), str):
            return key
    for key in _OPTIONAL:
        if not isinstance(body.get(key), str | None):
            return key
    tags = body.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        return "tags"
    return _wrong_common_part(body)


def _wrong_part_of_edge(body: dict[str, Any]) -> str | None:
    for key in ("src_id", "dst_id"):
        if not _is_id(body.get(key)):
            return key
    if body.get("edge_type") not in EDGE_TYPES:
        return "edge_type"
    if not _is_confidence(body.get("confidence", 1.0)):
        return "confidence"
    return _wrong_common_part(body)


def _wrong_common_part(body: dict[str, Any]) -> str | None:
    if not isinstance(body.get("attributes", {}), dict):
        return "attributes"
    for key in ("first_seen", "last_seen"):
        try:
            _normalize_time(body.get(key, ""))
        except (ValueError, TypeError):
            return key
    return None


def _is_id(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.encode()) <= _MAX_ID_BYTES


def _is_confidence(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value <= 1


def _read_node(body: dict[str, Any]) -> AssetNode:
    texts = {key: body.get(key) for key in (*_REQUIRED, *_OPTIONAL)}
    return AssetNode(
        body["node_id"],
        _normalize_time(body["first_seen"]),
        _normalize_time(body["last_seen"]),
        {key: agtype_text(text) for key, text in texts.items() if text is not None},
        {key: agtype_text(value) for key, value in body.get("attributes", {}).items()},
        tuple(body.get("tags", [])),
    )


def _read_edge(body: dict[str, Any]) -> AssetEdge:
    return AssetEdge(
        (body["src_id"], body["dst_id"], body["edge_type"]),
        _normalize_time(body["first_seen"]),
        _normalize_time(body["last_seen"]),
        agtype_text(float(body.get("confidence", 1.0))),
        agtype_text(body.get("attributes", {})),
    )


def agtype_text(value: Any) -> str:
    """Return a JSON value as the text of an agtype value."""
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, dict):
        entries = (f"{encode_basestring(key)}: {agtype_text(each)}" for key, each in value.items())
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(agtype_text, value))}]"
    if isinstance(value, _LargeNumber):
        return f"{value.text}::numeric"
    if value is None or isinstance(value, bool):
        return _WORDS[value]
    if isinstance(value, int) and not _MIN_INTEGER <= value <= _MAX_INTEGER:
        return f"{value}::numeric"
    return repr(value)


_WORDS = {None: "null", True: "true", False: "false"}


class _LargeNumber(Struct):
    """A number with a point or an exponent that a double cannot hold."""

    text: str


def _parse_float(text: str) -> float | _LargeNumber:
    number = float(text)
    return _LargeNumber(text) if math.isinf(number) else number


_DECODER = json.JSONDecoder(parse_float=_parse_float)
