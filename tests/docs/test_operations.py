"""The table of operations: the same names as on each surface."""

from __future__ import annotations

import dataclasses
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
from lineage.mcp.tools import Tools
from lineage.query.filters import Filters
from lineage.query.graph import Graph
from lineage.query.run_history import RunFilter

if TYPE_CHECKING:
    from lineage.http.operation import Operation

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "operations.md").read_text()
SURFACES = ("Python", "SQL", "HTTP", "command", "MCP")
ROWS = [
    [re.findall(r"`([^`]+)`", cell) for cell in line.strip("|").split("|")][1:]
    for line in PAGE.partition("\n## ")[0].splitlines()
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


# HTTP operation -> method of the graph
METHODS = {
    name: getattr(Graph, method)
    for name in sorted(documented("HTTP"))
    if hasattr(Graph, method := {"rank": "rank_datasets"}.get(name, name.replace("-", "_")))
    and name != "cypher"
}
# Parameters of a method whose fields are parameters of a request.
GROUPED = {"filters": Filters, "where": RunFilter}
# "format" is of a response; a program has the graph, and `lineage.export` writes it.
OF_REQUESTS = {"runs", "format"}
# A program gets these as one value.
WITHOUT_LIMIT = {"model", "dataset", "job", "run"}


def names_in(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


# HTTP name -> name in Python and option of a command, where they differ
PYTHON: dict[str, str] = {}
OPTIONS: dict[str, str] = {}
for line in PAGE.partition("\n## Parameters\n")[2].splitlines():
    if line.startswith("| `"):
        over_http, in_python, option = line.strip("|").split("|")
        key = " as a filter" if "as a filter" in over_http else ""
        words = [f"{name}{key}" for name in names_in(over_http)]
        PYTHON.update(zip(words, names_in(in_python) * len(words), strict=False))
        OPTIONS.update(zip(words, names_in(option), strict=False))


def parameters_over_http(name: str) -> set[str]:
    """Return the parameters of an operation; "… as a filter" if it is not of that job or run."""
    [operation] = [each for each in OPERATIONS if each.path.endswith(f"/graph/{name}")]
    names = {each.name for each in operation.parameters}
    if operation.body:
        names |= {field.name for field in fields(operation.body)}
    filters = {"run"} if name == "events" else set()
    if names & {"dataset", "datasets"}:
        filters.add("job")
    names = {f"{each} as a filter" if each in filters else each for each in names}
    return names - {"limit"} if name in WITHOUT_LIMIT else names


@pytest.mark.parametrize("name", METHODS)
def test_parameters_of_methods_have_the_documented_names(name: str) -> None:
    over_http = {PYTHON.get(each, each) for each in parameters_over_http(name) - OF_REQUESTS}
    in_python = set(inspect.signature(METHODS[name]).parameters) - {"self"}
    for parameter in in_python & GROUPED.keys():
        grouped = {field.name for field in dataclasses.fields(GROUPED[parameter])}
        in_python = in_python - {parameter} | grouped
    if name == "job-lineage":
        in_python -= {"jobs"}  # the filter must be empty
    assert over_http == in_python


COMMANDS = [
    (command, operation)
    for methods, _, operations, commands, _ in ROWS
    if not any("." in each for each in methods) and "cypher" not in methods
    for command, operation in (
        zip(commands, operations, strict=True)
        if len(commands) == len(operations)
        else [(each, operation) for each in commands for operation in operations]
    )
]


@pytest.mark.parametrize(("command", "operation"), COMMANDS)
def test_options_have_the_documented_names(command: str, operation: str) -> None:
    context, found = click.Context(main), main
    for word in command.split():
        assert isinstance(found, click.Group)
        inner = found.get_command(context, word)
        assert inner
        context, found = click.Context(inner), inner
    options = {name for each in found.params for name in each.opts if name.startswith("--")}
    arguments = [each for each in found.params if isinstance(each, click.Argument)]
    without_option = {
        each
        for each in parameters_over_http(operation) - {"offset"}
        if OPTIONS.get(each, f"--{each.replace('_', '-')}") not in options
    }
    assert len(without_option) <= len(arguments), without_option


@pytest.mark.parametrize(
    ("tool", "operations"), [(tool, row[2]) for row in ROWS for tool in row[4] if len(row[2]) == 1]
)
def test_parameters_of_tools_are_those_of_requests(tool: str, operations: list[str]) -> None:
    over_http = {
        each.removesuffix(" as a filter")
        for operation in operations
        for each in parameters_over_http(operation)
    }
    of_tool = set(inspect.signature(getattr(Tools, tool)).parameters) - {"self", "offset"}
    own = {"orphans": {"kind"}, "plan_jobs": {"names"}}
    assert of_tool - own.get(tool, set()) <= over_http


@pytest.mark.parametrize("name", METHODS)
def test_parameters_have_equal_defaults(name: str) -> None:
    """Limits differ: a program gets all unless it asks for less, a request never does."""
    [operation] = [each for each in OPERATIONS if each.path.endswith(f"/graph/{name}")]
    defaults = {each.name: each.default for each in operation.parameters}
    in_python = inspect.signature(METHODS[name]).parameters
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
