"""Statements with the tables that they read and write, written by hand; and who reads them right.

``tests/unit/sql/statements/*.txt`` has one file for each dialect. A case is

    === ID TITLE
    SQL
    ---
    session
    reads: dbo.s
    writes: dbo.t <- dbo.s

``session``: the statements run on one connection. ``unresolved``: the text does not determine all
tables. ``drops``, ``renames`` and ``calls`` are compared only where they are given. The sources of
a write are compared only where ``<-`` gives them. The target of UPDATE, DELETE and MERGE may be
among the reads that are found; it must be, where the case expects it.

``manuals/*.txt`` has 200 cases that were written from the manuals of the databases before the
reader existed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lineage.sql import read_statements
from lineage.sql.effects import merge_effects
from lineage.sql.sessions import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lineage.sql.records import Name, Statement

FOLDER = Path(__file__).parents[2] / "unit/sql/statements"
MANUALS = FOLDER / "manuals"
_CASE = re.compile(r"^=== (\w+) ?([^\n]*)\n(.*?)^---\n(.*?)(?=^=== |\Z)", re.MULTILINE | re.DOTALL)
_PART = re.compile(r'"([^"]*)"|([^."\s]*)')
_SELF_READING = ("update", "merge", "delete")


@dataclass
class Found:
    """The tables of a text; ``flows`` are the sources of each output."""

    reads: set[Name] = field(default_factory=set)
    flows: dict[Name, set[Name]] = field(default_factory=dict)
    drops: set[Name] = field(default_factory=set)
    renames: set[tuple[Name, Name]] = field(default_factory=set)
    calls: set[Name] = field(default_factory=set)
    changed: set[Name] = field(default_factory=set)
    unresolved: list[str] = field(default_factory=list)


@dataclass
class Case:
    """A text and its expected tables; ``given`` are the keys of its expectation."""

    identifier: str
    dialect: str
    title: str
    sql: str
    expected: Found
    flows: dict[Name, set[Name]]
    given: set[str]

    def compare_with(self, found: Found) -> str:
        """Return ``right``, ``reported`` or ``wrong``: an extra name, or a silent omission."""
        located = found.changed - self.expected.reads  # targets whose own rows are looked up
        pairs = [
            (self.expected.reads, found.reads - located),
            (set(self.expected.flows), set(found.flows)),
        ]
        pairs += [
            (getattr(self.expected, key), getattr(found, key))
            for key in ("drops", "renames", "calls")
            if key in self.given
        ]
        for target, sources in self.flows.items():
            pairs.append((sources, found.flows.get(target, set()) - ({target} - sources)))
        if any(actual - expected for expected, actual in pairs):
            return "wrong"
        is_complete = all(actual == expected for expected, actual in pairs)
        if is_complete and bool(found.unresolved) == ("unresolved" in self.given):
            return "right"
        return "reported" if found.unresolved else "wrong"


def read_cases(folder: Path = FOLDER) -> list[Case]:
    """Return the cases of all files in a folder and the folders in it."""
    return [case for path in sorted(folder.rglob("*.txt")) for case in _cases_of(path)]


def _cases_of(path: Path) -> Iterator[Case]:
    for identifier, title, sql, expectation in _CASE.findall(path.read_text()):
        expected, flows, given = Found(), {}, set()
        for line in filter(None, map(str.strip, expectation.splitlines())):
            key, _, value = line.partition(":")
            given.add("unresolved" if key == "unread" else key)
            if key == "writes":
                outputs, arrow, sources = value.partition("<-")
                for name in _names_in(outputs):
                    expected.flows[name] = set(_names_in(sources))
                    if arrow:
                        flows[name] = set(_names_in(sources))
            elif key == "renames":
                expected.renames |= _renames_in(value)
            elif key in ("reads", "drops", "calls"):
                getattr(expected, key).update(_names_in(value))
            elif key not in ("session", "unread", "unresolved", "use"):
                raise ValueError(f"{path.name}: {identifier}: unknown line {line}")
        yield Case(identifier, path.stem, title, sql.strip(), expected, flows, given)


def _names_in(text: str) -> list[Name]:
    names = re.findall(r'(?:"[^"]*"|[^\s"])+', text)
    return [_name_of(name) for name in names]


def _name_of(text: str) -> Name:
    parts, rest = [], text
    while True:
        match = _PART.match(rest)
        assert match is not None
        parts.append((match[1] if match[1] is not None else match[2]).lower())
        rest = rest[match.end() :]
        if not rest.startswith("."):
            return tuple(parts)
        rest = rest[1:]


def _renames_in(text: str) -> set[tuple[Name, Name]]:
    words = text.replace("->", " ").split()
    return {(_name_of(a), _name_of(b)) for a, b in zip(words[::2], words[1::2], strict=True)}


def find_tables(case: Case) -> Found:
    """Read a case with the product."""
    found = Found()
    statements = read_statements(case.sql, case.dialect)
    if "session" in case.given:
        session = Session(case.dialect)
        effect = merge_effects(map(session.apply_statement, statements))
        found.reads = {_folded(name) for name in effect.reads}
        for flow in effect.flows:
            _add_flow(found, flow.target, flow.sources, flow.mode)
        found.drops = {_folded(name) for name in effect.drops}
        found.renames = {(_folded(a), _folded(b)) for a, b in effect.renames}
        found.unresolved = list(effect.unresolved)
        for statement in statements:
            for each in statement.routine.statements if statement.routine else ():
                _add_statement(found, each)
        return found
    for statement in statements:
        _add_statement(found, statement)
    return found


def _add_statement(found: Found, statement: Statement) -> None:
    found.reads |= {_folded(name) for name in statement.reads}
    for flow in statement.flows:
        _add_flow(found, flow.target, flow.sources, flow.mode)
    found.drops |= {_folded(name) for name in statement.drops}
    found.renames |= {(_folded(a), _folded(b)) for a, b in statement.renames}
    found.unresolved += statement.unresolved
    for call in statement.calls:
        if not call.statements:
            found.calls.add(_folded(call.routine))
        for each in call.statements:
            _add_statement(found, each)
    for group in (statement.routine, statement.handle):
        for each in group.statements if group else ():
            _add_statement(found, each)


def _add_flow(found: Found, target: Name, sources: tuple[Name, ...], mode: str) -> None:
    found.flows.setdefault(_folded(target), set()).update(map(_folded, sources))
    if mode in _SELF_READING:
        found.changed.add(_folded(target))


def _folded(name: Name) -> Name:
    return tuple(part.lower() for part in name)
