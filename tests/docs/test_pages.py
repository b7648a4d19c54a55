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
    for place in (".", "docs/**", "benchmarks", "tests/features")
    for page in ROOT.glob(f"{place}/*.md")
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


def test_each_page_is_listed():
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in LINK.findall(index.read_text())}
    decisions = ROOT / "docs" / "decisions"
    assert decisions in listed
    pages = {page for page in PAGES if page.is_relative_to(ROOT / "docs")}
    assert {page for page in pages - listed if page.parent != decisions} == {index}


def test_the_tree_of_errors_is_complete():
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
