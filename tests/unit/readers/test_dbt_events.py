"""Events for manifests that are written by hand; expected values follow from the manifest."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from lineage.readers.dbt.events import DbtReader
from lineage.readers.dbt.files import Artifacts, Manifest, RunResults

NS = "db://host"


def node(unique_id: str, *parents: str, sql: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a node of a manifest; the schema of its relation is that of its package."""
    kind, package, name = unique_id.split(".", 2)
    return {
        "unique_id": unique_id, "resource_type": kind, "name": name, "package_name": package,
        "database": "w", "schema": package, "alias": name, "identifier": name,
        "original_file_path": f"models/{name}.sql", "language": "sql", "compiled_code": sql,
        "depends_on": {"nodes": parents}, **fields,
    }  # fmt: skip


def reader_of(*nodes: dict[str, Any], adapter: str = "postgres", **parts: Any) -> DbtReader:
    """Return the reader of a manifest, which has a section for some types of nodes."""
    sections: dict[str, dict[str, Any]] = {"nodes": {}}
    for each in nodes:
        kind = each["resource_type"]
        section = "nodes" if kind in ("model", "seed", "snapshot", "test") else f"{kind}s"
        sections.setdefault(section, {})[each["unique_id"]] = each
    metadata = {"adapter_type": adapter, "generated_at": "2026-01-01T00:00:00Z"}
    manifest = msgspec.convert({"metadata": metadata, **sections, **parts}, Manifest)
    results = msgspec.convert(
        {
            "metadata": {"invocation_id": "i", "generated_at": "2026-01-01T00:00:00Z"},
            "results": [
                {"unique_id": each["unique_id"], "status": "pass"}
                for each in nodes
                if each["resource_type"] == "test"
            ],
        },
        RunResults,
    )
    return DbtReader(Artifacts(manifest, results if results.results else None, None, []), NS)


def edges_of(reader: DbtReader) -> dict[str, set[str]]:
    """Return the inputs of each job by the name of its output, or of the job without one."""
    return {
        next((output["name"] for output in event["outputs"]), event["job"]["name"]): {
            dataset["name"] for dataset in event["inputs"]
        }
        for event in reader.read_events()
        if "job" in event
    }


def test_models_of_other_projects_are_inputs_only() -> None:
    """Their own project declares them: an event without inputs would replace what it declared."""
    stub = {"original_file_path": "", "language": None}
    reader = reader_of(
        node("model.up.a", **stub),
        node("model.up.b", "model.up.a", **stub),
        node("model.down.c", "model.up.b", sql="select id from w.up.b"),
    )
    assert edges_of(reader) == {"w.down.c": {"w.up.b"}}


@pytest.mark.parametrize("sql", ["stream(`w`.`raw`.`ev`) as e", "stream w.raw.ev e"])
def test_a_streaming_table_reads_its_source(sql: str) -> None:
    source, model = (
        node("source.raw.ev", identifier="ev"),
        node("model.p.m", "source.raw.ev", sql=f"select e.id from {sql}"),
    )
    reader = reader_of(source, model, adapter="databricks")
    [event] = reader.read_events()
    [output] = event["outputs"]
    assert [each["name"] for each in event["inputs"]] == ["w.raw.ev"]
    assert list(output["facets"]["columnLineage"]["fields"]) == ["id"]


@pytest.mark.parametrize(
    ("adapter", "source", "named"),
    [
        ("sqlserver", "srv.db.dbo.t", "srv.db.dbo.t"),
        ("sqlserver", "openquery(srv, 'select 1 as id') as q", "OPENQUERY"),
        ("snowflake", "@db.s.stage/x.csv", "@db.s.stage/x.csv"),
        ("snowflake", "identifier('w.raw.t')", "DYNAMIC_IDENTIFIER"),
        ("snowflake", "table(result_scan('x'))", "RESULT_SCAN"),
        ("databricks", "table_changes('w.raw.t', 1)", "TABLE_CHANGES"),
        ("databricks", "read_files('s3://b/x?token=hunter2')", "READ_FILES"),
        ("bigquery", "ML.PREDICT(MODEL w.m, TABLE w.raw.t)", "PREDICT"),
        ("clickhouse", "s3('https://b/x.csv')", "S3"),
        ("duckdb", "read_csv('/x.csv')", "READ_CSV"),
    ],
)
def test_a_source_that_is_no_named_table_is_reported(adapter: str, source: str, named: str) -> None:
    """What dbt declares is the input: the text does not name it."""
    parent = node("model.p.parent", sql="select 1 as id")
    model = node("model.p.m", "model.p.parent", sql=f"select id from {source}")
    reader = reader_of(parent, model, adapter=adapter)
    assert edges_of(reader) == {"w.p.parent": set(), "w.p.m": {"w.p.parent"}}
    assert reader.unresolved_parts == [f"model.p.m: a source in FROM is not a named table: {named}"]


@pytest.mark.parametrize(
    ("adapter", "source"),
    [
        ("postgres", "generate_series(1, 2) as g(id)"),
        ("bigquery", "unnest([1]) as id"),
        ("bigquery", "w.p.parent as t, t.a.b.c as id"),
        ("snowflake", "table(generator(rowcount => 2))"),
        ("databricks", "range(3)"),
    ],
)
def test_functions_that_compute_rows_are_no_inputs(adapter: str, source: str) -> None:
    model = node("model.p.m", sql=f"select id from {source}")
    reader = reader_of(model, adapter=adapter)
    list(reader.read_events())
    assert not [each for each in reader.unresolved_parts if "named table" in each]


@pytest.mark.parametrize("location", ["read_csv('/lake/{name}.csv')", "'/lake/ev.csv'"])
def test_a_source_at_an_external_location_is_an_input(location: str) -> None:
    """dbt-duckdb writes the location of such a source into the SQL, not its name."""
    source = node("source.raw.ev", relation_name=location)
    model = node("model.p.m", "source.raw.ev", sql=f"select e.id from {location} as e")
    reader = reader_of(source, model, adapter="duckdb")
    [event] = reader.read_events()
    [output] = event["outputs"]
    assert [each["name"] for each in event["inputs"]] == ["w.raw.ev"]
    assert list(output["facets"]["columnLineage"]["fields"]) == ["id"]
    assert reader.unresolved_parts == []


def test_a_path_in_the_place_of_a_table_is_its_file() -> None:
    model = node("model.p.m", sql="select id from parquet.`s3a://lake/raw/x`")
    [event] = reader_of(model, adapter="databricks").read_events()
    assert event["inputs"] == [{"namespace": "s3://lake", "name": "raw/x"}]


def test_a_path_without_a_scheme_depends_on_the_session() -> None:
    model = node("model.p.m", sql="select id from delta.`/mnt/x`")
    reader = reader_of(model, adapter="spark")
    assert edges_of(reader) == {"w.p.m": set()}
    assert reader.unresolved_parts == [
        "model.p.m: the file system of a path is not known: delta./mnt/x"
    ]


def test_an_exposure_reads_the_models_of_its_metrics() -> None:
    reader = reader_of(
        node("model.p.orders", sql="select 1 as id"),
        node("semantic_model.p.orders", "model.p.orders"),
        node("metric.p.revenue", "semantic_model.p.orders"),
        node("metric.p.ratio", "metric.p.revenue"),
        node("exposure.p.board", "metric.p.ratio"),
    )
    assert edges_of(reader) == {"w.p.orders": set(), "exposure.p.board": {"w.p.orders"}}


def test_a_relationships_test_also_reads_the_other_table() -> None:
    """The results are facts of the table that it is about."""
    kwargs = {"column_name": "customer", "field": "id", "to": "ref('customers')"}
    test = node(
        "test.p.rel", "model.p.customers", "model.p.orders",
        sql='select 1 from "w"."p"."orders" left join "w"."p"."customers"',
        attached_node="model.p.orders",
        test_metadata={"name": "relationships", "kwargs": kwargs},
    )  # fmt: skip
    unique = node("test.p.unique", "model.p.orders", attached_node="model.p.orders",
                  test_metadata={"name": "unique"})  # fmt: skip
    reader = reader_of(node("model.p.customers"), node("model.p.orders"), test, unique)
    events = [e for e in reader.read_events() if e["job"]["name"] == "w.p.p.orders.test"]
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]
    for event in events:
        facets = {each["name"]: each.get("inputFacets", {}) for each in event["inputs"]}
        assert facets.keys() == {"w.p.orders", "w.p.customers"}
        assertions = facets["w.p.orders"]["dataQualityAssertions"]["assertions"]
        assert [each["name"] for each in assertions] == ["rel", "unique"]
        assert facets["w.p.customers"] == {}


# What dbt writes into Python models.
REFS = r"""refs = {"stg": "\"w\".\"SCHEMA\".\"stg\"", "b": "\"w\".\"p\".\"stg_b\""}"""


@pytest.mark.parametrize("schema", ["p", "prod"])
def test_a_python_model_reads_the_relations_in_its_code(schema: str) -> None:
    """With --defer, dbt names those of another schema."""
    code = REFS.replace("SCHEMA", schema)
    model = node("model.p.m", "model.p.stg", "model.p.stg_b", sql=code, language="python")
    reader = reader_of(node("model.p.stg"), node("model.p.stg_b"), model)
    assert edges_of(reader)["w.p.m"] == {f"w.{schema}.stg", "w.p.stg_b"}


@pytest.mark.parametrize("schema", ["p", "prod"])
@pytest.mark.parametrize("attached", [None, "model.p.stg"])
def test_a_test_is_about_the_relation_in_its_code(schema: str, attached: str | None) -> None:
    test = node(
        "test.p.check",
        "model.p.stg",
        sql=f'select id from "w"."{schema}"."stg" where id is null',
        attached_node=attached,
        test_metadata={"name": "not_null"} if attached else None,
    )
    read = {
        dataset["name"]
        for event in reader_of(node("model.p.stg"), test).read_events()
        for dataset in event.get("inputs", ())
    }
    assert read == {f"w.{schema}.stg"}
