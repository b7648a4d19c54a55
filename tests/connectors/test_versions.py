"""The versions of tables of Delta Lake and Iceberg, as a run read them and as a trace would."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from support.spark.recorded import run
from support.spark.releases import environment

JOB = Path(__file__).parent / "jobs" / "versions.py"


@pytest.mark.parametrize(
    ("lake", "table"),
    [("support.cases.delta", "pairs"), ("support.cases.iceberg", "lake.db.pairs")],
)
def test_a_later_version_is_another_input(lake: str, table: str, tmp_path: Path) -> None:
    release = importlib.import_module(lake).CONNECTOR.spark
    recorded = run(JOB, tmp_path, lake, table, environment=environment(release))
    [copied] = [
        event["inputs"][0]
        for event in recorded.events
        if event["eventType"] == "COMPLETE"
        and [item["name"] for item in event.get("outputs", ())] == [f"{tmp_path}/copy"]
    ]
    before, after, named = json.loads((tmp_path / "versions.json").read_text())
    assert copied["facets"]["version"]["datasetVersion"] == before == named
    assert after not in (None, before)
    assert "lineage_manifest" not in copied.get("inputFacets", {})
