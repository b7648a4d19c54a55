"""PostgreSQL as the judge of its own cases: the plans of what it ran have the expected tables.

auto_explain sends the plan of each statement that ran to the client, also of those in functions and
blocks. Tables that are made or emptied are seen in the catalog.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.cases.statements import MANUALS, Case, read_cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.database import Server

    from lineage.sql.records import Name

SHOP = Path(__file__).with_name("shop.sql")
# auto_explain is part of PostgreSQL. With nested statements, it explains those of functions.
EXPLAINED = """
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_nested_statements = on;
SET auto_explain.log_verbose = on;
SET auto_explain.log_format = json;
SET auto_explain.log_level = notice;
"""
STORED = """
SELECT nspname, relname, pg_class.oid, relfilenode, relpersistence = 't'
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
WHERE relkind IN ('r', 'v', 'm', 'p')
AND nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""
# What a case only defines is run afterwards.
AFTERWARDS = {
    "mp31": ["SELECT * FROM shop.chain"],
    "mp32": ["SELECT shop.note_orders(0)"],
    "mp33": ["SELECT shop.sweep('users')"],
}
# Writes that only a run has: of a command made at run time, and of what is then rolled back.
OF_THE_RUN = {"mp33": {("users",)}, "mp40": {("shop", "moves")}}
NOT_RUN = {
    "mp28": "runs a program",
    "mp29": "reads and writes files of the server",
    "mp37": "has placeholders of a driver",
    "mp38": "EXPLAIN gives a plan of what does not run",
}
CASES = [
    case
    for case in read_cases(MANUALS)
    if case.dialect == "postgres" and case.identifier not in NOT_RUN
]


class Observed:
    """The relations of the plans that a connection received."""

    def __init__(self) -> None:
        self.reads: set[Name] = set()
        self.writes: set[Name] = set()

    def add_notice(self, diagnostic: psycopg.errors.Diagnostic) -> None:
        message = diagnostic.message_primary or ""
        if message.startswith("duration:"):
            plan = json.loads(message.partition("plan:\n")[2])["Plan"]
            self.add_plan(plan, targets=frozenset(), nested=False)

    def add_plan(self, node: dict[str, Any], *, targets: frozenset[str], nested: bool) -> None:
        """Add a plan node; the scans of ``targets`` (aliases) locate rows of a target."""
        if node["Node Type"] == "ModifyTable":
            self.writes.add(relation_of(node))
            # RETURNING of a CTE: the rows of the target go elsewhere, so that it is read.
            if not (nested and node.get("Output")):
                targets |= {node["Alias"]}
        elif "Relation Name" in node and node["Alias"] not in targets:
            self.reads.add(relation_of(node))
        for child in node.get("Plans", []):
            self.add_plan(child, targets=targets, nested=True)


def relation_of(node: dict[str, Any]) -> Name:
    return without_public((node["Schema"], node["Relation Name"]))


def without_public(name: Name) -> Name:
    """Remove the schema that the search path has, and that of temporary tables."""
    return name[1:] if name[0] == "public" or name[0].startswith("pg_temp") else name


@pytest.fixture(scope="module")
def shop(server: Server) -> Iterator[str]:
    name = server.create(server.migrated())  # TRUNCATE CASCADE calls AGE, which is preloaded
    with psycopg.connect(server.dsn(name), autocommit=True) as conn:
        conn.execute(SHOP.read_bytes())
    yield name
    server.drop(name)


@pytest.fixture
def observe(shop: str, database: Callable[[str], str]) -> Callable[[Case], Observed]:
    def run(case: Case) -> Observed:
        observed = Observed()
        with psycopg.connect(database(shop), autocommit=True) as conn:
            before = set(conn.execute(STORED))
            conn.execute(EXPLAINED)
            conn.add_notice_handler(observed.add_notice)
            for statement in statements_of(case):
                conn.execute(statement.encode())
            conn.execute("SET auto_explain.log_min_duration = -1")
            stored = set(conn.execute(STORED))
        changed = {(without_public((row[0], row[1])), row[4]) for row in stored - before}
        observed.writes |= {name for name, _ in changed}
        if "session" in case.given:  # temporary tables pass their sources on
            temporary = {name for name, is_temporary in changed if is_temporary} | {("picks",)}
            observed.reads -= temporary
            observed.writes -= temporary
        return observed

    return run


def statements_of(case: Case) -> list[str]:
    """Split a case at the ends of its lines; the scripts in dollars are one statement."""
    if re.search(r"\$\w*\$$", case.sql, re.MULTILINE):
        parts = [case.sql]
    else:
        parts = [part for part in re.split(r";$", case.sql, flags=re.MULTILINE) if part.strip()]
    return parts + AFTERWARDS.get(case.identifier, [])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.identifier)
def test_plans_have_the_expected_tables(case: Case, observe: Callable[[Case], Observed]) -> None:
    observed = observe(case)
    assert observed.reads == {without_public(name) for name in case.expected.reads}, case.title
    writes = {without_public(name) for name in case.expected.flows}
    assert observed.writes == writes | OF_THE_RUN.get(case.identifier, set()), case.title
