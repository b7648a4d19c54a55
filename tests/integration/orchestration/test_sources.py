"""``rank_sources`` and ``lineage sources`` on a small lake with a known answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from click.testing import CliRunner
from lineage_cli import main
from support.events.builders import (
    dataset,
    dataset_event,
    derived,
    job_event,
    run_event,
    schema,
    time,
)

from lineage.errors import NotFound
from lineage.ingest.writer import write_events
from lineage.orchestration import rank_sources
from lineage.query.session import Session

if TYPE_CHECKING:
    from lineage.orchestration import SourceRanking

    Connection = psycopg.Connection[Any]

# feed_a ─▶ clean_a ─┬─▶ mart, read by two dashboards; kept is fed by itself as well
# feed_b ─▶ clean_b ─┘─▶ extra, read by nobody; feed_c ─▶ old; feed_d is only read by a dashboard
# feed_e is only declared; a failed run of "broken" was to write feed_d
FEED_A = dataset(
    "feed_a",
    schema=schema(id="int", price="int", note="string"),
    tags={"tags": [{"key": "cost", "value": "1200"}]},
    ownership={"owners": [{"name": "ada"}]},
)
CLEAN_A = dataset("clean_a", columnLineage=derived(("id", "feed_a", "id")))
EVENTS = [
    run_event("1", "COMPLETE", 10, "clean_a", (FEED_A,), (CLEAN_A,)),
    run_event("2", "COMPLETE", 10, "clean_b", ("feed_b",), ("clean_b",)),
    run_event("3", "COMPLETE", 20, "join", ("clean_a", "clean_b", "mart"), ("mart",)),
    run_event("4", "COMPLETE", 20, "more", ("clean_b",), ("extra",)),
    run_event("5", "COMPLETE", 20, "archive", ("feed_c",), ("old",)),
    *(run_event(f"6-{n}", "COMPLETE", 30 + n, "board", ("mart",)) for n in range(3)),
    run_event("7", "COMPLETE", 40, "other_board", ("mart", "feed_d")),
    run_event("8", "FAIL", 40, "broken", ("clean_b",), ("feed_d",)),
    run_event("9", "FAIL", 41, "board", ("extra",)),
    job_event(42, "later", ("feed_e",), ("future",)),
    dataset_event(42, dataset("named_only")),
]  # fmt: skip


def ranked(ranking: SourceRanking) -> dict[str, tuple[int, list[str], int, int, str | None]]:
    return {
        each.dataset.name: (each.products, [p.name for p in each.alone], each.reads, each.readers,
                            each.unused)
        for each in ranking.sources
    }  # fmt: skip


def test_products_and_use_of_each_source(conn: Connection) -> None:
    write_events(conn, EVENTS)
    ranking = rank_sources(Session.over(conn))
    assert ranked(ranking) == {
        # mart: three runs of board and one of other_board; the read by join is its own
        "feed_b": (2, ["extra"], 4, 2, None),
        "feed_a": (1, [], 4, 2, None),
        "feed_d": (1, ["feed_d"], 1, 1, None),
        "feed_c": (1, ["old"], 0, 0, "products not read"),
        "feed_e": (1, ["future"], 0, 0, "not read"),
    }
    assert [each.dataset.name for each in ranking.sources] == [
        "feed_b", "feed_a", "feed_d", "feed_c", "feed_e"
    ]  # fmt: skip
    assert (ranking.products, ranking.omitted) == (5, 0)
    first = next(each for each in ranking.sources if each.dataset.name == "feed_a")
    assert (first.columns, first.columns_used, first.cost, first.owners, first.tags) == (
        3, 1, 1200.0, ("ada",), ("cost:1200",)
    )  # fmt: skip
    assert next(e.columns_used for e in ranking.sources if e.dataset.name == "feed_b") is None


def test_a_check_is_no_reader(conn: Connection) -> None:
    """mart feeds nothing and nobody reads it: the tests of dbt only check it and the feed."""
    test = {"jobType": {"jobType": "TEST", "integration": "DBT"}}
    write_events(conn, [
        run_event("1", "COMPLETE", 1, "stg", ("feed",), ("stg",)),
        run_event("2", "COMPLETE", 2, "mart", ("stg",), ("mart",)),
        *(run_event(f"t-{name}", "COMPLETE", 9, f"{name}.test", (name,), of_job=test)
          for name in ("feed", "stg", "mart", "checked_only")),
    ])  # fmt: skip
    ranking = rank_sources(Session.over(conn))
    assert ranked(ranking) == {
        "checked_only": (0, [], 0, 0, "not read"),
        "feed": (1, ["mart"], 0, 0, "products not read"),
    }
    assert {each.dataset.name: each.last_read for each in ranking.sources} == {
        "checked_only": None, "feed": "2026-01-01T00:00:01.000000Z",
    }  # fmt: skip
    assert ranking.products == 1


def test_observed_ignores_designs(conn: Connection) -> None:
    write_events(conn, EVENTS)
    assert "feed_e" not in ranked(rank_sources(Session.over(conn), observed=True))


def test_patterns_name_the_products(conn: Connection) -> None:
    write_events(conn, EVENTS)
    ranking = rank_sources(Session.over(conn), products=["*/clean_?", "*/old"])
    assert ranked(ranking)["feed_a"] == (1, ["clean_a"], 1, 1, None)
    assert ranked(ranking)["feed_c"] == (1, ["old"], 0, 0, "products not read")
    assert ranked(ranking)["feed_d"] == (0, [], 0, 0, "products not read")
    by_name = rank_sources(Session.over(conn), products=["clean_?", "old"])
    assert ranked(by_name) == ranked(ranking)
    with pytest.raises(NotFound, match=r'No dataset matches the pattern "clean_" of products\.'):
        rank_sources(Session.over(conn), products=["old", "clean_"])


def test_the_window_begins_at_since(conn: Connection) -> None:
    write_events(conn, EVENTS)
    ranking = rank_sources(Session.over(conn), since=time(35), unused=True)
    # from then on only other_board and a design: it reads mart and feed_d
    assert ranked(ranking) == {
        "feed_b": (2, ["extra"], 1, 1, "not read"),
        "feed_a": (1, [], 1, 1, "not read"),
        "feed_c": (1, ["old"], 0, 0, "not read"),
        "feed_e": (1, ["future"], 0, 0, "not read"),
    }


def test_the_limit_counts_the_others(conn: Connection) -> None:
    write_events(conn, EVENTS)
    ranking = rank_sources(Session.over(conn), limit=2)
    assert (len(ranking.sources), ranking.omitted) == (2, 3)


@pytest.fixture
def _environment(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINEAGE_DSN", dsn)
    with psycopg.connect(dsn, autocommit=True) as conn:
        write_events(conn, EVENTS)


@pytest.mark.usefixtures("_environment")
def test_the_command() -> None:
    def run(*words: str) -> str:
        result = CliRunner().invoke(main, ["sources", *words])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    lines = run().splitlines()
    assert lines[2].split() == [
        "s3://lake/feed_b", "2", "1", "4", "2", "2026-01-01", "00:00:10Z"
    ]  # fmt: skip
    assert lines[-2:] == [
        "s3://lake/feed_c  its only product was not read", "s3://lake/feed_e  it was not read"
    ]  # fmt: skip
    rows = json.loads(run("--format", "json", "--unused"))
    assert [row["source"] for row in rows] == ["s3://lake/feed_c", "s3://lake/feed_e"]
