"""Flatten the facets of a run or job into values, to compare two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# Facets and values that differ between any two runs and do not explain a difference in the result:
# the parent, ids, processes and hosts. The error is compared separately. The plan is larger than
# all other facets together and begins with ids.
_IGNORED = {
    ("parent",),
    ("errorMessage",),
    ("spark.logicalPlan",),
    ("spark_jobDetails",),
    ("spark_applicationDetails", "applicationId"),
    ("spark_applicationDetails", "startTime"),
    ("external_query", "externalQueryId"),
    ("externalQuery", "externalQueryId"),
    ("lineage_execution", "facts", "id"),
    ("lineage_application", "facts", "id"),
    ("lineage_application", "facts", "pid"),
    ("lineage_application", "facts", "started"),
    ("lineage_application", "facts", "host"),
    ("lineage_application", "facts", "driverHost"),
}

# Listed first if they differ: the facets that most often explain a result.
_FIRST = ("sql", "sourceCode", "sourceCodeLocation", "processing_engine", "tags",
          "environmentVariables", "nominalTime")  # fmt: skip


def leaf_values(of: str, facets: Mapping[str, Any]) -> dict[str, Any]:
    """Return each value in facets by its path, as ``run.tags.env``; ``of`` is ``run`` or ``job``.

    List items with unique names, such as tags and environment variables, have the name as their
    path element.
    """
    known = {name: place for place, name in enumerate(_FIRST)}
    order = sorted(facets, key=lambda name: (known.get(name, len(known)), name))
    values: dict[tuple[str, ...], Any] = {}
    for name in order:
        values.update(_walk_leaves((name,), facets[name]))
    return {".".join((of, *path)): value for path, value in values.items()}


def _walk_leaves(path: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if path in _IGNORED:
        return
    if isinstance(value, dict):
        for name in sorted(value):
            if not name.startswith("_"):
                yield from _walk_leaves((*path, name), value[name])
    elif (named := _by_name(value)) is not None:
        for name, item in named.items():
            yield from _walk_leaves((*path, name), item)
    else:
        yield path, value


def _by_name(value: Any) -> dict[str, Any] | None:
    """Return a list of items with unique names as a map by name; None for any other value."""
    if not isinstance(value, list) or not value:
        return None
    for key in ("key", "name"):
        names = [item.get(key) if isinstance(item, dict) else None for item in value]
        if all(isinstance(name, str) for name in names) and len(set(names)) == len(names):
            return {item[key]: _without_key(item, key) for item in value}
    return None


def _without_key(item: dict[str, Any], key: str) -> Any:
    rest = {name: value for name, value in item.items() if name not in (key, "source")}
    return rest["value"] if set(rest) == {"value"} else rest
