"""What is read of one statement, from its text alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

Name: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flow:
    """An output of a statement and its sources. ``mode``: create, overwrite, append, merge …"""

    target: Name
    sources: tuple[Name, ...] = ()
    columns: Any = None
    mode: str = "append"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: a pure function of its text and the dialect, without literals."""

    kind: str
    flows: tuple[Flow, ...] = ()
    reads: tuple[Name, ...] = ()
    temporary: tuple[Name, ...] = ()
    drops: tuple[Name, ...] = ()
    renames: tuple[tuple[Name, Name], ...] = ()
    calls: tuple[Any, ...] = ()
    declares: tuple[tuple[Name, tuple[Name, ...]], ...] = ()
    use: Name | None = None
    transaction: str = ""
    handle: tuple[str, str] | None = None
    unresolved: tuple[str, ...] = ()
    shape: str = ""


def statement_to_json(statement: Statement) -> dict[str, Any]:
    """Return a statement as values of JSON, without the fields that are empty."""
    return {key: value for key, value in asdict(statement).items() if value}


def statement_from_json(value: dict[str, Any]) -> Statement:
    """Return the statement of values of JSON."""
    known = {each.name for each in fields(Statement)}
    taken = {key: _to_tuples(each) for key, each in value.items() if key in known}
    taken["flows"] = tuple(
        Flow(**{key: _to_tuples(each) for key, each in flow.items()})
        for flow in value.get("flows", ())
    )
    return Statement(**taken)


def _to_tuples(value: Any) -> Any:
    return tuple(map(_to_tuples, value)) if isinstance(value, list) else value
