"""The order of random events against the definition, and independence of their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from support.events.builders import dataset, run_event
from support.properties import examples_in_one_database
from support.reference.graph import clear

from lineage.ingest.writer import write_events
from lineage.orchestration import PlanOptions, plan_jobs
from lineage.query.session import Session

if TYPE_CHECKING:
    import psycopg

    from lineage.orchestration import Plan

    Connection = psycopg.Connection[Any]

NAMES = ("a", "b", "v")
VIEW = {"datasetType": {"datasetType": "VIEW"}}
SINCE = 1000
WRITING = (None, "OVERWRITE")


class Ran(NamedTuple):
    """A run; ``parent``: the number of the run that started it, if that is an earlier one.

    ``change``: what happens to its outputs; None if that is not reported.
    """

    job: int
    at: int
    reads: frozenset[str]
    writes: frozenset[str]
    state: str
    parent: int
    change: str | None


RUNS = st.lists(
    st.builds(
        Ran,
        st.integers(0, 4),
        st.sampled_from((10, 990, 1010, 2000)),
        st.frozensets(st.sampled_from(NAMES), max_size=2),
        st.frozensets(st.sampled_from(NAMES), max_size=2),
        st.sampled_from(("COMPLETE", "COMPLETE", "FAIL", "RUNNING")),
        st.integers(0, 12),
        st.sampled_from((None, None, "OVERWRITE", "ALTER", "TRUNCATE", "DROP")),
    ),
    min_size=1,
    max_size=9,
)


def events_of(runs: list[Ran]) -> list[str]:
    events = []
    for number, each in enumerate(runs):
        parent = None
        if each.parent < number:
            parent = (f"run-{each.parent}", f"job{runs[each.parent].job}")
        change = {"lifecycleStateChange": {"lifecycleStateChange": each.change}}
        reads, writes = (
            tuple(
                dataset(name, **(VIEW if name == "v" else {}), **facets) for name in sorted(names)
            )
            for names, facets in ((each.reads, {}), (each.writes, change if each.change else {}))
        )
        events.append(
            run_event(f"run-{number}", each.state, each.at, f"job{each.job}", reads, writes, parent)
        )
    return events


def expected_pairs(runs: list[Ran]) -> set[tuple[str, str, str]]:
    """Return writer, reader and dataset of each pair, as documented."""

    def unit(number: int) -> int:
        parent = runs[number].parent
        return unit(parent) if parent < number else runs[number].job

    good = [(number, each) for number, each in enumerate(runs) if each.state != "FAIL"]
    defined = [each for _, each in good if "v" in each.writes and each.change in WRITING]
    newest = max((each.at for each in defined), default=None)
    view_of = {read for each in defined if each.at == newest for read in each.reads} - {"v"}
    recent = [(unit(number), each) for number, each in good if each.at >= SINCE]
    writers = {
        (name, job) for job, each in recent if each.change in WRITING for name in each.writes
    }
    pairs = set()
    for reader, each in recent:
        read = each.reads | (view_of if "v" in each.reads else frozenset())
        pairs |= {
            (f"job{writer}", f"job{reader}", name)
            for name, writer in writers
            if name in read and writer != reader
        }
    return pairs


def found_pairs(plan: Plan) -> set[tuple[str, str, str]]:
    return {
        (edge.before.name, edge.after.name, reason.dataset.name)
        for edge in plan.edges
        for reason in edge.reasons
    }


@examples_in_one_database(150)
@given(RUNS, st.randoms())
def test_pairs_are_as_documented_in_any_order_of_the_events(
    conn: Connection, runs: list[Ran], chance: Any
) -> None:
    clear(conn)
    events = events_of(runs)
    chance.shuffle(events)
    write_events(conn, events)
    since = "2026-01-01T00:16:40Z"
    plan = plan_jobs(Session.over(conn), options=PlanOptions(since=since))
    assert found_pairs(plan) == expected_pairs(runs)
    level = {each.job.name: each.level for each in plan.jobs}
    assert plan.cycles or all(level[a] < level[b] for a, b, _ in found_pairs(plan))
