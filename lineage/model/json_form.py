"""The JSON form of a graph model: an object with the lists ``nodes`` and ``edges``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from msgspec import structs

from lineage.errors import InvalidGraph, UsageError
from lineage.model.entities import (
    OPTIONAL_TEXTS,
    REQUIRED_TEXTS,
    LineageEdge,
    LineageNode,
    edge_type,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_Entity = TypeVar("_Entity", LineageNode, LineageEdge)

_JSON_TYPES = {dict: "an object", list: "a list", str: "a text", bool: "a truth value"}
_NODE_NAMES = frozenset(each.name for each in structs.fields(LineageNode))
_EDGE_NAMES = frozenset(each.name for each in structs.fields(LineageEdge))


def read_json(path: Path) -> Any:
    """Return the JSON value of a file in UTF-8. Raises UsageError, InvalidGraph."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidGraph(f"{path} is not text in UTF-8.") from error
    return parse_json(text, str(path))


def parse_json(text: str | bytes, name: str) -> Any:
    """Return the value of a JSON text. Raises InvalidGraph, which calls the text ``name``."""

    def reject_constant(constant: str) -> NoReturn:
        raise InvalidGraph(f"{name} has the number {constant}, which JSON does not have.")

    try:
        return json.loads(text, parse_constant=reject_constant)
    except (ValueError, RecursionError) as error:
        raise InvalidGraph(f"{name} is not JSON: {error}.") from None


def read_lists(data: Any, name: str) -> tuple[list[Any], list[Any]]:
    """Return the nodes and the edges of a graph. Raises InvalidGraph."""
    if not isinstance(data, dict):
        raise InvalidGraph(f"{name} is {_json_type(data)}, not an object with nodes and edges.")
    lists = []
    for key in ("nodes", "edges"):
        value = data.get(key, [])
        if not isinstance(value, list):
            raise InvalidGraph(f"{key} of {name} is {_json_type(value)}, not a list.")
        lists.append(value)
    return lists[0], lists[1]


def read_node(value: Any, place: str) -> LineageNode:
    """Return a node. ``place`` is its place in an error: ``Node 17 of graph.json``."""
    body = _read_object(value, place)
    for key in REQUIRED_TEXTS:
        _check_text(body, key, place, required=True)
    if not body["node_id"]:
        raise InvalidGraph(f"{place} has no node_id.")
    for key in OPTIONAL_TEXTS:
        _check_text(body, key, place)
    _check_attributes(body, place)
    tags = body.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise InvalidGraph(f"{place}: tags is not a list of texts.")
    return _build_entity(LineageNode, body, _NODE_NAMES, place)


def read_edge(value: Any, place: str) -> LineageEdge:
    """Return an edge. ``place`` is its place in an error: ``Edge 3 of graph.json``."""
    body = _read_object(value, place)
    for key in ("src_id", "dst_id", "edge_type"):
        _check_text(body, key, place, required=True)
    try:
        edge_type(body["edge_type"])
    except InvalidGraph as error:
        raise InvalidGraph(f"{place}: {error.message}") from None
    confidence = body.get("confidence", 1.0)
    if isinstance(confidence, bool) or not isinstance(confidence, int | float):
        raise InvalidGraph(f"{place}: confidence is {_json_type(confidence)}, not a number.")
    if not 0 <= confidence <= 1:
        at = place[:1].lower() + place[1:]
        raise InvalidGraph(f"confidence {confidence} of {at} is not between 0 and 1.")
    _check_attributes(body, place)
    return _build_entity(LineageEdge, body, _EDGE_NAMES, place)


def unknown_keys(value: Mapping[str, Any], of_node: bool) -> set[str]:
    """Return the keys of a node or an edge that are not part of the model."""
    return set(value) - (_NODE_NAMES if of_node else _EDGE_NAMES)


def _build_entity(
    entity: type[_Entity], body: dict[str, Any], names: frozenset[str], place: str
) -> _Entity:
    for key in ("first_seen", "last_seen"):
        _check_text(body, key, place)
    try:
        return entity(**{key: value for key, value in body.items() if key in names})
    except InvalidGraph as error:
        raise InvalidGraph(f"{place}: {error.message}") from None


def _read_object(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidGraph(f"{place} is {_json_type(value)}, not an object.")
    optional = (*OPTIONAL_TEXTS, "first_seen", "last_seen")
    return {key: each for key, each in value.items() if each is not None or key not in optional}


def _check_text(body: dict[str, Any], key: str, place: str, *, required: bool = False) -> None:
    value = body.get(key)
    if value is None and key not in body:
        if required:
            raise InvalidGraph(f"{place} has no {key}.")
    elif not isinstance(value, str):
        raise InvalidGraph(f"{place}: {key} is {_json_type(value)}, not a text.")


def _check_attributes(body: dict[str, Any], place: str) -> None:
    attributes = body.get("attributes", {})
    if not isinstance(attributes, dict):
        raise InvalidGraph(f"{place}: attributes is {_json_type(attributes)}, not an object.")


def _json_type(value: Any) -> str:
    return "null" if value is None else _JSON_TYPES.get(type(value), "a number")
