"""What jobs on tables of a shared Hive metastore read and write, and that two of them agree."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.events.openlineage_schema import assert_valid
from support.services.hive_metastore import metastore, site
from support.spark.recorded import Event, Recorded, run

if TYPE_CHECKING:
    from collections.abc import Iterator

JOB = Path(__file__).parent / "jobs" / "metastore.py"


@dataclass
class Shared:
    """What two applications did, and the ``host:port`` of the metastore that they shared."""

    metastore: str
    place: Path
    first: Recorded
    second: Recorded

    def named(self, item: Event) -> str:
        """``hive:db.t`` of what is named in the metastore, else the path below the place."""
        if item["namespace"] == f"hive://{self.metastore}":
            return f"hive:{item['name']}"
        assert item["namespace"] == "file", item
        return str(item["name"]).removeprefix(f"{self.place}/")

    def aliases(self, item: Event) -> set[str]:
        found = item["facets"].get("symlinks", {}).get("identifiers", [])
        return {self.named(other) for other in found}


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shared]:
    place = tmp_path_factory.mktemp("metastore")
    with metastore(place) as server:
        settings = tmp_path_factory.mktemp("site")
        site(settings, {"hive.metastore.uris": f"thrift://{server}"})
        recorded = [
            run(JOB, tmp_path_factory.mktemp(which), f"{place}/wh", str(settings), which)
            for which in ("first", "second")
        ]
        yield Shared(server, place, *recorded)


CASES = [
    # The metastore decides where a table of Hive is put, and is not asked; of others Spark does.
    ("first", "a table", set(), {"hive:default.sales"}, set()),
    ("first", "a table elsewhere", set(), {"apart/days"}, {"hive:apart.days"}),
    ("first", "insert", set(), {"wh/sales"}, {"hive:default.sales"}),
    ("first", "from one into the other", {"wh/sales"}, {"apart/days"}, {"hive:apart.days"}),
    ("first", "a table of a query", {"apart/days"}, {"wh/copies"}, {"hive:default.copies"}),
    ("first", "a view", {"wh/sales"}, {"hive:default.names"}, set()),
    # What changes a table by its name alone tells the name that the first application gave as well.
    ("second", "truncate", set(), {"hive:default.copies"}, set()),
    ("second", "rename", {"hive:default.copies"}, {"hive:default.kept"}, set()),
    (
        "second",
        "of the view",
        {"hive:default.names", "wh/sales"},
        {"apart/named"},
        {"hive:apart.named"},
    ),
    ("second", "drop", set(), {"hive:apart.days"}, set()),
]


@pytest.mark.parametrize(
    ("which", "case", "reads", "writes", "aliases"), CASES, ids=[case[1] for case in CASES]
)
def test_what_is_read_and_written(
    shared: Shared, which: str, case: str, reads: set[str], writes: set[str], aliases: set[str]
) -> None:
    recorded: Recorded = getattr(shared, which)
    (end,) = recorded.ends(case)
    assert end["eventType"] == "COMPLETE"
    assert {shared.named(item) for item in end["inputs"]} == reads
    assert {shared.named(item) for item in end["outputs"]} == writes
    assert set().union(*(shared.aliases(item) for item in end["outputs"])) == aliases


def test_every_event_is_one_of_the_specification(shared: Shared) -> None:
    for event in (*shared.first.events, *shared.second.events):
        assert_valid(event)
