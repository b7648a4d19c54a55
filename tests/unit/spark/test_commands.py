"""What each command writes, changes and reads, from plans written by hand."""

from __future__ import annotations

from typing import Any

import pytest
from plan_documents import (
    Json,
    Plans,
    change,
    ended,
    execution_end,
    facet,
    identifier,
    read_by,
    table,
    unresolved,
    written_by,
)

SALES = "file /wh/sales"


def event_of(op: str, conf: dict[str, str] | None = None, **args: Any) -> Json:
    """The end of a command without a query."""
    plans = Plans()
    plans.node(op, out=[], **args)
    return ended(execution_end(plans.build(), conf=conf or {}))


def event_of_write(op: str, as_child: bool = True, **args: Any) -> Json:
    """The end of a command that writes what it reads from table ``sales``."""
    plans = Plans()
    query = plans.table("sales")
    held = {} if as_child else {"query": {"plan": query}, "inner": [query]}
    plans.node(op, *([query] if as_child else []), out=[], **held, **args)
    return ended(execution_end(plans.build()))


def mode(event: Json) -> str:
    (output,) = event["outputs"]
    return str(facet(output, "lineage_write")["mode"])


@pytest.mark.parametrize(
    ("op", "as_child", "args", "output", "lifecycle"),
    [
        ("InsertIntoHadoopFsRelationCommand", True,
         {"outputPath": "file:/out", "mode": "Overwrite"}, "file /out", "OVERWRITE"),
        ("InsertIntoHadoopFsRelationCommand", True,
         {"outputPath": "file:/out", "mode": "ErrorIfExists"}, "file /out", "CREATE"),
        ("InsertIntoHadoopFsRelationCommand", True,
         {"outputPath": "file:/wh/t", "catalogTable": table("t"), "mode": "Append"},
         "file /wh/t", None),
        ("CreateDataSourceTableAsSelectCommand", False,
         {"table": table("t"), "mode": "ErrorIfExists"}, "file /wh/t", "CREATE"),
        ("SaveAsV1TableCommand", False,
         {"tableDesc": table("t"), "mode": "Overwrite"}, "file /wh/t", "OVERWRITE"),
        ("CreateHiveTableAsSelectCommand", False,
         {"tableDesc": table("t"), "mode": "ErrorIfExists"}, "file /wh/t", "CREATE"),
        ("InsertIntoHiveTable", True,
         {"table": table("t"), "partition": {"map": {}}, "overwrite": True},
         "file /wh/t", "OVERWRITE"),
        ("InsertIntoHiveTable", True,
         {"table": table("t"), "partition": {"map": {"day": "1"}}, "overwrite": True},
         "file /wh/t", None),
        ("InsertIntoHiveDirCommand", True,
         {"storage": {"class": "x", "args": {"locationUri": "file:/out"}}, "overwrite": True},
         "file /out", "OVERWRITE"),
        ("InsertIntoDataSourceDirCommand", False,
         {"storage": {"class": "x", "args": {"locationUri": "file:/out"}}, "provider": "csv",
          "overwrite": False}, "file /out", None),
        ("SaveIntoDataSourceCommand", False,
         {"dataSource": {"source": {"provider": "delta"}}, "mode": "Append",
          "options": {"map": {"path": "s3a://lake/t"}}}, "s3://lake t", None),
        ("SaveIntoDataSourceCommand", False,
         {"dataSource": {"source": {"provider": "jdbc"}}, "mode": "Overwrite",
          "options": {"map": {"url": "jdbc:postgresql://h/db", "dbtable": "s.t"}}},
         "postgres://h:5432 db.s.t", "OVERWRITE"),
        ("CreateViewCommand", False,
         {"name": identifier("v", "default"), "viewType": "PersistedView", "replace": False},
         "file:/wh default.v", "CREATE"),
        ("AlterViewAsCommand", False, {"name": identifier("v", "mart")},
         "file:/wh mart.v", "OVERWRITE"),
        ("CreateTableAsSelect", False,
         {"tableName": identifier("t", "ns", catalog="ice")}, "ice ns.t", "CREATE"),
        ("ReplaceTableAsSelect", False,
         {"tableName": identifier("t", "ns", catalog="ice")}, "ice ns.t", "OVERWRITE"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_write_has_its_target_and_its_source(
    op: str, as_child: bool, args: Json, output: str, lifecycle: str | None
) -> None:
    event = event_of_write(op, as_child, **args)
    assert written_by(event) == [output]
    assert read_by(event) == [SALES]
    assert change(event) == lifecycle
    assert unresolved(event) == []


@pytest.mark.parametrize(
    ("op", "args", "output", "lifecycle"),
    [
        ("CreateDataSourceTableCommand", {"table": table("t")}, "file /wh/t", "CREATE"),
        ("CreateTableCommand", {"table": table("t", "mart")}, "file /wh/mart.db/t", "CREATE"),
        ("CreateTableLikeCommand", {"targetTable": identifier("t", "mart"),
         "sourceTable": identifier("sales", "default")}, "file /wh/mart.db/t", "CREATE"),
        ("DropTableCommand", {"tableName": identifier("t", "default"), "isView": False},
         "file /wh/t", "DROP"),
        ("DropTableCommand", {"tableName": identifier("v", "default"), "isView": True},
         "file:/wh default.v", "DROP"),
        ("TruncateTableCommand", {"tableName": identifier("t", "default")},
         "file /wh/t", "TRUNCATE"),
        ("TruncateTableCommand", {"tableName": identifier("t", "default"),
         "partitionSpec": {"map": {"day": "1"}}}, "file /wh/t", "ALTER"),
        ("AlterTableAddColumnsCommand", {"table": identifier("t", "default")},
         "file /wh/t", "ALTER"),
        ("AlterTableSetLocationCommand", {"tableName": identifier("t", "default")},
         "file /wh/t", "ALTER"),
        ("AlterTableAddPartitionCommand", {"tableName": identifier("t", "default")},
         "file /wh/t", "ALTER"),
        ("RepairTableCommand", {"tableName": identifier("t", "default")}, "file /wh/t", "ALTER"),
        ("DropTable", {"tableName": identifier("t", "ns", catalog="ice")}, "ice ns.t", "DROP"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_a_definition_changes_its_target_and_reads_nothing(
    op: str, args: Json, output: str, lifecycle: str
) -> None:
    event = event_of(op, **args)
    assert written_by(event) == [output]
    assert read_by(event) == []
    assert change(event) == lifecycle


def test_a_rename_tells_the_name_before() -> None:
    names = {"oldName": identifier("t", "mart"), "newName": identifier("t2")}
    event = event_of("AlterTableRenameCommand", **names, isView=False)
    assert written_by(event) == ["file /wh/mart.db/t2"]
    assert change(event) == "RENAME"
    previous = facet(event["outputs"][0], "lifecycleStateChange")["previousIdentifier"]
    assert previous == {"namespace": "file", "name": "/wh/mart.db/t"}


def test_load_data_reads_the_path() -> None:
    name = identifier("t", "default")
    event = event_of("LoadDataCommand", table=name, path="file:/in/x.csv", isOverwrite=True)
    assert (read_by(event), written_by(event)) == (["file /in/x.csv"], ["file /wh/t"])
    assert change(event) == "OVERWRITE"


def test_analyze_reads_its_table() -> None:
    event = event_of("AnalyzeTableCommand", tableIdent=identifier("sales", "default"))
    assert (read_by(event), written_by(event)) == ([SALES], [])


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ({"staticPartitions": {"map": {"day": "1"}}}, "overwrite_partitions"),
        ({"options": {"map": {"partitionOverwriteMode": "dynamic"}}, "partitionColumns": [0]},
         "overwrite_partitions"),
        ({"options": {"map": {"partitionOverwriteMode": "static"}}, "partitionColumns": [0]},
         "overwrite"),
        ({"partitionColumns": [0]}, "overwrite"),
    ],
)  # fmt: skip
def test_the_overwrite_of_partitions_replaces_not_the_dataset(args: Json, expected: str) -> None:
    event = event_of_write(
        "InsertIntoHadoopFsRelationCommand", outputPath="file:/out", mode="Overwrite", **args
    )
    assert mode(event) == expected
    assert change(event) == ("OVERWRITE" if expected == "overwrite" else None)


def test_a_session_may_overwrite_partitions_dynamically() -> None:
    plans = Plans()
    plans.node(
        "InsertIntoHadoopFsRelationCommand",
        plans.table("sales"),
        outputPath="file:/out",
        mode="Overwrite",
        partitionColumns=[0],
    )
    settings = {"spark.sql.sources.partitionOverwriteMode": "DYNAMIC"}
    event = ended(execution_end(plans.build(), conf=settings))
    assert mode(event) == "overwrite_partitions"


def v2_write(op: str, **args: Any) -> Json:
    plans = Plans()
    target = plans.node(
        "DataSourceV2Relation",
        out=[plans.attribute("id")],
        table={"v2": {"class": "org.x.Table", "name": "ns.t", "properties": {}}},
        catalog={"catalog": {"name": "ice", "class": "org.x.Catalog"}},
        identifier=identifier("t", "ns"),
    )
    source = plans.table("sales")
    condition = plans.expr(args.pop("condition", "Literal"))
    plans.node(op, source, table={"plan": target}, deleteExpr=condition, inner=[target], out=[])
    return ended(execution_end(plans.build()))


@pytest.mark.parametrize(
    ("op", "condition", "expected"),
    [
        ("AppendData", "Literal", "append"),
        ("OverwriteByExpression", "Literal", "overwrite"),
        ("OverwriteByExpression", "EqualTo", "overwrite_partitions"),
        ("OverwritePartitionsDynamic", "Literal", "overwrite_partitions"),
    ],
)
def test_a_connectors_table_is_written_and_not_read(op: str, condition: str, expected: str) -> None:
    event = v2_write(op, condition=condition)
    assert (written_by(event), read_by(event)) == (["ice ns.t"], [SALES])
    assert mode(event) == expected


def test_a_merge_reads_its_target_too() -> None:
    plans = Plans()
    target = plans.node(
        "DataSourceV2Relation",
        out=[plans.attribute("id")],
        table={"v2": {"class": "X", "name": "t", "properties": {"location": "s3://lake/t"}}},
    )
    aliased = plans.node("SubqueryAlias", target, identifier=identifier("a"))
    plans.node("MergeIntoTable", aliased, plans.table("sales"))
    event = ended(execution_end(plans.build()))
    assert written_by(event) == ["s3://lake t"]
    assert read_by(event) == ["s3://lake t", SALES]


@pytest.mark.parametrize("kind", ["LocalTempView", "GlobalTempView"])
def test_a_temporary_view_is_no_dataset(kind: str) -> None:
    event = event_of_write(
        "CreateViewCommand", False, name=identifier("v"), viewType=kind, replace=True
    )
    assert (read_by(event), written_by(event), unresolved(event)) == ([], [], [])
    assert event["job"]["name"] == "nightly_load.create_view_command.v"


def test_a_view_has_the_columns_that_it_gives() -> None:
    event = event_of_write(
        "CreateViewCommand",
        False,
        name=identifier("v", "default"),
        viewType="PersistedView",
        userSpecifiedColumns=[["order_id"]],
    )
    fields = facet(event["outputs"][0], "schema")["fields"]
    assert [(field["name"], field["type"]) for field in fields] == [("order_id", "bigint")]


@pytest.mark.parametrize(
    "op", ["SetCommand", "ShowTables", "DescribeTableCommand", "CreateNamespace", "ExplainCommand"]
)
def test_commands_about_settings_and_catalogs_touch_no_data(op: str) -> None:
    event = event_of_write(op)
    assert (read_by(event), written_by(event), unresolved(event)) == ([], [], [])


def test_a_command_nobody_foresaw_says_so_and_keeps_its_inputs() -> None:
    event = event_of_write("TeleportTableCommand", False)
    assert unresolved(event) == ["TeleportTableCommand"]
    assert read_by(event) == [SALES]


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("InsertIntoHadoopFsRelationCommand", {}),
        ("SaveIntoDataSourceCommand", {"dataSource": {"class": "org.x.Odd"}}),
        ("AppendData", {}),
        ("DropTableCommand", {}),
        ("AlterTableRenameCommand", {}),
        ("AlterTableSomethingCommand", {}),
        ("CreateTableAsSelect", {}),
        ("DropTable", {}),
        ("LoadDataCommand", {}),
        ("InsertIntoHiveDirCommand", {}),
    ],
)
def test_a_command_without_its_facts_is_marked(op: str, args: Json) -> None:
    assert unresolved(event_of(op, **args)) == [op]


def test_a_write_into_nothing_writes_nothing() -> None:
    source = {"source": {"provider": "noop"}}
    event = event_of_write("SaveIntoDataSourceCommand", False, dataSource=source)
    assert (written_by(event), unresolved(event), read_by(event)) == ([], [], [SALES])
