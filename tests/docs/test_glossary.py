"""The glossary: one entry for each term, in alphabetical order."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "glossary.md").read_text()
SECTIONS = [
    re.findall(r"^\| (?!term \|)([^|]+) \|", each, re.M) for each in PAGE.split("\n## ")[1:]
]


def test_each_term_has_one_entry() -> None:
    terms = [term for section in SECTIONS for entry in section for term in entry.split(", ")]
    assert len(terms) > 80
    assert sorted(terms) == sorted(set(terms))


def test_terms_are_sorted() -> None:
    for entries in SECTIONS:
        assert entries == sorted(entries, key=str.lower)
