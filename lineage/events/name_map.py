"""Read the file of names: names of datasets and the datasets that they mean.

namespaces:
  mssql://etl-db:1433: sqlserver://etl-db.corp:1433
case:
  snowflake://org-acct: upper
without_slashes: [s3://exports]
datasets:
  - from: duckdb:///w/shop.duckdb/shop.main.orders
    to: {namespace: "sqlserver://etl-db.corp:1433", name: sales.dbo.orders}

The decisions become events with ``symlinks`` facets, so that the log has them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal

from lineage.errors import UsageError
from lineage.naming import DatasetName, covers_namespace
from lineage.openlineage.producer import READERS_PRODUCER
from lineage.openlineage.timestamps import of_datetime
from lineage.openlineage.written_events import build_event, complete_facet
from lineage.text_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SECTIONS = ("namespaces", "case", "without_slashes", "datasets")
_MAX_STEPS = 20


@dataclass(frozen=True)
class NameMap:
    """Names of datasets, and the datasets that they mean.

    ``time``: ISO 8601 time of the decisions, which is that of the last change of the file.
    ``namespaces``: from one to another. ``case``: of the names in a namespace, which may contain
    ``*``. ``datasets``: from a name or a full name to a name. ``without_slashes``: namespaces,
    which may contain ``*``, whose names have no first and no last slash.
    """

    time: str
    namespaces: Mapping[str, str] = field(default_factory=dict)
    case: Mapping[str, Literal["upper", "lower"]] = field(default_factory=dict)
    datasets: Mapping[str | DatasetName, DatasetName] = field(default_factory=dict)
    without_slashes: tuple[str, ...] = ()

    def map_name(self, name: DatasetName) -> DatasetName:
        """Return the dataset that a name means; the name itself if the file does not mention it.

        Raises UsageError if the file leads from a name back to it.
        """
        names = [name]
        while (following := self._map_once(names[-1])) != names[-1]:
            if following in names or len(names) > _MAX_STEPS:
                raise UsageError(
                    f"The file of names leads from {name.full_name} to"
                    f" {following.full_name} and back.",
                    "Remove one of the entries.",
                )
            names.append(following)
        return names[-1]

    def symlink_events(self, names: Iterable[DatasetName]) -> Iterator[dict[str, Any]]:
        """Yield a DatasetEvent for each name that stands for another, in their order."""
        for name in sorted(set(names)):
            target = self.map_name(name)
            if target != name:
                yield symlink_event(name, target, self.time)

    def _map_once(self, name: DatasetName) -> DatasetName:
        # Names with and without a first slash have the same full name.
        if target := self.datasets.get(name) or self.datasets.get(name.full_name):
            return target
        namespace = self.namespaces.get(name.namespace, name.namespace)
        text = name.name
        if covers_namespace(self.without_slashes, namespace):
            text = text.strip("/") or text
        for pattern, case in self.case.items():
            if covers_namespace([pattern], namespace):
                return DatasetName(namespace, text.upper() if case == "upper" else text.lower())
        return DatasetName(namespace, text)


def symlink_event(alias: DatasetName, owner: DatasetName, time: str) -> dict[str, Any]:
    """Return an event by which ``alias`` is another name of ``owner``."""
    identifier = {"namespace": alias.namespace, "name": alias.name, "type": "TABLE"}
    facet = complete_facet("symlinks", "dataset", {"identifiers": [identifier]}, READERS_PRODUCER)
    dataset = {"namespace": owner.namespace, "name": owner.name, "facets": {"symlinks": facet}}
    return build_event("DatasetEvent", time, READERS_PRODUCER, dataset=dataset)


def entry_of_map(alias: DatasetName, owner: DatasetName) -> dict[str, dict[str, str]]:
    """Return the entry of ``datasets`` by which ``alias`` is another name of ``owner``."""
    return {"from": alias._asdict(), "to": owner._asdict()}


def names_of_event(event: Mapping[str, Any]) -> Iterator[DatasetName]:
    """Yield the names of the datasets of an event, and of those that its facets name as sources."""
    datasets = [*event.get("inputs", ()), *event.get("outputs", ())]
    datasets += [event["dataset"]] if "dataset" in event else []
    for dataset in datasets:
        yield DatasetName(dataset["namespace"], dataset["name"])
        facets = dataset.get("facets", {})
        columns = facets.get("columnLineage", {}).get("fields", {}).values()
        sources = [source for column in columns for source in column["inputFields"]]
        for each in (*sources, *facets.get("lineage", {}).get("inputs", ())):
            yield DatasetName(each["namespace"], each["name"])


def read_name_map(path: Path) -> NameMap:
    """Read a file of names. Raises UsageError with the entry that is wrong."""
    content = read_yaml(path, f"The file of names {path}")
    if content is None:
        content = {}
    if not isinstance(content, Mapping):
        raise UsageError(f"{path} has no keys.", f"It may have {', '.join(_SECTIONS)}.")
    for key in content:
        if key not in _SECTIONS:
            raise UsageError(
                f"{path} has the unknown key {key}.", f"Known: {', '.join(_SECTIONS)}."
            )
    namespaces = _read_texts(path, "namespaces", content.get("namespaces"))
    case = _read_texts(path, "case", content.get("case"))
    for namespace, value in case.items():
        if value not in ("upper", "lower"):
            raise UsageError(f"{path}: case of {namespace} is {value}, not upper or lower.")
    return NameMap(
        of_datetime(datetime.fromtimestamp(path.stat().st_mtime, timezone.utc)),
        namespaces,
        case,  # type: ignore[arg-type]
        dict(_read_datasets(path, content.get("datasets"), namespaces)),
        _read_patterns(path, "without_slashes", content.get("without_slashes")),
    )


def _read_texts(path: Path, key: str, value: Any) -> dict[str, str]:
    value = {} if value is None else value
    if not isinstance(value, Mapping) or not all(
        isinstance(each, str) for pair in value.items() for each in pair
    ):
        raise UsageError(f"{path}: {key} is not a mapping of texts.")
    return dict(value)


def _read_patterns(path: Path, key: str, value: Any) -> tuple[str, ...]:
    value = [] if value is None else value
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise UsageError(f"{path}: {key} is not a list of texts.")
    return tuple(value)


def _read_datasets(
    path: Path, value: Any, namespaces: Mapping[str, str]
) -> Iterator[tuple[str | DatasetName, DatasetName]]:
    entries = [] if value is None else value
    if not isinstance(entries, list):
        raise UsageError(f"{path}: datasets is not a list.")
    for number, entry in enumerate(entries, start=1):
        place = f"{path}: entry {number} of datasets"
        if not isinstance(entry, Mapping) or set(entry) != {"from", "to"}:
            raise UsageError(f"{place} does not have the keys from and to.")
        alias, owner = entry["from"], entry["to"]
        name = alias if isinstance(alias, str) else _read_name(place, alias)
        yield name, _read_name(place, owner, namespaces)


def _read_name(place: str, value: Any, namespaces: Mapping[str, str] | None = None) -> DatasetName:
    """Return a name that is written as a mapping, or as a full name with a clear namespace."""
    if isinstance(value, Mapping):
        namespace, name = value.get("namespace"), value.get("name")
        if isinstance(namespace, str) and isinstance(name, str) and len(value) == 2:
            return DatasetName(namespace, name)
    if isinstance(value, str):
        for namespace in (namespaces or {}).values():
            if value.startswith(f"{namespace}/"):
                return DatasetName(namespace, value.removeprefix(f"{namespace}/"))
        scheme, separator, rest = value.partition("://")
        authority, slash, name = rest.partition("/")
        if separator and authority and slash and name and "/" not in name:
            return DatasetName(f"{scheme}://{authority}", name)
    raise UsageError(
        f"{place}: the end of the namespace is not clear.",
        "Write the name as {namespace: …, name: …}.",
    )
