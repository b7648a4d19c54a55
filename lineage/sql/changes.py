"""Inputs and outputs of INSERT, UPDATE, DELETE, MERGE and COPY."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from sqlglot import exp

from lineage.sql.commands import SENT_BY_CLIENT
from lineage.sql.dialects import TSQL, traits_of
from lineage.sql.inputs import Env, InputWalk
from lineage.sql.records import DELETE_ALL
from lineage.sql.targets import Target, base_table, find_target, items_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from lineage.sql.draft import Draft, Sources
    from lineage.sql.records import Mode, Name


class Changed(NamedTuple):
    """The tables that a change has changed, and the tables that it used."""

    targets: tuple[Name, ...]
    sources: Sources


class ChangeReader:
    """Reads the trees of changes into a draft."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.walk = InputWalk(draft, self._read_nested)
        self.readers: dict[type[exp.Expr], Callable[[Any, Env], Changed]] = {
            exp.Insert: self.read_insert,
            exp.Update: self.read_update,
            exp.Delete: self.read_delete,
            exp.Merge: self.read_merge,
        }

    def read_change(self, tree: exp.Expr, env: Env) -> Changed:
        """Read a change with its CTEs."""
        return self.readers[type(tree)](tree, self.walk.read_ctes(tree, env))

    def _read_nested(self, tree: exp.Expr, env: Env) -> Sources:
        """Read a change inside of a query; its RETURNING rows are those of its targets."""
        changed = self.read_change(tree, env)
        returning = tree.args.get("returning")
        if returning is None:
            return {}
        if isinstance(tree, exp.Insert):  # the rows are those that are inserted
            return changed.sources
        self.draft.reads.update(dict.fromkeys(changed.targets))
        return dict.fromkeys(changed.targets) | (
            changed.sources if _returns_sources(returning, tree) else {}
        )

    def read_insert(self, tree: exp.Insert, env: Env) -> Changed:
        sources = self.walk.read_inputs(
            [tree.args.get(key) for key in ("expression", "source", "conflict", "where")], env
        )
        sources.update(self._read_returning(tree, env))
        target = self._find_single(tree.this, env)
        if target is None:
            return Changed((), sources)
        self.draft.add_flow(target, sources, _insert_mode(tree, self.draft.dialect))
        return Changed((target,), sources)

    def _find_single(self, written: exp.Expr, env: Env) -> Name | None:
        """Return the table of INSERT or MERGE; None for a directory, a file or a function."""
        while isinstance(written, exp.Schema | exp.Alias | exp.Tuple):
            written = written.this
        if not isinstance(written, exp.Table):
            return None
        name = self.walk.resolve_name(written)
        if name is not None and name in env.ctes and self.draft.dialect in TSQL:
            name = base_table(self.walk, written, env)
            if name is None:
                self._report_several(written)
        return name

    def _report_several(self, written: exp.Expr) -> None:
        self.draft.add_unresolved(
            f"the table that is changed through {written.alias_or_name or 'a query'} is not known "
            "without the columns of its tables"
        )

    def _read_returning(self, tree: exp.Expr, env: Env) -> Sources:
        returning = tree.args.get("returning")
        return self.walk.read_inputs(returning, env) if returning is not None else {}

    def read_update(self, tree: exp.Update, env: Env) -> Changed:
        clause = tree.args.get("from_") or tree.args.get("from")
        joined = [item for item in items_of(tree.this) if item is not tree.this]
        if joined:
            targets = self._targets_of_set(tree, [tree.this, *joined], env)
        else:
            targets = [find_target(self.walk, tree.this, list(items_of(clause)), env)]
        parts = [tree.expressions, clause, tree.args.get("where"), tree.args.get("order")]
        parts.append([tree.this] if joined else tree.this.args.get("joins"))
        parts.append(tree.args.get("returning"))
        return self._write_targets(tree, targets, parts, env, "update")

    def _targets_of_set(self, tree: exp.Update, items: list[exp.Expr], env: Env) -> list[Target]:
        """Return the targets of an UPDATE of a join: those whose columns SET assigns."""
        qualifiers: dict[str, None] = {}
        for assignment in tree.expressions:
            column = assignment.this
            qualifiers[column.table if isinstance(column, exp.Column) else ""] = None
        targets = []
        for qualifier in qualifiers:
            matches = [item for item in items if item.alias_or_name.lower() == qualifier.lower()]
            if not matches:
                self.draft.add_unresolved(
                    "the table of a column in SET is not known without the columns of the tables"
                )
                continue
            targets.append(Target(base_table(self.walk, matches[0], env), matches[0]))
        return targets

    def read_delete(self, tree: exp.Delete, env: Env) -> Changed:
        using = tree.args.get("using")
        if listed := tree.args.get("tables"):
            written, parts = listed, [tree.this, tree.args.get("joins")]
        elif isinstance(using, list) and tree.this.args.get("joins"):
            written = [item.copy() for item in items_of(tree.this)]
            parts = [using]
        else:
            written, parts = [tree.this], [using, tree.this.args.get("joins")]
        items = list(items_of(parts))
        targets = [find_target(self.walk, each, items, env) for each in written]
        parts += [tree.args.get("where"), tree.args.get("returning"), tree.args.get("order")]
        return self._write_targets(tree, targets, parts, env, "delete")

    def _write_targets(
        self, tree: exp.Expr, targets: list[Target], parts: list[Any], env: Env, mode: Mode
    ) -> Changed:
        """Read the inputs of UPDATE or DELETE, without the items that are targets."""
        before = self.walk.excluded
        self.walk.excluded = before | {id(target.item) for target in targets}
        sources = self.walk.read_inputs(parts, env)
        self.walk.excluded = before
        names = tuple(target.name for target in targets if target.name is not None)
        for target in targets:
            if target.name is not None:
                others = {each.name: None for each in targets if each is not target and each.name}
                used = sources | others | dict.fromkeys(target.sources)
                self.draft.add_flow(target.name, used, mode)
            elif isinstance(tree.this, exp.Subquery) or (
                isinstance(tree.this, exp.Table) and isinstance(tree.this.this, exp.Identifier)
            ):
                self._report_several(tree.this)
        if len(names) > 1:
            self.draft.reads.update(dict.fromkeys(names))
        return Changed(names, sources)

    def read_merge(self, tree: exp.Merge, env: Env) -> Changed:
        parts = [tree.args.get(key) for key in ("using", "on", "returning")]
        for when in tree.args["whens"].expressions:
            then = when.args.get("then")
            parts.append(when.args.get("condition"))
            if isinstance(then, exp.Insert | exp.Update):
                parts += [then.args.get(key) for key in ("expressions", "expression", "where")]
        sources = self.walk.read_inputs(parts, env)
        target = self._find_single(tree.this, env)
        if target is None:
            return Changed((), sources)
        self.draft.add_flow(target, sources, "merge")
        return Changed((target,), sources)

    def read_inserts(self, tree: exp.MultitableInserts, env: Env) -> None:
        """Read INSERT ALL or FIRST, and Hive's FROM … INSERT … INSERT."""
        env = self.walk.read_ctes(tree, env)
        common = self.walk.read_inputs(tree.args.get("source"), env)
        for item in tree.expressions:
            insert = item.this if isinstance(item, exp.ConditionalInsert) else item
            condition = item.args.get("expression") if item is not insert else None
            sources = common | self.walk.read_inputs(
                [condition, insert.args.get("expression")], env
            )
            if (target := self._find_single(insert.this, env)) is not None:
                is_overwrite = bool(tree.args.get("overwrite"))
                mode = "overwrite" if is_overwrite else _insert_mode(insert, self.draft.dialect)
                self.draft.add_flow(target, sources, mode)

    def read_copy(self, tree: exp.Copy, env: Env) -> None:
        """Read COPY; stages and files are no tables."""
        self.draft.kind = "COPY"
        if isinstance(tree.this, exp.Select):  # DuckDB's COPY FROM DATABASE
            self.draft.add_unresolved("the tables of a copied database are not known")
        elif not tree.args.get("kind") or not isinstance(tree.this, exp.Table | exp.Schema):
            self.walk.read_inputs(tree.this, env)
        else:
            sources = self.walk.read_inputs(tree.args.get("files"), env)
            if (target := self._find_single(tree.this, env)) is not None:
                files = tree.args.get("files") or []
                is_sent = any(each.name.upper() in SENT_BY_CLIENT for each in files)
                self.draft.add_flow(target, sources, "append", from_files=not is_sent)

    def read_query(self, tree: exp.Expr, env: Env) -> None:
        """Read a query; SELECT … INTO makes a table, but assigns variables in some dialects."""
        sources = self.walk.read_inputs(tree, env)
        assigns = traits_of(self.draft.dialect).assigns_by_into
        for into in () if assigns else self.walk.into:
            target = self.walk.resolve_name(into.this) if into.this is not None else None
            if target is None:
                continue
            self.draft.kind = "SELECT INTO"
            self.draft.add_flow(
                target, sources, "create", temporary=bool(into.args.get("temporary"))
            )


def kind_of_change(tree: exp.Expr) -> str:
    """Return the kind of a change; a DELETE without condition and limit is of all rows."""
    return DELETE_ALL if _deletes_all_rows(tree) else tree.key.upper()


def _deletes_all_rows(tree: exp.Expr) -> bool:
    if not isinstance(tree, exp.Delete):
        return False
    tables: list[Any] = [tree.this, *(tree.args.get("tables") or [])]
    written, *others = filter(None, tables)
    parts = ("with_", "using", "cluster", "where", "order", "limit")
    is_plain = isinstance(written, exp.Table) and not {"joins", "partition", "sample"} & {
        key for key, value in written.args.items() if value
    }
    return is_plain and not others and not any(tree.args.get(key) for key in parts)


def _insert_mode(tree: exp.Insert, dialect: str) -> Mode:
    if tree.args.get("overwrite"):
        written = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        return _overwrite_mode(written.args.get("partition"), dialect)
    replaces = str(tree.args.get("alternative") or "").upper() == "REPLACE"
    conflict = tree.args.get("conflict")
    if replaces or (conflict is not None and conflict.expressions):
        return "merge"
    return "append"


def _overwrite_mode(partition: exp.Expr | None, dialect: str) -> Mode:
    """Return the mode of an overwrite with a clause PARTITION, or without one.

    A partition without a value, as in ``PARTITION (day)``, is that of each new row. Spark replaces
    the whole table then, unless it is configured otherwise.
    """
    if not partition:
        return "overwrite"
    has_value = any(isinstance(each, exp.EQ) for each in partition.expressions)
    return "overwrite_partitions" if has_value or dialect == "hive" else "overwrite"


def _returns_sources(returning: exp.Expr, tree: exp.Expr) -> bool:
    """Return whether RETURNING may have columns of the other tables of the change."""
    if isinstance(tree, exp.Insert):
        return False
    own = tree.this.alias_or_name.lower() if isinstance(tree.this, exp.Expr) else ""
    return any(
        not isinstance(column, exp.Column) or column.table.lower() not in ("", own, "old", "new")
        for column in _columns_of(returning.expressions)
    )


def _columns_of(expressions: Iterable[exp.Expr]) -> Iterable[exp.Expr]:
    for expression in expressions:
        yield from expression.find_all(exp.Column, exp.Star)
