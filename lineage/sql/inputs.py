"""The tables that a part of a statement reads, by the position of their names."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineage.sql.dialects import traits_of
from lineage.sql.names import parse_name, table_name
from lineage.sql.placeholders import has_placeholder
from lineage.sql.user_functions import possible_function, user_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from lineage.sql.draft import Draft, Sources
    from lineage.sql.records import Name

CHANGES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)
_IDENTIFIER_CLAUSES = frozenset({"spark", "databricks"})
_TABLE_KEYWORDS = frozenset({("table",), ("stream",)})
# Functions whose rows are those of a query elsewhere.
REMOTE_QUERIES = frozenset(
    {"OPENQUERY", "OPENDATASOURCE", "DBLINK", "RESULT_SCAN", "EXTERNAL_QUERY", "REMOTE_QUERY"}
    | {"POSTGRES_QUERY", "MYSQL_QUERY", "QUERY_TABLE", "QUERY", "POSTGRES_SCAN", "MYSQL_SCAN"}
)
# Functions whose first argument is the name of a table.
TABLE_ARGUMENTS = frozenset(
    {"STREAM", "TABLE_CHANGES", "CONTAINSTABLE", "FREETEXTTABLE", "SEMANTICSIMILARITYTABLE"}
)
# Arguments that have no inputs: read elsewhere, or names that are no tables.
_SKIPPED = frozenset({"with_", "with", "hint", "hints", "into", "locks", "alias"})

_SKIPPED_OF_STAGES = _SKIPPED | {"format", "pattern"}
_IN_VARIABLE = "the name of a table is in a variable or an expression"


@dataclass(frozen=True)
class Cte:
    """The sources of a CTE. ``base`` is the table that a change of the CTE changes."""

    sources: tuple[Name, ...] = ()
    base: Name | None = None
    query: exp.Expr | None = None


@dataclass(frozen=True)
class Env:
    """The names visible to a part of a statement: CTEs, and aliases of enclosing FROMs."""

    ctes: Mapping[Name, Cte] = field(default_factory=dict)
    aliases: frozenset[str] = frozenset()

    def with_cte(self, name: str, cte: Cte) -> Env:
        return replace(self, ctes={**self.ctes, (name,): cte})


class InputWalk:
    """Collects the tables that a tree reads into a draft.

    ``read_change`` reads a change inside of a query and returns the sources of its rows.
    """

    def __init__(self, draft: Draft, read_change: Callable[[exp.Expr, Env], Sources]) -> None:
        self.draft = draft
        self.into: list[exp.Into] = []
        self.excluded: frozenset[int] = frozenset()  # ids of items of FROM that are targets
        self._read_change = read_change

    def read_inputs(self, node: Any, env: Env) -> Sources:
        """Return the tables that a node, or each of a list, uses; CTEs as their sources."""
        sources: Sources = {}
        pending: list[tuple[Any, Env]] = [(node, env)]
        while pending:
            item, env = pending.pop()
            if isinstance(item, list):
                pending += [(each, env) for each in reversed(item)]
                continue
            if not isinstance(item, exp.Expr):
                continue
            if isinstance(item, CHANGES):
                sources.update(self._read_change(item, env))
                continue
            if isinstance(item, exp.Func):
                sources.update(self._read_function(item, env))
            if isinstance(item, exp.Predict):  # its first argument is a model
                pending.append((item.expression, env))
                continue
            if isinstance(item, exp.Table | exp.TableFromRows):
                sources.update(self._read_table(item, env))
            env = self.read_ctes(item, env)
            has_nested = traits_of(self.draft.dialect).has_nested_sources
            if isinstance(item, exp.Select) and has_nested:
                env = replace(env, aliases=env.aliases | set(_aliases_of(item)))
            if isinstance(into := item.args.get("into"), exp.Into):
                self.into.append(into)
            skipped = _SKIPPED_OF_STAGES if isinstance(item, exp.Table) else _SKIPPED
            children = [value for key, value in item.args.items() if key not in skipped]
            pending += [(child, env) for child in reversed(children)]
        return sources

    def _read_function(self, function: exp.Func, env: Env) -> Sources:
        """Return the table that a function reads by its name; report one that is not known."""
        name = function.name.upper() if isinstance(function, exp.Anonymous) else ""
        if name in REMOTE_QUERIES:
            self.draft.add_unresolved(f"the rows of {name} are those of a query that is not read")
        elif name in TABLE_ARGUMENTS or is_table_argument(function):
            return self._read_argument(function, env)
        elif defined := user_function(function, self.draft.dialect):
            self.draft.functions[defined] = None
        elif possible := possible_function(function, self.draft.dialect):
            self.draft.may_call[possible] = None
        return {}

    def _read_table(self, table: exp.Expr, env: Env) -> Sources:
        name = self.resolve_name(table)
        if name in _TABLE_KEYWORDS and table.alias:
            name = self._read_keyword(name, table)
        if name is None or id(table) in self.excluded:
            return {}
        if name in env.ctes:
            return dict.fromkeys(env.ctes[name].sources)
        if len(name) > 1 and name[0].lower() in env.aliases:
            return {}
        self.draft.reads[name] = None
        return {name: None}

    def _read_keyword(self, name: Name, table: exp.Expr) -> Name | None:
        """Return the table in ``(TABLE t)`` and ``STREAM t``, which sqlglot parses as aliases."""
        if self.draft.dialect not in ("spark", "databricks"):
            return name
        return table_name(exp.Table(this=table.args["alias"].this.copy()), self.draft.dialect)

    def _read_argument(self, function: exp.Expr, env: Env) -> Sources:
        """Return the table that is the first argument of a function."""
        argument = function.expressions[0] if function.expressions else None
        if isinstance(argument, exp.Column):
            return self._read_table(exp.to_table(argument.sql(), copy=False), env)
        if not isinstance(argument, exp.Literal) or not argument.is_string:
            return {}
        self.draft.uses_literal = True
        if not (name := parse_name(argument.name, self.draft.dialect)):
            return {}
        self.draft.reads[name] = None
        return {name: None}

    def resolve_name(self, table: exp.Expr) -> Name | None:
        """Return the name of a table, also one in a literal: ``IDENTIFIER('t')``."""
        inner = table if isinstance(table, exp.TableFromRows) else table.this
        if isinstance(inner, exp.DynamicIdentifier | exp.TableFromRows):
            return self._name_in_literal(inner)
        name = table_name(table, self.draft.dialect)
        if isinstance(table, exp.Table) and is_in_variable(table, name, self.draft.dialect):
            self.draft.add_unresolved(_IN_VARIABLE)
            return None
        is_function = isinstance(inner, exp.Anonymous) and inner.name.upper() == "IDENTIFIER"
        if is_function or (name == ("identifier",) and self.draft.dialect in _IDENTIFIER_CLAUSES):
            self.draft.add_unresolved(_IN_VARIABLE)
            return None
        is_dual = name is not None and [part.lower() for part in name] in (
            ["dual"],
            ["sys", "dual"],
        )
        return None if is_dual and traits_of(self.draft.dialect).has_dual else name

    def _name_in_literal(self, holder: exp.Expr) -> Name | None:
        value = holder.this
        if isinstance(value, exp.Literal) and value.is_string:
            self.draft.uses_literal = True
            if name := parse_name(value.name, self.draft.dialect):
                return name
        function = value.args["expression"] if isinstance(value, exp.Dot) else value
        if isinstance(function, exp.Func) and not isinstance(holder, exp.DynamicIdentifier):
            return None
        self.draft.add_unresolved(_IN_VARIABLE)
        return None

    def read_ctes(self, node: exp.Expr, env: Env) -> Env:
        """Return the names visible after the WITH clause of a node."""
        clause = node.args.get("with_") or node.args.get("with")
        if clause is None:
            return env
        if clause.args.get("recursive"):
            return self._read_recursive(clause, env)
        for definition in clause.expressions:
            name = self._cte_name(definition)
            inner = env
            is_implicit = traits_of(self.draft.dialect).has_implicit_recursion
            if is_implicit and self._is_recursive(definition, name):
                inner = env.with_cte(name, Cte())
            env = env.with_cte(name, self._read_cte(definition, inner))
        return env

    def _read_recursive(self, clause: exp.Expr, env: Env) -> Env:
        """Read CTEs that may reference each other, until their sources no longer change."""
        names = [self._cte_name(definition) for definition in clause.expressions]
        for name in names:
            env = env.with_cte(name, Cte())
        while True:
            before = env
            for name, definition in zip(names, clause.expressions, strict=True):
                env = env.with_cte(name, self._read_cte(definition, env))
            if env == before:
                return env

    def _read_cte(self, definition: exp.CTE, env: Env) -> Cte:
        sources = self.read_inputs(definition.this, env)
        return Cte(tuple(sources), self.base_of(definition.this, env), definition.this)

    def base_of(self, query: exp.Expr, env: Env) -> Name | None:
        """Return the only table in the FROM of a query, as far as a change passes through it."""
        clause = query.args.get("from_") or query.args.get("from")
        if not isinstance(query, exp.Select) or clause is None or query.args.get("joins"):
            return None
        table = clause.this
        if isinstance(table, exp.Subquery):
            return self.base_of(table.this, env)
        if not isinstance(table, exp.Table) or table.args.get("joins"):
            return None
        name = table_name(table, self.draft.dialect)
        return env.ctes[name].base if name is not None and name in env.ctes else name

    def _cte_name(self, definition: exp.CTE) -> str:
        (name,) = table_name(exp.Table(this=definition.args["alias"].this), self.draft.dialect) or (
            "",
        )
        return name

    def _is_recursive(self, definition: exp.CTE, name: str) -> bool:
        """Return whether a later member of a UNION references the CTE, and the first does not."""
        members = list(_union_members(definition.this))
        references = [self._names_cte(member, name) for member in members]
        return any(references[1:]) and not references[0]

    def _names_cte(self, query: exp.Expr, name: str) -> bool:
        return any(
            table_name(table, self.draft.dialect) == (name,) for table in query.find_all(exp.Table)
        )


def is_in_variable(table: exp.Table, name: Name | None, dialect: str) -> bool:
    """Return whether a part of a name is a variable or a placeholder, such as ``${database}``."""
    if name is not None and has_placeholder(name):
        return True
    parts = (table.this, table.args.get("db"), table.args.get("catalog"))
    if name is None:
        return any(isinstance(part, exp.Placeholder) for part in parts)
    has_parameters = dialect in _IDENTIFIER_CLAUSES | {"hive"}
    return has_parameters and any(isinstance(part, exp.Parameter) for part in parts)


def is_table_argument(node: exp.Expr) -> bool:
    """Return whether a node is ``TABLE(t)`` as an argument of a function."""
    is_table = isinstance(node, exp.Anonymous) and node.name.upper() == "TABLE"
    return is_table and not isinstance(node.parent, exp.Table)


def _union_members(query: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(query, exp.SetOperation):
        yield from _union_members(query.left)
        yield from _union_members(query.right)
    else:
        yield query


def _aliases_of(select: exp.Select) -> Iterator[str]:
    clause = select.args.get("from_") or select.args.get("from")
    for item in [clause, *(select.args.get("joins") or [])]:
        if item is not None and isinstance(item.this, exp.Expr):
            yield item.this.alias_or_name.lower()
