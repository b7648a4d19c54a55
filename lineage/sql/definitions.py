"""Inputs, outputs and definitions of CREATE, ALTER, DROP, TRUNCATE and the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineage.sql.changes import kind_of_change
from lineage.sql.inputs import CHANGES, Env, is_in_variable
from lineage.sql.names import fold_part, table_name
from lineage.sql.records import IF_ABSENT, TRUNCATE_PARTITION, Handle, View
from lineage.sql.settings import report_unknown_use

if TYPE_CHECKING:
    from collections.abc import Callable

    from lineage.sql.changes import ChangeReader
    from lineage.sql.records import Mode

_RELATIONS = frozenset({"TABLE", "VIEW"})
# Statements that neither read rows of tables nor write them.
_WITHOUT_ROWS = (
    *(exp.Analyze, exp.Attach, exp.Comment, exp.Describe, exp.Detach, exp.Grant, exp.Kill),
    *(exp.Pragma, exp.Refresh, exp.Revoke, exp.Show, exp.Uncache, exp.Semicolon),
)
_READ_ONLY = (exp.Declare, exp.Export, exp.Pivot, exp.Set, exp.Summarize, exp.IfBlock)


def read_tree(reader: ChangeReader, tree: exp.Expr) -> None:
    """Read the tree of one statement into the reader's draft."""
    env = Env()
    draft = reader.draft
    if isinstance(tree, CHANGES):
        draft.kind = kind_of_change(tree)
        reader.read_change(tree, env)
    elif isinstance(tree, exp.Query | exp.Values):
        draft.kind = "SELECT"
        reader.read_query(tree, env)
    elif (read := _READERS.get(type(tree))) is not None:
        read(reader, tree)
    elif isinstance(tree, _READ_ONLY):
        draft.kind = "SELECT" if isinstance(tree, exp.Pivot | exp.Summarize) else "OTHER"
        _read_queries_in(reader, tree)
    elif not isinstance(tree, _WITHOUT_ROWS):
        draft.add_unresolved(f"a statement of the type {tree.key} is not read")


def _read_queries_in(reader: ChangeReader, tree: exp.Expr) -> None:
    """Read the queries in a statement whose other parts name no tables."""
    if isinstance(tree, exp.Pivot | exp.Summarize | exp.Export):
        reader.walk.read_inputs(tree.this, Env())
        return
    queries = [each for each in tree.find_all(exp.Query) if each.find_ancestor(exp.Query) is None]
    reader.walk.read_inputs(queries, Env())


def _read_create(reader: ChangeReader, tree: exp.Create) -> None:
    kind = str(tree.args.get("kind") or "").upper()
    draft = reader.draft
    draft.kind = " ".join(filter(None, ("CREATE", kind)))
    if kind in _RELATIONS and tree.args.get("exists"):
        draft.kind += IF_ABSENT
    if kind not in _RELATIONS:
        query = tree.args.get("expression")
        if isinstance(query, exp.Query):
            reader.walk.read_inputs(query, Env())
        if tree.args.get("clone") is not None:
            draft.add_unresolved("the tables of a database or schema that is cloned are not known")
        return
    env = reader.walk.read_ctes(tree, Env())
    properties = tree.args.get("properties")
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    if (name := reader.walk.resolve_name(target)) is None:
        return
    query = tree.args.get("expression") if not has_no_data(tree) else None
    sources = reader.walk.read_inputs([query, tree.args.get("clone")], env)
    if properties and (executed := properties.find(exp.ExecuteAsProperty)):
        is_quoted = executed.find(exp.Identifier) is not None
        draft.handle = Handle(
            "execute", fold_part(executed.this.name, draft.dialect, quoted=is_quoted)
        )
    is_temporary = bool(properties and properties.find(exp.TemporaryProperty))
    draft.add_flow(name, sources, "create", temporary=is_temporary)
    if kind == "VIEW" and isinstance(query, exp.Query) and not _is_refreshed(tree):
        draft.views.add(name)
    if kind == "VIEW" or _is_refreshed(tree):
        draft.declares.append(View(name, tuple(sources)))


def has_no_data(tree: exp.Create) -> bool:
    """Return whether a new table has the columns of its query, but no rows: WITH NO DATA.

    A materialized view has rows after a REFRESH.
    """
    properties = tree.args.get("properties")
    clause = properties.find(exp.WithDataProperty) if properties else None
    return clause is not None and bool(clause.args.get("no")) and not _is_refreshed(tree)


def _is_refreshed(tree: exp.Create) -> bool:
    properties = tree.args.get("properties")
    return bool(properties and properties.find(exp.MaterializedProperty, exp.DynamicProperty))


def _read_drop(reader: ChangeReader, tree: exp.Drop) -> None:
    kind = str(tree.args.get("kind") or "").upper()
    reader.draft.kind = "DROP"
    if kind in _RELATIONS or kind == "MATERIALIZED VIEW":
        for table in [tree.this, *(tree.args.get("tables") or []), *tree.expressions]:
            if name := table_name(table, reader.draft.dialect):
                reader.draft.drops.append(name)
                if tree.args.get("temporary"):
                    reader.draft.temporary[name] = None


def _read_alter(reader: ChangeReader, tree: exp.Alter) -> None:
    reader.draft.kind = "ALTER"
    dialect = reader.draft.dialect
    kind = str(tree.args.get("kind") or "").upper()
    table = table_name(tree.this, dialect) if kind in _RELATIONS else None
    for action in tree.args.get("actions") or []:
        other = table_name(action.this, dialect) if isinstance(action.this, exp.Table) else None
        if table is None or other is None:
            continue
        if isinstance(action, exp.AlterRename):
            reader.draft.kind = f"RENAME {kind}"
            reader.draft.add_rename(table, other)
        elif isinstance(action, exp.SwapTable):
            reader.draft.kind = "RENAME"
            reader.draft.renames += [(other, table), (table, other)]
            reader.draft.swaps = True


def _read_truncate(reader: ChangeReader, tree: exp.TruncateTable) -> None:
    reader.draft.kind = TRUNCATE_PARTITION if tree.args.get("partition") else "TRUNCATE"
    for table in tree.expressions:
        if name := reader.walk.resolve_name(table):
            reader.draft.add_flow(name, (), "delete")


def _read_use(reader: ChangeReader, tree: exp.Use) -> None:
    reader.draft.kind = "USE"
    kind = str(tree.args.get("kind") or "").upper()
    name = table_name(tree.this, reader.draft.dialect)
    if name is None or is_in_variable(tree.this, name, reader.draft.dialect):
        report_unknown_use(reader.draft)
    elif kind == "CATALOG" and len(name) == 1:
        reader.draft.use = (*name, "default")
    elif kind not in ("WAREHOUSE", "ROLE", "SECONDARY ROLES"):
        # ("", schema) keeps the database and sets the schema.
        reader.draft.use = ("", *name) if kind == "SCHEMA" and len(name) == 1 else name


def _read_load(reader: ChangeReader, tree: exp.LoadData) -> None:
    reader.draft.kind = "LOAD"
    if name := reader.walk.resolve_name(tree.this):
        mode: Mode = "overwrite" if tree.args.get("overwrite") else "append"
        reader.draft.add_flow(name, (), mode, from_files=True)


def _read_cache(reader: ChangeReader, tree: exp.Cache) -> None:
    """Read Spark's CACHE TABLE: with a query, it makes a temporary view."""
    if (query := tree.args.get("expression")) is None:
        reader.walk.read_inputs(tree.this, Env())
        return
    sources = reader.walk.read_inputs(query, Env())
    reader.draft.kind = "CREATE VIEW"
    if name := reader.walk.resolve_name(tree.this):
        reader.draft.add_flow(name, sources, "create", temporary=True)
        reader.draft.declares.append(View(name, tuple(sources)))


def _read_inserts(reader: ChangeReader, tree: exp.MultitableInserts) -> None:
    reader.draft.kind = "INSERT"
    reader.read_inserts(tree, Env())


def _read_copy(reader: ChangeReader, tree: exp.Copy) -> None:
    reader.read_copy(tree, Env())


def _read_transaction(reader: ChangeReader, tree: exp.Expr) -> None:
    reader.draft.kind = "TRANSACTION"
    if isinstance(tree, exp.Rollback):
        if tree.args.get("savepoint") is not None:
            reader.draft.add_unresolved("a rollback to a savepoint is not followed")
        else:
            reader.draft.transaction = "rollback"
    else:
        reader.draft.transaction = "commit" if isinstance(tree, exp.Commit) else "begin"


_READERS: dict[type[exp.Expr], Callable[[ChangeReader, Any], None]] = {
    exp.Create: _read_create,
    exp.Drop: _read_drop,
    exp.Alter: _read_alter,
    exp.TruncateTable: _read_truncate,
    exp.Use: _read_use,
    exp.LoadData: _read_load,
    exp.Cache: _read_cache,
    exp.MultitableInserts: _read_inserts,
    exp.Copy: _read_copy,
    exp.Transaction: _read_transaction,
    exp.Commit: _read_transaction,
    exp.Rollback: _read_transaction,
}
