"""Parameters that have one range and one description on every surface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_type_hints

import click
from lineage_cli import main
from pydantic import TypeAdapter

from lineage.http.api.operations import OPERATIONS
from lineage.http.parameters import Integer
from lineage.mcp.server import _NAMES as TOOLS
from lineage.mcp.tools import Tools
from lineage.parameters import MAX_DEPTH, MAX_WINDOW_DAYS, OBSERVED, WINDOW_DAYS

if TYPE_CHECKING:
    from collections.abc import Iterator


def options_of_commands(command: click.Command, words: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the options of all commands, each after the words of its command and its name."""
    context = click.Context(command)
    for name in command.list_commands(context) if isinstance(command, click.Group) else ():
        inner = command.get_command(context, name)  # type: ignore[attr-defined]
        yield from options_of_commands(inner, f"{words} {name}")
    for each in command.params:
        if isinstance(each, click.Option):
            yield f"{words} {each.opts[0]}", each


def parameters_of_tools() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the JSON Schema of parameters of tools, each after the tool and its name."""
    for tool in TOOLS:
        hints = get_type_hints(getattr(Tools, tool), include_extras=True)
        for name in ("depth", "observed"):
            if name in hints:
                yield f"{tool} {name}", TypeAdapter(hints[name]).json_schema()


def ranges_over_http(name: str) -> dict[str, tuple[int, int]]:
    return {
        f"{operation.path} {name}": (each.minimum, each.maximum)
        for operation in OPERATIONS
        for each in operation.parameters
        if each.name == name and isinstance(each, Integer)
    }


def ranges_of_options(name: str) -> dict[str, tuple[int, int]]:
    return {
        words: (option.type.min, option.type.max)
        for words, option in options_of_commands(main)
        if words.endswith(f" --{name}") and isinstance(option.type, click.IntRange)
    }


def test_depth_has_one_range() -> None:
    ranges = {**ranges_over_http("depth"), **ranges_of_options("depth")}
    for words, schema in parameters_of_tools():
        if words.endswith(" depth"):
            [number] = [each for each in schema["anyOf"] if "maximum" in each]
            ranges[words] = (number["minimum"], number["maximum"])
    del ranges[" trace --depth"]  # writes, not edges
    for each in (" graph export --depth", "/api/v1/graph/model depth"):
        assert ranges.pop(each) == (0, MAX_DEPTH)  # 0 is the node alone
    assert set(ranges.values()) == {(1, MAX_DEPTH)}, ranges


def test_the_window_has_one_range_and_default() -> None:
    ranges = {**ranges_over_http("window_days"), **ranges_of_options("window-days")}
    assert set(ranges.values()) == {(1, MAX_WINDOW_DAYS)}, ranges
    defaults = {
        words: option.default
        for words, option in options_of_commands(main)
        if words.endswith(" --window-days")
    }
    for operation in OPERATIONS:
        for each in operation.parameters:
            if each.name == "window_days":
                defaults[operation.path] = each.default
    assert set(defaults.values()) == {WINDOW_DAYS}, defaults


def test_observed_has_one_description() -> None:
    texts = {}
    for operation in OPERATIONS:
        for each in operation.parameters:
            if each.name == "observed":
                texts[operation.path] = each.description
        hints = get_type_hints(operation.body, include_extras=True) if operation.body else {}
        if "observed" in hints:
            texts[operation.path] = hints["observed"].__metadata__[0].description
    for words, option in options_of_commands(main):
        if words.endswith(" --observed"):
            texts[words] = option.help
    for words, schema in parameters_of_tools():
        if words.endswith(" observed"):
            texts[words] = schema["description"]
    assert set(texts.values()) == {OBSERVED}, texts
