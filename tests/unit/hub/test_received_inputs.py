"""The sources of the outputs of large runs, and the outputs that a read of a directory finds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from support.services.observed import observe_run

from lineage.hub import Dataset, FileIo, FileOperation, RelationalIo, RelationalOperation

if TYPE_CHECKING:
    from pathlib import Path

FLOW = RelationalIo(
    RelationalOperation.EXEC, "postgres://h", sql="insert into d.pay select * from d.salaries"
)


def test_an_event_of_many_inputs_and_outputs_lists_few_sources(tmp_path: Path):
    with observe_run(tmp_path) as observed:
        observed.run.add_observation(FLOW)
        for number in range(900):
            observed.run.reads(f"/in/{number}.csv")
        for number in range(100):
            observed.run.writes(f"/out/{number}.csv")
    sources = [observed.sources(each) for each in observed.outputs if each.startswith("/out")]
    assert [len(each) for each in sources if each is not None] == [900, 900]
    assert sources.count(None) == 98, "they have all inputs"
    assert observed.facet["sources_truncated"] == 98
    assert len(json.dumps(observed.event)) < 1_000_000


@pytest.mark.parametrize("directory", ["/d", "/d/", "/d/e", "s3://lake/d", "s3://lake/d/e/"])
def test_a_read_of_a_directory_receives_the_sources_of_what_is_there(
    tmp_path: Path, directory: str
):
    namespace, root = ("file", "/") if directory.startswith("/") else ("s3://lake", "")
    source = {"namespace": "ns", "name": "kept", "type": "DATASET"}
    with observe_run(tmp_path) as observed:
        observed.run.add_observation(FLOW)
        observed.run.content.add_input(Dataset("ns", "kept"), is_received=False)
        facets = {"lineage": {"inputs": [source]}}
        for name in ("d/e/part", "other/part"):
            observed.run.content.add_output(Dataset(namespace, root + name, facets))
        observed.run.add_observation(FileIo(FileOperation.READ, directory))
        observed.run.writes("/report")
    assert "ns|kept" in (observed.sources("/report") or ())
