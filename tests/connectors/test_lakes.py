"""Lineage of jobs on Delta Lake and Apache Iceberg, with their real jars."""

from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.events.openlineage_schema import assert_valid
from support.spark.recorded import Recorded, run
from support.spark.releases import environment

if TYPE_CHECKING:
    from support.cases.lakes import Case

JOB = Path(__file__).parent / "jobs" / "cases.py"
LAKES = ["support.cases.delta", "support.cases.iceberg"]
CASES = [(lake, case) for lake in LAKES for case in importlib.import_module(lake).CASES]
Dataset = dict[str, Any]


@dataclass
class Lake:
    """The recorded events of the cases, and the versions of each table."""

    recorded: Recorded
    history: dict[str, list[str]]

    def datasets(self, case: Case, part: str) -> list[Dataset]:
        return [item for event in self.recorded.ends(case.name) for item in event[part]]

    def versions(self, case: Case, part: str) -> dict[str, int | None]:
        """Return each dataset with its version as an index into the history of the table."""
        found: dict[str, int | None] = {}
        for item in self.datasets(case, part):
            name = self.recorded.name(item)
            version = item["facets"].get("version", {}).get("datasetVersion")
            place = None if version is None else self.history[name].index(version)
            found[name] = place if found.get(name) is None else found[name]
        return found

    def fields(self, inputs: list[Dataset]) -> set[str]:
        """Return the source columns with their transformations: ``t.c IDENTITY``."""
        return {
            f"{item['name'].rsplit('/', 1)[1]}.{item['field']} {how['subtype']}"
            for item in inputs
            for how in item["transformations"]
        }


@pytest.fixture(scope="session")
def lakes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Lake]:
    """Run the cases of both lakes, each in one application."""
    return {lake: _run(lake, tmp_path_factory.mktemp(lake)) for lake in LAKES}


def _run(lake: str, directory: Path) -> Lake:
    release = importlib.import_module(lake).CONNECTOR.spark
    recorded = run(JOB, directory, lake, environment=environment(release), timeout=1200)
    return Lake(recorded, json.loads((directory / "history.json").read_text()))


each_case = pytest.mark.parametrize(
    ("lake", "case"), CASES, ids=[f"{lake.split('_')[0]}: {case.name}" for lake, case in CASES]
)


@each_case
def test_it_reads_what_its_sql_says_in_the_version_it_was(
    lake: str, case: Case, lakes: dict[str, Lake]
) -> None:
    assert lakes[lake].versions(case, "inputs") == case.reads


@each_case
def test_it_writes_what_its_sql_says_and_makes_a_version(
    lake: str, case: Case, lakes: dict[str, Lake]
) -> None:
    assert lakes[lake].versions(case, "outputs") == case.writes


@each_case
def test_it_reports_its_write_mode(lake: str, case: Case, lakes: dict[str, Lake]) -> None:
    outputs = lakes[lake].datasets(case, "outputs")
    modes = {item["outputFacets"]["lineage_write"]["mode"] for item in outputs}
    changes = {
        item["facets"].get("lifecycleStateChange", {}).get("lifecycleStateChange")
        for item in outputs
    }
    assert (modes, changes) == (({case.how}, {case.change}) if case.writes else (set(), set()))


@each_case
def test_its_column_lineage_follows_its_sql(lake: str, case: Case, lakes: dict[str, Lake]) -> None:
    facets = [item["facets"].get("columnLineage") for item in lakes[lake].datasets(case, "outputs")]
    found = [facet for facet in facets if facet]
    if case.columns is None:
        assert found == []
        return
    (facet,) = found
    made = {
        name: lakes[lake].fields(field["inputFields"]) for name, field in facet["fields"].items()
    }
    assert made == case.columns
    assert lakes[lake].fields(facet.get("dataset") or []) == case.rows


@each_case
def test_unresolved_operators_are_marked(lake: str, case: Case, lakes: dict[str, Lake]) -> None:
    markers = [
        item["operator"]
        for event in lakes[lake].recorded.ends(case.name)
        for item in event["run"]["facets"].get("lineage_unresolved", {}).get("items", [])
    ]
    assert set(markers) == case.unresolved


@each_case
def test_it_counts_the_rows_it_reads(lake: str, case: Case, lakes: dict[str, Lake]) -> None:
    found = {
        lakes[lake].recorded.name(item): item["inputFacets"]["inputStatistics"]["rowCount"]
        for item in lakes[lake].datasets(case, "inputs")
        if "inputStatistics" in item["inputFacets"]
    }
    assert {name: found.get(name) for name in case.counted} == case.counted


@pytest.mark.parametrize("lake", LAKES)
def test_a_table_is_also_known_by_its_name(lake: str, lakes: dict[str, Lake]) -> None:
    cases, known = importlib.import_module(lake), lakes[lake]
    expected = cases.names(str(known.recorded.directory))
    found: dict[str, set[tuple[str, str]]] = {name: set() for name in expected}
    for event in known.recorded.events:
        for item in [*event["inputs"], *event["outputs"]]:
            links = item["facets"].get("symlinks", {}).get("identifiers", [])
            name = known.recorded.name(item)
            if event["eventType"] == "COMPLETE" and name in found:
                found[name] |= {(link["namespace"], link["name"]) for link in links}
    assert found == {name: {alias} for name, alias in expected.items()}


@pytest.mark.parametrize("lake", LAKES)
def test_the_log_of_a_table_is_no_dataset(lake: str, lakes: dict[str, Lake]) -> None:
    names = {
        item["name"]
        for event in lakes[lake].recorded.events
        for item in [*event["inputs"], *event["outputs"]]
    }
    assert not {name for name in names if "_delta_log" in name or "/metadata" in name}


@pytest.mark.parametrize(("stream", "table"), [("by_name", "wh/people"), ("by_path", "files")])
def test_a_stream_reads_its_table_alone(stream: str, table: str, lakes: dict[str, Lake]) -> None:
    recorded = lakes["support.cases.delta"].recorded
    told = [event for event in recorded.events if event["job"]["name"].endswith(f"stream_{stream}")]
    assert told
    for event in told:
        assert recorded.named(event["inputs"]) == {table}
        assert recorded.named(event["outputs"]) == {stream}
        assert "lineage_unresolved" not in event["run"]["facets"]


@pytest.mark.parametrize(
    ("stream", "source", "target"),
    [("from_a_name", "lake/db/changed", "streamed"), ("to_a_name", "plain", "lake/db/empty")],
)
def test_a_stream_has_the_table_whose_name_is_its_path(
    stream: str, source: str, target: str, lakes: dict[str, Lake]
) -> None:
    recorded = lakes["support.cases.iceberg"].recorded
    told = [event for event in recorded.events if event["job"]["name"].endswith(stream)]
    assert told
    for event in told:
        assert recorded.named(event["inputs"]) == {source}
        assert recorded.named(event["outputs"]) == {target}


def test_no_run_of_delta_reads_rows_that_nobody_knows(lakes: dict[str, Lake]) -> None:
    recorded = lakes["support.cases.delta"].recorded
    assert not [e["job"]["name"] for e in recorded.events if e["job"]["name"].endswith(".start")]


@pytest.mark.parametrize("lake", LAKES)
def test_the_events_are_as_the_spec_wants_them(lake: str, lakes: dict[str, Lake]) -> None:
    for event in lakes[lake].recorded.events:
        assert_valid(event)
