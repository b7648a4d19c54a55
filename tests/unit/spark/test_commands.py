"""Writes, lifecycle changes and reads of each command, from handwritten plans."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import (
    Json,
    Plans,
    change,
    ended,
    events,
    execution_end,
    facet,
    identifier,
    read_by,
    table,
    unresolved,
    written_by,
)

SALES = "file /wh/sales"
FAR = identifier("t", "default", location="file:/far/t")


def event_of(op: str, conf: dict[str, str] | None = None, **args: Any) -> Json:
    """Return the end of a command without a query."""
    plans = Plans()
    plans.node(op, out=[], **args)
    return ended(execution_end(plans.build(), conf=conf or {}))


def event_of_write(op: str, as_child: bool = True, **args: Any) -> Json:
    """Return the end of a command that writes the rows of table ``sales``."""
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
        ("DropTableCommand", {"tableName": FAR, "isView": False}, "file /far/t", "DROP"),
        ("DropTableCommand", {"tableName": identifier("v", "default"), "isView": True},
         "file:/wh default.v", "DROP"),
        ("TruncateTableCommand", {"tableName": FAR}, "file /far/t", "TRUNCATE"),
        ("TruncateTableCommand", {"tableName": FAR, "partitionSpec": {"map": {"day": "1"}}},
         "file /far/t", "ALTER"),
        ("AlterTableAddColumnsCommand", {"table": FAR}, "file /far/t", "ALTER"),
        ("AlterTableAddPartitionCommand", {"tableName": FAR}, "file /far/t", "ALTER"),
        ("RepairTableCommand", {"tableName": FAR}, "file /far/t", "ALTER"),
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


def placed(**facts: Any) -> Json:
    name = identifier("t", "default", location="file:/far/t")
    return {"identifier": {**name["identifier"], **facts}}


@pytest.mark.parametrize(
    ("op", "args", "expected"),
    [
        ("CreateTableCommand", {"table": table("t", type="EXTERNAL", location="file:/far/t")},
         "alter"),
        ("CreateTableLikeCommand", {"targetTable": identifier("t"), "fileFormat":
         {"class": "x.Storage", "args": {"locationUri": "file:/far/t"}}}, "alter"),
        ("AlterTableRenameCommand", {"oldName": placed(), "newName": placed()}, "alter"),
        ("DropTableCommand", {"tableName": placed()}, "alter"),
        ("DropTableCommand", {"tableName": placed(managed=False)}, "alter"),
        ("DropTableCommand", {"tableName": placed(managed=True)}, "drop"),
        ("DropTable", {"tableName": placed(catalog="spark_catalog")}, "alter"),
        ("DropTable", {"tableName": placed(catalog="spark_catalog", managed=True)}, "drop"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_only_a_managed_table_loses_its_rows_by_a_definition(
    op: str, args: Json, expected: str
) -> None:
    event = event_of(op, **args)
    assert (written_by(event), mode(event)) == (["file /far/t"], expected)
    assert read_by(event) == []


@pytest.mark.parametrize(
    ("op", "args", "names"),
    [
        ("AlterTableSetLocationCommand", {"tableName": FAR}, ["file:/wh", "default.t"]),
        ("SetTableLocation", {"table": identifier("t", "ns", catalog="ice")}, ["ice", "ns.t"]),
    ],
)
def test_a_table_that_is_laid_elsewhere_is_changed_in_both_places(
    op: str, args: Json, names: list[str]
) -> None:
    if op == "SetTableLocation":
        plans = Plans()
        table = {"class": "org.x.T", "name": "t", "properties": {"location": "file:/far/t"}}
        target = {"catalog": {"catalog": {"name": "ice", "class": "org.x.C"}},
                  "identifier": identifier("t", "ns"), "table": {"v2": table}}  # fmt: skip
        plans.node(op, plans.node("ResolvedTable", out=[], **target), out=[], location="/new/t")
        event = ended(execution_end(plans.build()))
    else:
        event = event_of(op, **args, location="/new/t")
    assert written_by(event) == ["file /new/t", "file /far/t"]
    assert read_by(event) == []
    assert unresolved(event) == []
    new, old = event["outputs"]
    (symlink,) = facet(new, "symlinks")["identifiers"]
    assert [symlink["namespace"], symlink["name"]] == names
    previous = facet(new, "lifecycleStateChange")["previousIdentifier"]
    assert (previous["namespace"], previous["name"]) == ("file", "/far/t")
    assert {facet(item, "lifecycleStateChange")["lifecycleStateChange"] for item in (new, old)} == {
        "ALTER"
    }
    assert event["job"]["name"].endswith("_t")


def test_a_partition_has_the_rows_of_its_location() -> None:
    part = {"partitionSpec": {"map": {"day": "1"}}}
    event = event_of("AlterTableSetLocationCommand", tableName=FAR, location="/p", **part)
    assert (read_by(event), written_by(event)) == (["file /p"], ["file /far/t"])
    assert (mode(event), change(event)) == ("overwrite_partitions", None)


def test_a_new_partition_adds_the_rows_of_its_location() -> None:
    event = added_partitions("file:/exports/2024-01-01", "/kept/day=2", "/far/t/day=3", None)
    assert read_by(event) == ["file /exports", "file /kept"]
    assert (written_by(event), mode(event), change(event)) == (["file /far/t"], "append", None)


@pytest.mark.parametrize("location", ["/far/t/day=1", "file:/far/t/1", None])
def test_a_new_partition_within_its_table_adds_no_rows(location: str | None) -> None:
    event = added_partitions(location)
    assert (read_by(event), written_by(event), change(event)) == ([], ["file /far/t"], "ALTER")


def test_a_partition_at_a_relative_location_is_marked() -> None:
    assert unresolved(added_partitions("beside")) == ["AlterTableAddPartitionCommand"]


def added_partitions(*locations: str | None) -> Json:
    specs = [{"map": {"day": str(day)}} for day, _ in enumerate(locations, 1)]
    pairs = [
        [spec, place] if place else [spec] for spec, place in zip(specs, locations, strict=True)
    ]
    return event_of("AlterTableAddPartitionCommand", tableName=FAR, partitionSpecsAndLocs=pairs)


def test_a_relative_location_is_unresolved() -> None:
    event = event_of("AlterTableSetLocationCommand", tableName=FAR, location="beside")
    assert written_by(event) == ["file /far/t"]
    assert unresolved(event) == ["AlterTableSetLocationCommand"]


def test_a_rename_reports_the_name_before() -> None:
    old = identifier("t", "mart", location="file:/wh/mart.db/t")
    new = identifier("t2", location="file:/wh/mart.db/t2")
    event = event_of("AlterTableRenameCommand", oldName=old, newName=new, isView=False)
    assert written_by(event) == ["file /wh/mart.db/t2"]
    assert read_by(event) == ["file /wh/mart.db/t"]
    assert change(event) == "RENAME"
    previous = facet(event["outputs"][0], "lifecycleStateChange")["previousIdentifier"]
    assert previous == {"namespace": "file", "name": "/wh/mart.db/t"}


@pytest.mark.parametrize(
    ("op", "args"),
    [
        ("DropTableCommand", {"tableName": identifier("t", "mart"), "isView": False}),
        ("TruncateTableCommand", {"tableName": identifier("t", "mart")}),
        ("AlterTableAddColumnsCommand", {"table": identifier("t", "mart")}),
        ("LoadDataCommand", {"table": identifier("t", "mart"), "path": "file:/in/x.csv"}),
        ("DropTable", {"tableName": identifier("t", "mart", catalog="spark_catalog")}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_table_whose_location_no_plan_reported_has_its_name_alone(op: str, args: Json) -> None:
    event = event_of(op, **args)
    assert (written_by(event), unresolved(event)) == (["file:/wh mart.t"], [op])


def test_of_a_shared_metastore_the_name_is_enough() -> None:
    conf = {"spark.sql.catalogImplementation": "hive", "hive.metastore.uris": "thrift://m:9083"}
    event = event_of("TruncateTableCommand", conf, tableName=FAR)
    assert (written_by(event), unresolved(event)) == (["hive://m:9083 default.t"], [])


def test_analyze_reads_a_table_by_its_name_where_its_location_is_not_known() -> None:
    event = event_of("AnalyzeTableCommand", tableIdent=identifier("t", "mart"))
    assert (read_by(event), unresolved(event)) == (["file:/wh mart.t"], ["AnalyzeTableCommand"])


@pytest.mark.parametrize(
    ("catalog", "written", "marked"),
    [
        ("in-memory", "file /wh/mart.db/t", []),
        ("hive", "file:/wh mart.t", ["CreateTableCommand"]),
    ],
)
def test_a_table_that_may_be_there_is_not_presumed_to_be_where_a_new_one_would_be(
    catalog: str, written: str, marked: list[str]
) -> None:
    conf = {"spark.sql.catalogImplementation": catalog}
    made = table("t", "mart", location=None)
    event = event_of("CreateTableCommand", conf, table=made, ignoreIfExists=True)
    assert (written_by(event), unresolved(event)) == ([written], marked)


def connector_command(op: str, **args: Any) -> Json:
    """Return the end of a command on a table of a connector's catalog."""
    plans = Plans()
    held = plans.node(
        "ResolvedTable",
        out=[plans.attribute("id")],
        catalog={"catalog": {"name": "pg", "class": "org.x.Catalog"}},
        identifier=identifier("t", "s"),
        table={"v2": {"class": "org.x.Table", "name": "s.t"}},
    )
    plans.node(op, held, out=[], **args)
    conf = {"spark.sql.catalog.pg.url": "jdbc:postgresql://h/db"}
    return ended(execution_end(plans.build(), conf=conf))


@pytest.mark.parametrize(
    ("op", "lifecycle"),
    [
        ("AddColumns", "ALTER"),
        ("AlterColumns", "ALTER"),
        ("CommentOnTable", "ALTER"),
        ("DropPartitions", "ALTER"),
        ("RenameColumn", "ALTER"),
        ("SetTableProperties", "ALTER"),
        ("TruncatePartition", "ALTER"),
        ("TruncateTable", "TRUNCATE"),
        ("DropTable", "DROP"),
    ],
)
def test_a_connectors_table_is_changed_and_not_read(op: str, lifecycle: str) -> None:
    event = connector_command(op)
    assert (written_by(event), read_by(event)) == (["postgres://h:5432 db.s.t"], [])
    assert (change(event), unresolved(event)) == (lifecycle, [])


@pytest.mark.parametrize("new", [["s", "t2"], ["t2"]])
def test_a_connectors_table_is_renamed_in_its_catalog(new: list[str]) -> None:
    event = connector_command("RenameTable", newName=new)
    assert written_by(event) == ["postgres://h:5432 db.s.t2"]
    previous = facet(event["outputs"][0], "lifecycleStateChange")["previousIdentifier"]
    assert previous == {"namespace": "postgres://h:5432", "name": "db.s.t"}


def test_an_unknown_change_of_a_table_is_unresolved() -> None:
    event = connector_command("FoldTable")
    assert (written_by(event), unresolved(event)) == ([], ["FoldTable"])


def test_a_comment_on_a_table_of_the_session_finds_it_where_it_lies() -> None:
    plans = Plans()
    held = plans.node("ResolvedTable", out=[], table=table("t", location="file:/far"))
    plans.node("CommentOnTable", held, out=[])
    event = ended(execution_end(plans.build()))
    assert (written_by(event), change(event)) == (["file /far"], "ALTER")


def test_properties_of_a_view_are_those_of_a_view() -> None:
    name = identifier("v", "mart")
    event = event_of("AlterTableSetPropertiesCommand", tableName=name, isView=True)
    assert (written_by(event), change(event)) == (["file:/wh mart.v"], "ALTER")


@pytest.mark.parametrize(
    ("lifecycle", "expected"), [("Overwrite", "overwrite_partitions"), ("ErrorIfExists", "append")]
)
def test_what_is_written_to_a_part_leaves_the_others(lifecycle: str, expected: str) -> None:
    event = event_of_write(
        "InsertIntoHadoopFsRelationCommand", outputPath="file:/d/day=1", mode=lifecycle
    )
    assert (written_by(event), mode(event), change(event)) == (["file /d"], expected, None)


def test_load_data_replaces_the_partition_that_it_names() -> None:
    partition = {"map": {"day": "1"}}
    name = identifier("t", "default")
    event = event_of(
        "LoadDataCommand", table=name, path="file:/x.csv", isOverwrite=True, partition=partition
    )
    assert (mode(event), change(event)) == ("overwrite_partitions", None)


def test_a_sink_that_keeps_nothing_writes_nothing() -> None:
    plans = Plans()
    cls = "org.apache.spark.sql.execution.datasources.noop.NoopTable$"
    table = {"v2": {"class": cls, "name": "noop-table"}}
    target = plans.node("DataSourceV2Relation", out=[], table=table)
    plans.node("AppendData", plans.table("sales"), table={"plan": target}, inner=[target], out=[])
    event = ended(execution_end(plans.build()))
    assert (read_by(event), written_by(event), unresolved(event)) == ([SALES], [], [])


def table_using_jdbc(plans: Plans) -> int:
    return plans.node(
        "LogicalRelation",
        out=[plans.attribute("id")],
        relation={"jdbc": {"url": "jdbc:postgresql://h/db", "dbtable": "s.orders"}},
        catalogTable=table("linked", provider="jdbc"),
    )


def test_reading_a_table_using_jdbc_reads_its_remote_table() -> None:
    plans = Plans()
    source = table_using_jdbc(plans)
    plans.node("InsertIntoHadoopFsRelationCommand", source, out=[], outputPath="file:/out")
    event = ended(execution_end(plans.build()))
    assert read_by(event) == ["postgres://h:5432 db.s.orders", "file /wh/linked"]
    columns = facet(event["outputs"][0], "columnLineage")["fields"]["id"]["inputFields"]
    assert [(item["name"], item["field"]) for item in columns] == [("db.s.orders", "id")]


def test_writing_a_table_using_jdbc_writes_its_remote_table() -> None:
    plans = Plans()
    target = table_using_jdbc(plans)
    plans.node(
        "InsertIntoDataSourceCommand",
        logicalRelation={"plan": target},
        query={"plan": plans.table("sales")},
        overwrite=False,
        inner=[target, 1],
        out=[],
    )
    event = ended(execution_end(plans.build()))
    assert written_by(event) == ["file /wh/linked", "postgres://h:5432 db.s.orders"]
    assert read_by(event) == [SALES]


def ignoring_save(**facts: Any) -> Json:
    """Return a save to a database in mode ``ignore``, which skips an existing table."""
    plans = Plans()
    plans.node(
        "SaveIntoDataSourceCommand",
        dataSource={"source": {"provider": "jdbc"}},
        options={"map": {"url": "jdbc:postgresql://h/db", "dbtable": "t"}},
        mode="Ignore",
        query={"plan": plans.table("sales")},
        inner=[0],
        out=[],
    )
    return ended(execution_end(plans.build(), **facts))


def test_ignore_mode_with_an_existing_table_has_no_output() -> None:
    assert (written_by(ignoring_save()), read_by(ignoring_save())) == ([], [])


def test_ignore_mode_without_an_existing_table_has_an_output() -> None:
    plans = Plans()
    plans.node("DeserializeToObject", plans.table("sales"))
    nested = [{"id": 8, "plan": plans.build(), "metrics": []}]
    event = ignoring_save(nested=nested)
    assert (written_by(event), read_by(event)) == (["postgres://h:5432 db.t"], [SALES])


def refused_save(message: str, place: str = "file:/wh/sales") -> Json:
    """Return ``saveAsTable("sales")`` over a table that it reads, which Spark rejects."""
    plans = Plans()
    plans.node(
        "SaveAsV1TableCommand",
        tableDesc=table("sales", None),
        mode="Overwrite",
        query={"plan": plans.table("sales", location=place)},
        inner=[0],
        out=[],
    )
    error = {"class": "org.apache.spark.sql.AnalysisException", "message": message}
    return ended(execution_end(plans.build(), outcome="FAIL", error=error))


@pytest.mark.parametrize("place", ["file:/wh/sales", "file:/far/sales"])
def test_a_save_over_its_own_source_names_its_output(place: str) -> None:
    text = "The target table is `spark_catalog`.`default`.`sales`. SQLSTATE: 42902"
    event = refused_save(text, place)
    expected = [place.replace(":", " ", 1)]
    assert (read_by(event), written_by(event), unresolved(event)) == (expected, expected, [])
    assert change(event) == "OVERWRITE"


@pytest.mark.parametrize("text", ["no name", "`a`.`sales` or `b`.`sales`", "`a`.`sales2`"])
def test_a_save_without_a_reported_database_is_unresolved(text: str) -> None:
    assert unresolved(refused_save(text)) == ["SaveAsV1TableCommand"]


def test_load_data_reads_the_path() -> None:
    event = event_of("LoadDataCommand", table=FAR, path="file:/in/x.csv", isOverwrite=True)
    assert (read_by(event), written_by(event)) == (["file /in/x.csv"], ["file /far/t"])
    assert change(event) == "OVERWRITE"


def test_analyze_reads_its_table() -> None:
    event = event_of("AnalyzeTableCommand", tableIdent=FAR)
    assert (read_by(event), written_by(event)) == (["file /far/t"], [])


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
    assert facet(event["outputs"][0], "datasetType")["datasetType"] == "VIEW"
    assert "outputStatistics" not in event["outputs"][0]["outputFacets"]


@pytest.mark.parametrize(
    "op", ["SetCommand", "ShowTables", "DescribeTableCommand", "CreateNamespace", "ExplainCommand"]
)
def test_commands_about_settings_and_catalogs_touch_no_data(op: str) -> None:
    event = event_of_write(op)
    assert (read_by(event), written_by(event), unresolved(event)) == ([], [], [])


def test_an_unknown_command_is_unresolved_and_has_its_inputs() -> None:
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


def attempted(plans: Plans) -> Json:
    """Return the end of an execution whose analysis failed."""
    error = {"class": "org.apache.spark.sql.AnalysisException", "message": "[UNRESOLVED_COLUMN]"}
    plan = plans.build()
    document = execution_end(None, attempted=plan, outcome="FAIL", error=error)
    *_, end = events(document)
    return end


def test_an_insert_whose_analysis_fails_is_named_by_it_and_by_its_target() -> None:
    plans = Plans()
    target = plans.node("UnresolvedRelation", out=[], multipartIdentifier=["mart", "orders"])
    query = plans.node("Project", plans.node("UnresolvedRelation", out=[]), out=[])
    plans.node("InsertIntoStatement", query, table={"plan": target}, inner=[target], out=[])
    end = attempted(plans)
    assert end["job"]["name"] == "nightly_load.insert_into_statement.mart_orders"
    assert (read_by(end), written_by(end), unresolved(end)) == ([], [], ["QueryExecution"])


def test_a_definition_whose_analysis_fails_is_named_by_what_it_was_to_make() -> None:
    plans = Plans()
    target = plans.node("UnresolvedIdentifier", out=[], nameParts=["orders"])
    plans.node("CreateTableAsSelect", target, out=[])
    plans.nodes[-1]["command"] = True
    assert attempted(plans)["job"]["name"] == "nightly_load.create_table_as_select.orders"


def test_a_query_whose_analysis_fails_is_named_by_its_action() -> None:
    plans = Plans()
    plans.node("Project", plans.node("UnresolvedRelation", out=[], multipartIdentifier=["t"]))
    assert attempted(plans)["job"]["name"] == "nightly_load.count"


def test_a_write_into_nothing_writes_nothing() -> None:
    source = {"source": {"provider": "noop"}}
    event = event_of_write("SaveIntoDataSourceCommand", False, dataSource=source)
    assert (written_by(event), unresolved(event), read_by(event)) == ([], [], [SALES])


def test_a_clone_of_another_source_than_a_delta_table_is_unresolved() -> None:
    plans = Plans()
    source = {"class": "org.apache.spark.sql.delta.commands.CloneParquetSource"}
    clone = plans.node("CloneTableCommand", sourceTable=source)
    plans.node(
        "CreateDeltaTableCommand",
        inner=[clone],
        query={"plan": clone},
        table=table("copied", provider="delta"),
        operation="Create",
    )
    end = ended(execution_end(plans.build()))
    assert (read_by(end), unresolved(end)) == ([], ["CloneTableCommand"])
    assert (written_by(end), change(end)) == (["file /wh/copied"], "CREATE")
