"""What Spark jobs read and write in Hive, in a database and elsewhere, against what it means."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from fix_jdbc import SECRET
from openlineage.client.serde import Serde
from openlineage_shape import assert_valid
from spark_column_cases import edges
from spark_source_cases import CASES, Case

from lineage.spark.applications import events
from lineage.spark.spool import find

if TYPE_CHECKING:
    from fix_jdbc import Shop

TESTS = Path(__file__).parent.parent
Event = dict[str, Any]


@dataclass
class Recorded:
    """The events of one application that ran all cases."""

    directory: Path
    shop: Shop
    events: list[Event]

    def ends(self, case: Case) -> list[Event]:
        """The terminal events of the executions of a case."""
        return [
            event
            for event in self.events
            if event["eventType"] != "START"
            and facet(event["run"], "lineage_execution").get("facts", {}).get("jobGroup")
            == case.name
        ]

    def outputs(self, case: Case) -> list[Event]:
        return [item for event in self.ends(case) for item in event["outputs"]]

    def name(self, item: Event) -> str:
        """The short name that the cases use."""
        namespace, name = item["namespace"], item["name"]
        if namespace == self.shop.namespace:
            return f"db:{name.removeprefix(f'{self.shop.name}.')}"
        if namespace in ("file", f"file:{self.directory}/wh"):
            return str(name).removeprefix(f"{self.directory}/").removeprefix("default.")
        return f"{namespace}:{name}"

    def edges(self, fields: list[Event]) -> set[tuple[str, str, bool]]:
        return {
            (f"{last(self.name(item))}.{item['field']}", how["subtype"], how["masking"])
            for item in fields
            for how in item["transformations"]
        }


def last(name: str) -> str:
    return re.split(r"[/.:]", name)[-1]


def facet(part: Event, name: str) -> Event:
    return dict(part.get("facets", {}).get(name, {}))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, shop: Shop, jdbc_driver: Path) -> Recorded:
    directory = tmp_path_factory.mktemp("sources")
    job = [sys.executable, TESTS / "spark" / "jobs" / "sources.py", directory, jdbc_driver]
    done = subprocess.run(
        [*job, shop.url, shop.user, SECRET],
        cwd=directory,
        env=os.environ | {"PYTHONPATH": str(TESTS), "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    bad: list[object] = []
    found = [Serde.to_dict(event) for event in events(find(directory / "spool"), bad.append)]
    assert bad == []
    return Recorded(directory, shop, found)


each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
each_write = pytest.mark.parametrize(
    "case", [case for case in CASES if case.columns], ids=lambda case: case.name
)


@each_case
def test_it_reads_and_writes(case: Case, recorded: Recorded) -> None:
    ends = recorded.ends(case)
    assert ends, "the case gave no event"
    read = {recorded.name(item) for event in ends for item in event["inputs"]}
    written = {recorded.name(item) for item in recorded.outputs(case)}
    assert (read, written) == (case.reads, case.writes)


@pytest.mark.parametrize("case", [case for case in CASES if case.mode], ids=lambda case: case.name)
def test_it_says_what_became_of_what_was_there(case: Case, recorded: Recorded) -> None:
    found = {
        (
            facet(item, "lifecycleStateChange").get("lifecycleStateChange"),
            item["outputFacets"]["lineage_write"]["mode"],
        )
        for item in recorded.outputs(case)
    }
    assert found == {(case.change, case.mode)}


@each_write
def test_its_columns_are_made_of(case: Case, recorded: Recorded) -> None:
    for item in recorded.outputs(case):
        lineage = facet(item, "columnLineage")
        found = {name: recorded.edges(of["inputFields"]) for name, of in lineage["fields"].items()}
        assert found == {name: edges(text) for name, text in (case.columns or {}).items()}
        assert recorded.edges(lineage.get("dataset", [])) == edges(case.rows)


@each_case
def test_it_owns_up_to_what_is_unknown(case: Case, recorded: Recorded) -> None:
    runs = [event["run"] for event in recorded.ends(case)]
    markers = {
        item["operator"]
        for run in runs
        for item in facet(run, "lineage_unresolved").get("items", [])
    }
    made = {op for run in runs for op in facet(run, "lineage_in_memory").get("operators", [])}
    assert (markers, made - {"OneRowRelation"}) == (case.unresolved, case.in_memory)


@each_case
def test_it_ends_as_it_ended(case: Case, recorded: Recorded) -> None:
    states = {event["eventType"] for event in recorded.ends(case)}
    assert states == ({"FAIL"} if case.fails else {"COMPLETE"})


def test_no_secret_leaves_the_driver(recorded: Recorded) -> None:
    spooled = [file.read_text() for file in (recorded.directory / "spool").glob("*.jsonl")]
    assert spooled
    assert not any(SECRET in text for text in spooled)


def test_a_rename_in_a_database_tells_the_name_before(recorded: Recorded) -> None:
    (case,) = [case for case in CASES if case.name == "RENAME in a database's catalog"]
    (output,) = recorded.outputs(case)
    previous = facet(output, "lifecycleStateChange")["previousIdentifier"]
    assert recorded.name(previous) == "db:sales.ctas"


def test_a_table_of_hive_has_its_name_beside_its_place(recorded: Recorded) -> None:
    (case,) = [case for case in CASES if case.name == "CTAS of Hive, as ORC"]
    (output,) = recorded.outputs(case)
    (name,) = facet(output, "symlinks")["identifiers"]
    assert (name["namespace"], name["name"]) == (
        f"file:{recorded.directory}/wh", "default.orcs"
    )  # fmt: skip


def test_the_events_are_as_the_spec_wants_them(recorded: Recorded) -> None:
    for event in recorded.events:
        assert_valid(event)
