"""Statements as they are stored: those of earlier versions stay equal, and no row is doubled."""

from __future__ import annotations

import pytest

from lineage.readers.query_logs.texts import decode_statements, encode_statements
from lineage.sql import read_statements

FLOW = (
    '"flows":[{"target":["dbo","u"],"sources":[["dbo","s"]],"mode":"append"}],"reads":[["dbo","s"]]'
)
INSERT = "INSERT INTO dbo.u SELECT * FROM dbo.s"
# Of a statement in a routine, all fields are written.
AFTER_READS = (
    '"temporary":[],"drops":[],"renames":[],"swaps":false,"calls":[],"functions":[],"may_call":[],'
    '"declares":[],"routine":null,"use":null,"may_use":null,"search_path":null,"lasts_until":"",'
    '"resets":[],"attaches":null,"detaches":"","transaction":"","chains":false,"autocommit":"",'
    '"savepoint":null,"handle":null,"unresolved":[]'
)


@pytest.mark.parametrize(
    ("dialect", "text", "stored"),
    [
        (
            "tsql",
            "IF @@TRANCOUNT = 0 BEGIN TRANSACTION",
            (
                '[{"kind":"CONDITION","shape":"IF @@TRANCOUNT = ?"},{"kind":"TRANSACTION",'
                '"shape":"BEGIN TRAN","transaction":"begin","branches":[[1,0,true,false]]}]'
            ),
        ),
        (
            "tsql",
            f"BEGIN TRY {INSERT} END TRY BEGIN CATCH ROLLBACK END CATCH",
            (
                f'[{{"kind":"INSERT","shape":"{INSERT}",{FLOW},"branches":[[1,0,false,true]]}},'
                '{"kind":"OTHER","shape":"ROLLBACK","branches":[[1,1,false,true]]}]'
            ),
        ),
        (
            "mysql",
            f"BEGIN WHILE x DO {INSERT}; END WHILE; END",
            f'[{{"kind":"INSERT","shape":"{INSERT}",{FLOW},"branches":[[2,0,true,false]]}}]',
        ),
        (
            "tsql",
            f"CREATE PROCEDURE p AS IF 1 = 1 {INSERT}",
            (
                '[{"kind":"CREATE PROCEDURE",'
                f'"shape":"CREATE PROCEDURE p AS IF ? = ? {INSERT}",'
                '"routine":{"name":["p"],"statements":[{"kind":"CONDITION","shape":"IF ? = ?",'
                f'"flows":[],"reads":[],{AFTER_READS},"branches":[]}},'
                f'{{"kind":"INSERT","shape":"{INSERT}",{FLOW},{AFTER_READS},'
                '"branches":[[1,0,true,false]]}]}}]'
            ),
        ),
    ],
)
def test_branches_without_jumps_are_stored_as_before_jumps_were_known(
    dialect: str, text: str, stored: str
) -> None:
    statements = read_statements(text, dialect)
    assert encode_statements(statements).body == stored
    assert decode_statements(stored) == statements


def test_a_jump_is_stored() -> None:
    statements = read_statements("IF @c = 1 BEGIN SELECT 1 RETURN END SELECT 2", "tsql")
    body = encode_statements(statements).body
    assert decode_statements(body) == statements
    assert [each.branches[0].leads_to for each in statements if each.branches] == [0, 0]
