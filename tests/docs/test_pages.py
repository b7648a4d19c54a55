"""Pages of the documentation: generated pages are up to date, links have targets."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lineage import errors
from lineage.spark.columns.plan_walk import OPERATORS, REFERENCES, WITHOUT_SOURCE

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md")]
    if page.is_file()
)
LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


def test_generated_pages_are_up_to_date():
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "docs", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path):
    links = [link for link in LINK.findall(page.read_text()) if "://" not in link]
    broken = [link for link in links if not (page.parent / link).exists()]
    assert not broken


def test_the_tree_of_errors_is_drawn_whole():
    kinds = {
        n
        for n, k in vars(errors).items()
        if isinstance(k, type) and k.__module__ == errors.__name__
    }
    assert {name for name in kinds if not re.search(rf"\b{name}\b", errors.__doc__ or "")} == set()


def test_every_operator_is_on_the_page_of_coverage():
    page = (ROOT / "docs" / "reference" / "coverage.md").read_text()
    known = {*OPERATORS, *REFERENCES, *WITHOUT_SOURCE}
    assert {name for name in known if f"`{name}`" not in page} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tests_that_a_page_names_are_there(page: Path):
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page.read_text())
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).exists() or (name and not defines(ROOT / file, name))
    ]
    assert not missing


def defines(file: Path, name: str) -> bool:
    """Return whether a module of tests has a function, or a test case of a state machine."""
    return bool(re.search(rf"^\s*def {name}\(|^{name} = \w+\.TestCase$", file.read_text(), re.M))


@pytest.mark.parametrize(
    "page", sorted(ROOT.glob("docs/reference/*-features.md")), ids=lambda p: p.stem
)
def test_each_feature_has_a_test_or_a_reason(page: Path):
    tables = re.findall(r"^\| (.*) \|\n\|[-|]+\|\n((?:\|.*\|\n?)+)", page.read_text(), re.MULTILINE)
    assert tables
    for head, rows in tables:
        last = head.rpartition(" | ")[2]
        assert last in ("shown by", "reason", "instead", "measured by")
        for row in rows.splitlines():
            cell = row.rstrip(" |").rpartition(" | ")[2]
            assert "`tests/" in cell if last == "shown by" else cell, row


def test_measured_figures_of_the_page_on_scale_are_results_of_benchmarks():
    page = (ROOT / "docs" / "explanation" / "scale.md").read_text()
    measured = page.partition("\n## What one machine holds\n")[2].partition("\nComputed")[0]
    rows = [
        line for line in measured.splitlines() if line.startswith("| ") and "measured" not in line
    ]
    figures = {row.strip("|").split("|")[-1].strip() for row in rows}
    results = set(re.findall(r"[\d.,]*\d", (ROOT / "benchmarks" / "RESULTS.md").read_text()))
    assert len(rows) == 10
    assert figures <= results
