"""Impact of a dataset or a column."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import NAMESPACE, events, run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear
from support.reference.impact import Log, Used

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.query import Graph

if TYPE_CHECKING:
    import psycopg

    from lineage.query.impact_records import Impact

    Connection = psycopg.Connection[Any]

SETTINGS = examples_in_one_database(40)


def owned(*names: str) -> dict[str, Any]:
    """Return an ownership facet."""
    return {"owners": [{"name": name, "type": "MAINTAINER"} for name in names]}


def names(found: Impact) -> dict[str, int]:
    return {each.dataset.name: each.distance for each in found.datasets}


def jobs(found: Impact) -> dict[str, int]:
    return {each.job.name: each.distance for each in found.jobs}


def test_a_check_is_no_use_but_a_job_that_depends_on_it(conn: Connection) -> None:
    """A change of the dataset may break its tests."""
    test = {"jobType": {"jobType": "TEST", "integration": "DBT"}}
    write_events(conn, [
        run_event("1", "COMPLETE", 1, "stg", ("feed",), ("stg",)),
        run_event("2", "COMPLETE", 2, "mart", ("stg",), ("mart",)),
        *(run_event(f"t-{name}", "COMPLETE", 9, f"{name}.test", (name,), of_job=test)
          for name in ("feed", "stg", "mart")),
    ])  # fmt: skip
    graph = Graph.over(conn)
    found = graph.impact("feed")
    assert {each.dataset.name: (each.reads, each.last_read) for each in found.datasets} == {
        "stg": (1, "2026-01-01T00:00:02.000000Z"), "mart": (0, None),
    }  # fmt: skip
    assert found.itself.last_read == "2026-01-01T00:00:01.000000Z"
    for limit in (None, 1, 0):
        assert graph.impact("feed", limit=limit).datasets_in_use == 1
    assert jobs(found) == {
        "stg": 1, "feed.test": 1, "mart": 2, "stg.test": 2, "mart.test": 3,
    }  # fmt: skip


def test_impact_has_the_downstream_datasets_and_their_readers(provenance: Graph) -> None:
    found = provenance.impact("raw/orders")
    assert names(found) == {"silver/orders": 1, "gold/revenue": 2, "gold/dashboard": 3}
    # A failed run of broken read silver/orders: it is a reader.
    assert jobs(found) == {"clean": 1, "report": 2, "broken": 2, "publish": 3}
    assert found.itself.tags == ("pii", "tier:1")
    assert (found.itself.last_written, found.itself.reads) == (None, 1)
    revenue = found.datasets[1]
    assert (revenue.last_written, revenue.last_read) == (
        "2026-01-01T00:00:50.000000Z", "2026-01-01T00:01:20.000000Z",
    )  # fmt: skip
    assert (revenue.writes, revenue.reads) == (2, 1)
    report = next(job for job in found.jobs if job.job.name == "report")
    assert [read.dataset.name for read in report.inputs] == ["silver/orders"]
    assert (report.runs, report.last_run.run_id if report.last_run else None) == (2, "report-2")
    assert found.until == "2026-01-01T00:01:20.000000Z"


def test_a_job_that_makes_nothing_of_it_is_touched_too(shop: Connection, dsn: str) -> None:
    write_events(shop, [run_event("x-1", "COMPLETE", 90, "export", ("gold/dashboard",))])
    with Graph(dsn) as graph:
        found = graph.impact("gold/dashboard")
        assert (names(found), jobs(found)) == ({}, {"export": 1})
        assert "export" not in jobs(graph.impact("raw/orders", depth=3))
        assert jobs(graph.impact("raw/orders", depth=4))["export"] == 4


def test_runs_are_counted_in_the_days_before_the_newest_event(
    shop: Connection, provenance: Graph
) -> None:
    later = run_event("later", "COMPLETE", 0, "lonely").replace("2026-01-01", "2026-02-10")
    write_events(shop, [later])
    found = provenance.impact("silver/orders", window_days=30)
    assert (found.since, found.until) == (
        "2026-01-11T00:00:00.000000Z", "2026-02-10T00:00:00.000000Z",
    )  # fmt: skip
    assert (found.itself.reads, found.datasets_in_use) == (0, 0)
    assert found.itself.last_read == "2026-01-01T00:01:00.000000Z"
    assert provenance.impact("silver/orders", window_days=41).itself.reads == 3


def test_of_many_the_nearest_and_most_read_are_reported(provenance: Graph) -> None:
    found = provenance.impact("raw/orders", limit=1)
    assert (names(found), found.datasets_omitted) == ({"silver/orders": 1}, 2)
    assert (jobs(found), found.jobs_omitted) == ({"clean": 1}, 3)
    assert {(e.source.name, e.target.name) for e in found.edges} == {
        ("raw/orders", "silver/orders")
    }
    [nobody] = found.owners
    assert (nobody.name, nobody.datasets, nobody.jobs) == (None, 3, 4)


def test_of_a_column_what_derives_from_it(provenance: Graph) -> None:
    found = provenance.impact("raw/orders", "price")
    assert {each.dataset.name: (each.distance, each.columns) for each in found.datasets} == {
        "silver/orders": (1, ("price",)),
        "gold/revenue": (2, ("total",)),
        "gold/dashboard": (3, ("headline",)),
    }
    assert jobs(found) == {"clean": 1, "report": 2, "publish": 3}
    assert [(u.source.name, u.job.name, u.target) for u in found.unreported] == [
        ("silver/orders", "broken", None)
    ]
    of_filter = provenance.impact("raw/orders", "status")
    assert of_filter.datasets[0].columns == ("*",)


def test_impact_lists_outputs_without_column_lineage_as_unreported(
    shop: Connection, provenance: Graph
) -> None:
    write_events(
        shop, [run_event("m-1", "COMPLETE", 90, "mute", ("silver/orders",), ("gold/mute",))]
    )
    found = provenance.impact("raw/orders", "price")
    assert "gold/mute" not in names(found)
    assert [(u.source.name, u.job.name, u.target and u.target.name) for u in found.unreported] == [
        ("silver/orders", "mute", "gold/mute"),
        ("silver/orders", "broken", None),
    ]
    assert provenance.impact("silver/rates", "rate", limit=5).unreported == ()


def test_an_unknown_name_or_column_is_reported(provenance: Graph) -> None:
    with pytest.raises(NotFound, match='No dataset is called "x"'):
        provenance.impact("x")
    with pytest.raises(NotFound, match='no column "prize"'):
        provenance.impact("raw/orders", "prize")


def test_the_sql_functions_answer_in_psql_too(shop: Connection) -> None:
    rows = shop.execute(
        "SELECT distance, name, writes, reads, tags FROM lineage.impact('raw/rates')"
    )
    assert rows.fetchall() == [
        (0, "raw/rates", 0, 1, []),
        (1, "silver/rates", 1, 1, []),
        (2, "gold/revenue", 2, 1, []),
        (3, "gold/dashboard", 1, 0, []),
    ]
    rows = shop.execute("SELECT distance, name, runs FROM lineage.impact_jobs('raw/rates', 2)")
    assert rows.fetchall() == [(1, "load", 1), (2, "report", 2)]


@st.composite
def _owned(draw: st.DrawFn) -> str:
    """Draw an event with owners of its job and datasets. Its seconds are days."""
    text = draw(events)
    event = json.loads(
        re.sub(r"01T00:00:0(\d)Z", lambda at: f"{int(at[1]) + 1:02}T00:00:00Z", text)
    )
    owners = st.none() | st.lists(st.sampled_from(["ann", "bob"]), max_size=2)
    stated = [event["dataset"]] if "dataset" in event else event["inputs"] + event["outputs"]
    for thing in [*stated, *([event["job"]] if "job" in event else [])]:
        if (given := draw(owners)) is not None:
            thing.setdefault("facets", {})["ownership"] = owned(*given)
    return json.dumps(event)


def key(thing: Any) -> tuple[str, str]:
    return thing.namespace, thing.name


@SETTINGS
@given(st.lists(_owned(), min_size=1, max_size=8), st.integers(1, 3), st.none() | st.integers(1, 2))
def test_impact_is_what_the_log_reports(
    conn: Connection, texts: list[str], days: int, depth: int | None
) -> None:
    clear(conn)
    write_events(conn, texts)
    log = Log(texts, days)
    graph = Graph.over(conn)
    for root in [each[1] for each in log.graph if each[0] == "Dataset"]:
        distance = log.downstream(root, depth)
        found = graph.impact(f"{NAMESPACE}/{root[1]}", depth=depth, window_days=days)
        assert {
            key(each.dataset): (each.distance, Used(
                list(each.owners), list(each.tags), each.last_written, each.last_read,
                each.writes, each.reads))
            for each in (found.itself, *found.datasets)
        } == {name: (at, log.used(name)) for name, at in distance.items()}  # fmt: skip
        reads: dict[Any, set[Any]] = defaultdict(set)
        for name, at in distance.items():
            for job in log.readers(name) | log.designed_readers(name) if at != depth else ():
                reads[job].add(name)
        assert {
            key(j.job): (j.distance, {key(d.dataset) for d in j.inputs}, list(j.owners), j.runs)
            for j in found.jobs
        } == {
            job: (min(distance[name] for name in inputs) + 1, inputs, *log.job(job))
            for job, inputs in reads.items()
        }  # fmt: skip
        assert {
            (key(j.job), key(read.dataset)): (read.last_read, read.stale, j.reads)
            for j in found.jobs for read in j.inputs
        } == {
            (job, name): (*log.last_read(job, name), log.reads(job, inputs))
            for job, inputs in reads.items() for name in inputs
        }  # fmt: skip
        fresh = log.fresh(root, distance, depth)
        assert {key(each.dataset): (each.stale, each.last_fed) for each in found.datasets} == {
            name: (name not in fresh, log.last_fed(name, distance, depth))
            for name in distance if name != root
        }  # fmt: skip
        assert {key(each.job) for each in found.jobs if each.declared} == {
            job for job, inputs in reads.items()
            if not any(job in log.readers(name) for name in inputs)
        }  # fmt: skip
        assert found.datasets_in_use == sum(
            log.used(name).reads > 0 for name in distance if name != root
        )
        owned = Counter(o for each in found.datasets for o in each.owners or (None,))
        owned.update(o for each in found.jobs for o in each.owners or (None,))
        assert {each.name: each.datasets + each.jobs for each in found.owners} == owned
        assert found.edges == graph.downstream(f"{NAMESPACE}/{root[1]}", depth).edges
        assert_first(
            graph.impact(f"{NAMESPACE}/{root[1]}", depth=depth, window_days=days, limit=1), found
        )


def assert_first(one: Impact, whole: Impact) -> None:
    """Assert that ``one`` is the whole result with only the first dataset and job."""
    assert (one.itself, one.datasets, one.jobs, one.owners, one.datasets_in_use) == (
        whole.itself, whole.datasets[:1], whole.jobs[:1], whole.owners, whole.datasets_in_use,
    )  # fmt: skip
    assert one.datasets_omitted == len(whole.datasets[1:])
    assert one.jobs_omitted == len(whole.jobs[1:])
    told = {whole.itself.dataset.id, *(each.dataset.id for each in whole.datasets[:1])}
    assert set(one.edges) == {
        edge for edge in whole.edges if {edge.source.id, edge.target.id} <= told
    }


@SETTINGS
@given(st.lists(_owned(), min_size=1, max_size=8), st.none() | st.integers(1, 2))
def test_impact_of_a_column_is_what_the_log_reports(
    conn: Connection, texts: list[str], depth: int | None
) -> None:
    clear(conn)
    write_events(conn, texts)
    log = Log(texts, 30)
    graph = Graph.over(conn)
    for column in [each[1] for each in log.graph if each[0] == "Field"]:
        derived, steps = log.derived(column, depth)
        found = graph.impact(f"{NAMESPACE}/{column[1]}", column[2], depth)
        datasets: dict[Any, tuple[int, set[str]]] = {}
        for node, at in derived.items():
            least, columns = datasets.get(node[:2], (at, set()))
            datasets[node[:2]] = min(least, at), columns | {node[2] if len(node) == 3 else "*"}
        assert {
            key(each.dataset): (each.distance, set(each.columns))
            for each in (found.itself, *found.datasets)
        } == datasets
        assert {
            (key(each.job), each.distance, *sorted(key(d.dataset) for d in each.inputs))
            for each in found.jobs
        } == {
            (
                job,
                min(number for number, *_, of in steps if of == job),
                *sorted({source[:2] for _, source, _, of in steps if of == job}),
            )
            for *_, job in steps
            if job
        }
        near = {name for name, (at, _) in datasets.items() if at != depth}
        assert {
            (key(u.source), u.job and key(u.job), key(u.target) if u.target else None)
            for u in found.unreported
        } == log.unsaid(near)
        limited = graph.impact(f"{NAMESPACE}/{column[1]}", column[2], depth, limit=1)
        assert (limited.itself, limited.datasets, limited.jobs, limited.owners) == (
            found.itself, found.datasets[:1], found.jobs[:1], found.owners,
        )  # fmt: skip
