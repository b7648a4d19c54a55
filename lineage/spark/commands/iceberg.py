"""Commands of Apache Iceberg, and detection of relations internal to its procedures."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lineage.spark.commands.effects import Change, Command, Effect, Handler, Output, change_effect
from lineage.spark.datasets.relations import catalog_of
from lineage.spark.document.arguments import ConnectorTable, Identifier

if TYPE_CHECKING:
    from lineage.spark.document.plan import Node


def is_internal(node: Node) -> bool:
    """Return whether a procedure created the relation to compact or clean a table.

    Such a procedure rewrites files, or lists them in a metadata table without an identifier.
    """
    table = node.get_argument("table", ConnectorTable)
    if table is None or not table.cls.startswith("org.apache.iceberg."):
        return False
    is_nameless = table.is_metadata and node.get_argument("identifier", Identifier) is None
    return is_nameless or table.cls.endswith(".SparkRewriteTable")


def _alter_effect(command: Command) -> Effect:
    """Resolve commands on branches, tags and similar, which specify the table by name parts."""
    catalog, *namespace, name = command.node.get_texts("table") or ("", "")
    if f"spark.sql.catalog.{catalog}" not in command.names.conf:
        return command.unresolved_effect(
            "a table of the current catalog", ".".join((catalog, name))
        )
    identifier = Identifier(catalog, tuple(namespace), name)
    return change_effect(command.names.resolve_existing_table(identifier), Change.ALTER)


def _create_view(command: Command) -> Effect:
    nodes = [command.plan.nodes[index] for index in (*command.node.children, *command.node.inner)]
    child = next((node for node in nodes if node.op == "ResolvedIdentifier"), None)
    identifier = child.get_argument("identifier", Identifier) if child else None
    if child is None or identifier is None:
        return command.unresolved_effect("a target that is not known")
    name = replace(identifier, catalog=identifier.catalog or catalog_of(child))
    dataset = replace(
        command.names.resolve_new_table(name), kind="VIEW", columns=command.output_columns()
    )
    change = Change.OVERWRITE if command.node.get_flag("replace") else Change.CREATE
    return Effect((Output(dataset, change, "create"),))


ALTERING = (
    "AddPartitionField",
    "CreateOrReplaceBranch",
    "CreateOrReplaceTag",
    "DropBranch",
    "DropIdentifierFields",
    "DropPartitionField",
    "DropTag",
    "ReplacePartitionField",
    "SetIdentifierFields",
    "SetWriteDistributionAndOrdering",
)
ICEBERG: dict[str, Handler] = {
    "CreateIcebergView": _create_view,
    **dict.fromkeys(ALTERING, _alter_effect),
}
