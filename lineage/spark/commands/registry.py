"""Detection of commands, and dispatch to the handlers that compute their effects."""

from __future__ import annotations

import re
from dataclasses import replace

from lineage.spark.commands.datasource_v2 import CONNECTORS
from lineage.spark.commands.ddl import DEFINITIONS, alter_effect
from lineage.spark.commands.delta import DELTA
from lineage.spark.commands.effects import Command, Effect
from lineage.spark.commands.iceberg import ICEBERG
from lineage.spark.commands.session import SESSION_COMMANDS
from lineage.spark.commands.streaming_sinks import STREAMS
from lineage.spark.commands.writes import WRITES
from lineage.spark.datasets.resolver import Dataset, Unresolved

# Commands on settings, sessions and catalogs that read and write no dataset. Commands that may run
# a query are excluded: SET of a variable, CACHE TABLE, OPEN and FETCH of a cursor.
TOUCHES_NO_DATA = re.compile(
    r"(Show|Describe|Desc|Reset|Explain|List|StreamingExplain|Refresh|Uncache|ClearCache|Use|"
    r"(Set|Unset)(Catalog|Command|Namespace|Path)|"
    r"(Create|Drop|Alter|CommentOn)(Database|Namespace|Function|Variable|TempView)|"
    r"Add(Jar|File|Archive)|Create(SQL|UserDefined)Function|(Close|Declare)Cursor|CompoundBody|"
    r"Create(Temp|Temporary)?ViewUsing|CommandResult|NoopCommand|ResolvedNamespace)\w*"
)

HANDLERS = WRITES | DEFINITIONS | CONNECTORS | DELTA | ICEBERG | STREAMS | SESSION_COMMANDS


# Operators of a command that refer to the table itself, not to its rows.
RESOLVED = {"ResolvedIdentifier", "ResolvedPersistentView", "ResolvedTable"}


def _is_on_a_table(command: Command) -> bool:
    return any(command.plan.nodes[index].op in RESOLVED for index in command.node.children)


def _with_unresolved(command: Command, done: Effect) -> Effect:
    """Add an unresolved entry for each table that has a name but no location."""
    datasets = (*done.inputs, *(output.dataset for output in done.outputs))
    unlocated = tuple(
        Unresolved(command.node.op, "a table whose location is not known", dataset.display_label)
        for dataset in datasets
        if isinstance(dataset, Dataset) and dataset.is_unlocated
    )
    return replace(done, unresolved=(*done.unresolved, *unlocated))


def effect_of(command: Command) -> Effect | None:
    """Compute the effect of the node if it is a command, else return None."""
    op = command.node.op
    handler = HANDLERS.get(op) or (alter_effect if op.startswith("AlterTable") else None)
    if handler:
        return _with_unresolved(command, handler(command))
    if TOUCHES_NO_DATA.fullmatch(op):
        return Effect(reads_nothing=True)
    if command.node.is_command or op.endswith("Command") or _is_on_a_table(command):
        return command.unresolved_effect("a command that is not known")
    return None
