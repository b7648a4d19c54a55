"""``lineage import`` of unchanged files by a newer version of the package."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from support.events.graph_models import edge, graph, node
from support.services.dbt_project import DATA, RECORDED

from lineage.model import NodeType

if TYPE_CHECKING:
    from collections.abc import Callable

NAMES = "namespaces:\n  sqlserver://etl-db: sqlserver://sql1:1433\n"
INSERT = "INSERT INTO dbo.clean SELECT * FROM dbo.raw"
QUERY = {"text": INSERT, "time": "2026-01-05T06:00:00Z", "job": "load", "database": "shop"}
VIEW = {
    "table_catalog": "shop",
    "table_schema": "dbo",
    "table_name": "clean",
    "view_definition": "CREATE VIEW dbo.clean AS SELECT * FROM dbo.raw",
}
SERVER = ("--namespace", "sqlserver://etl-db")


def dbt_target(_: Path) -> list[str]:
    return ["import", "dbt", str(DATA / "postgres"), "--namespace", RECORDED["postgres"]]


def with_map(directory: Path, kind: str, file: str, text: str, *words: str) -> list[str]:
    (directory / file).write_text(text)
    (directory / "names.yml").write_text(NAMES)
    words = (*SERVER, "--map", str(directory / "names.yml"), *words)
    return ["import", kind, str(directory / file), *words]


def query_log(directory: Path) -> list[str]:
    return with_map(directory, "queries", "log.jsonl", json.dumps(QUERY))


def script(directory: Path) -> list[str]:
    return with_map(directory, "sql", "load.sql", INSERT, "--database", "shop")


def catalog(directory: Path) -> list[str]:
    return with_map(directory, "catalog", "views.json", json.dumps([VIEW]))


def graph_model(directory: Path) -> list[str]:
    job = node("c:sink", NodeType.CONNECTOR, tags=("pii",))
    model = graph(node("t:orders"), job, edge("t:orders", "c:sink", "consumes"))
    (directory / "model.json").write_text(json.dumps(model.to_dict()))
    return ["graph", "import", str(directory / "model.json")]


def run_version(version: str, directory: Path, words: list[str]) -> None:
    """Run a command with the metadata of a version of the package."""
    place = directory / version / f"lineage_age-{version}.dist-info"
    place.mkdir(parents=True)
    metadata = f"Metadata-Version: 2.1\nName: lineage-age\nVersion: {version}\n"
    (place / "METADATA").write_text(metadata)
    command = Path(sys.executable).with_name("lineage")
    environment = {**os.environ, "PYTHONPATH": str(place.parent)}
    named = subprocess.run([command, "--version"], env=environment, capture_output=True, check=True)
    assert version in named.stdout.decode()
    subprocess.run([command, *words], env=environment, check=True)


@pytest.mark.parametrize(
    "files", [dbt_target, query_log, script, catalog, graph_model], ids=lambda each: each.__name__
)
def test_a_newer_version_appends_nothing(
    files: Callable[[Path], list[str]], dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    words = files(tmp_path)
    counts = []
    for version in ("98.1.0", "99.2.0"):
        run_version(version, tmp_path, words)
        with psycopg.connect(dsn) as conn:
            counts += conn.execute("SELECT count(*) FROM lineage.event").fetchall()
    assert counts[0] == counts[1] > (0,)
