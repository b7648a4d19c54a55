"""ARCHITECTURE.md: existing functions and modules."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.source.measures import layers

PAGE = (Path(__file__).parents[2] / "ARCHITECTURE.md").read_text()
PACKAGES = "cli|database|eventlog|events|http|ingest|mcp|openlineage|projection|query"
NAMES = sorted(set(re.findall(rf"`((?:{PACKAGES})(?:\.\w+)+)`", PAGE)))


@pytest.mark.parametrize("name", NAMES)
def test_a_dotted_name_exists(name: str) -> None:
    parts = name.split(".")
    parts = ["lineage_cli", *parts[1:]] if parts[0] == "cli" else ["lineage", *parts]
    length = next(n for n in range(len(parts), 0, -1) if is_module(".".join(parts[:n])))
    value: object = import_module(".".join(parts[:length]))
    for part in parts[length:]:
        assert hasattr(value, part), f"ARCHITECTURE.md names {name}, which does not exist"
        value = getattr(value, part)


def is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


def test_the_code_map_has_each_package() -> None:
    code_map = PAGE.partition("\n## Code map\n")[2].partition("\nIn `lineage/spark/`")[0]
    packages = {name.replace(".", "/") for name in layers()}
    assert {name for name in packages if not re.search(rf"`{name}(\.py|/)`", code_map)} == set()


def test_the_two_walks_are_there() -> None:
    assert len(NAMES) > 12
