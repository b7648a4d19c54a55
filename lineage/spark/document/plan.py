"""An analyzed plan with its subqueries and earlier plans, as frozen records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from lineage.spark.document.arguments import Column, ExpressionRef, PlanRef, Value, read_values
from lineage.spark.document.earlier_plans import graft_plans
from lineage.spark.document.json_fields import Fields, invalid_field

T = TypeVar("T")

ATTRIBUTE = "AttributeReference"
VARIABLE = "VariableReference"


@dataclass(frozen=True)
class Expression:
    """An expression; ``cls`` is its simple class name, ``children`` are indexes of expressions.

    ``id`` and ``name`` belong to attributes and other named expressions. ``type`` is a data type as
    ``catalogString``. ``function`` is the name of a UDF. ``ordinal`` and ``field`` identify the
    nested field that is read or written. ``names`` are the fields of a struct that is created.
    ``plan`` is the node index of a subquery, and ``outer`` the expressions of the outer query that
    it uses. ``source_type`` is the type before a cast of nested values. ``is_distinct`` is true for
    an aggregate over distinct values.

    For a session variable, ``plan`` is the query that set it and ``ordinal`` its column there;
    ``is_value`` is true if it was set to a value. ``earlier`` is the index of that plan among those
    of earlier executions, and ``read_at`` the start of its execution. ``model`` is the class of the
    Spark ML model that a UDF applies. ``is_fitted`` is true if that model was fitted in the
    application, and false if it was loaded.
    """

    cls: str
    children: tuple[int, ...] = ()
    id: int | None = None
    name: str | None = None
    type: str | None = None
    function: str | None = None
    ordinal: int | None = None
    field: str | None = None
    names: tuple[str, ...] = ()
    plan: int | None = None
    outer: tuple[int, ...] = ()
    source_type: str | None = None
    is_distinct: bool = False
    is_value: bool = False
    earlier: int | None = None
    read_at: int | None = None
    model: str | None = None
    is_fitted: bool | None = None

    @property
    def is_attribute(self) -> bool:
        return self.cls == ATTRIBUTE


@dataclass(frozen=True)
class Node:
    """An operator; ``children``, ``inner`` and ``out`` are indexes, ``args`` are by name.

    ``inner`` are plans within it that are not its children, including those in ``args``.
    ``is_command`` is true if Spark classifies it as a command. ``earlier`` is the index of the plan
    of an earlier execution that has its rows, and ``rows_of`` the operator there that produces
    them. ``level`` is 1 for operators of such a plan, 2 for those of a plan within it. ``read_at``
    is the start of that execution, also in all operators of its plan.
    """

    index: int
    op: str
    cls: str | None
    children: tuple[int, ...]
    inner: tuple[int, ...]
    out: tuple[int, ...]
    args: Mapping[str, Value] = field(hash=False)
    is_command: bool = False
    earlier: int | None = None
    rows_of: int | None = None
    level: int = 0
    read_at: int | None = None

    def get_argument(self, name: str, kind: type[T]) -> T | None:
        """Return the argument if it is of ``kind``, else None."""
        value = self.args.get(name)
        return value if isinstance(value, kind) else None

    def get_text(self, name: str) -> str | None:
        return self.get_argument(name, str)

    def get_flag(self, name: str) -> bool:
        return self.args.get(name) is True

    def get_options(self, name: str = "options") -> dict[str, str]:
        """Return a map of strings, with keys in lower case as data sources expect them."""
        options = self.get_argument(name, dict) or {}
        return {key.lower(): text for key, text in options.items() if isinstance(text, str)}

    def get_texts(self, name: str) -> tuple[str, ...]:
        return tuple(item for item in self.get_argument(name, tuple) or () if isinstance(item, str))

    @cached_property
    def metadata_columns(self) -> frozenset[int]:
        """The indexes in ``out`` of metadata columns, such as the file or partition of a row."""
        references = iter_references(self.args.get("metadataColumns"), ExpressionRef)
        return frozenset(ref.index for ref in references)

    @cached_property
    def expression_indexes(self) -> tuple[int, ...]:
        """The indexes of the expressions in its arguments."""
        return tuple(ref.index for ref in iter_references(self.args, ExpressionRef))


@dataclass(frozen=True)
class Truncated:
    """The parts that a plan over the size limit lost: ``exprs``, ``out``, ``nodes``."""

    bytes: int
    lost: tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """The plan of one execution. Operators follow their children."""

    nodes: tuple[Node, ...]
    exprs: tuple[Expression, ...]
    root: Node | None
    truncated: Truncated | None = None

    def get_node(self, ref: PlanRef | None) -> Node | None:
        """Return the operator that an argument refers to."""
        return self.nodes[ref.index] if ref and ref.index < len(self.nodes) else None

    def output_expressions(self, node: Node) -> tuple[Expression, ...]:
        """Return the named expressions that are the node's output columns."""
        return tuple(self.exprs[index] for index in node.out)

    def output_columns(self, node: Node) -> tuple[Column, ...]:
        """Return names and types of the node's output columns."""
        named = zip(node.out, self.output_names(node), strict=True)
        return tuple(
            Column(name, self.exprs[index].type or "unknown")
            for index, name in named
            if name and index not in node.metadata_columns
        )

    def output_names(self, node: Node) -> tuple[str, ...]:
        """Return the names of the node's output columns."""
        return tuple(expr.name or "" for expr in self.output_expressions(node))

    def written_query(self, node: Node) -> Node | None:
        """Return the plan whose rows a command writes: its only child or its inner plan."""
        value = node.args.get("query") or node.args.get("plan")
        if isinstance(value, PlanRef):
            return self.get_node(value)
        below = node.children or node.inner
        return self.nodes[below[-1]] if below else None

    def child_nodes(self, node: Node) -> Iterator[Node]:
        """Yield the operators below: children, inner plans, and subqueries in its expressions."""
        subqueries = (
            plan
            for index in node.expression_indexes
            for plan in self._subquery_plans.get(index, ())
        )
        for index in dict.fromkeys((*node.children, *node.inner, *subqueries)):
            yield self.nodes[index]

    def variables_in(self, index: int) -> tuple[int, ...]:
        """Return the indexes of session variables within an expression."""
        return self._variable_plans.get(index, ())

    @cached_property
    def _subquery_plans(self) -> dict[int, tuple[int, ...]]:
        """The plans in each expression that contains any, including those of its children."""
        plans = {index: expr.plan for index, expr in enumerate(self.exprs) if expr.plan is not None}
        return self._collect_references(plans)

    @cached_property
    def _variable_plans(self) -> dict[int, tuple[int, ...]]:
        named = {index: index for index, expr in enumerate(self.exprs) if expr.cls == VARIABLE}
        return self._collect_references(named)

    def _collect_references(self, own: Mapping[int, int]) -> dict[int, tuple[int, ...]]:
        """Map each expression to its own item and the items of its children."""
        collected: dict[int, tuple[int, ...]] = {}
        if not own:
            return collected
        for index, expr in enumerate(self.exprs):
            items = [item for child in expr.children for item in collected.get(child, ())]
            if index in own:
                items.append(own[index])
            if items:
                collected[index] = tuple(dict.fromkeys(items))
        return collected


def parse_plan(fields: Fields) -> Plan:
    """Parse a plan; raise InvalidEvent that names the invalid field."""
    types = fields.get_texts("types")
    raw = fields.get_optional("exprs", list) or []
    count = len(fields.get_optional("nodes", list) or [])
    exprs = tuple(
        _read_expression(entry, types, (index, count), f"{fields.path_of('exprs')}[{index}]")
        for index, entry in enumerate(raw)
    )
    nodes: list[Node] = []
    for index, part in enumerate(fields.get_parts("nodes")):
        nodes.append(_read_node(index, part, nodes, (count, len(exprs))))
    root = fields.get_optional("root", int)
    if root is not None and not 0 <= root < count:
        raise invalid_field(fields.path_of("root"), f"an index below {count}")
    plan = Plan(tuple(nodes), exprs, None if root is None else nodes[root], _read_truncated(fields))
    earlier = [parse_plan(part) for part in fields.get_parts("earlier")]
    places = {*(node.earlier for node in nodes), *(expr.earlier for expr in exprs)} - {None}
    if not places <= set(range(len(earlier))):
        raise invalid_field(
            fields.path_of("earlier"), "an array with every referenced earlier plan"
        )
    return graft_plans(plan, earlier) if earlier else plan


def _read_truncated(fields: Fields) -> Truncated | None:
    if "truncated" not in fields.value:
        return None
    part = fields.get_part("truncated")
    return Truncated(part.get_optional("bytes", int) or 0, part.get_texts("lost"))


def _read_node(index: int, part: Fields, before: list[Node], limits: tuple[int, int]) -> Node:
    nodes, exprs = limits
    children = part.get_indexes("in", index)
    inherited = before[children[0]].out if children else ()
    args = read_values(part.get_part("args")) if part.value.get("args") else {}
    for ref in iter_references(args, PlanRef):
        if not 0 <= ref.index < nodes:
            raise invalid_field(
                part.path_of("args"), f"an object whose plans are indexes below {nodes}"
            )
    return Node(
        index=index,
        op=part.require("op", str),
        cls=part.get_text("class"),
        children=children,
        inner=part.get_indexes("inner", nodes),
        out=part.get_indexes("out", exprs) if "out" in part.value else inherited,
        args=args,
        is_command=part.value.get("command") is True,
        earlier=part.get_optional("earlier", int),
        read_at=part.get_optional("readAt", int),
    )


def _read_expression(
    entry: Any, types: tuple[str, ...], limits: tuple[int, int], path: str
) -> Expression:
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str):
        raise invalid_field(path, "an array that starts with a class name")
    if entry[0] == "#":
        if len(entry) != 4 or not isinstance(entry[2], str):
            raise invalid_field(path, 'an attribute ["#", id, name, type]')
        return Expression(
            ATTRIBUTE, id=entry[1], name=entry[2], type=_read_type(types, entry[3], path)
        )
    has_details = isinstance(entry[-1], dict)
    children = tuple(entry[1:-1] if has_details else entry[1:])
    if not all(isinstance(child, int) and 0 <= child < limits[0] for child in children):
        raise invalid_field(path, "an expression whose children precede it")
    details = Fields(entry[-1] if has_details else {}, path)
    return _with_details(entry[0], children, details, (types, limits))


def _with_details(
    cls: str, children: tuple[int, ...], details: Fields, tables: tuple[tuple[str, ...], Any]
) -> Expression:
    types, (exprs, nodes) = tables
    plan = details.get_optional("plan", int)
    if plan is not None and not 0 <= plan < nodes:
        raise invalid_field(details.path_of("plan"), f"an index below {nodes}")
    return Expression(
        cls=cls,
        children=children,
        id=details.get_optional("id", int),
        name=details.get_text("name"),
        type=_read_type(types, details.get_optional("type", int), details.path),
        function=details.get_text("function"),
        ordinal=details.get_optional("column" if cls == VARIABLE else "ordinal", int),
        field=details.get_text("field"),
        names=details.get_texts("names"),
        plan=plan,
        outer=details.get_indexes("outer", exprs),
        source_type=_read_type(types, details.get_optional("from", int), details.path),
        is_distinct=details.get_optional("distinct", bool) or False,
        is_value=details.value.get("value") is True,
        model=details.get_text("model"),
        is_fitted=details.value.get("fitted") if "model" in details.value else None,
        earlier=details.get_optional("earlier", int),
        read_at=details.get_optional("readAt", int),
    )


def _read_type(types: tuple[str, ...], index: Any, path: str) -> str | None:
    if index is None:
        return None
    if not isinstance(index, int) or not 0 <= index < len(types):
        raise invalid_field(path, f"an expression whose type is an index below {len(types)}")
    return types[index]


def iter_references(value: Any, kind: type[T]) -> Iterator[T]:
    """Yield the references of one kind in a value of ``args``, in order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from iter_references(item, kind)
    elif isinstance(value, tuple):
        for item in value:
            yield from iter_references(item, kind)
    elif args := getattr(value, "args", None):
        yield from iter_references(args, kind)
