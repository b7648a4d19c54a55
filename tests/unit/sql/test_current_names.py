"""Names without a database or schema: USE, search paths, attached databases, and when they end."""

from __future__ import annotations

import json
from typing import Any

import pytest

from lineage.sql import (
    Catalog,
    Session,
    merge_effects,
    read_statements,
    statement_from_json,
    statement_to_json,
)


def edges_of(text: str, dialect: str, database: str, schema: str) -> dict[str, set[str]]:
    """Return the sources of each table that a text, as a log stores it, wrote or renamed."""
    session = Session(dialect, database, schema)
    stored = [json.loads(json.dumps(statement_to_json(s))) for s in read_statements(text, dialect)]
    merged = merge_effects([session.apply_statement(statement_from_json(s)) for s in stored])
    assert not merged.unresolved
    edges: dict[str, set[str]] = {}
    for flow in merged.flows:
        edges.setdefault(".".join(flow.target), set()).update(map(".".join, flow.sources))
    for old, new in merged.renames:
        edges.setdefault(".".join(new), set()).add(".".join(old))
    return edges


def unresolved_in(text: str, dialect: str, *start: str, **catalog: Any) -> tuple[str, ...]:
    session = Session(dialect, *start, **catalog)
    effects = [session.apply_statement(each) for each in read_statements(text, dialect)]
    return merge_effects(effects).unresolved


COPY = "INSERT INTO t SELECT * FROM a"


@pytest.mark.parametrize(
    ("use", "target", "source"),
    [
        ("USE CATALOG c1; USE SCHEMA s1", "c1.s1.t", "c1.s1.a"),
        ("USE CATALOG c1", "c1.default.t", "c1.default.a"),
        ("SET CATALOG c1", "c1.default.t", "c1.default.a"),
        ("USE SCHEMA s1", "main.s1.t", "main.s1.a"),
        ("USE c1.s1; USE SCHEMA s2", "c1.s2.t", "c1.s2.a"),
    ],
)
def test_databricks_uses_catalogs_and_schemas(use: str, target: str, source: str) -> None:
    assert edges_of(f"{use}; {COPY}", "databricks", "main", "default") == {target: {source}}


def test_names_with_a_schema_are_of_the_current_catalog() -> None:
    text = "USE CATALOG c1; INSERT INTO s1.t SELECT * FROM s2.x"
    assert edges_of(text, "databricks", "main", "default") == {"c1.s1.t": {"c1.s2.x"}}


@pytest.mark.parametrize(
    ("before", "schema"),
    [
        ("BEGIN; SET LOCAL search_path = s1", "s1"),
        ("BEGIN; SET LOCAL search_path = s1; COMMIT", "public"),
        ("BEGIN; SET search_path = s2; SET LOCAL search_path = s1; COMMIT", "s2"),
        ("BEGIN; SET LOCAL search_path = s1; SET search_path = s2; COMMIT", "s2"),
        ("BEGIN; SET search_path = s1; ROLLBACK", "public"),
        ("BEGIN; SET search_path = s1; COMMIT", "s1"),
        ("BEGIN; SAVEPOINT p; SET search_path = s1; ROLLBACK TO p; COMMIT", "public"),
        ("SET search_path = s1; SET search_path TO DEFAULT", "public"),
        ("SET search_path = s1; RESET search_path", "public"),
        ("SET search_path = s1; RESET ALL", "public"),
        ("SET search_path = s1; RESET work_mem", "s1"),
        ("SET search_path = s1; DISCARD ALL", "public"),
        ("SELECT set_config('search_path', 's1', false)", "s1"),
        ("BEGIN; SELECT pg_catalog.set_config('search_path', 's1', true); COMMIT", "public"),
        ("SELECT set_config('work_mem', '1', false)", "public"),
        ("SET search_path = s1, pg_temp", "s1"),
    ],
)
def test_the_search_path_lasts_as_long_as_it_is_set(before: str, schema: str) -> None:
    end = "; COMMIT" if before.endswith("LOCAL search_path = s1") else ""
    [target] = edges_of(f"{before}; {COPY}{end}", "postgres", "db", "public")
    assert target == f"db.{schema}.t"


@pytest.mark.parametrize(
    "create",
    [
        "SET search_path = core, archive; CREATE TABLE archive.orders AS SELECT * FROM core.orders",
        "SET search_path = core, public; CREATE TABLE IF NOT EXISTS public.orders (x int)",
        "SET search_path = core, public; CREATE VIEW public.orders AS SELECT * FROM core.orders",
        "SET search_path = core, public; ALTER TABLE stage.orders SET SCHEMA public",
        "SET search_path = core, public; CREATE TABLE orders (x int); SET search_path = s, core",
    ],
)
def test_a_new_table_of_a_later_schema_may_be_hidden_by_one_of_an_earlier_schema(
    create: str,
) -> None:
    text = f"{create}; INSERT INTO stats.old SELECT * FROM orders"
    reason = "the schema of orders depends on the search path"
    assert unresolved_in(text, "postgres", "db", "public") == (reason,)


def test_a_search_path_that_is_composed_at_run_time_is_reported() -> None:
    text = "SELECT set_config('search_path', current_user, false)"
    [reason] = unresolved_in(text, "postgres", "db", "public")
    assert reason == "the search path that set_config sets is not known"


@pytest.mark.parametrize("value", ["$1", "current_user", "concat($1, ',public')"])
def test_names_after_an_unknown_search_path_have_no_schema(value: str) -> None:
    def targets_of(is_local: str) -> list[str]:
        text = f"SELECT set_config('search_path', {value}, {is_local})"
        session = Session("postgres", "db", "public")
        statements = read_statements(f"BEGIN; {text}; {COPY}; COMMIT; {COPY}", "postgres")
        merged = merge_effects(map(session.apply_statement, statements))
        return [".".join(flow.target) for flow in merged.flows]

    assert targets_of("false") == targets_of("$2") == ["t"]
    assert targets_of("true") == ["t", "db.public.t"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO t SELECT * FROM a", ["t"]),
        ("INSERT INTO public.t SELECT * FROM a", []),
        ("INSERT INTO unknown SELECT * FROM a", []),
        ("INSERT INTO b SELECT * FROM a", []),
        ("SET search_path TO stage; CREATE TABLE t AS SELECT * FROM stage.a", []),
        ("CREATE TEMP TABLE t AS SELECT * FROM a; INSERT INTO b SELECT * FROM t", []),
    ],
)
def test_a_table_that_only_other_schemas_have_is_not_of_the_default_schema(
    text: str, expected: list[str]
) -> None:
    """An option of the connection or of its role may set another search path."""
    names = [("db", "core", "t"), ("db", "core", "b"), ("db", "public", "a"), ("db", "public", "b")]
    catalog = Catalog(columns=dict.fromkeys([*names, ("other", "core", "unknown")], ("x",)))
    reasons = unresolved_in(text, "postgres", "db", "public", catalog=catalog)
    assert list(reasons) == [f"the schema of {t} depends on the search path" for t in expected]


@pytest.mark.parametrize("place", ["before", "after"])
def test_the_search_path_of_a_function_is_that_of_its_body(place: str) -> None:
    option = "SET search_path = app"
    before, after = (option, "") if place == "before" else ("", option)
    text = f"""CREATE FUNCTION public.f() RETURNS void LANGUAGE plpgsql {before}
        AS $$ BEGIN {COPY}; END $$ {after}; SELECT f(); INSERT INTO u SELECT * FROM b"""
    assert edges_of(text, "postgres", "db", "public") == {
        "db.app.t": {"db.app.a"},
        "db.public.u": {"db.public.b"},
    }


@pytest.mark.parametrize(
    "end",
    [
        "BEGIN; CREATE TEMP TABLE x ON COMMIT DROP AS SELECT * FROM s; COMMIT",
        "BEGIN; CREATE TEMP TABLE x (i int) ON COMMIT DROP; INSERT INTO x SELECT * FROM s; COMMIT",
        "CREATE TEMP TABLE x AS SELECT * FROM s; DISCARD ALL",
        "CREATE TEMP TABLE x AS SELECT * FROM s; DISCARD TEMP",
    ],
)
def test_a_temporary_table_that_is_gone_hides_no_table(end: str) -> None:
    text = f"{end}; INSERT INTO t SELECT * FROM x"
    assert edges_of(text, "postgres", "db", "public") == {"db.public.t": {"db.public.x"}}


def test_a_temporary_table_is_known_until_the_commit_that_drops_it() -> None:
    text = """BEGIN; CREATE TEMP TABLE x ON COMMIT DROP AS SELECT * FROM s;
        INSERT INTO t SELECT * FROM x; COMMIT"""
    assert edges_of(text, "postgres", "db", "public") == {"db.public.t": {"db.public.s"}}


def test_discard_all_releases_prepared_statements() -> None:
    text = f"PREPARE p AS {COPY}; DISCARD ALL; EXECUTE p"
    [reason] = unresolved_in(text, "postgres", "db", "public")
    assert "the handle p" in reason


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ATTACH 'x.db' AS o; INSERT INTO o.t SELECT * FROM a", {"o.main.t": {"mydb.main.a"}}),
        ("ATTACH 'in/o.db'; INSERT INTO o.t SELECT * FROM a", {"o.main.t": {"mydb.main.a"}}),
        (
            f"ATTACH DATABASE IF NOT EXISTS 'x.db' AS o (READ_ONLY); USE o; {COPY}",
            {"o.main.t": {"o.main.a"}},
        ),
        (
            "ATTACH 'dbname=e' AS e (TYPE postgres); INSERT INTO t SELECT * FROM e.a",
            {"mydb.main.t": {"e.public.a"}},
        ),
        ("ATTACH 'x.db' AS o; DETACH o; INSERT INTO o.t TABLE r.a", {"mydb.o.t": {"mydb.r.a"}}),
        (f"SET schema = 's1'; {COPY}", {"mydb.s1.t": {"mydb.s1.a"}}),
        (
            f"ATTACH 'dbname=e' AS e (TYPE postgres); USE e; {COPY}",
            {"e.public.t": {"e.public.a"}},
        ),
        (f"SET schema = 'o.s1'; {COPY}", {"o.s1.t": {"o.s1.a"}}),
        (f"SET schema TO 's1'; {COPY}", {"mydb.s1.t": {"mydb.s1.a"}}),
        (f"SET schema = 's1'; RESET schema; {COPY}", {"mydb.main.t": {"mydb.main.a"}}),
    ],
)  # fmt: skip
def test_duckdb_has_databases_that_are_attached(text: str, expected: dict[str, set[str]]) -> None:
    assert edges_of(text, "duckdb", "mydb", "main") == expected


@pytest.mark.parametrize(
    ("setting", "target", "source"),
    [
        ("SET @@dataset_id = 'd9'", "p.d9.t", "p.d9.a"),
        ("SET @@dataset_project_id = 'p9'", "p9.d0.t", "p9.d0.a"),
        ("DECLARE n INT64; SET @@dataset_id = 'd9'", "p.d9.t", "p.d9.a"),
    ],
)
def test_bigquery_sets_the_dataset_by_variables(setting: str, target: str, source: str) -> None:
    assert edges_of(f"{setting}; {COPY}", "bigquery", "p", "d0") == {target: {source}}


@pytest.mark.parametrize(
    ("create", "target", "source"),
    [
        ("CREATE SCHEMA s1", "DB.S1.T", "DB.S1.A"),
        ("CREATE OR REPLACE TRANSIENT SCHEMA d1.s1", "D1.S1.T", "D1.S1.A"),
        ("CREATE DATABASE d1", "D1.PUBLIC.T", "D1.PUBLIC.A"),
        ("CREATE SCHEMA IF NOT EXISTS s0", "DB.S0.T", "DB.S0.A"),
    ],
)
def test_snowflake_uses_what_it_creates(create: str, target: str, source: str) -> None:
    assert edges_of(f"{create}; {COPY}", "snowflake", "DB", "S0") == {target: {source}}


def test_what_a_schema_that_may_exist_changes_is_reported() -> None:
    reasons = unresolved_in(f"CREATE SCHEMA IF NOT EXISTS s1; {COPY}", "snowflake", "DB", "S0")
    assert "the schema of T depends on the search path" in reasons
    session = Session("snowflake", "DB", "S0")
    text = f"CREATE DATABASE IF NOT EXISTS d1; {COPY}"
    _, effect = [session.apply_statement(each) for each in read_statements(text, "snowflake")]
    assert effect.flows[0].target == ("T",), "its database is not known"


@pytest.mark.parametrize(
    "text",
    [
        "CREATE DATABASE IF NOT EXISTS &{env}_dw",
        "CREATE OR REPLACE SCHEMA {{ schema }}",
        "CREATE DATABASE $name",
        "USE DATABASE &{env}_dw",
        'USE DATABASE "{{ db }}"',
        "USE DATABASE IDENTIFIER($name)",
    ],
)
def test_a_name_after_an_unknown_database_is_not_completed(text: str) -> None:
    session = Session("snowflake", "DB", "S0")
    use, copy = map(session.apply_statement, read_statements(f"{text}; {COPY}", "snowflake"))
    assert use.unresolved == ("the database of USE is in a variable or an expression",)
    assert [(flow.target, flow.sources) for flow in copy.flows] == [(("T",), (("A",),))]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [("USE $(Db)", "tsql"), ("USE [$(Db)]", "tsql"), ("USE ${db}", "spark"), ("USE ${db}", "hive")],
)
def test_a_placeholder_of_use_is_no_database(text: str, dialect: str) -> None:
    [use] = map(Session(dialect, "db", "s").apply_statement, read_statements(text, dialect))
    assert use.unresolved == ("the database of USE is in a variable or an expression",)


def test_a_name_after_a_search_path_with_a_placeholder_is_not_completed() -> None:
    text = f"SET search_path TO {{{{ schema }}}}; {COPY}"
    session = Session("postgres", "db", "public")
    path, copy = map(session.apply_statement, read_statements(text, "postgres"))
    assert path.unresolved == ("the search path is in a variable or an expression",)
    assert copy.flows[0].target == ("t",)


def test_a_session_of_oracle_changes_its_schema() -> None:
    text = f"ALTER SESSION SET CURRENT_SCHEMA = app; {COPY}"
    assert edges_of(text, "oracle", "DB", "U") == {"DB.APP.T": {"DB.APP.A"}}


@pytest.mark.parametrize("dialect", ["spark", "databricks"])
def test_a_path_is_in_no_database(dialect: str) -> None:
    text = "INSERT INTO delta.`s3://b/X` SELECT * FROM csv.`/y`; INSERT INTO r.t SELECT * FROM u"
    assert edges_of(text, dialect, "main", "s") == {
        "delta.s3://b/X": {"csv./y"},
        "main.r.t": {"main.s.u"},
    }


def test_a_schema_of_databricks_may_be_live() -> None:
    text = "CREATE SCHEMA live; INSERT INTO live.o SELECT * FROM s; INSERT INTO d TABLE live.o"
    assert edges_of(text, "databricks", "main", "x") == {
        "main.live.o": {"main.x.s"},
        "main.x.d": {"main.live.o"},
    }
