"""The record of a statement while it is read."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from lineage.sql.draft import Draft
from lineage.sql.records import Flow, Statement

# What a draft has beside the fields of a statement.
_OWN_FIELDS = {"dialect", "from_files", "views", "uses_literal"}


def _filled_value(value: Any, name: str) -> Any:
    """Return a value that is not the default of a field and that no other field has."""
    if isinstance(value, dict):
        return {(name,): None}
    if isinstance(value, bool):
        return not value
    return [name] if isinstance(value, list) else (name,) if isinstance(value, tuple) else name


def test_a_statement_has_each_field_of_its_draft():
    draft = Draft("postgres")
    names = {each.name for each in fields(Draft)} - _OWN_FIELDS - {"flows"}
    expected = {name: _filled_value(getattr(draft, name), name) for name in names}
    for name, value in expected.items():
        setattr(draft, name, value)
    draft.add_flow(("t",), [("s",)], "append", from_files=True)
    draft.views.add(("t",))
    statement = draft.to_statement("shape")
    assert (statement.shape, statement.branches) == ("shape", ())
    assert statement.flows == (Flow(("t",), (("s",),), "append", from_files=True, is_view=True),)
    for name, value in expected.items():
        frozen = tuple(value) if isinstance(value, dict | list) else value
        assert getattr(statement, name) == frozen, name
    assert names | {"shape", "flows", "branches"} == {each.name for each in fields(Statement)}
