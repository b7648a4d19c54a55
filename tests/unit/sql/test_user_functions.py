"""Functions of users in queries, which may read or write tables."""

from __future__ import annotations

import pytest

from lineage.sql import Catalog, Session, merge_effects, read_statements
from lineage.sql.user_functions import builtin_functions


def list_functions(text: str, dialect: str) -> list[str]:
    return [".".join(name) for each in read_statements(text, dialect) for name in each.functions]


@pytest.mark.parametrize(
    ("dialect", "text", "functions"),
    [
        ("postgres", "SELECT w.fill()", ["w.fill"]),
        ("postgres", 'SELECT Fill(a), "W"."Fill"() FROM t', ["fill", "w.fill"]),
        ("postgres", "SELECT * FROM w.rows_of(3) AS x JOIN t ON t.a = x.a", ["w.rows_of"]),
        ("postgres", "INSERT INTO t SELECT s.b FROM s WHERE allowed(s.a)", ["allowed"]),
        ("postgres", "UPDATE t SET a = db.w.f(b)", ["db.w.f"]),
        ("postgres", "SELECT query_to_xml('SELECT * FROM s', true, true, '')", ["query_to_xml"]),
        ("tsql", "SELECT dbo.Rate(a) FROM t CROSS APPLY app.p(t.b) AS p", ["dbo.rate", "app.p"]),
        ("snowflake", "SELECT f(a), db.s.g(a) FROM TABLE(h(1))", ["F", "DB.S.G", "H"]),
        ("bigquery", "SELECT ds.f(a), `p.ds.g`(a) FROM ds.h(1)", ["ds.f", "p.ds.g", "ds.h"]),
        ("mysql", "SELECT shop.price(a), price(a) FROM t", ["shop.price", "price"]),
        ("spark", "SELECT main.tools.f(a), f(a) FROM t", ["main.tools.f", "f"]),
        ("duckdb", "SELECT f(a) FROM t", ["f"]),
    ],
)
def test_functions_of_users_are_named(dialect: str, text: str, functions: list[str]) -> None:
    assert sorted(list_functions(text, dialect)) == sorted(functions)


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "postgres",
            (
                "SELECT pg_catalog.now(), lower(a), jsonb_build_object('k', b), gen_random_uuid(),"
                " pg_advisory_lock(1), nextval('s'), ts_rank_cd(v, q), similarity(a, b),"
                " crypt(a, b), st_makepoint(1, 2), percentile_cont(0.5) WITHIN GROUP (ORDER BY a)"
                " FROM t, generate_series(1, 3) AS g, jsonb_to_recordset(t.j) AS r (k int)"
            ),
        ),
        (
            "tsql",
            (
                "SELECT JSON_VALUE(a, '$.x'), t.x.value('(/a)[1]', 'int'), t.g.STDistance(h),"
                " node.GetLevel(), FORMATMESSAGE(a), sys.fn_varbintohexstr(b)"
                " FROM t CROSS APPLY t.x.nodes('/r') AS n (c) CROSS APPLY OPENJSON(t.j)"
            ),
        ),
        (
            "snowflake",
            (
                "SELECT SYSTEM$TYPEOF(a), SNOWFLAKE.CORTEX.COMPLETE('m', a),"
                " H3_LATLNG_TO_CELL(a, b, 3),"
                " a FROM t, LATERAL FLATTEN(INPUT => t.j), TABLE(GENERATOR(ROWCOUNT => 5)),"
                " TABLE(INFORMATION_SCHEMA.COPY_HISTORY(TABLE_NAME => 'x'))"
            ),
        ),
        ("bigquery", "SELECT SAFE.SUBSTR(a, 1), NET.HOST(a), ST_GEOGPOINT(1, 2) FROM t"),
        ("mysql", "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a), b = 1"),
        ("mysql", "SELECT uuid_to_bin(b), benchmark(1, a), json_table_x FROM t"),
        ("spark", "SELECT transform(a, x -> x + 1), xpath_int(c, 'a') FROM t"),
        ("duckdb", "SELECT a.upper(), list_transform(b, x -> x + 1) FROM read_parquet('f')"),
        ("redshift", "SELECT f_of_users(a) FROM t"),
    ],
)
def test_functions_of_the_database_are_not_named(dialect: str, text: str) -> None:
    assert list_functions(text, dialect) == []


def test_an_unknown_function_is_reported_and_changes_no_table() -> None:
    session = Session("postgres", "db", "public")
    [statement] = read_statements("INSERT INTO t SELECT rate(a) FROM s", "postgres")
    effect = session.apply_statement(statement)
    assert effect.unresolved == ("the function rate is not known, it may read or write tables",)
    [flow] = effect.flows
    assert (flow.target, flow.sources) == (("db", "public", "t"), (("db", "public", "s"),))


def make_session(schema: str = "public") -> Session:
    bodies = {
        ("db", "w", "fill"): "INSERT INTO w.e SELECT a FROM w.d",
        ("db", "public", "rate"): "SELECT max(r) FROM rates",
        ("db", "public", "twice"): "SELECT rate(1) * 2",
    }
    routines = {name: read_statements(text, "postgres") for name, text in bodies.items()}
    columns = {("db", "public", "t"): ("v",), ("db", "public", "s"): ("a",)}
    return Session("postgres", "db", schema, Catalog(columns, routines))


def test_a_known_function_writes_what_its_body_writes() -> None:
    [statement] = read_statements("SELECT w.fill()", "postgres")
    effect = make_session().apply_statement(statement)
    assert [(flow.target, flow.sources) for flow in effect.flows] == [
        (("db", "w", "e"), (("db", "w", "d"),))
    ]
    assert not effect.unresolved


@pytest.mark.parametrize("call", ["rate(a)", "twice(a)", "Public.Rate(a)"])
@pytest.mark.parametrize("schema", ["public", "other,public"])
def test_values_of_a_known_function_are_of_the_tables_that_it_reads(call: str, schema: str) -> None:
    text = f"INSERT INTO public.t (v) SELECT {call} FROM public.s"
    session = make_session(schema)
    effect = merge_effects(map(session.apply_statement, read_statements(text, "postgres")))
    [flow] = effect.flows
    assert {source[-1] for source in flow.sources} == {"s", "rates"}
    assert flow.columns is None
    assert effect.columns_unresolved == ("the columns that a function reads are not traced",)


def test_functions_that_call_each_other_end() -> None:
    body = read_statements("SELECT f()", "postgres")
    session = Session("postgres", None, "public", Catalog({}, {("public", "f"): body}))
    effect = session.apply_statement(body[0])
    assert effect.unresolved == ("procedures call each other too deeply",)


def test_names_of_a_catalog_match_without_case() -> None:
    body = read_statements("INSERT INTO dbo.t (a) SELECT a FROM dbo.s", "tsql")
    catalog = Catalog({}, {("Shop", "dbo", "LoadAll"): body})
    session = Session("tsql", "shop", "dbo", catalog)
    [statement] = read_statements("EXEC dbo.loadall", "tsql")
    effect = session.apply_statement(statement)
    assert [flow.target for flow in effect.flows] == [("shop", "dbo", "t")]


@pytest.mark.parametrize(
    ("dialect", "routine", "call", "schema"),
    [
        ("mysql", ("shop", "refresh"), "CALL shop.refresh()", None),
        ("tsql", ("Shop", "dbo", "refresh"), "EXEC Shop.dbo.refresh", "dbo"),
    ],
)
def test_tables_of_a_body_are_in_the_database_of_the_routine(
    dialect: str, routine: tuple[str, ...], call: str, schema: str | None
) -> None:
    body = read_statements("INSERT INTO totals (a) SELECT a FROM orders", dialect)
    session = Session(dialect, "other", schema, Catalog({}, {routine: body}))
    text = f"{call}; INSERT INTO t (a) SELECT a FROM s"
    flows = [
        flow for s in read_statements(text, dialect) for flow in session.apply_statement(s).flows
    ]
    assert [(flow.target[0], flow.sources[0][0]) for flow in flows] == [
        ("shop", "shop"), ("other", "other"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("dialect", "text"),
    [
        (
            "postgres",
            ("CREATE FUNCTION w.f() RETURNS void LANGUAGE sql AS $$ INSERT INTO w.a TABLE w.b $$;"
            " SELECT w.f()"),
        ),
        (
            "tsql",
            ("CREATE PROCEDURE w.p AS INSERT INTO w.a SELECT c FROM w.x\nGO\n"
            "ALTER PROCEDURE w.p AS INSERT INTO w.a SELECT c FROM w.b\nGO\nEXEC w.p"),
        ),
        ("mysql", "CREATE PROCEDURE p() BEGIN INSERT INTO a SELECT * FROM b; END; CALL p()"),
        (
            "snowflake",
            ("CREATE PROCEDURE W.P() RETURNS STRING LANGUAGE SQL AS"
            " $$ BEGIN INSERT INTO W.A SELECT * FROM W.B; END $$; CALL w.p()"),
        ),
    ],
)  # fmt: skip
def test_a_session_runs_the_routines_that_it_created(dialect: str, text: str) -> None:
    session = Session(dialect, "db", "w")
    effects = [session.apply_statement(each) for each in read_statements(text, dialect)]
    assert [
        (flow.target[-1].lower(), flow.sources[0][-1].lower()) for flow in effects[-1].flows
    ] == [("a", "b")]
    assert effects[-1].unresolved == ()


def test_which_of_two_routines_runs_is_not_known() -> None:
    """PostgreSQL chooses it by the types of the arguments."""
    create = "CREATE FUNCTION w.f({}) RETURNS void LANGUAGE sql AS $$ INSERT INTO w.{} TABLE w.b $$"
    text = "; ".join((create.format("int", "a"), create.format("text", "c"), "SELECT w.f(1)"))
    session = Session("postgres", "db")
    effects = [session.apply_statement(each) for each in read_statements(text, "postgres")]
    assert effects[-1].flows == ()
    assert effects[-1].unresolved == ("which of the routines db.w.f runs is not known",)


def test_lists_have_names_in_lower_case_only() -> None:
    for dialect in ("postgres", "mysql", "snowflake", "duckdb", "spark"):
        names = builtin_functions(dialect)
        assert {"coalesce", "concat"} - names <= {"coalesce"}, dialect
        assert len(names) > 350
        assert all(name == name.lower() for name in names)
