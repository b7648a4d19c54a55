"""Lines of ``lineage show`` for facets.

Values of the wrong type are omitted; ``--format json`` has complete facets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lineage.query.ranking import RANK_FACET

from . import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lineage.query.quality import Check, Metrics
    from lineage.query.ranking import StoredRank

    Line = tuple[str, str]

# Facets whose values are in the text; other facets are listed by name.
OF_DATASET = frozenset(
    ("schema", "documentation", "ownership", "tags", "datasetType", "dataSource", "storage",
     "version", "catalog", "hierarchy", "symlinks", "dataQualityAssertions", "dataQualityMetrics",
     RANK_FACET)
)  # fmt: skip
OF_JOB = frozenset(
    ("documentation", "ownership", "tags", "jobType", "sourceCodeLocation", "sourceCode", "sql")
)
OF_RUN = frozenset(
    ("errorMessage", "nominalTime", "processing_engine", "tags", "externalQuery", "extractionError",
     "lineage_unresolved", "jobDependencies", "test", "parent")
)  # fmt: skip
_COMPARED = {
    "EQUAL": "=", "GREATER_THAN": ">", "GREATER_EQUAL_THAN": ">=", "LESS_THAN": "<",
    "LESS_EQUAL_THAN": "<=",
}  # fmt: skip


def of_dataset(facets: Mapping[str, Any]) -> Iterator[Line]:
    """Yield title and text of the facets of a dataset, except columns and checks."""
    yield from _description_lines(facets)
    yield from _titled_line("type", facets, ("datasetType", "datasetType"))
    source = [_facet_text(facets, "dataSource", part) for part in ("name", "uri")]
    yield from _joined_line("source", dict.fromkeys(source))
    yield from _joined_line(
        "storage", [_facet_text(facets, "storage", part) for part in ("storageLayer", "fileFormat")]
    )
    yield from _titled_line("version", facets, ("version", "datasetVersion"))
    catalog = {part: _facet_text(facets, "catalog", part) for part in (
        "name", "framework", "type", "metadataUri", "warehouseUri")}  # fmt: skip
    yield from _joined_line("catalog", catalog.values())
    levels = _facet_items(facets, "hierarchy", "hierarchy")
    names = [
        f"{_as_text(each.get('type'))} {_as_text(each.get('name'))}".strip() for each in levels
    ]
    if names:
        yield "hierarchy", " > ".join(names)


def rank_lines(rank: StoredRank | None) -> Iterator[Line]:
    """Yield the stored rank of a dataset, with the time of the newest event that counted."""
    if rank:
        dependents = render.count_of(rank.dependents, "dependent")
        text = f"{rank.position:,} of {rank.total:,}, {rank.rank:.2%}, {dependents}"
        yield "rank", f"{text}  [{render.format_time(rank.as_of)}]"


def of_job(facets: Mapping[str, Any]) -> Iterator[Line]:
    """Yield title and text of the facets of a job."""
    yield from _description_lines(facets)
    yield from _tag_lines(facets)
    location = [
        _facet_text(facets, "sourceCodeLocation", part) for part in ("url", "repoUrl", "path")
    ]
    version = [
        _facet_text(facets, "sourceCodeLocation", part) for part in ("branch", "tag", "version")
    ]
    yield from _joined_line("source code", dict.fromkeys([*location, *version]))
    yield from _titled_line("language", facets, ("sourceCode", "language"))
    yield from _code_lines("source", _facet_text(facets, "sourceCode", "sourceCode"))
    dialect = _facet_text(facets, "sql", "dialect")
    yield from _code_lines(
        f"sql {dialect}" if dialect else "sql", _facet_text(facets, "sql", "query")
    )


def of_run(facets: Mapping[str, Any]) -> Iterator[Line]:
    """Yield title and text of the facets of a run."""
    nominal = [_facet_text(facets, "nominalTime", part) for part in
               ("nominalStartTime", "nominalEndTime")]  # fmt: skip
    if any(nominal):
        yield "nominal", " to ".join(time for time in nominal if time)
    engine = [_facet_text(facets, "processing_engine", part) for part in ("name", "version")]
    if any(engine):
        yield "engine", " ".join(part for part in engine if part)
    adapter = _facet_text(facets, "processing_engine", "openlineageAdapterVersion")
    if adapter:
        yield "adapter", adapter
    yield from _joined_line(
        "query id",
        [_facet_text(facets, "externalQuery", part) for part in ("externalQueryId", "source")],
    )
    yield from _tag_lines(facets)
    for part, title in (("upstream", "after"), ("downstream", "before")):
        for each in _facet_items(facets, "jobDependencies", part):
            job = each.get("job")
            if isinstance(job, dict):
                yield title, f"{_as_text(job.get('namespace'))}/{_as_text(job.get('name'))}"
    for text in unresolved_reasons(facets):
        yield "unresolved", text


def unresolved_reasons(facets: Mapping[str, Any]) -> Iterator[str]:
    """Yield unresolved accesses of a run from lineage_unresolved and extractionError."""
    for each in _facet_items(facets, "lineage_unresolved", "items"):
        parts = [_as_text(each.get(name)) for name in ("operator", "reason", "detail")]
        yield ": ".join(part for part in parts if part)
    for each in _facet_items(facets, "extractionError", "errors"):
        task = _first_line(_as_text(each.get("task")))
        yield ": ".join(
            part for part in (task, _first_line(_as_text(each.get("errorMessage")))) if part
        )


def schema_columns(facets: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Yield a line for each column of the schema facet: name, type, description."""
    yield from _column_lines(_facet_items(facets, "schema", "fields"), path)


def describe_subset(facets: Mapping[str, Any]) -> str:
    """Return the part of a dataset that was accessed; empty if it was the whole dataset."""
    body = facets.get("subset")
    if not isinstance(body, dict):
        return ""
    condition = body.get("inputCondition", body.get("outputCondition"))
    return _describe_condition(condition) if isinstance(condition, dict) else ""


def check_lines(checks: Sequence[Check]) -> Iterator[Line]:
    """Yield the numbers of passed and failed checks, and each check that failed."""
    if not checks:
        return
    passed = sum(check.success is True for check in checks)
    failed = [check for check in checks if check.success is False]
    newest = max(check.checked_at or "" for check in checks)
    yield "checks", f"{passed:,} passed, {len(failed):,} failed  [{render.format_time(newest)}]"
    for check in failed:
        of = f"{check.dataset}: " if check.part in ("input", "output") else ""
        yield "", f"{of}{check.check_title}  {check.describe_result}"


def metric_lines(metrics: Metrics | None) -> Iterator[Line]:
    """Yield the last measured metrics of the whole dataset."""
    if metrics is None or not isinstance(metrics.metrics, dict):
        return
    names = {"rowCount": "rows", "bytes": "bytes", "fileCount": "files"}
    parts = [f"{metrics.metrics[key]:,} {name}" for key, name in names.items()
            if isinstance(metrics.metrics.get(key), int | float)]  # fmt: skip
    if parts:
        yield "measured", f"{', '.join(parts)}  [{render.format_time(metrics.measured)}]"


def _description_lines(facets: Mapping[str, Any]) -> Iterator[Line]:
    for line in (_facet_text(facets, "documentation", "description") or "").splitlines():
        yield "description", line
    for owner in _facet_items(facets, "ownership", "owners"):
        if name := _as_text(owner.get("name")):
            kind = _as_text(owner.get("type"))
            yield "owner", f"{name} ({kind})" if kind else name


def _tag_lines(facets: Mapping[str, Any]) -> Iterator[Line]:
    for tag in _facet_items(facets, "tags", "tags"):
        value = _as_text(tag.get("value"))
        yield "tags", _as_text(tag.get("key")) + (f":{value}" if value not in ("", "true") else "")


def _column_lines(fields: Sequence[Any], path: str) -> Iterator[str]:
    for each in fields:
        if not isinstance(each, dict) or not _as_text(each.get("name")):
            continue
        name = f"{path}{each['name']}"
        parts = [name, _as_text(each.get("type")), _first_line(_as_text(each.get("description")))]
        yield "  ".join(part for part in parts if part)
        nested = each.get("fields")
        if isinstance(nested, list):
            yield from _column_lines(nested, f"{name}.")


def _describe_condition(condition: Mapping[str, Any]) -> str:
    kind = condition.get("type")
    if kind == "location":
        return ", ".join(_as_text(each) for each in _as_list(condition.get("locations")))
    if kind == "partition":
        parts = [each for each in _as_list(condition.get("partitions")) if isinstance(each, dict)]
        return ", ".join(_describe_partition(each) for each in parts)
    left, right = condition.get("left"), condition.get("right")
    if not isinstance(left, dict) or not isinstance(right, dict):
        return ""
    if kind == "binary":
        operator = _as_text(condition.get("operator"))
        return f"({_describe_condition(left)} {operator} {_describe_condition(right)})"
    sides = [_as_text(each.get("field", each.get("value"))) for each in (left, right)]
    how = _as_text(condition.get("comparison"))
    return f"{sides[0]} {_COMPARED.get(how, how)} {sides[1]}"


def _describe_partition(partition: Mapping[str, Any]) -> str:
    dimensions = partition.get("dimensions")
    if isinstance(dimensions, dict) and dimensions:
        return "/".join(f"{name}={value}" for name, value in dimensions.items())
    return _as_text(partition.get("identifier"))


def _titled_line(title: str, facets: Mapping[str, Any], path: tuple[str, str]) -> Iterator[Line]:
    if text := _facet_text(facets, *path):
        yield title, text


def _joined_line(title: str, parts: Any) -> Iterator[Line]:
    if texts := [part for part in parts if part]:
        yield title, ", ".join(texts)


def _code_lines(title: str, text: str | None) -> Iterator[Line]:
    for line in (text or "").strip("\n").splitlines():
        yield title, line


def _facet_text(facets: Mapping[str, Any], facet: str, part: str) -> str | None:
    body = facets.get(facet)
    return (_as_text(body.get(part)) or None) if isinstance(body, dict) else None


def _facet_items(facets: Mapping[str, Any], facet: str, part: str) -> list[dict[str, Any]]:
    body = facets.get(facet)
    items = _as_list(body.get(part)) if isinstance(body, dict) else []
    return [each for each in items if isinstance(each, dict)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_text(value: Any) -> str:
    return str(value) if isinstance(value, str | int | float) else ""


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
