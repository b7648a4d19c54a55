"""ALTER that moves or renames tables and views as a whole."""

from __future__ import annotations

import pytest

from lineage.sql import Session, merge_effects, read_statements


def renames_of(statement: str, dialect: str) -> dict[str, str]:
    """Return the new names of tables by their old ones."""
    session = Session(dialect, "db", "public")
    merged = merge_effects(map(session.apply_statement, read_statements(statement, dialect)))
    assert not merged.flows
    assert not merged.unresolved
    return {".".join(old): ".".join(new) for old, new in merged.renames}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("ALTER INDEX a RENAME TO b", {}),
        ("ALTER SEQUENCE a RENAME TO b", {}),
        ("ALTER TYPE a RENAME TO b", {}),
        ("ALTER TABLE a RENAME COLUMN b TO c", {}),
        ("ALTER TABLE a RENAME b TO c", {}),
        ("ALTER VIEW a RENAME TO b", {"db.public.a": "db.public.b"}),
        ("ALTER MATERIALIZED VIEW a RENAME TO b", {"db.public.a": "db.public.b"}),
        ("ALTER MATERIALIZED VIEW IF EXISTS a SET SCHEMA x", {"db.public.a": "db.x.a"}),
        ("ALTER VIEW a SET SCHEMA x", {"db.public.a": "db.x.a"}),
        ("ALTER FOREIGN TABLE a SET SCHEMA x", {"db.public.a": "db.x.a"}),
        ("ALTER TABLE a SET SCHEMA x", {"db.public.a": "db.x.a"}),
    ],
)
def test_only_relations_are_renamed(statement: str, expected: dict[str, str]) -> None:
    assert renames_of(statement, "postgres") == expected
