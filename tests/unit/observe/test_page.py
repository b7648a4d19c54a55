"""Each case in the tables of the reference is a case of the tests."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/reference/python-observation.md"


def test_each_case_of_the_page_is_tested():
    sources = [path.read_text() for path in Path(__file__).parent.glob("test_*.py")]
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    tested = {node.value for node in nodes if isinstance(node, ast.Constant)}
    tested |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    tables = re.findall(r"\| case \| recorded \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE.read_text())
    assert len(tables) == 4
    rows = [row.split("|")[1] for table in tables for row in table.splitlines()]
    cases = [case for row in rows for case in re.findall(r"`([^`]+)`", row)]
    assert len(cases) > 80
    functions = {"lineage.observe.http", "http"}
    assert [case for case in cases if case not in tested | functions] == []
