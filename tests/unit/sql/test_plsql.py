"""Scripts of Oracle: units of PL/SQL end at a line of a slash, and SELECT INTO writes no table."""

from __future__ import annotations

import pytest

from lineage.sql.effects import merge_effects
from lineage.sql.records import Flow
from lineage.sql.sessions import Session
from lineage.sql.statements import read_statements

BODY = """
  v_cnt NUMBER(10);
BEGIN
  SELECT COUNT(*) INTO v_cnt FROM b;
  INSERT INTO t SELECT * FROM s;
END;
/
"""
PACKAGE = """SET SERVEROUTPUT ON
CREATE PACKAGE BODY pk AS
  PROCEDURE fill;
  PROCEDURE run IS
    PROCEDURE clear_target IS BEGIN DELETE FROM t; END clear_target;
  BEGIN
    IF 1 = 1 THEN fill; END IF;
    clear_target;
  END run;
  PROCEDURE fill IS
  BEGIN
    DBMS_OUTPUT.PUT_LINE('x');
    FOR r IN (SELECT * FROM m) LOOP INSERT INTO t SELECT * FROM s; END LOOP;
  END fill;
END pk;
/
"""


def list_flows(text: str) -> list[tuple[str, set[str], str]]:
    """Return target, sources and mode of what a script writes; it has no unresolved statement."""
    session = Session("oracle", "D", "APP")
    effect = merge_effects(map(session.apply_statement, read_statements(text, "oracle")))
    assert not effect.unresolved
    return [
        (flow.target[-1], {source[-1] for source in flow.sources}, flow.mode)
        for flow in effect.flows
    ]


def test_a_literal_of_dynamic_sql_may_have_delimiters() -> None:
    text = "BEGIN EXECUTE IMMEDIATE q'[INSERT INTO t SELECT * FROM s WHERE a = 'x']'; END;"
    assert list_flows(text) == [("T", {"S"}, "append")]


@pytest.mark.parametrize(
    "clause",
    [
        "INSERT INTO t SELECT * FROM s LOG ERRORS INTO err REJECT LIMIT UNLIMITED;",
        "MERGE INTO t USING s ON (a = b) WHEN MATCHED THEN UPDATE SET x = 1 DELETE WHERE x = 0;",
        "UPDATE t SET x = (SELECT max(x) FROM s) RETURNING id BULK COLLECT INTO ids;",
    ],
)
def test_a_clause_of_one_statement_removes_no_other(clause: str) -> None:
    text = f"""CREATE PROCEDURE p AS BEGIN
        {clause}
        DELETE FROM u WHERE x = 1 RETURN id INTO y;
        INSERT INTO w SELECT * FROM m;
    END;
    /
    EXEC p
    """
    assert [(target, sources) for target, sources, _ in list_flows(text)] == [
        ("T", {"S"}), ("U", set()), ("W", {"M"}),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "begin",
    [
        "CREATE OR REPLACE PROCEDURE p AS",
        "CREATE EDITIONABLE PROCEDURE app.p (a IN NUMBER) IS",
        "CREATE FUNCTION f RETURN NUMBER IS",
        "CREATE TRIGGER tr AFTER INSERT ON o REFERENCING NEW AS n FOR EACH ROW DECLARE",
    ],
)
def test_a_body_does_not_run_where_it_is_defined(begin: str) -> None:
    text = begin + BODY + "INSERT INTO u SELECT * FROM w;"
    created, _ = read_statements(text, "oracle")
    assert created.routine is not None
    assert [each.flows for each in created.routine.statements] == [
        (),
        (Flow(("T",), (("S",),), "append"),),
    ]
    assert list_flows(text) == [("U", {"W"}, "append")]


@pytest.mark.parametrize("end", ["CALL p();", "EXEC p", "BEGIN\n  p;\nEND;\n/\n"])
def test_a_procedure_runs_where_it_is_named(end: str) -> None:
    assert list_flows("CREATE PROCEDURE p AS" + BODY + end) == [("T", {"S"}, "append")]


@pytest.mark.parametrize("label", ["", "<<main>>\n"])
def test_a_block_runs(label: str) -> None:
    assert list_flows(label + "DECLARE" + BODY) == [("T", {"S"}, "append")]


@pytest.mark.parametrize(
    "target", ["v", "rec.x", "v1, v2", "l_rows"], ids=["one", "a record", "two", "a collection"]
)
def test_select_into_assigns_variables(target: str) -> None:
    bulk = "BULK COLLECT " if target == "l_rows" else ""
    text = f"BEGIN SELECT a {bulk}INTO {target} FROM b; END;\n/"
    assert [(each.reads, each.flows) for each in read_statements(text, "oracle")] == [
        ((("B",),), ())
    ]


def test_procedures_of_a_package_have_its_name() -> None:
    assert list_flows(PACKAGE) == []
    assert list_flows(PACKAGE + "EXEC pk.fill\n") == [("T", {"S"}, "append")]
    assert list_flows(PACKAGE + "CALL pk.run();") == [
        ("T", {"S"}, "append"),
        ("T", set(), "delete"),
    ]


@pytest.mark.parametrize("part", ["CURSOR c IS SELECT * FROM b;", "BEGIN DELETE FROM t;"])
def test_the_cursors_and_the_first_block_of_a_package_are_reported(part: str) -> None:
    (package,) = read_statements(f"CREATE PACKAGE BODY pk AS {part} END;\n/", "oracle")
    assert package.unresolved == ("the cursors and the first block of a package are not read",)


def test_a_slash_in_a_line_is_a_division() -> None:
    assert list_flows(
        "INSERT INTO t SELECT a / b FROM s\n/\nPROMPT done\nDELETE FROM u\n / \n"
    ) == [
        ("T", {"S"}, "append"),
        ("U", set(), "delete"),
    ]


def test_the_queries_of_cursors_are_read() -> None:
    text = "DECLARE CURSOR c (n NUMBER) IS SELECT * FROM b FOR UPDATE; BEGIN OPEN c(1); END;\n/"
    assert [each.reads for each in read_statements(text, "oracle")] == [(("B",),)]


def test_a_type_with_a_length_declares_a_variable() -> None:
    text = "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$DECLARE a int; b numeric(10, 2); BEGIN END$$"
    assert [each.unresolved for each in read_statements(text, "postgres")] == [()]


HANDLER = "EXCEPTION WHEN OTHERS THEN ROLLBACK; RAISE;"


@pytest.mark.parametrize(
    "text",
    [
        f"BEGIN INSERT INTO t SELECT * FROM s; {HANDLER} END;\n/\nCOMMIT;",
        f"BEGIN INSERT INTO t SELECT * FROM s; BEGIN NULL; {HANDLER} END; END;\n/\n",
        f"BEGIN INSERT INTO t SELECT * FROM s; LOOP BEGIN NULL; {HANDLER} END; END LOOP; END;\n/\n",
    ],
)
def test_a_rollback_after_an_error_undoes_nothing(text: str) -> None:
    assert list_flows(text) == [("T", {"S"}, "append")]


@pytest.mark.parametrize(
    "rollback",
    [
        "IF n = 0 THEN ROLLBACK; ELSE COMMIT; END IF;",
        "IF n = 0 THEN COMMIT; ELSIF n = 1 THEN NULL; ELSE ROLLBACK; END IF;",
        "SAVEPOINT p; IF n = 0 THEN ROLLBACK TO p; END IF;",
        "CASE n WHEN 0 THEN ROLLBACK; ELSE COMMIT; END CASE;",
        "<<l>> FOR i IN 1 .. 3 LOOP ROLLBACK; END LOOP l;",
        "WHILE n > 0 LOOP IF n = 1 THEN NULL; END IF; ROLLBACK; END LOOP;",
    ],
)
def test_a_rollback_that_depends_on_a_condition_is_reported(rollback: str) -> None:
    text = f"BEGIN INSERT INTO t SELECT * FROM s; {rollback} END;\n/\n"
    session = Session("oracle", "D", "APP")
    effect = merge_effects(map(session.apply_statement, read_statements(text, "oracle")))
    assert [flow.target[-1] for flow in effect.flows] == ["T"]
    assert effect.unresolved == ("whether the ROLLBACK of a condition was executed is not known",)


@pytest.mark.parametrize(
    "before", ["IF n = 0 THEN NULL; END IF;", "BEGIN NULL; EXCEPTION WHEN x THEN NULL; END;"]
)
def test_a_rollback_after_a_condition_undoes_what_precedes_it(before: str) -> None:
    text = f"BEGIN INSERT INTO t SELECT * FROM s; {before} ROLLBACK; END;\n/\n"
    assert list_flows(text) == []
