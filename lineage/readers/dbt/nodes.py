"""Nodes of a dbt project: the names of their relations and jobs, and their dependencies."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lineage.naming import DatasetName
from lineage.readers.dbt.facets import (
    description_facet,
    owners_facet,
    schema_facet,
    tags_facet,
    type_facet,
)
from lineage.readers.dbt.files import MARK
from lineage.sql.names import ignore_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.openlineage.facet_schemas import Holder
    from lineage.readers.dbt.files import Artifacts, CatalogTable, Node, Result
    from lineage.readers.facets import Facets

# Nodes that write a relation, with the end of the name of their job. openlineage-dbt names models
# of dbt run and snapshots so; it has no runs of seeds.
WRITING = {"model": "", "snapshot": ".snapshot", "seed": ".seed"}


@dataclass(frozen=True)
class Project:
    """The nodes of a manifest, with the names of their datasets in ``namespace``."""

    artifacts: Artifacts
    namespace: str
    relations: dict[str, DatasetName] = field(default_factory=dict)

    @staticmethod
    def from_artifacts(artifacts: Artifacts, namespace: str) -> Project:
        """Build the project, and name the relation of each node that has one."""
        project = Project(artifacts, namespace)
        for node in project.all_nodes():
            if node.resource_type == "source" or is_writing(node):
                project.relations[node.unique_id] = project._name_relation(node)
        return project

    @property
    def project_name(self) -> str:
        """The name of the project; if dbt did not write it, the package of the first node."""
        manifest = self.artifacts.manifest
        packages = (node.package_name for node in manifest.nodes.values())
        return manifest.metadata.project_name or next(packages, "unknown")

    def all_nodes(self) -> Iterator[Node]:
        """Yield the nodes and the sources."""
        yield from self.artifacts.manifest.nodes.values()
        yield from self.artifacts.manifest.sources.values()

    def find_node(self, unique_id: str) -> Node | None:
        """Return the entry of an id: a node, a source, a metric or a semantic model."""
        manifest = self.artifacts.manifest
        groups = (manifest.nodes, manifest.sources, manifest.metrics, manifest.semantic_models)
        return next((group[unique_id] for group in groups if unique_id in group), None)

    def find_catalog_table(self, unique_id: str) -> CatalogTable | None:
        """Return the columns that the database has for a node; None if the catalog lacks it."""
        catalog = self.artifacts.catalog
        if catalog is None:
            return None
        return catalog.nodes.get(unique_id) or catalog.sources.get(unique_id)

    def parent_relations(self, node: Node, code: str = "") -> list[DatasetName]:
        """Return the datasets that a node refers to, through ephemeral models and metrics."""
        return [self.relation_in(each, code) for each in self.parent_ids(node)]

    def relation_in(self, unique_id: str, code: str) -> DatasetName:
        """Return the dataset of a node that compiled code reads.

        With ``--defer``, dbt writes the name in another schema into the code, and does not report
        that it did.
        """
        node = self.find_node(unique_id)
        if node is None or node.resource_type not in WRITING or not code:
            return self.relations[unique_id]
        *place, table = own = relation_parts(node)
        part = r"[\"`\[]?([\w$-]+)[\"`\]]?\."
        pattern = rf"(?<![.\w]){part * len(place)}[\"`\[]?({re.escape(table)})(?![\w$-])"
        names = {match.groups() for match in re.finditer(pattern, code.replace("\\", ""), re.I)}
        if len(names) != 1 or ignore_case(*names) == ignore_case(own):
            return self.relations[unique_id]
        return DatasetName(self.namespace, ".".join(*names))

    def parent_ids(self, node: Node) -> list[str]:
        """Return the ids of the nodes with a relation that a node refers to, in order."""
        result: dict[str, None] = {}
        pending, visited = list(reversed(node.parent_node_ids)), set()
        while pending:
            unique_id = pending.pop()
            if unique_id in visited:
                continue
            visited.add(unique_id)
            if unique_id in self.relations:
                result[unique_id] = None
            elif parent := self.find_node(unique_id):
                pending.extend(reversed(parent.parent_node_ids))
        return list(result)

    def dataset_facets(self, node: Node) -> Facets:
        """Return the facets that describe the relation of a node."""
        facets = self._described_facets(node, "dataset")
        table = self.find_catalog_table(node.unique_id)
        facets |= schema_facet(node.columns, table)
        facets |= type_facet(node.materialized_as or (table and table.metadata.type) or "")
        return facets

    def job_facets(self, node: Node) -> Facets:
        """Return the facets that describe the job of a node."""
        return self._described_facets(node, "job")

    def _described_facets(self, node: Node, holder: Holder) -> Facets:
        facets: Facets = {}
        facets |= description_facet(node.description, holder)
        facets |= tags_facet(node.tags, self.all_meta(node), holder)
        facets |= owners_facet(self.owners_of(node), holder)
        return facets

    def owners_of(self, node: Node) -> list[str]:
        """Return the owners of a node: those in ``meta``, else that of its group or exposure."""
        owner = self.all_meta(node).get("owner")
        if owner:
            return [str(each) for each in (owner if isinstance(owner, list) else [owner])]
        group = self.artifacts.manifest.groups.get(f"group.{node.package_name}.{node.group}")
        record = node.owner or (group and group.owner)
        if not record:
            return []
        if record.name:
            return [record.name]
        emails = record.email if isinstance(record.email, list) else [record.email]
        return [email for email in emails if email]

    @staticmethod
    def all_meta(node: Node) -> dict[str, Any]:
        """Return ``meta`` of a node, which dbt also writes into its settings."""
        return {**((node.config and node.config.meta) or {}), **node.meta}

    def _name_relation(self, node: Node) -> DatasetName:
        exported = node.meta.get(MARK)
        if isinstance(exported, dict):
            return DatasetName(str(exported.get("namespace")), str(exported.get("name")))
        return DatasetName(self.namespace, ".".join(relation_parts(node)))


def is_of_project(node: Node) -> bool:
    """Return whether the project defines the node.

    Models of other projects, which dbt Mesh and dbt-loom add, have no file. Their own project
    declares them. Other nodes that do not count are those that ``lineage export dbt-docs`` added.
    """
    return node.original_file_path != "" and MARK not in node.meta


def compiled_code(node: Node, result: Result | None) -> str:
    """Return the code that dbt executed, or compiled last."""
    return (result and result.compiled_code) or node.compiled_code or ""


def is_writing(node: Node) -> bool:
    """Return whether the node writes a relation. Ephemeral models are CTEs of others."""
    return node.resource_type in WRITING and node.materialized_as != "ephemeral"


def relation_parts(node: Node) -> tuple[str, ...]:
    """Return database, schema and table of a node, as far as it has them."""
    table = node.identifier if node.resource_type == "source" else node.alias
    return tuple(filter(None, (node.database, node.schema, table or node.name)))


def job_place(node: Node) -> str:
    """Return ``database.schema.project.model``; the id of a source keeps its type."""
    prefix = "" if node.resource_type == "source" else f"{node.resource_type}."
    place = filter(None, (node.database, node.schema))
    return ".".join((*place, node.unique_id.removeprefix(prefix)))


def job_name(node: Node) -> str:
    """Return ``database.schema.project.model``, as openlineage-dbt names the job of ``dbt run``.

    It is the name for every command, so that a model is one job. A version of a model is part of
    its name: ``database.schema.project.model.v2``.
    """
    return job_place(node) + WRITING[node.resource_type]


def dataset_value(name: DatasetName, **facets: Facets) -> dict[str, Any]:
    """Return a dataset of an event; facets that are empty are left out."""
    known = {key: value for key, value in facets.items() if value}
    return {"namespace": name.namespace, "name": name.name, **known}
