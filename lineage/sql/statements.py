"""Read the statements of a text: what each reads and writes."""

from __future__ import annotations

import logging
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from lineage.redaction import redact_sql
from lineage.sql.records import Flow, Name, Statement
from lineage.sql.splitting import split_statements

if TYPE_CHECKING:
    from sqlglot import exp

_TRANSACTION = re.compile(
    r"(?i)\s*(?:if\s+@@trancount\s*>\s*0\s+)?(begin|start\s+transaction|commit|rollback|end)\b"
)
_FROM_STDIN = re.compile(r"(?i)\s*copy\s+([\w.\"]+)(?:\s*\([^)]*\))?\s+(from|to)\b")
_EXECUTE = re.compile(r"(?i)\s*execute\s+(\w+)")
_PREPARE = re.compile(r"(?i)\s*prepare\s+(\w+)\s*(?:\([^)]*\))?\s*as\s+(.*)", re.DOTALL)
_PREPEXEC = re.compile(
    r"(?is).*set\s+@p1\s*=\s*(\d+)\s+exec\s+sp_prepexec\s+@p1\s+output\s*,\s*N'(?:[^']|'')*'\s*,\s*N'((?:[^']|'')*)'"
)
_SP_EXECUTE = re.compile(r"(?i)\s*exec\s+sp_execute\s+(\d+)")
_SP_EXECUTESQL = re.compile(r"(?is)\s*exec\s+sp_executesql\s+N'((?:[^']|'')*)'")


@lru_cache(maxsize=50_000)
def _read_shape(shape: str, dialect: str) -> tuple[Statement, ...]:
    return tuple(_read_one(each, dialect) for each in split_statements(shape, dialect))


def read_statements(text: str, dialect: str) -> tuple[Statement, ...]:
    """Return what each statement of a text reads and writes."""
    if match := _PREPEXEC.match(text):
        inner = read_statements(match[2].replace("''", "'"), dialect)
        return tuple(
            Statement(
                s.kind, s.flows, s.reads, s.temporary, handle=("prepare", match[1]), shape=s.shape
            )
            for s in inner
        )
    if match := _SP_EXECUTE.match(text):
        return (Statement("CALL", handle=("execute", match[1]), shape="EXEC sp_execute ?"),)
    if match := _SP_EXECUTESQL.match(text):
        return read_statements(match[1].replace("''", "'"), dialect)
    return _read_shape(text.strip(), dialect)


def _read_one(text: str, dialect: str) -> Statement:
    if match := _TRANSACTION.match(text):
        word = match[1].lower().split()[0]
        step = {"start": "begin", "end": "commit"}.get(word, word)
        return Statement("TRANSACTION", transaction=step, shape=redact_sql(text))
    if match := _FROM_STDIN.match(text):
        name = tuple(match[1].replace('"', "").split("."))
        if match[2].lower() == "from":
            return Statement("COPY", (Flow(name, (), None, "append"),), shape=redact_sql(text))
        return Statement("COPY", (), (name,), shape=redact_sql(text))
    if dialect == "postgres" and (match := _PREPARE.match(text)):
        inner = _read_one(match[2], dialect)
        return Statement(
            inner.kind,
            inner.flows,
            inner.reads,
            handle=("define", match[1]),
            shape=redact_sql(text),
        )
    if dialect == "postgres" and (match := _EXECUTE.match(text)):
        return Statement("CALL", handle=("execute", match[1]), shape=redact_sql(text))
    return _read_tree(text, dialect)


def _read_tree(text: str, dialect: str) -> Statement:
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").setLevel(logging.CRITICAL)
    try:
        tree = sqlglot.parse_one(text, dialect=dialect)
    except (SqlglotError, RecursionError):
        return Statement(
            "OTHER", unresolved=("The statement cannot be parsed.",), shape=redact_sql(text)
        )
    ctes = {cte.alias for cte in tree.find_all(exp.CTE)}
    tables = [
        t
        for t in tree.find_all(exp.Table)
        if isinstance(t.this, exp.Identifier) and t.name not in ctes
    ]
    names = {id(t): _name_of(t, dialect) for t in tables}
    target = _target(tree)
    reads = tuple(dict.fromkeys(names[id(t)] for t in tables if t is not target))
    calls = tuple(
        f.name.lower() for f in tree.find_all(exp.Anonymous) if isinstance(f.parent, exp.Dot)
    )
    unresolved: tuple[str, ...] = ()
    if target is None or id(target) not in names:
        kind = "SELECT" if isinstance(tree, exp.Query) else "OTHER"
        return Statement(
            kind,
            (),
            reads if kind == "SELECT" else (),
            unresolved=unresolved,
            calls=calls,
            shape=redact_sql(text),
        )
    name = names[id(target)]
    kind, mode = _kind_of(tree)
    temporary = (name,) if name[-1].startswith("#") or _is_temporary(tree) else ()
    if kind == "UPDATE" and name in reads:
        reads = tuple(each for each in reads if each != name)
    sources = reads if kind not in ("DROP", "TRUNCATE") else ()
    return Statement(
        kind,
        (Flow(name, sources, None, mode),),
        sources,
        temporary,
        unresolved=unresolved,
        shape=redact_sql(text),
    )


def _kind_of(tree: exp.Expression) -> tuple[str, str]:
    from sqlglot import exp

    if isinstance(tree, exp.Insert):
        return "INSERT", "append"
    if isinstance(tree, exp.Update):
        return "UPDATE", "merge"
    if isinstance(tree, exp.Delete):
        return "DELETE", "delete"
    if isinstance(tree, exp.Merge):
        return "MERGE", "merge"
    if isinstance(tree, exp.Drop):
        return "DROP", "drop"
    if isinstance(tree, exp.TruncateTable):
        return "TRUNCATE", "truncate"
    if isinstance(tree, exp.Create):
        return f"CREATE {tree.args.get('kind', 'TABLE')}".upper(), "create"
    return "SELECT INTO", "create"


def _is_temporary(tree: exp.Expression) -> bool:
    from sqlglot import exp

    return bool(tree.find(exp.TemporaryProperty))


def _target(tree: exp.Expression) -> exp.Table | None:
    from sqlglot import exp

    if isinstance(tree, exp.Select):
        into = tree.args.get("into")
        return into.this if into else None
    if isinstance(tree, exp.TruncateTable):
        return tree.expressions[0]
    if isinstance(tree, (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Drop, exp.Create)):
        this = tree.this
        found = this if isinstance(this, exp.Table) else this.find(exp.Table) if this else None
        return found
    return None


def _name_of(table: exp.Table, dialect: str) -> Name:
    parts = [table.catalog, table.db, table.name]
    while parts and not parts[0]:
        parts.pop(0)
    if table.this.args.get("temporary"):
        parts[-1] = f"#{parts[-1]}"
    return tuple(part.lower() if dialect == "postgres" else part for part in parts)
