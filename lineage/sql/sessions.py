"""A session: where statements run, its temporary tables and its prepared statements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lineage.sql.records import Flow, Name, Statement

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMAS = {"postgres": "public", "tsql": "dbo"}


@dataclass(frozen=True, slots=True)
class Effect:
    """What a statement does in its session, with full names."""

    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    unresolved: tuple[str, ...] = ()


class Session:
    """The state of a connection."""

    def __init__(
        self, dialect: str, database: str | None = None, schema: str | None = None,
        catalog: Mapping[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.dialect = dialect
        self.database = database
        self.schema = schema or SCHEMAS.get(dialect)
        self.catalog = catalog
        self.temporary: dict[Name, tuple[Name, ...]] = {}
        self.handles: dict[str, Statement] = {}

    def apply_statement(self, statement: Statement, *, database: str | None = None) -> Effect:
        """Return what a statement does, and change the session."""
        self.database = database or self.database
        if statement.handle:
            what, name = statement.handle
            if what == "execute":
                if name not in self.handles:
                    return Effect(
                        unresolved=(f"The statement {name} was prepared before the log begins.",)
                    )
                statement = self.handles[name]
            else:
                self.handles[name] = statement
                if what == "define":
                    return Effect()
        flows, reads = [], list(statement.reads)
        unresolved = list(statement.unresolved)
        unresolved += [f"The body of the function {name} is not known." for name in statement.calls]
        for flow in statement.flows:
            sources = self._through(flow.sources, unresolved)
            if flow.target in statement.temporary or flow.target in self.temporary:
                kept = self.temporary.get(flow.target, ())
                self.temporary[flow.target] = tuple(dict.fromkeys((*kept, *sources)))
            else:
                flows.append(Flow(self._full(flow.target), sources, flow.columns, flow.mode))
        return Effect(
            tuple(flows), self._through(tuple(reads), unresolved), tuple(dict.fromkeys(unresolved))
        )

    def _through(self, names: tuple[Name, ...], unresolved: list[str]) -> tuple[Name, ...]:
        result: dict[Name, None] = {}
        for name in names:
            if name in self.temporary:
                result.update(dict.fromkeys(self.temporary[name]))
            elif name[-1].startswith("#"):
                unresolved.append(f"{name[-1]} was made before the log begins.")
            else:
                result[self._full(name)] = None
        return tuple(result)

    def _full(self, name: Name) -> Name:
        if len(name) == 1:
            name = (self.schema or "", *name)
        elif len(name) == 3 and not name[1]:
            name = (name[0], self.schema or "", name[2])
        if len(name) == 2 and self.database and self.dialect != "mysql":
            name = (self.database, *name)
        return tuple(part for part in name if part)
