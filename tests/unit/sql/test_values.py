"""The tables of which outputs have values, through variables, loops, texts and routines.

``values/*.txt`` has one file for each dialect. A case is a name after ``===``, a script, and after
``---`` a line for each output with its sources, and one for each reason in ``unresolved``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lineage.readers.client_commands import split_script
from lineage.sql import Session, merge_effects, read_statements

FOLDER = Path(__file__).with_name("values")
CASES = {
    f"{path.stem}: {case.partition(chr(10))[0]}": (path.stem, case.partition("\n")[2])
    for path in sorted(FOLDER.glob("*.txt"))
    for case in path.read_text().removeprefix("=== ").split("\n=== ")
}


@pytest.mark.parametrize("name", CASES)
def test_outputs_have_the_values_of_their_sources(name: str) -> None:
    dialect, case = CASES[name]
    text, _, expected = case.partition("\n---\n")
    session = Session(dialect, "db", "dbo")
    effects = []
    for part in split_script(text, dialect):
        effects += map(session.apply_statement, read_statements(part.text, dialect))
    effect = merge_effects(effects)
    lines = {
        f"{flow.target[-1]}: {' '.join(sorted(each[-1] for each in flow.sources))}".lower()
        for flow in effect.flows
    }
    lines |= {f"unresolved: {reason}" for reason in effect.unresolved}
    assert {line.rstrip() for line in lines} == {*expected.strip().split("\n")}
