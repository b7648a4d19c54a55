"""Read the files that dbt writes into its target directory, and check that they belong together."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import Struct, field

from lineage.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

MARK = "lineage_export"
"""Key in ``meta`` of the nodes that ``lineage export dbt-docs`` adds to a manifest."""

# Versions that can be read, and the versions of dbt that write them.
_MANIFEST = (10, 12)
_RUN_RESULTS = (4, 6)
_CATALOG = (1, 1)
_WRITTEN_BY = "dbt 1.6 to 1.11"
# Commands that execute nodes; run_results.json of others reports no run.
EXECUTING = frozenset({"run", "build", "seed", "snapshot", "test", "retry"})

T = TypeVar("T")


class Metadata(Struct):
    """The metadata of a file; ``generated_at`` and ``invocation_started_at`` are ISO 8601."""

    dbt_schema_version: str = ""
    dbt_version: str = ""
    generated_at: str = ""
    invocation_id: str | None = None
    invocation_started_at: str | None = None
    project_name: str | None = None
    adapter_type: str | None = None


class ColumnInfo(Struct):
    """A column that a YAML file of the project describes."""

    name: str
    description: str | None = None
    data_type: str | None = None


class Config(Struct):
    """The settings of a node."""

    materialized: str | None = None
    incremental_strategy: str | None = None
    severity: str | None = None
    error_if: str | None = None
    warn_if: str | None = None
    full_refresh: bool | None = None
    meta: dict[str, Any] | None = None
    tags: list[str] | str | None = None


class DependsOn(Struct):
    """The nodes that a node refers to, by their unique ids."""

    nodes: list[str] = field(default_factory=list)


class TestMetadata(Struct):
    """The name and the arguments of a generic test."""

    name: str
    kwargs: dict[str, Any] = field(default_factory=dict)


class Owner(Struct):
    """The owner of an exposure or a group; either may be missing."""

    name: str | None = None
    email: str | list[str] | None = None


class Group(Struct):
    """A group of models."""

    name: str
    owner: Owner | None = None


class Node(Struct):
    """A model, test, source, exposure, metric or the like; fields of other types are empty."""

    unique_id: str
    resource_type: str
    name: str
    package_name: str
    database: str | None = None
    schema: str | None = None
    alias: str | None = None
    identifier: str | None = None
    relation_name: str | None = None
    description: str | None = None
    source_name: str | None = None
    tags: list[str] = field(default_factory=list)
    meta: dict[str, Any] = field(default_factory=dict)
    config: Config | None = None
    columns: dict[str, ColumnInfo] = field(default_factory=dict)
    depends_on: DependsOn | None = None
    language: str | None = None
    original_file_path: str | None = None
    compiled_code: str | None = None
    checksum: dict[str, Any] | None = None
    group: str | None = None
    owner: Owner | None = None
    type: str | None = None
    url: str | None = None
    attached_node: str | None = None
    column_name: str | None = None
    test_metadata: TestMetadata | None = None

    @property
    def parent_node_ids(self) -> list[str]:
        """The unique ids of the nodes that it refers to."""
        return self.depends_on.nodes if self.depends_on else []

    @property
    def materialized_as(self) -> str:
        """How a model is stored: table, view, incremental, ephemeral …; empty for other types."""
        return (self.config and self.config.materialized) or ""


class Manifest(Struct):
    """The parts of ``manifest.json`` that are read."""

    metadata: Metadata
    nodes: dict[str, Node]
    sources: dict[str, Node] = field(default_factory=dict)
    exposures: dict[str, Node] = field(default_factory=dict)
    metrics: dict[str, Node] = field(default_factory=dict)
    semantic_models: dict[str, Node] = field(default_factory=dict)
    groups: dict[str, Group] = field(default_factory=dict)


class Timing(Struct):
    """A phase of an execution: compile or execute; the times are ISO 8601 or missing."""

    name: str
    started_at: str | None = None
    completed_at: str | None = None


class BatchResults(Struct):
    """The periods of an incremental model by batches, whose rows were written or not."""

    successful: list[Any] = field(default_factory=list)
    failed: list[Any] = field(default_factory=list)


class Result(Struct):
    """The result of one node. ``failures`` is the number of rows that a test selected."""

    unique_id: str
    status: str
    timing: list[Timing] = field(default_factory=list)
    message: str | None = None
    failures: int | None = None
    adapter_response: dict[str, Any] = field(default_factory=dict)
    compiled_code: str | None = None
    batch_results: BatchResults | None = None


class RunResults(Struct):
    """The parts of ``run_results.json`` that are read."""

    metadata: Metadata
    results: list[Result]
    args: dict[str, Any] = field(default_factory=dict)

    @property
    def command_name(self) -> str:
        """The command of dbt, such as ``build``."""
        return str(self.args.get("which", ""))


class CatalogColumn(Struct):
    """A column that the database has."""

    name: str
    type: str | None = None
    index: int = 0


class CatalogMetadata(Struct):
    """The type of a table that the database reports: ``BASE TABLE``, ``VIEW`` …"""

    type: str | None = None


class CatalogTable(Struct):
    """A table or view that the database has."""

    metadata: CatalogMetadata = field(default_factory=CatalogMetadata)
    columns: dict[str, CatalogColumn] = field(default_factory=dict)


class Catalog(Struct):
    """The parts of ``catalog.json`` that are read: tables by the unique id of their node."""

    metadata: Metadata
    nodes: dict[str, CatalogTable] = field(default_factory=dict)
    sources: dict[str, CatalogTable] = field(default_factory=dict)


class Artifacts(Struct):
    """The files of one target directory. ``notes`` say which of them report nothing, and why."""

    manifest: Manifest
    results: RunResults | None
    catalog: Catalog | None
    notes: list[str]


def read_artifacts(target: Path) -> Artifacts:
    """Read ``manifest.json`` and, where they exist, ``run_results.json`` and ``catalog.json``.

    Raises UsageError if the manifest is missing, if a file cannot be read or is of an unknown
    version, and if the results are not those of the manifest's invocation.
    """
    if not target.is_dir():
        raise UsageError(
            f"There is no directory {target}.",
            "Specify the target directory of a dbt project, which has manifest.json.",
        )
    manifest = _read_file(target / "manifest.json", Manifest, "manifest", _MANIFEST)
    if manifest is None:
        raise UsageError(
            f'There is no manifest.json in "{target}".',
            "Specify the target directory of a dbt project, and run dbt build or dbt compile.",
        )
    results = _read_file(target / "run_results.json", RunResults, "run-results", _RUN_RESULTS)
    catalog = _read_file(target / "catalog.json", Catalog, "catalog", _CATALOG)
    notes = []
    if results and results.command_name not in EXECUTING:
        command = _display_command(results.command_name)
        notes.append(
            f"{target / 'run_results.json'} is of dbt {command}, which runs no model: only declared"
            " lineage is imported. Import before that command, or keep the files of dbt build."
        )
        results = None
    if results:
        _check_invocation(target, manifest.metadata, results.metadata)
    return Artifacts(manifest, results, catalog, notes)


def _display_command(command: str) -> str:
    return "docs generate" if command == "generate" else command or "an unknown command"


def _check_invocation(target: Path, manifest: Metadata, results: Metadata) -> None:
    if manifest.invocation_id != results.invocation_id:
        raise UsageError(
            f"manifest.json and run_results.json in {target} are of two runs of dbt"
            f" ({manifest.invocation_id}, {results.invocation_id}).",
            "Import them right after the run. To import declared lineage only, copy manifest.json"
            " into a directory without run_results.json.",
        )


def _read_file(path: Path, kind: type[T], schema: str, versions: tuple[int, int]) -> T | None:
    """Return the content of a file; None if the file does not exist.

    The version is checked first, because a file of another version may lack any field.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        _check_version(path, msgspec.json.decode(data, type=_Versioned), schema, versions)
        return msgspec.json.decode(data, type=kind)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{path} does not have the form of a file of dbt: {error}.",
            "Write it again by dbt.",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not valid JSON: {error}.", "Write it again by dbt.") from error


class _Versioned(Struct):
    metadata: Metadata


def _check_version(path: Path, head: _Versioned, schema: str, versions: tuple[int, int]) -> None:
    """Raise UsageError unless the file has the schema in one of the versions."""
    match = re.search(r"/([\w-]+)/v(\d+)\.json", head.metadata.dbt_schema_version)
    first, last = versions
    if match is None or match[1] != schema:
        raise UsageError(f"{path} does not have the form of dbt's {schema}.")
    if not first <= int(match[2]) <= last:
        known = f"v{first} to v{last}" if first < last else f"v{first}"
        raise UsageError(
            f"{path} is of version v{match[2]}; {known} can be read.",
            f"Write it by {_WRITTEN_BY}.",
        )
