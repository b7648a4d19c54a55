"""Commands of SQL*Plus: each ends at its line, and the next line begins a statement."""

from __future__ import annotations

import pytest

from lineage.sql import Effect, Session, merge_effects, read_statements


def run_script(text: str) -> Effect:
    session = Session("oracle", "ORCL", "app")
    return merge_effects([session.apply_statement(s) for s in read_statements(text, "oracle")])


@pytest.mark.parametrize(
    "command",
    ["DESC dwh.a", "desc a;", "SAVE f", "GET f", "PROMPT Don't stop", "PRO it's", "CONN u/p@db",
     "CONNECT u/p", "DISC", "SPO off", "COL a FORMAT 9", "DEF x = it's", "SHO ERRORS", "CL SCR",
     "! ls", "HO ls", "TIMI ON", "SET SERVEROUTPUT ON", "REM don't", "  PROMPT 'x",
     "VAR n NUMBER", "WHENEVER SQLERROR EXIT", "PROMPT a -\nit's", "PAUSE", "PROMPT ---\n"],
)  # fmt: skip
def test_a_command_does_not_hide_the_next_statement(command: str) -> None:
    effect = run_script(
        f"{command}\nINSERT INTO c SELECT * FROM d;\nINSERT INTO e SELECT 'it''s' FROM f;"
    )
    targets = {flow.target[-1]: {source[-1] for source in flow.sources} for flow in effect.flows}
    assert (targets, effect.unresolved) == ({"C": {"D"}, "E": {"F"}}, ())


@pytest.mark.parametrize("command", ["@settings.sql", "@@settings", "START settings.sql"])
def test_the_file_that_a_command_runs_is_reported(command: str) -> None:
    text = f"{command}\nALTER SESSION SET CURRENT_SCHEMA = dwh;\nINSERT INTO a SELECT * FROM b;"
    effect = run_script(text)
    assert effect.unresolved == ("the file that @ names is not read",)
    [flow] = effect.flows
    assert flow.target == ("ORCL", "DWH", "A")


def test_a_call_may_go_on_after_a_hyphen() -> None:
    text = """CREATE PROCEDURE p(a NUMBER, b NUMBER) IS BEGIN INSERT INTO t SELECT * FROM s; END;
/
EXEC p(1, -
  2)
INSERT INTO c SELECT * FROM d;"""
    effect = run_script(text)
    assert {flow.target[-1] for flow in effect.flows} == {"T", "C"}
    assert effect.unresolved == ()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE t NOLOGGING PARALLEL 8 COMPRESS FOR QUERY HIGH AS SELECT * FROM s",
        "CREATE TABLE t PARALLEL (DEGREE 4) TABLESPACE x AS SELECT * FROM s",
        "CREATE MATERIALIZED VIEW t BUILD IMMEDIATE REFRESH FAST ON COMMIT AS SELECT * FROM s",
        "CREATE MATERIALIZED VIEW t REFRESH COMPLETE ON DEMAND AS SELECT * FROM s",
        "CREATE OR REPLACE FORCE EDITIONABLE VIEW t (a) AS SELECT a FROM s",
        "INSERT INTO t SELECT * FROM s LOG ERRORS INTO e ('x') REJECT LIMIT UNLIMITED",
        (
            "MERGE INTO t USING s ON (t.i = s.i) WHEN MATCHED THEN UPDATE SET t.x = s.x"
            " DELETE WHERE t.x = 0 WHEN NOT MATCHED THEN INSERT (i) VALUES (s.i)"
        ),
    ],
)
def test_options_of_oracle_hide_no_tables(statement: str) -> None:
    effect = run_script(f"{statement};")
    [flow] = effect.flows
    assert flow.target[-1] == "T"
    assert flow.sources == (("ORCL", "app", "S"),)
    assert effect.unresolved == ()


def test_rename_gives_a_table_its_new_name() -> None:
    effect = run_script("RENAME a TO b; TRUNCATE TABLE c REUSE STORAGE;")
    assert [(old[-1], new[-1]) for old, new in effect.renames] == [("A", "B")]
    assert effect.unresolved == ()
