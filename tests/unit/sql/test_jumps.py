"""Values after arms that RETURN, RAISE, THROW, EXIT or CONTINUE leaves."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lineage.sql import Session, merge_effects, read_statements, statement_from_json
from lineage.sql.records import statement_to_json

if TYPE_CHECKING:
    from collections.abc import Iterator


def list_sources(dialect: str, text: str) -> dict[str, str]:
    """Return the names of the sources of each table; all statements are read."""
    session = Session(dialect, "db", "dbo")
    effect = merge_effects(map(session.apply_statement, read_statements(text, dialect)))
    assert not effect.unresolved
    return {
        flow.target[-1].lower(): " ".join(sorted(name[-1].lower() for name in flow.sources))
        for flow in effect.flows
    }


IF_LEAVES = "SELECT a INTO x FROM s1; IF c THEN SELECT a INTO x FROM s2; INSERT INTO u VALUES (x); "
AFTER = "END IF; INSERT INTO t VALUES (x); "
RAISES = ["RETURN", "RAISE EXCEPTION 'none: %', x", "RAISE 'none'", "RAISE", "BEGIN RETURN; END"]


@pytest.mark.parametrize("jump", RAISES)
def test_an_arm_that_ends_a_body(jump: str) -> None:
    text = f"DO $$ DECLARE x int; BEGIN {IF_LEAVES} {jump}; {AFTER} END $$"
    assert list_sources("postgres", text) == {"u": "s2", "t": "s1"}


@pytest.mark.parametrize("jump", ["RAISE NOTICE 'x: %', x", "RAISE WARNING 'x'", "PERFORM 1"])
def test_an_arm_that_goes_on(jump: str) -> None:
    text = f"DO $$ DECLARE x int; BEGIN {IF_LEAVES} {jump}; {AFTER} END $$"
    assert list_sources("postgres", text) == {"u": "s2", "t": "s1 s2"}


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "oracle",
            f"DECLARE x NUMBER; BEGIN {IF_LEAVES} RAISE_APPLICATION_ERROR(-1, x); {AFTER} END;\n/",
        ),
        ("oracle", f"DECLARE x NUMBER; BEGIN {IF_LEAVES} RETURN; {AFTER} END;\n/"),
        (
            "mysql",
            f"CREATE PROCEDURE p() q: BEGIN DECLARE x INT; {IF_LEAVES}LEAVE q;{AFTER}END; CALL p()",
        ),
        (
            "snowflake",
            (
                "DECLARE x INT; BEGIN x := (SELECT a FROM s1);IF (c) THEN x := (SELECT a FROM s2); "
                "INSERT INTO u VALUES (:x); RETURN 'x'; END IF; INSERT INTO t VALUES (:x); END"
            ),
        ),
        (
            "tsql",
            (
                "DECLARE @x int; SELECT @x = a FROM s1; IF @c = 1 BEGIN SELECT @x = a FROM s2; "
                "INSERT u VALUES (@x); RETURN END INSERT t VALUES (@x)"
            ),
        ),
        (
            "tsql",
            (
                "CREATE PROC p AS DECLARE @x int; SELECT @x = a FROM s1; IF @c = 1 BEGIN "
                "SELECT @x = a FROM s2; INSERT u VALUES (@x); THROW 50000, 'x', 1 END "
                "INSERT t VALUES (@x)\nGO\nEXEC p"
            ),
        ),
        (
            "tsql",
            (
                "SELECT a INTO #w FROM s1; IF @c = 1 BEGIN TRUNCATE TABLE #w; INSERT #w SELECT a "
                "FROM s2; INSERT u SELECT a FROM #w; RETURN END INSERT t SELECT a FROM #w"
            ),
        ),
    ],
)
def test_dialects(dialect: str, text: str) -> None:
    assert list_sources(dialect, text) == {"u": "s2", "t": "s1"}


@pytest.mark.parametrize(
    ("body", "sources"),
    [
        # The values of an arm that jumps are those after the loop, not those of its rest.
        ("SELECT a INTO x FROM s2; IF c THEN SELECT a INTO x FROM s3; {}; END IF", "s2"),
        (
            "<<b>> BEGIN SELECT a INTO x FROM s2; IF c THEN x := (SELECT a FROM s3); {}; END IF",
            "s2",
        ),
    ],
)
@pytest.mark.parametrize("jump", ["EXIT", "CONTINUE", "EXIT o", "CONTINUE o"])
def test_jumps_in_loops(body: str, sources: str, jump: str) -> None:
    end = "END; " if body.startswith("<<") else ""
    text = (
        f"DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s1; <<o>> LOOP {body.format(jump)}; "
        f"INSERT INTO u VALUES (x); {end}END LOOP; INSERT INTO t VALUES (x); END $$"
    )
    assert list_sources("postgres", text) == {"u": sources, "t": "s1 s2 s3"}


@pytest.mark.parametrize(
    ("dialect", "text", "sources"),
    [
        (  # an arm with a way out by GOTO, which ends by RETURN
            "tsql",
            (
                "SELECT a INTO #w FROM s1 IF @c = 1 BEGIN INSERT #w SELECT a FROM s2 IF @e <> 0 "
                "GOTO failed INSERT u SELECT a FROM #w RETURN END RETURN\n"
                "failed:\nINSERT t SELECT a FROM #w"
            ),
            {"u": "s1 s2", "t": "s1 s2"},
        ),
        (  # of arms that all RETURN, only one has a GOTO
            "tsql",
            (
                "DECLARE @x int IF @c = 1 BEGIN SELECT @x = a FROM s1 IF @e <> 0 GOTO failed "
                "RETURN END ELSE BEGIN SELECT @x = a FROM s2 INSERT u VALUES (@x) RETURN END\n"
                "failed:\nINSERT t VALUES (@x)"
            ),
            {"u": "s2", "t": "s1 s2"},
        ),
        (
            "tsql",
            (
                "CREATE PROC p AS DECLARE @x int BEGIN TRY SELECT @x = a FROM s1 goto failed "
                "RETURN END TRY BEGIN CATCH SELECT @x = a FROM s2 INSERT u VALUES (@x) RETURN "
                "END CATCH\nfailed:\nINSERT t VALUES (@x)\nGO\nEXEC p"
            ),
            {"u": "s2", "t": "s1 s2"},
        ),
        (
            "oracle",
            (
                "DECLARE x NUMBER; BEGIN SELECT a INTO x FROM s1; IF c THEN SELECT a INTO x FROM "
                "s2; IF d THEN GOTO failed; END IF; RETURN; END IF; INSERT INTO u VALUES (x); "
                "RETURN; <<failed>> INSERT INTO t VALUES (x); END;\n/"
            ),
            {"u": "s1 s2", "t": "s1 s2"},
        ),
        (
            "tsql",
            (
                "DECLARE @x int IF @c = 1 BEGIN SELECT @x = a FROM s2 /* goto */ RETURN END "
                "INSERT t VALUES (@x)"
            ),
            {"t": ""},
        ),
    ],
)
def test_with_goto_values_of_each_arm_reach_what_follows(
    dialect: str, text: str, sources: dict[str, str]
) -> None:
    assert list_sources(dialect, text) == sources


def test_a_condition_of_a_jump_is_no_jump() -> None:
    text = (
        "DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s1; LOOP IF c THEN SELECT a INTO x FROM "
        "s2; EXIT WHEN d; END IF; INSERT INTO t VALUES (x); END LOOP; END $$"
    )
    assert list_sources("postgres", text) == {"t": "s1 s2"}


def test_a_handler_has_the_values_of_arms_that_fail() -> None:
    text = (
        "DO $$ DECLARE x int; BEGIN BEGIN SELECT a INTO x FROM s1; IF c THEN SELECT a INTO x FROM "
        "s2; RAISE EXCEPTION 'x'; END IF; INSERT INTO t VALUES (x); EXCEPTION WHEN others THEN "
        "INSERT INTO err VALUES (x); SELECT a INTO x FROM s3; RAISE; END; INSERT INTO u VALUES "
        "(x); END $$"
    )
    assert list_sources("postgres", text) == {"t": "s1", "err": "s1 s2", "u": "s1"}


def test_a_throw_in_catch() -> None:
    text = (
        "DECLARE @x int; BEGIN TRY SELECT @x = a FROM s1 END TRY BEGIN CATCH SELECT @x = a FROM "
        "s2; INSERT err VALUES (@x); THROW END CATCH INSERT t VALUES (@x)"
    )
    assert list_sources("tsql", text) == {"err": "s2", "t": "s1"}


def test_rows_that_a_text_left_when_it_returned() -> None:
    first = (
        "SELECT a INTO #w FROM s1; IF @c = 1 BEGIN TRUNCATE TABLE #w; INSERT #w SELECT a FROM s2; "
        "RETURN END"
    )
    session = Session("tsql", "db", "dbo")
    list(map(session.apply_statement, read_statements(first, "tsql")))
    session.end_text()
    (insert,) = read_statements("INSERT t SELECT a FROM #w", "tsql")
    flows = session.apply_statement(insert).flows
    assert [sorted(name[-1] for name in flow.sources) for flow in flows] == [["s1", "s2"]]


def test_a_jump_ends_its_batch_only() -> None:
    text = (
        "SELECT a INTO #w FROM s1\nIF @c = 1 BEGIN TRUNCATE TABLE #w; INSERT #w SELECT a FROM s2; "
        "RETURN END\nGO\nINSERT t SELECT a FROM #w"
    )
    assert list_sources("tsql", text) == {"t": "s1 s2"}


def test_jumps_as_json() -> None:
    text = "SELECT 1; IF @c = 1 BEGIN SELECT a INTO #w FROM s1; RETURN END"
    for statement in read_statements(text, "tsql"):
        assert statement_from_json(statement_to_json(statement)) == statement


Step: TypeAlias = "int | str | tuple[tuple[tuple[Step, ...], ...], bool]"
# A number assigns from the table of the number; a tuple has the arms of IF, the last of ELSE.
STEPS = st.recursive(
    st.one_of(st.integers(1, 5), st.just("put")),
    lambda steps: st.tuples(
        st.lists(
            st.tuples(st.lists(steps, max_size=3), st.sampled_from([(), (), ("return",)])).map(
                lambda arm: (*arm[0], *arm[1])
            ),
            min_size=1,
            max_size=3,
        ).map(tuple),
        st.booleans(),
    ),
    max_leaves=12,
)


def execute_steps(steps: tuple[Step, ...], states: set[int], tables: list[set[int]]) -> set[int]:
    """Return the values of the variable after the steps; each put adds those before it."""
    for step in steps:
        if step == "put":
            tables.append(states)
        elif step == "return":
            states = set()
        elif isinstance(step, int):
            states = {step} if states else set()
        elif isinstance(step, tuple):
            arms, has_else = step
            ends = [execute_steps(arm, states, tables) for arm in arms]
            is_optional = len(arms) == 1 or not has_else
            states = set().union(*ends, states if is_optional else ())
    return states


def write_steps(steps: tuple[Step, ...], count: Iterator[int]) -> str:
    """Return the steps as statements of PL/pgSQL."""
    texts = []
    for step in steps:
        if step == "put":
            texts.append(f"INSERT INTO t{next(count)} VALUES (x);")
        elif step == "return":
            texts.append("RETURN;")
        elif isinstance(step, int):
            texts.append(f"SELECT a INTO x FROM s{step};")
        elif isinstance(step, tuple):
            arms, has_else = step
            for place, arm in enumerate(arms):
                is_else = has_else and place == len(arms) - 1 > 0
                head = "ELSE" if is_else else "ELSIF c THEN" if place else "IF c THEN"
                texts.append(f"{head} {write_steps(arm, count)}")
            texts.append("END IF;")
    return " ".join(texts)


# What follows an IF whose arms all return is not executed.
NOT_REACHED = ((((("return",), (1, "return")), True), ((("put",),), False)),)


@given(st.lists(STEPS, min_size=1, max_size=6).map(tuple))
@example(((NOT_REACHED, False), "put"))
def test_random_branches(steps: tuple[Step, ...]) -> None:
    tables: list[set[int]] = []
    execute_steps(steps, {0}, tables)
    body = write_steps(steps, itertools.count())
    sources = list_sources(
        "postgres", f"DO $$ DECLARE x int; BEGIN SELECT a INTO x FROM s0; {body} END $$"
    )
    for place, values in enumerate(tables):
        if values:  # else it cannot be executed
            assert sources[f"t{place}"] == " ".join(f"s{each}" for each in sorted(values)), body
