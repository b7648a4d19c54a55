"""Lineage of jobs on Avro files, with the package that is not part of Spark's distribution."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.events.openlineage_schema import assert_valid
from support.spark.connector_packages import AVRO
from support.spark.recorded import Event, Recorded, run
from support.spark.releases import environment

JOB = Path(__file__).parent / "jobs" / "avro.py"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    directory = tmp_path_factory.mktemp("avro")
    return run(JOB, directory, environment=environment(AVRO.spark))


CASES = [
    ("write", set(), "people", {"n": set(), "day": set()}),
    (
        "read",
        {"people"},
        "more",
        {"m": {"people.n TRANSFORMATION"}, "day": {"people.day IDENTITY"}},
    ),
    ("read with a schema", {"people"}, "plain", {"n": {"people.n IDENTITY"}}),
    ("a table", {"more"}, "wh/kept", {"m": {"more.m IDENTITY"}}),
    ("values", {"plain"}, "values", {"n": {"plain.n TRANSFORMATION"}}),
]


@pytest.mark.parametrize(
    ("case", "reads", "writes", "columns"), CASES, ids=[case[0] for case in CASES]
)
def test_what_is_read_and_written(
    recorded: Recorded, case: str, reads: set[str], writes: str, columns: dict[str, set[str]]
) -> None:
    (end,) = [end for end in recorded.ends(case) if end["outputs"]]
    (output,) = end["outputs"]
    assert end["eventType"] == "COMPLETE"
    assert recorded.named(end["inputs"]) == reads
    assert recorded.name(output) == writes
    assert made_of(output) == columns
    assert "lineage_unresolved" not in end["run"]["facets"]


def made_of(output: Event) -> dict[str, set[str]]:
    """Return the sources of each column with the transformation: ``people.n IDENTITY``."""
    fields = output["facets"].get("columnLineage", {}).get("fields", {})
    made = {
        name: {
            f"{Path(source['name']).name}.{source['field']} {how['subtype']}"
            for source in of["inputFields"]
            for how in source["transformations"]
        }
        for name, of in fields.items()
    }
    schema = [field["name"] for field in output["facets"]["schema"]["fields"]]
    return {name: made.get(name, set()) for name in schema}


def test_what_is_written_is_counted(recorded: Recorded) -> None:
    (end,) = recorded.ends("write")
    statistics = end["outputs"][0]["outputFacets"]["outputStatistics"]
    assert statistics["rowCount"] == 4
    assert statistics["fileCount"] > 0
    assert statistics["size"] > 0


def test_every_event_is_one_of_the_specification(recorded: Recorded) -> None:
    for event in recorded.events:
        assert_valid(event)
