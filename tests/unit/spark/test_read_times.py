"""When the rows of an input were read, from the scans in a plan document."""

from __future__ import annotations

from typing import Any

import pytest
from support.events.plan_documents import Json, Plans, ended, execution_end, unresolved

from lineage.openlineage.timestamps import of_milliseconds

OWN: int | None = None
SEVERAL = "several reads of one dataset at different times: only the last is followed"
UNKNOWN = "rows of a cache that was filled at an unknown time"


def scan(relation: int | None, read_at: int | None) -> Json:
    """Return the metric of a scan of an operator; without ``read_at`` it is of this execution."""
    metric: Json = {"node": "Scan parquet", "values": {}}
    metric |= {} if relation is None else {"relation": relation}
    return metric if read_at is None else {**metric, "readAt": read_at}


def join(*paths: str) -> Json:
    """Return a plan that joins relations over files, with the indexes of ``paths``."""
    plans = Plans()
    plans.node("Join", *(plans.files(path) for path in paths))
    return plans.build()


def times(raw: Json) -> dict[str, str]:
    """Return the time of an earlier read of each input that has one."""
    facets = {item["name"]: item.get("inputFacets") or {} for item in ended(raw)["inputs"]}
    return {
        name: facet["lineage_read_time"]["time"]
        for name, facet in facets.items()
        if "lineage_read_time" in facet
    }


def marks(raw: Json) -> list[tuple[str, str]]:
    facet = ended(raw)["run"]["facets"].get("lineage_unresolved", {"items": []})
    return [(item["detail"].rpartition("/")[2], item["reason"]) for item in facet["items"]]


def execution(plan: Json, scans: list[Json], nested: list[Json] = ()) -> Json:  # type: ignore[assignment]
    return {**execution_end(plan), "started": {"time": 60_000, "plan": True}, "metrics": scans,
            "nested": list(nested)}  # fmt: skip


def at(time: int) -> str:
    return of_milliseconds(time)


@pytest.mark.parametrize(
    ("scans", "time", "mark"),
    [
        # The scans of one relation object have the index of its first operator.
        ([scan(0, 4_000)], at(4_000), []),
        ([scan(0, 4_000), scan(0, 4_000)], at(4_000), []),
        ([scan(0, OWN)], None, []),
        ([], None, []),
        ([scan(0, 4_000), scan(0, OWN)], None, [SEVERAL]),
        ([scan(0, 4_000), scan(1, 5_000)], at(5_000), [SEVERAL]),
        ([scan(0, 4_000), scan(1, 60_000)], None, [SEVERAL]),
        ([scan(0, 0)], None, [UNKNOWN]),
        ([scan(0, 0), scan(1, 4_000)], None, [UNKNOWN]),
    ],
)
def test_two_reads_of_one_dataset(scans: list[Json], time: str | None, mark: list[str]) -> None:
    raw = execution(join("file:/d", "file:/d"), scans)
    assert times(raw) == ({"/d": time} if time else {})
    assert marks(raw) == [("d", each) for each in mark]


def test_a_cached_scan_of_an_unknown_relation_may_have_the_rows_of_inputs_without_scans() -> None:
    raw = execution(
        join("file:/a", "file:/b", "file:/c"), [scan(0, OWN), scan(1, 4_000), scan(None, 5_000)]
    )
    assert times(raw) == {"/b": at(4_000)}
    assert marks(raw) == [("c", UNKNOWN)]


def test_an_own_scan_of_an_unknown_relation_is_not_marked() -> None:
    raw = execution(join("file:/a", "file:/b"), [scan(0, 4_000), scan(None, OWN)])
    assert (times(raw), marks(raw)) == ({"/a": at(4_000)}, [])


def test_the_scans_of_a_command_are_those_of_the_execution_nested_in_it() -> None:
    plans = Plans()
    query = plans.files("file:/d")
    plans.node(
        "InsertIntoHadoopFsRelationCommand", query, out=[], outputPath="file:/out", mode="Append"
    )
    inner: dict[str, Any] = {"id": 8, "plan": join("file:/d"), "metrics": [scan(0, 4_000)]}
    raw = execution(plans.build(), [], [inner])
    assert times(raw) == {"/d": at(4_000)}
    assert unresolved(ended(raw)) == []
