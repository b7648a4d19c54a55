"""The table of operations: the same names as on each surface."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from lineage_cli import GROUPS, main
from msgspec.structs import fields

import lineage.orchestration as orchestration
import lineage.records as records
from lineage.http.api.operations import OPERATIONS
from lineage.http.web.routes import PAGES as PATHS
from lineage.mcp.server import _NAMES as TOOLS
from lineage.query.graph import Graph

if TYPE_CHECKING:
    from lineage.http.operation import Operation

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "operations.md").read_text()
SURFACES = ("Python", "SQL", "HTTP", "command", "MCP")
ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")][1:]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| operation")
]
# Queries that only the command line has.
OF_PEOPLE = {"queries list", "queries show"}


def documented(surface: str) -> set[str]:
    names = [name for row in ROWS for name in row[SURFACES.index(surface)]]
    assert len(names) == len(set(names)), "an operation is listed twice"
    return set(names)


def test_methods_of_the_graph() -> None:
    methods = {name for name, _ in inspect.getmembers(Graph, inspect.isfunction)}
    of_graph = {name for name in documented("Python") if "." not in name}
    assert of_graph == {name for name in methods if name[0] != "_"} - {"close"}


def test_functions_of_modules() -> None:
    modules = {"records": records, "orchestration": orchestration}
    names = [name.split(".") for name in documented("Python") if "." in name]
    assert {module for module, _ in names} == modules.keys()
    assert all(callable(getattr(modules[module], function)) for module, function in names)


def test_operations_over_http() -> None:
    assert documented("HTTP") == {
        operation.path.removeprefix("/api/v1/graph/") for operation in OPERATIONS
    }


def test_tools() -> None:
    assert documented("MCP") == set(TOOLS)


def test_the_page_for_clients_lists_each_tool() -> None:
    page = (ROOT / "docs" / "how-to" / "mcp.md").read_text()
    assert [name for name in TOOLS if f"`{name}`" not in page] == []


def test_the_page_of_the_collector_lists_each_page() -> None:
    page = (ROOT / "docs" / "reference" / "collector.md").read_text()
    assert [path for path in PATHS if f"`{path}`" not in page] == []


def test_commands() -> None:
    context = click.Context(main)
    found = set()
    for name in GROUPS["Ask"]:
        command = main.get_command(context, name)
        inner = command.list_commands(context) if isinstance(command, click.Group) else None
        found |= {f"{name} {each}" for each in inner} if inner else {name}
    assert documented("command") == found - OF_PEOPLE | {"events", "trace"}  # of other groups


@pytest.mark.parametrize("name", sorted(documented("SQL")))
def test_functions(name: str) -> None:
    files = (ROOT / "migrations" / "functions").glob("*.sql")
    assert any(re.search(rf"FUNCTION lineage\.{name}\(", file.read_text()) for file in files)


PARAMETERS = {
    "dataset-lineage": Graph.dataset_lineage,
    "neighbours": Graph.neighbours,
    "dataset-lineage-at": Graph.dataset_lineage_at,
    "column-lineage": Graph.column_lineage,
    "run-lineage": Graph.run_lineage,
    "paths": Graph.paths,
    "impact": Graph.impact,
    "root-cause": Graph.root_cause,
    "dataset-diff": Graph.dataset_diff,
    "run-diff": Graph.run_diff,
    "cycles": Graph.cycles,
    "rank": Graph.rank_datasets,
    "stats": Graph.stats,
    "quality": Graph.quality,
    "dataset-columns": Graph.dataset_columns,
    "search": Graph.search,
    "model": Graph.model,
}
# The first parameter is positional in Python; a request names it by the kind of its entity.
SUBJECTS = {"dataset": "name", "run": "run_id", "kind": "kinds"}
# "format" is of a response; a program has the graph, and `lineage.export` writes it.
OF_REQUESTS = {"runs", "format"}
FILTERS = {
    "namespace",
    "tag",
    "job",
    "job_type",
    "since",
    "include_stale",
    "limit",
    "observed",
    "min_confidence",
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_have_equal_names(name: str) -> None:
    [operation] = [each for each in OPERATIONS if each.path.endswith(f"/graph/{name}")]
    over_http = {SUBJECTS.get(each.name, each.name) for each in operation.parameters} - OF_REQUESTS
    if name == "model":
        over_http -= {"limit"}  # a program gets the model as one value
    in_python = set(inspect.signature(PARAMETERS[name]).parameters) - {"self"}
    if "filters" in in_python:
        in_python = in_python - {"filters"} | FILTERS
    assert over_http == in_python


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters_have_equal_defaults(name: str) -> None:
    """Limits differ: a program gets all unless it asks for less, a request never does."""
    [operation] = [each for each in OPERATIONS if each.path.endswith(f"/graph/{name}")]
    defaults = {each.name: each.default for each in operation.parameters}
    in_python = inspect.signature(PARAMETERS[name]).parameters
    for parameter in in_python.values():
        if (
            parameter.name in defaults.keys() - {"limit"}
            and parameter.default is not parameter.empty
        ):
            assert defaults[parameter.name] == parameter.default, parameter.name


COLLECTOR = (ROOT / "docs" / "reference" / "collector.md").read_text()
READ_API = COLLECTOR.partition("\n## Read API\n")[2].partition("\n## ")[0]
# Rows of two operations say which of them has a further parameter.
OF_BOTH = {
    "orphans": {"cycles", "observed"},
    "cycles": {"cycles"},
    "datasets": {"jobs", "job_type"},
    "jobs": {"jobs"},
}
ENTRIES = {
    name: set(re.findall(r"`(\w+)`", re.sub(r"\([^)]*\)", "", parameters)))
    for names, parameters in re.findall(
        r"^\| (`[\w`, -]+`)(?: \(POST\))? \| (.*?) \|", READ_API, re.M
    )
    for name in re.findall(r"`([\w-]+)`", names)
}


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.path)
def test_the_reference_lists_the_parameters_of_an_operation(operation: Operation) -> None:
    name = operation.path.removeprefix("/api/v1/graph/")
    declared = {each.name for each in operation.parameters}
    if operation.body:
        declared |= {field.name for field in fields(operation.body)}
    assert ENTRIES[name] - OF_BOTH.get(name, set()) == declared
