"""Lineage of jobs on tables of a shared Hive metastore, equal in two applications."""

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
    """The events of two applications, and the ``host:port`` of their shared metastore."""

    metastore: str
    place: Path
    first: Recorded
    second: Recorded

    def named(self, item: Event) -> str:
        """Return ``hive:db.t`` for a name in the metastore, else the path below ``place``."""
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
    # The location of a Hive table is decided by the metastore, which the listener does not ask.
    # That of other tables is decided by Spark.
    ("first", "a table", set(), {"hive:default.sales"}, set()),
    ("first", "a table elsewhere", set(), {"apart/days"}, {"hive:apart.days"}),
    ("first", "insert", set(), {"wh/sales"}, {"hive:default.sales"}),
    ("first", "from one into the other", {"wh/sales"}, {"apart/days"}, {"hive:apart.days"}),
    ("first", "a table of a query", {"apart/days"}, {"wh/copies"}, {"hive:default.copies"}),
    ("first", "a view", {"wh/sales"}, {"hive:default.names"}, set()),
    # A command that names only the table reports its name in the metastore, as the first did.
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
