"""MERGE as a query: the rows of both tables, and the value of each column that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lineage.sql.assignments import add_table, list_assignments
from lineage.sql.from_items import joins_of, without_joins
from lineage.sql.scopes import Unreadable
from lineage.sql.written_columns import NO_TARGET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class MergeReader:
    """Reads the actions of a MERGE.

    ``target`` and ``source`` are the columns of the two tables; () if they are not known.
    ``adds_columns``: whether it adds those of the source that the target does not have.
    """

    def __init__(
        self,
        tree: exp.Merge,
        target: Sequence[str],
        source: Sequence[str],
        *,
        adds_columns: bool = False,
    ) -> None:
        self._tree = tree
        self._adds_columns = adds_columns
        self._target = target
        self._source = source
        self._alias = tree.args["using"].alias_or_name

    def read_actions(self) -> tuple[list[tuple[str, exp.Expr]], list[exp.Expr]]:
        """Return the columns that the actions write with their values, and all conditions."""
        pairs: list[tuple[str, exp.Expr]] = []
        conditions = [self._tree.args["on"]]
        for when in self._tree.args["whens"].expressions:
            then = when.args.get("then")
            where = then.args.get("where") if isinstance(then, exp.Expr) else None
            conditions += filter(None, [when.args.get("condition"), where and where.this])
            if isinstance(then, exp.Update):
                is_whole = any(isinstance(each, exp.Star) for each in then.expressions)
                pairs += self._same_columns() if is_whole else list_assignments(then.expressions)
            elif isinstance(then, exp.Insert):
                pairs += self._inserted_values(then)
        return pairs, conditions

    def select_rows(self, conditions: Sequence[exp.Expr]) -> exp.Select:
        """Return the rows of both tables, without columns."""
        using = self._tree.args["using"]
        select = exp.select().from_(without_joins(self._tree.this))
        condition = exp.and_(*(each.copy() for each in conditions))
        select.set("joins", [exp.Join(this=without_joins(using), on=condition), *joins_of(using)])
        return select

    def _same_columns(self) -> Iterator[tuple[str, exp.Expr]]:
        """Yield the columns of ``UPDATE SET *`` and ``INSERT *``: those of the same name."""
        known = {name.casefold() for name in self._source}
        names = [name for name in self._target if name.casefold() in known or not known]
        if self._adds_columns:
            names = list(self._source)
        if not names and (self._target or not known):
            raise Unreadable("the columns of both tables are not known")
        for name in names or self._source:
            yield name, exp.column(name, self._alias)

    def _inserted_values(self, then: exp.Insert) -> Iterator[tuple[str, exp.Expr]]:
        if isinstance(then.this, exp.Star):
            yield from self._same_columns()
            return
        values: Sequence[exp.Expr] = then.args["expression"].expressions if then.expression else ()
        listed = then.this.expressions if isinstance(then.this, exp.Tuple | exp.Schema) else []
        if not values and [each.name.upper() for each in listed] == ["VALUES"]:
            # Two dialects parse VALUES without a list of columns as a function in the list.
            values, listed = listed[0].expressions, []
        if isinstance(then.this, exp.Var) and then.this.name.upper() == "ROW":
            values = [exp.column(name, self._alias) for name in self._source]
        names = [item.name for item in listed] or self._target
        if not values or len(names) != len(values):
            raise Unreadable(NO_TARGET)
        for name, value in zip(names, values, strict=True):
            yield name, add_table(value, self._alias)
