"""``lineage export dbt-docs``: the datasets around a project in a copy of its files."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import networkx as nx
import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event
from support.services.dbt_project import DATA, RECORDED

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from pathlib import Path

NAMESPACE = RECORDED["duckdb"]
ORDERS = {"namespace": NAMESPACE, "name": "store.raw.orders_clean"}
REVENUE = {"namespace": NAMESPACE, "name": "store.main.revenue"}
PAGE = (
    '<html><script>var n={manifest:"MANIFEST.JSON INLINE DATA",catalog:"CATALOG.JSON INLINE DATA"}'
    "</script></html>"
)
HOSTILE = "</script><b>{{7*7}}"


@pytest.fixture(autouse=True)
def _database(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    directory = tmp_path / "target"
    shutil.copytree(DATA / "duckdb", directory)
    (directory / "index.html").write_text(PAGE)
    return directory


def call(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words), "--namespace", NAMESPACE])


def task(job: str, hour: int, reads: list[dict[str, Any]], writes: list[dict[str, Any]]) -> str:
    event = json.loads(run_event(f"run of {job}", "COMPLETE", hour, job))
    return json.dumps({**event, "inputs": reads, "outputs": writes})


def around(dsn: str) -> None:
    """A task loads the orders, another exports the revenue."""
    schema = {"fields": [{"name": "id", "type": "int", "description": "The <number>"}]}
    loaded = {"namespace": "file", "name": "/in/orders.csv", "facets": {"schema": schema}}
    report = {"namespace": "s3://bi", "name": f"out/{HOSTILE}"}
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(
            conn,
            [
                task("load_orders", 1, [loaded], [ORDERS]),
                task("export", 2, [REVENUE], [report]),
            ],
        )
    result = call("import", "dbt", DATA / "duckdb")
    assert result.exit_code == 0, result.stderr


def export(target: Path, *words: str) -> tuple[dict[str, Any], dict[str, Any]]:
    site = target.parent / "site"
    result = call("export", "dbt-docs", target, *words, "--output", site)
    assert result.exit_code == 0, result.stderr
    return tuple(
        json.loads((site / f"{name}.json").read_text()) for name in ("manifest", "catalog")
    )  # type: ignore[return-value]


def added_nodes(manifest: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the added nodes by the full name of their dataset."""
    return {
        node["relation_name"]: node
        for node in manifest["nodes"].values()
        if "lineage_export" in node["meta"]
    }


def test_datasets_around_the_project_are_models(target: Path, dsn: str):
    around(dsn)
    manifest, catalog = export(target)
    nodes = added_nodes(manifest)
    orders = nodes[f"{NAMESPACE}/store.raw.orders_clean"]
    csv = nodes["file:/in/orders.csv"]
    report = nodes[f"s3://bi/out/{HOSTILE}"]
    assert set(nodes) == {
        f"{NAMESPACE}/store.raw.orders_clean",
        "file:/in/orders.csv",
        f"s3://bi/out/{HOSTILE}",
        f"{NAMESPACE}/store.raw.bonus",  # a table that dbt does not know
    }
    assert orders["depends_on"]["nodes"] == [csv["unique_id"]]
    assert csv["depends_on"]["nodes"] == []
    assert report["depends_on"]["nodes"] == ["model.store.revenue"]
    assert any(tag.endswith("load_orders") for tag in orders["tags"])
    assert orders["description"] == "Orders without duplicates"
    assert list(catalog["nodes"][orders["unique_id"]]["columns"]) == [
        "id", "customer", "amount", "rate_code",
    ]  # fmt: skip
    [column] = catalog["nodes"][csv["unique_id"]]["columns"].values()
    assert (column["name"], column["type"]) == ("id", "int")


def test_a_source_that_a_job_writes_is_a_model_with_its_children(target: Path, dsn: str):
    around(dsn)
    manifest, catalog = export(target)
    orders = added_nodes(manifest)[f"{NAMESPACE}/store.raw.orders_clean"]["unique_id"]
    assert "source.store.raw.orders" not in manifest["sources"]
    assert "source.store.raw.orders" not in catalog["sources"]
    assert "source.store.raw.rates" in manifest["sources"]
    assert manifest["nodes"]["model.store.stg_orders"]["depends_on"]["nodes"] == [orders]
    assert manifest["nodes"]["snapshot.store.orders_history"]["depends_on"]["nodes"] == [orders]
    assert "source.store.raw.orders" not in json.dumps(
        [manifest["parent_map"], manifest["child_map"]]
    )
    assert "model.store.stg_orders" in manifest["child_map"][orders]
    assert manifest["parent_map"]["model.store.stg_orders"] == [orders]


def test_maps_are_inverse_and_complete(target: Path, dsn: str):
    around(dsn)
    manifest, _ = export(target)
    parents = {(c, p) for c, listed in manifest["parent_map"].items() for p in listed}
    children = {(c, p) for p, listed in manifest["child_map"].items() for c in listed}
    assert parents == children
    assert {*manifest["nodes"], *manifest["sources"]} <= set(manifest["parent_map"])
    assert {p for _, p in parents} <= {*manifest["nodes"], *manifest["sources"]}


def test_an_ephemeral_model_keeps_its_place(target: Path, dsn: str):
    """The graph has an edge past it, which dbt has through it."""
    around(dsn)
    before = json.loads((target / "manifest.json").read_text())
    manifest, _ = export(target)
    assert (
        manifest["nodes"]["model.store.revenue"]["depends_on"]["nodes"]
        == before["nodes"]["model.store.revenue"]["depends_on"]["nodes"]
    )
    bonus = added_nodes(manifest)[f"{NAMESPACE}/store.raw.bonus"]["unique_id"]
    assert manifest["nodes"]["model.store.reached_by_name"]["depends_on"]["nodes"] == [bonus]


def test_an_import_of_the_copy_gives_the_lineage_of_the_project(target: Path, dsn: str):
    around(dsn)
    export(target)

    def designs(directory: Path) -> dict[str, Any]:
        done = call("import", "dbt", directory, "--events")
        assert done.exit_code == 0, done.stderr
        events = [json.loads(line) for line in done.stdout.splitlines()]
        return {
            event["job"]["name"]: [[(each["namespace"], each["name"]) for each in event[side]]
                                   for side in ("inputs", "outputs")]
            for event in events
            if "job" in event and "run" not in event
        }  # fmt: skip

    assert designs(target.parent / "site") == designs(target)


def test_names_restrict_what_is_added(target: Path, dsn: str):
    around(dsn)
    manifest, _ = export(target, f"{NAMESPACE}/store.main.reached_by_name")
    assert set(added_nodes(manifest)) == {f"{NAMESPACE}/store.raw.bonus"}


def test_a_static_page_has_the_files_as_text(target: Path, dsn: str):
    around(dsn)
    export(target, "--static")
    page = (target.parent / "site" / "static_index.html").read_text()
    assert "INLINE DATA" not in page
    assert page.count("</script>") == PAGE.count("</script>")
    assert (target.parent / "site" / "index.html").read_text() == PAGE


def test_names_that_differ_only_in_their_directory_are_unique(target: Path, dsn: str):
    same = [{"namespace": "file", "name": f"/{place}/orders.csv"} for place in ("a", "b")]
    also = {"namespace": "other", "name": "x.y.revenue"}
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [task("load", 1, [*same, also], [ORDERS])])
    manifest, _ = export(target)
    names = [node["name"] for node in manifest["nodes"].values()]
    assert len(names) == len(set(names)) + 1  # the two versions of a model of dbt
    nodes = added_nodes(manifest)
    assert nodes["file:/a/orders.csv"]["name"] == "orders_csv"
    assert nodes["file:/b/orders.csv"]["name"] == "b_orders_csv"
    assert nodes["other/x.y.revenue"]["name"] == "y_revenue"


def test_the_files_of_dbt_are_not_written(target: Path, dsn: str):
    around(dsn)
    before = {file.name: file.read_bytes() for file in target.iterdir()}
    result = call("export", "dbt-docs", target, "--output", target.parent / "x" / ".." / "target")
    assert result.exit_code == 2
    assert "is the target directory itself" in result.stderr
    copy = target.parent / "copy"
    shutil.copytree(target, copy)
    result = call("export", "dbt-docs", target, "--output", copy)
    assert result.exit_code == 2
    assert "is a target directory of dbt: it has run_results.json" in result.stderr
    assert {file.name: file.read_bytes() for file in target.iterdir()} == before


def test_a_target_without_a_page_is_named(target: Path):
    (target / "index.html").unlink()
    result = call("export", "dbt-docs", target, "--output", target.parent / "site")
    assert result.exit_code == 2
    assert "There is no index.html in" in result.stderr
    assert "dbt docs generate" in result.stderr


def test_a_page_of_another_program_is_not_exported_as_static(target: Path):
    (target / "index.html").write_text("<html></html>")
    words = ("export", "dbt-docs", target, "--output", target.parent / "site", "--static")
    result = call(*words)
    assert result.exit_code == 2
    assert "is not a page of dbt" in result.stderr


def test_an_edge_that_closes_a_cycle_is_left_out_and_named(target: Path, dsn: str):
    around(dsn)
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, [task("correct", 4, [REVENUE], [ORDERS])])
    site = target.parent / "site"
    result = call("export", "dbt-docs", target, "--output", site)
    closing = f"{NAMESPACE}/store.main.revenue to {NAMESPACE}/store.raw.orders_clean"
    assert f"closes a cycle: {closing}\n" in result.stderr
    manifest = json.loads((site / "manifest.json").read_text())
    parents = manifest["parent_map"]
    assert nx.is_directed_acyclic_graph(nx.DiGraph((p, c) for c in parents for p in parents[c]))
    orders = added_nodes(manifest)[f"{NAMESPACE}/store.raw.orders_clean"]
    assert orders["depends_on"]["nodes"] == ["model.lineage.orders_csv"]
