"""Reads and writes of Spark jobs in Hive, a database and other sources."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest
from support.cases.columns import edges
from support.cases.sources import CASES, Case
from support.events.openlineage_schema import assert_valid
from support.fixtures.jdbc import SECRET
from support.spark.recorded import TESTS, Event, Recorded, group, run

if TYPE_CHECKING:
    from support.fixtures.jdbc import Shop

JARS = Path(pyspark.__file__).parent / "jars"
pytestmark = pytest.mark.skipif(
    not list(JARS.glob("spark-hive_*.jar")), reason="this Spark comes without Hive"
)


@dataclass
class Sources(Recorded):
    """The events of the application that ran all cases, with a database of a shop."""

    shop: Shop

    def of(self, case: str) -> list[Event]:
        """Return the events of a case. Those of a Spark Connect client have a tag, no job group."""
        return [event for event in self.events if case in (group(event), *tags(event))]

    def outputs(self, case: Case) -> list[Event]:
        return [item for event in self.ends(case.name) for item in event["outputs"]]

    def name(self, dataset: Event) -> str:
        """Return the short name in the notation of the cases."""
        namespace, name = dataset["namespace"], super().name(dataset)
        if namespace == self.shop.namespace:
            return f"db:{name.removeprefix(f'{self.shop.name}.')}"
        return name if namespace in ("file", f"file:{self.directory}/wh") else f"{namespace}:{name}"

    def edges(self, fields: list[Event]) -> set[tuple[str, str, bool]]:
        return {
            (f"{last(self.name(item))}.{item['field']}", how["subtype"], how["masking"])
            for item in fields
            for how in item["transformations"]
        }


def tags(event: Event) -> list[str]:
    """Return the client's tags without the prefix of user and session that the server adds."""
    facts = event["run"]["facets"].get("lineage_execution", {}).get("facts", {})
    return [tag.partition("_Tag_")[2] for tag in facts.get("jobTags", ())]


def last(name: str) -> str:
    return re.split(r"[/.:]", name)[-1]


def facet(part: Event, name: str) -> Event:
    return dict(part.get("facets", {}).get(name, {}))


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory, shop: Shop, jdbc_driver: Path) -> Sources:
    directory = tmp_path_factory.mktemp("sources")
    arguments = (str(jdbc_driver), shop.url, shop.user, SECRET)
    found = run(TESTS / "spark" / "jobs" / "sources.py", directory, *arguments, timeout=900)
    return Sources(found.directory, found.events, shop)


each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
each_write = pytest.mark.parametrize(
    "case", [case for case in CASES if case.columns], ids=lambda case: case.name
)


@each_case
def test_it_reads_and_writes(case: Case, recorded: Sources) -> None:
    ends = recorded.ends(case.name)
    assert ends, "the case gave no event"
    read = recorded.named([item for event in ends for item in event["inputs"]])
    assert (read, recorded.named(recorded.outputs(case))) == (case.reads, case.writes)


@pytest.mark.parametrize("case", [case for case in CASES if case.mode], ids=lambda case: case.name)
def test_it_reports_lifecycle_change_and_write_mode(case: Case, recorded: Sources) -> None:
    found = {
        (
            facet(item, "lifecycleStateChange").get("lifecycleStateChange"),
            item["outputFacets"]["lineage_write"]["mode"],
        )
        for item in recorded.outputs(case)
    }
    assert found == {(case.change, case.mode)}


@each_write
def test_its_column_lineage_is_reported(case: Case, recorded: Sources) -> None:
    for item in recorded.outputs(case):
        lineage = facet(item, "columnLineage")
        found = {name: recorded.edges(of["inputFields"]) for name, of in lineage["fields"].items()}
        assert found == {name: edges(text) for name, text in (case.columns or {}).items()}
        assert recorded.edges(lineage.get("dataset", [])) == edges(case.rows)


@each_case
def test_unresolved_operators_are_marked(case: Case, recorded: Sources) -> None:
    runs = [event["run"] for event in recorded.ends(case.name)]
    markers = {
        item["operator"]
        for run in runs
        for item in facet(run, "lineage_unresolved").get("items", [])
    }
    made = {op for run in runs for op in facet(run, "lineage_in_memory").get("operators", [])}
    assert (markers, made - {"OneRowRelation"}) == (case.unresolved, case.in_memory)


@each_case
def test_the_end_state_matches_the_job(case: Case, recorded: Sources) -> None:
    states = {event["eventType"] for event in recorded.ends(case.name)}
    assert states == ({"FAIL"} if case.fails else {"COMPLETE"})


def test_no_secret_leaves_the_driver(recorded: Sources) -> None:
    spooled = [file.read_text() for file in (recorded.directory / "spool").glob("*.jsonl")]
    assert spooled
    assert not any(SECRET in text for text in spooled)


def test_a_rename_in_a_database_reports_the_name_before(recorded: Sources) -> None:
    (case,) = [case for case in CASES if case.name == "RENAME in a database's catalog"]
    (output,) = recorded.outputs(case)
    previous = facet(output, "lifecycleStateChange")["previousIdentifier"]
    assert recorded.name(previous) == "db:sales.ctas"


def test_a_table_of_hive_has_its_name_beside_its_place(recorded: Sources) -> None:
    (case,) = [case for case in CASES if case.name == "CTAS of Hive, as ORC"]
    (output,) = recorded.outputs(case)
    (name,) = facet(output, "symlinks")["identifiers"]
    assert (name["namespace"], name["name"]) == (
        f"file:{recorded.directory}/wh", "default.orcs"
    )  # fmt: skip


def test_the_events_are_as_the_spec_wants_them(recorded: Sources) -> None:
    for event in recorded.events:
        assert_valid(event)
