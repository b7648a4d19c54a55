"""The reference page of the listener's settings: complete."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_every_setting_is_in_the_page_and_no_other():
    sources = (ROOT / "listener/src").rglob("*.java")
    source = "".join(file.read_text() for file in sources)
    page = (ROOT / "docs/reference/listener.md").read_text()
    constants = set(re.findall(r'String \w+ = "(spark\.lineage\.\w[\w.]*\w)"', source))
    assert constants == set(re.findall(r"^\| `(spark\.lineage\.[\w.]+)`", page, re.M))


def test_the_settings_of_openlineage_and_the_variables_that_are_read_are_in_the_page():
    sources = [path.read_text() for path in (ROOT / "listener/src").rglob("*.java")]
    page = (ROOT / "docs/reference/listener.md").read_text()
    variables = {name for s in sources for name in re.findall(r'"((?:OPEN)?LINEAGE_\w+)"', s)}
    settings = {name for s in sources for name in re.findall(r'"spark\.openlineage\.(\w+)"', s)}
    assert {"OPENLINEAGE_PARENT_ID", "LINEAGE_SPOOL"} <= variables
    assert "namespace" in settings
    assert sorted(name for name in variables | settings if f"`{name}`" not in page) == []


def test_the_defaults_in_the_page_are_those_of_the_source():
    source = (ROOT / "listener/src/io/lineage/spark/Settings.java").read_text()
    page = (ROOT / "docs/reference/listener.md").read_text()
    names = dict(re.findall(r'String (\w+) = "(spark\.lineage\.[\w.]+)"', source))
    defaults = dict(re.findall(r'(?:bytes|value)\((\w+), "([^"]+)"', source))
    assert defaults
    for constant, default in defaults.items():
        assert f"| `{names[constant]}` | `{default}` |" in page
