"""Comparison of what readers of SQL name: ours, sqllineage, openlineage-sql and sql_metadata.

The others come from PyPI: ``make compare``. The cases are those of tests/unit/sql/statements, whose
tables were written by hand. The results are the table of docs/reference/sql-readers.md.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.cases.statements import FOLDER, MANUALS, Case, Found, find_tables, read_cases
from support.services.client_packages import SQL_READERS

if TYPE_CHECKING:
    from lineage.sql.records import Name

TESTS = Path(__file__).parents[1]
PAGE = TESTS.parent / "docs/reference/sql-readers.md"
OURS = "Lineage"
OTHERS = ("sqllineage", "openlineage-sql", "sql_metadata")
MANUAL_CASES = read_cases(MANUALS)
FIRST_CASES = [case for case in read_cases(FOLDER) if case not in MANUAL_CASES]
RESULTS = ("right", "reported", "extra", "omitted")


@pytest.fixture(scope="module")
def tables() -> dict[str, dict[str, Any]]:
    """Return what the other readers name in each case, by its identifier."""
    lines = [
        json.dumps({"id": case.identifier, "dialect": case.dialect, "sql": case.sql})
        for case in (*FIRST_CASES, *MANUAL_CASES)
    ]
    program = TESTS / "comparison/readers/others.py"
    output = subprocess.run(
        [SQL_READERS.bin() / "python", program],
        input="\n".join(lines), capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    return {read["id"]: read for read in map(json.loads, output.splitlines())}


def count_results(cases: list[Case], tables: dict[str, dict[str, Any]]) -> dict[str, Counter[str]]:
    """Return for each reader how many cases are right, reported, and wrong in which way."""
    results: dict[str, Counter[str]] = {name: Counter() for name in (OURS, *OTHERS)}
    for case in cases:
        results[OURS][judge_case(case, find_tables(case))] += 1
        for name in OTHERS:
            found = tables_of(case, tables[case.identifier][name])
            results[name][judge_case(case, found)] += 1
    return results


def judge_case(case: Case, found: Found) -> str:
    """Return ``right``, ``reported``, ``extra`` (a name that is not so) or ``omitted``."""
    judged = case.compare_with(found)
    if judged != "wrong":
        return judged
    reads = found.reads - (found.changed - case.expected.reads)
    is_extra = reads - case.expected.reads or set(found.flows) - set(case.expected.flows)
    return "extra" if is_extra else "omitted"


def tables_of(case: Case, read: dict[str, Any]) -> Found:
    """Return the tables of another reader: drops, renames and sources of outputs do not count.

    It may name the target of UPDATE, DELETE and MERGE among the inputs, and changed names among
    the outputs, as each reader defines them.
    """
    expected = case.expected
    known = {".".join(name): name for name in (*expected.reads, *expected.flows)}
    changed = expected.drops | {name for pair in expected.renames for name in pair}
    ignored = {".".join(name) for name in changed} - set(known)

    def names(texts: list[str]) -> set[Name]:
        plain = {text.lower().translate(str.maketrans("", "", '[]"`')) for text in texts}
        return {known.get(text, (text,)) for text in plain - ignored}

    found = Found(reads=names(read["reads"]), calls=set(expected.calls))
    found.drops, found.renames = expected.drops, expected.renames
    found.flows = {name: case.flows.get(name, set()) for name in names(read["writes"])}
    found.changed = set(expected.flows)
    found.unresolved = ["reported"] if read["reported"] else []
    return found


@pytest.mark.parametrize("cases", [FIRST_CASES, MANUAL_CASES], ids=["first", "manuals"])
def test_the_page_has_the_results(cases: list[Case], tables: dict[str, dict[str, Any]]) -> None:
    results = count_results(cases, tables)
    rows = PAGE.read_text().splitlines()
    for reader, counts in results.items():
        numbers = " | ".join(str(counts[result]) for result in RESULTS)
        assert f"| {len(cases)} | {reader} | {numbers} |" in rows, (reader, counts)


def test_only_ours_is_never_silently_wrong(tables: dict[str, dict[str, Any]]) -> None:
    results = count_results([*FIRST_CASES, *MANUAL_CASES], tables)
    wrong = {reader: counts["extra"] + counts["omitted"] for reader, counts in results.items()}
    assert wrong.pop(OURS) == 0
    assert min(wrong.values()) > 0
