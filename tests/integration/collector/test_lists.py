"""Lists of the read API over HTTP: each says whether there is more, and the rest can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest
import requests
from support.events.builders import run_event

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

ROUNDS = 5  # each with a run of its own job, and a run of the job daily


@pytest.fixture
def tables(collector: Collector) -> Collector:
    """Return a collector where 5 jobs wrote a table each, and the job daily wrote mart 5 times."""
    events = [
        run_event(str(UUID(int=10 * n + kind)), "COMPLETE", 10 * n + kind, job, ("raw",), (to,))
        for n in range(ROUNDS)
        for kind, (job, to) in enumerate(((f"load{n}", f"t{n}"), ("daily", "mart")))
    ]
    assert collector.post("/api/v1/lineage/batch", f"[{','.join(events)}]").ok
    collector.drawn().close()
    return collector


def ask(collector: Collector, operation: str, **parameters: Any) -> Any:
    url = f"{collector.url}/api/v1/graph/{operation}"
    answer = requests.get(url, parameters, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.parametrize(
    ("operation", "name", "parameters", "number"),
    [
        ("datasets", "datasets", {}, ROUNDS + 2),
        ("jobs", "jobs", {}, ROUNDS + 1),
        ("runs", "runs", {}, 2 * ROUNDS),
        ("dataset-runs", "accesses", {"dataset": "raw"}, 2 * ROUNDS),
        ("job-runs", "runs", {"job": "daily"}, ROUNDS),
        ("events", "events", {}, 2 * ROUNDS),
    ],
)
def test_the_pages_of_a_list_are_the_list(
    tables: Collector, operation: str, name: str, parameters: dict[str, str], number: int
) -> None:
    whole = ask(tables, operation, **parameters)
    assert len(whole[name]) == number
    assert whole["has_more"] is False
    pages = [ask(tables, operation, **parameters, limit=3, offset=at) for at in range(0, number, 3)]
    assert [each for page in pages for each in page[name]] == whole[name]
    assert [page["has_more"] for page in pages] == [True] * (len(pages) - 1) + [False]
    exact = ask(tables, operation, **parameters, limit=number)
    assert (exact[name], exact["has_more"]) == (whole[name], False)


@pytest.mark.parametrize(
    ("operation", "name", "parameters"),
    [("search", "hits", {"text": "load"}), ("job-history", "runs", {"job": "daily"})],
)
def test_a_ranked_list_says_whether_there_is_more(
    tables: Collector, operation: str, name: str, parameters: dict[str, str]
) -> None:
    whole = ask(tables, operation, **parameters)
    assert (len(whole[name]), whole["has_more"]) == (ROUNDS, False)
    first = ask(tables, operation, **parameters, limit=2)
    assert (first[name], first["has_more"]) == (whole[name][:2], True)
