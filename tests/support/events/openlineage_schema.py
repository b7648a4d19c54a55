"""Validation of events by the classes that openlineage-python generates from the JSON Schema."""

from __future__ import annotations

import re
import types
import typing
from datetime import datetime
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import UUID

import attr
from openlineage.client import event_v2, facet_v2

from lineage.spark.conversion import facets, runs

if TYPE_CHECKING:
    from collections.abc import Iterator

EVENT_FIELDS = {
    "run",
    "job",
    "inputs",
    "outputs",
    "eventType",
    "eventTime",
    "producer",
    "schemaURL",
}


def _facet_classes() -> dict[str, type[Any]]:
    """Return each facet class by the last part of its schema's URL."""
    modules = [value for value in vars(facet_v2).values() if isinstance(value, types.ModuleType)]
    classes = [item for module in [*modules, facets, runs] for item in vars(module).values()]
    return {
        re.split(r"[/:]", item._get_schema())[-1]: item
        for item in classes
        if isinstance(item, type) and issubclass(item, facet_v2.BaseFacet)
    }


FACETS = _facet_classes()


def assert_valid(event: dict[str, Any]) -> None:
    """Fail if the event does not conform to the OpenLineage specification."""
    _assert_fields(event)
    for content, bases in _facets_of(event):
        for key, value in content.items():
            _assert_facet(key, value, bases)


def assert_valid_with_other_facets(event: dict[str, Any]) -> None:
    """Fail as ``assert_valid``, but ignore facets that are not of the specification."""
    _assert_fields(event)
    for content, bases in _facets_of(event):
        assert_facets(content, *bases)


def _assert_fields(event: dict[str, Any]) -> None:
    assert set(event) == EVENT_FIELDS
    assert event["eventType"] in {state.value for state in event_v2.RunState}
    assert datetime.fromisoformat(event["eventTime"].replace("Z", "+00:00")).tzinfo
    assert urlsplit(event["producer"]).scheme
    assert str(UUID(event["run"]["runId"])) == event["run"]["runId"]
    _assert_named(event["job"])
    for dataset in event["inputs"] + event["outputs"]:
        _assert_named(dataset)


def _facets_of(event: dict[str, Any]) -> Iterator[tuple[dict[str, Any], tuple[type, ...]]]:
    """Yield the facets of each part of an event, with the classes that they may have."""
    yield event["run"].get("facets", {}), (facet_v2.RunFacet,)
    yield event["job"].get("facets", {}), (facet_v2.JobFacet,)
    for dataset in (*event["inputs"], *event["outputs"]):
        yield dataset.get("facets", {}), (facet_v2.DatasetFacet,)
        yield dataset.get("inputFacets", {}), (facet_v2.InputDatasetFacet,)
        yield dataset.get("outputFacets", {}), (facet_v2.OutputDatasetFacet,)


def assert_facets(facets: dict[str, Any], *bases: type) -> None:
    """Fail if a facet of the specification does not conform to it; other facets are ignored.

    ``bases``: the classes of facets that the part of the event may have; all if there are none.
    """
    for key, value in facets.items():
        if not key.startswith("lineage_"):
            _assert_facet(key, value, bases)


def _assert_named(item: dict[str, Any]) -> None:
    assert item["namespace"]
    assert item["name"]


def _assert_facet(key: str, value: dict[str, Any], bases: tuple[type, ...]) -> None:
    kind = FACETS[re.split(r"[/:]", value["_schemaURL"])[-1]]
    assert not bases or issubclass(kind, bases), f"{key} is not a facet of this part"
    assert value["_schemaURL"] == kind._get_schema()
    assert urlsplit(value["_producer"]).scheme
    assert key.startswith("lineage_") == value["_schemaURL"].startswith("urn:lineage-age:")
    rest = {name: item for name, item in value.items() if name not in ("_producer", "_schemaURL")}
    _assert_record(kind, rest, key)


def _assert_record(kind: type[Any], value: dict[str, Any], path: str) -> None:
    hints = typing.get_type_hints(kind)
    fields = {field.name: field for field in attr.fields(kind) if not field.name.startswith("_")}
    required = {name for name, field in fields.items() if field.default is attr.NOTHING}
    assert set(value) <= set(fields), f"{path} has more than the spec knows"
    assert required <= set(value), f"{path} lacks what the spec requires"
    for name, item in value.items():
        _assert_type(hints[name], item, f"{path}.{name}")


def _assert_type(hint: Any, value: Any, path: str) -> None:
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        _assert_one_of(args, value, path)
    elif origin is list:
        assert isinstance(value, list), path
        for item in value:
            _assert_type(args[0], item, f"{path}[]")
    elif attr.has(hint):
        _assert_record(hint, value, path)
    elif isinstance(hint, type) and issubclass(hint, Enum):
        assert value in {member.value for member in hint}, path
    elif isinstance(hint, type):
        assert isinstance(value, hint), path
    elif origin is dict:
        assert isinstance(value, dict), path


def _assert_one_of(hints: tuple[Any, ...], value: Any, path: str) -> None:
    problems = []
    for hint in hints:
        try:
            _assert_type(hint, value, path)
        except (AssertionError, TypeError) as error:
            problems.append(error)
    assert len(problems) < len(hints), problems[0]
