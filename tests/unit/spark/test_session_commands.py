"""Reads of statements on the state of a session: variables, caches, functions."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    ended,
    events,
    execution_end,
    execution_start,
    facet,
    identifier,
    read_by,
    table,
    unresolved,
    written_by,
)

SALES = "file /wh/sales"


def assignment(reads: str | None = "sales") -> Json:
    """Return ``SET VAR top = (SELECT max(id) FROM sales)``, or the assignment of a literal."""
    plans = Plans()
    if reads:
        made = plans.expr("ScalarSubquery", {"plan": plans.table(reads)})
    else:
        made = plans.expr("Literal", {"type": 0})
    plans.types = plans.types or ["bigint"]
    alias = plans.expr("Alias", made, {"id": 90, "name": "top", "type": 0})
    row = plans.node("OneRowRelation", out=[])
    project = plans.node("Project", row, projectList=[alias], out=[])
    variable = plans.expr("VariableReference", {"name": "top"})
    plans.node("SetVariable", project, targetVariables=[variable], out=[])
    return plans.build()


def statement(op: str, *, reads: bool = True, **args: Any) -> Json:
    """Return a statement over table ``sales``."""
    plans = Plans()
    children = [plans.table("sales")] if reads else []
    plans.node(op, *children, out=[], **args)
    return plans.build()


def filtered_by_a_variable(name: str = "session.top") -> Json:
    plans = Plans()
    orders = plans.table("orders")
    variable = plans.expr("VariableReference", {"name": name})
    condition = plans.expr("LessThan", 0, variable)
    plans.node("Filter", orders, condition=condition)
    return plans.build()


def test_a_variable_that_is_set_from_a_query_reads_its_table() -> None:
    event = ended(execution_end(assignment()))
    assert (read_by(event), written_by(event), unresolved(event)) == ([SALES], [], [])
    assert event["job"]["name"] == "nightly_load.set_variable.top"


@pytest.mark.parametrize(
    "plan",
    [assignment(reads=None), statement("CreateVariable", reads=False),
     statement("DropVariable", reads=False)],
)  # fmt: skip
def test_a_statement_on_a_variable_alone_is_no_run(plan: Json) -> None:
    assert events(execution_end(plan)) == []
    assert events(execution_start(plan)) == []


def test_one_that_fails_is_a_run_with_its_start() -> None:
    error = {"class": "org.apache.spark.SparkArithmeticException", "message": "by zero"}
    document = execution_end(assignment(reads=None), outcome="FAIL", error=error)
    assert [event["eventType"] for event in events(document)] == ["START", "FAIL"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [("session.top", "top"), ("2a5b1c5f-f390-4ea8-8e37-700706333ea6.top", "top"), ("r.id", "r.id")],
)
def test_a_query_with_a_variable_of_unknown_source_is_unresolved(name: str, shown: str) -> None:
    event = ended(execution_end(filtered_by_a_variable(name)))
    assert read_by(event) == ["file /wh/orders"]
    assert facet(event["run"], "lineage_unresolved")["items"] == [
        {
            "operator": "VariableReference",
            "reason": "a variable whose value may come from data read by an earlier statement",
            "detail": shown,
        }
    ]


@pytest.mark.parametrize("op", ["CacheTable", "CacheTableAsSelect"])
def test_to_fill_a_cache_reads_and_to_promise_it_does_not(op: str) -> None:
    filled = ended(execution_end(statement(op, multipartIdentifier=["db", "t"], isLazy=False)))
    assert read_by(filled) == [SALES]
    promised = ended(execution_end(statement(op, isLazy=True)))
    assert (read_by(promised), unresolved(promised)) == ([], [])


@pytest.mark.parametrize(
    "op", ["CreateSQLFunctionCommand", "NoopCommand", "UnsetNamespacePropertiesCommand",
           "ClearCacheCommand", "RefreshTableCommand", "SetNamespaceLocation"]
)  # fmt: skip
def test_a_definition_in_the_session_touches_no_data(op: str) -> None:
    event = ended(execution_end(statement(op, reads=False)))
    assert (read_by(event), written_by(event), unresolved(event)) == ([], [], [])


@pytest.mark.parametrize("op", ["ExternalCommandExecutor", "OpenCursor", "FetchCursor"])
def test_statements_of_another_system_or_a_cursor_are_unresolved(op: str) -> None:
    assert unresolved(ended(execution_end(statement(op, reads=False)))) == [op]


@pytest.mark.parametrize("op", ["DropNamespace", "DropDatabaseCommand"])
def test_tables_dropped_with_their_database_are_unresolved(op: str) -> None:
    kept = ended(execution_end(statement(op, reads=False, cascade=False)))
    assert unresolved(kept) == []
    gone = ended(execution_end(statement(op, reads=False, cascade=True, databaseName="mart")))
    assert unresolved(gone) == [op]


def test_statistics_of_all_tables_read_what_is_nested_in_it() -> None:
    plan = statement("AnalyzeTablesCommand", reads=False)
    counted = statement("Aggregate")
    event = ended(execution_end(plan, nested=[{"id": 8, "plan": counted}]))
    assert (read_by(event), unresolved(event)) == ([SALES], [])


def test_a_command_that_no_version_knows_is_marked_by_what_spark_says_it_is() -> None:
    plan = statement("Teleport")
    plan["nodes"][-1]["command"] = True
    event = ended(execution_end(plan))
    assert (read_by(event), unresolved(event)) == ([SALES], ["Teleport"])


def test_a_merge_that_only_inserts_is_an_append_of_its_connector() -> None:
    plans = Plans()
    table = {"v2": {"class": "org.x.T", "name": "t", "properties": {}}}
    target = plans.node(
        "DataSourceV2Relation",
        out=[plans.attribute("id")],
        table=table,
        catalog={"catalog": {"name": "shelf", "class": "org.x.C"}},
        identifier=identifier("t", "db"),
    )
    plans.node("InsertOnlyMerge", plans.table("sales"), table={"plan": target}, inner=[target])
    event = ended(execution_end(plans.build()))
    assert (read_by(event), written_by(event)) == ([SALES], ["shelf db.t"])


READER = "org.apache.spark.sql.classic.DataFrameReader.csv(DataFrameReader.scala:266)"
SQL = "org.apache.spark.sql.classic.SparkSession.sql(SparkSession.scala:567)"


def lines(*ops: str, form: str = "text", column: str = "value") -> Json:
    """Return a plan over the lines of a file."""
    plans = Plans()
    node = plans.files("file:/x.csv", columns=(column,), form=form)
    for op in ops:
        node = plans.node(op, node)
    return plans.build()


FIRST = ("Project", "Project", "Filter", "LocalLimit", "GlobalLimit")


@pytest.mark.parametrize("callsite", [READER, SQL])
@pytest.mark.parametrize("ops", [FIRST, ("Project", "DeserializeToObject")])
def test_a_look_at_files_for_their_columns_is_no_run(ops: tuple[str, ...], callsite: str) -> None:
    assert events(execution_end(lines(*ops), execution={"callsite": callsite})) == []
    assert events(execution_start(lines(*ops), execution={"callsite": callsite})) == []


@pytest.mark.parametrize(
    ("plan", "facts"),
    [
        (lines(*FIRST), {"execution": {"callsite": SQL}, "sql": "SELECT value FROM text.`/x.csv`"}),
        (lines(*FIRST, form="csv"), {"execution": {"callsite": SQL}}),
        (lines(*FIRST, column="line"), {"execution": {"callsite": SQL}}),
        (lines("Project", "Aggregate", "GlobalLimit"), {"execution": {"callsite": SQL}}),
        (lines("Project"), {"execution": {"callsite": SQL}}),
        (lines(*FIRST), {}),
    ],
)
def test_a_requested_query_of_lines_is_a_run(plan: Json, facts: Json) -> None:
    assert read_by(ended(execution_end(plan, **facts))) == ["file /x.csv"]


def test_a_look_of_a_client_of_spark_connect_is_reported_by_the_option_of_spark() -> None:
    """The call site is the client's session; Spark's own reads disable globbing of paths."""
    asked = {"execution": {"callsite": 'session_id: "9db250e4"'}}
    for ops in (FIRST, ("Project", "DeserializeToObject")):
        plan = lines(*ops)
        files = plan["nodes"][0]["args"]["relation"]["files"]
        files["options"] = {"header": "true", "__globpaths__": "false"}
        assert events(execution_end(plan, **asked)) == []
        files["options"] = {"wholetext": "false", "path": "/x.csv"}
        assert read_by(ended(execution_end(plan, **asked))) == ["file /x.csv"]


def test_a_look_that_fails_is_a_run() -> None:
    error = {"class": "org.apache.spark.sql.AnalysisException", "message": "[PATH_NOT_FOUND]"}
    failed = {"execution": {"callsite": READER}, "outcome": "FAIL", "error": error}
    assert [e["eventType"] for e in events(execution_end(None, **failed))] == ["START", "FAIL"]


def test_the_definition_of_a_table_or_view_over_files_reads_nothing() -> None:
    looked = [{"id": 8, "plan": lines(*FIRST)}]
    plans = Plans()
    plans.node("CreateDataSourceTableCommand", out=[], table=table("t", location="file:/x.csv"))
    made = ended(execution_end(plans.build(), nested=looked))
    assert (read_by(made), written_by(made)) == ([], ["file /x.csv"])
    view = statement("CreateTempViewUsing", reads=False, tableIdent=identifier("v"))
    event = ended(execution_end(view, nested=looked))
    assert (read_by(event), event["job"]["name"]) == ([], "nightly_load.create_temp_view_using.v")
