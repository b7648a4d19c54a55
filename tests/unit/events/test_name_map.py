"""The file of names: what stands for what, and entries that are wrong."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from lineage.errors import UsageError
from lineage.events.name_map import NameMap, names_of_event, read_name_map
from lineage.naming import DatasetName

if TYPE_CHECKING:
    from pathlib import Path


def read(tmp_path: Path, text: str) -> NameMap:
    file = tmp_path / "names.yml"
    file.write_text(text)
    return read_name_map(file)


ALL = """
namespaces:
  mssql://etl-db:1433: sqlserver://etl-db.corp:1433
case:
  snowflake://*: upper
without_slashes: ["s3://exports*", "snowflake://*"]
datasets:
  - from: duckdb:///w/shop.duckdb/shop.main.orders
    to: sqlserver://etl-db.corp:1433/sales.dbo.orders
  - from: {namespace: a, name: b/c}
    to: {namespace: "duckdb:///w/x.duckdb", name: x.main.t}
  - {"from": {"namespace": "s3://b", "name": "/old"}, "to": {"namespace": "s3://b", "name": "new"}}
"""


@pytest.mark.parametrize(
    ("name", "target"),
    [
        (("mssql://etl-db:1433", "s.dbo.t"), ("sqlserver://etl-db.corp:1433", "s.dbo.t")),
        (("mssql://etl-db:1434", "s.dbo.t"), ("mssql://etl-db:1434", "s.dbo.t")),
        (("snowflake://org-acct", "db.s.t"), ("snowflake://org-acct", "DB.S.T")),
        (
            ("duckdb:///w/shop.duckdb", "shop.main.orders"),
            ("sqlserver://etl-db.corp:1433", "sales.dbo.orders"),
        ),
        (("a", "b/c"), ("duckdb:///w/x.duckdb", "x.main.t")),
        (("b", "c"), ("b", "c")),
        (("b", "/c/"), ("b", "/c/")),
        (("s3://b", "/old"), ("s3://b", "new")),
        (("s3://b", "old"), ("s3://b", "old")),
        (("s3://exports-eu", "/a/b/"), ("s3://exports-eu", "a/b")),
        (("s3://exports", "/"), ("s3://exports", "/")),
        (("snowflake://a", "d.s.t/"), ("snowflake://a", "D.S.T")),
    ],
)
def test_a_name_stands_for_another(tmp_path: Path, name: tuple[str, str], target: tuple[str, str]):
    assert read(tmp_path, ALL).map_name(DatasetName(*name)) == DatasetName(*target)


def test_entries_are_followed(tmp_path: Path):
    names = read(tmp_path, "namespaces: {a: b, b: snowflake://c}\ncase: {'snowflake://c': upper}")
    assert names.map_name(DatasetName("a", "t")) == DatasetName("snowflake://c", "T")


def test_a_circle_is_an_error(tmp_path: Path):
    names = read(tmp_path, "namespaces: {a: b, b: a}")
    with pytest.raises(UsageError, match="leads from a/t to a/t and back"):
        names.map_name(DatasetName("a", "t"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("namespace: {a: b}", "unknown key namespace"),
        ("- a", "has no keys"),
        ("namespaces: [a]", "namespaces is not a mapping of texts"),
        ("namespaces: {a: 1}", "namespaces is not a mapping of texts"),
        ("case: {a: Upper}", "case of a is Upper, not upper or lower"),
        ("datasets: {a: b}", "datasets is not a list"),
        ("without_slashes: s3://b", "without_slashes is not a list of texts"),
        ("datasets: [{from: a/b}]", "entry 1 of datasets does not have the keys from and to"),
        (
            "datasets: [{from: a/b, to: duckdb:///w/x.db/t}]",
            "the end of the namespace is not clear",
        ),
        ("datasets: [{from: a/b, to: c}]", "the end of the namespace is not clear"),
        ("a: [", "is not valid YAML"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, text: str, message: str):
    with pytest.raises(UsageError, match=message):
        read(tmp_path, text)


def test_the_time_of_the_decisions_is_that_of_the_file(tmp_path: Path):
    file = tmp_path / "names.yml"
    file.write_text("namespaces: {a: b}")
    os.utime(file, (1_700_000_000, 1_700_000_000))
    [event] = read_name_map(file).symlink_events([DatasetName("a", "t"), DatasetName("c", "t")])
    assert event["eventTime"] == "2023-11-14T22:13:20.000000Z"
    assert (event["dataset"]["namespace"], event["dataset"]["name"]) == ("b", "t")
    [identifier] = event["dataset"]["facets"]["symlinks"]["identifiers"]
    assert (identifier["namespace"], identifier["name"]) == ("a", "t")


def test_names_of_an_event_include_sources_of_columns():
    fields = {"x": {"inputFields": [{"namespace": "n", "name": "c", "field": "x"}]}}
    output = {"namespace": "n", "name": "b", "facets": {"columnLineage": {"fields": fields}}}
    event = {"inputs": [{"namespace": "n", "name": "a"}], "outputs": [output]}
    assert {name.name for name in names_of_event(event)} == {"a", "b", "c"}
    assert [name.name for name in names_of_event({"dataset": output})] == ["b", "c"]
