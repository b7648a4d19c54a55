"""Runs whose events list a dataset several times, as those of openlineage-spark do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from support.events.builders import dataset, run_event, wrote

from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[Any]


def read(rows: int | None, part: str | None = None, version: str | None = None) -> dict[str, Any]:
    """Return an entry of the dataset t with the rows that were read of a part of it."""
    facets: dict[str, Any] = {}
    if rows is not None:
        facets["inputStatistics"] = {"rowCount": rows, "size": rows * 10}
    if part:
        facets["subset"] = {"inputCondition": {"type": "location", "locations": [part]}}
    of_version = {"version": {"datasetVersion": version}} if version else {}
    return dataset("t", inputFacets=facets, **of_version)


def rows_of_edge(conn: Connection, label: str) -> int:
    """Return the rows of the only edge with a label."""
    edges = conn.execute(f'SELECT properties::text::jsonb FROM provenance."{label}"')
    [(properties,)] = edges.fetchall()
    return properties["rows"]


@pytest.mark.parametrize(
    ("entries", "rows"),
    [
        ([read(100, "day=1"), read(250, "day=2")], 350),
        ([read(100, "day=1"), read(100, "day=2"), read(100, "day=1")], 200),
        ([read(350), read(100, "day=1")], 350),
        ([read(100, version="1"), read(120, version="2")], 220),
        ([read(100, version="1"), read(100)], 100),
        ([read(100, "day=1"), read(None, "day=2")], 100),
    ],
    ids=["parts", "a part twice", "a whole and a part", "versions", "one read", "no statistics"],
)
def test_rows_of_different_parts_are_added(conn: Connection, entries: list[Any], rows: int) -> None:
    write_events(conn, [run_event("r", "COMPLETE", 1, "job", tuple(entries))])
    assert rows_of_edge(conn, "INPUT_TO") == rows


def test_rows_that_were_written_to_different_parts_are_added(conn: Connection) -> None:
    parts = [wrote("o", rows=rows) for rows in (100, 250)]
    for day, each in enumerate(parts):
        where = {"type": "location", "locations": [f"day={day}"]}
        each["outputFacets"]["subset"] = {"outputCondition": where}
    write_events(conn, [run_event("r", "COMPLETE", 1, "job", (), tuple(parts))])
    assert rows_of_edge(conn, "OUTPUTS") == 350


def test_the_writes_of_each_version_that_was_read_are_upstream(conn: Connection) -> None:
    """A comparison of two versions of a table, by time travel."""
    versions = [dataset("t", version={"datasetVersion": each}) for each in ("1", "2")]
    write_events(
        conn,
        [
            *(
                run_event(f"w{at}", "COMPLETE", at, "load", ("a",), (each,))
                for at, each in enumerate(versions, 1)
            ),
            run_event("diff", "START", 10, "diff", tuple(versions), ("report",)),
            run_event("diff", "COMPLETE", 11, "diff", tuple(versions), ("report",)),
        ],
    )
    seen = conn.execute("SELECT source_run, exact FROM lineage.upstream_runs('diff', 1)")
    assert set(seen.fetchall()) == {("w1", True), ("w2", True)}
