"""Saved traces and recorded items over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from support.events.builders import run_event
from support.events.record_facts import halve_items

import lineage.records as records
from lineage.ingest.writer import write_events
from lineage.records.fidelity import Fidelity
from lineage.records.trace_writer import ContributingRows, TraceResult, save_trace

if TYPE_CHECKING:
    from pathlib import Path

    from support.fixtures.collectors import Collector

RUN, EMPTY = "3c1d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11", "5e2d8a52-9f0e-4a53-8a9d-2f2f6f0f8a11"
GOLD, SILVER = "s3://lake/gold", "s3://lake/silver"
FILE = f"{SILVER}/part-0.parquet"


@pytest.fixture
def shop(collector: Collector, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collector:
    """Return a collector whose graph has a run with items, one without, and a dataset."""
    monkeypatch.setenv("LINEAGE_HOME", str(tmp_path / "home"))
    events = [
        run_event(run, "COMPLETE", at, "sum", ("silver",), ("gold",))
        for at, run in enumerate((RUN, EMPTY), start=1)
    ]
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, events)
    return collector


def save(collector: Collector, *, values: bool = False) -> str:
    rows = [{"id": index, "_file": FILE, "_row_index": index} for index in range(80)]
    sources = [
        ContributingRows(1, "gold", "silver", 3000, rows),
        ContributingRows(1, "gold", "names", 1, [{"name": 10**20}]),
    ]
    result = TraceResult(
        "gold", "id = 7", ["id"], "live", Fidelity.EXACT, ["reproduced"], 1, sources,
        run=RUN, reproduced=True, values=[{"id": 7}],
    )  # fmt: skip
    return save_trace(result, collector.dsn, with_values=values)


def get(collector: Collector, what: str, **params: Any) -> requests.Response:
    return requests.get(f"{collector.url}/api/v1/graph/{what}", params=params, timeout=60)


def ask(collector: Collector, what: str, **params: Any) -> Any:
    answer = get(collector, what, **params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_traces_of_a_dataset(shop: Collector) -> None:
    assert ask(shop, "record-traces", dataset="gold") == {
        "dataset": GOLD, "traces": [], "omitted": 0,
    }  # fmt: skip
    saved = [save(shop), save(shop)]
    found = ask(shop, "record-traces", dataset="gold", limit=1)
    assert found["omitted"] == 1
    [trace] = found["traces"]
    saved_at = trace.pop("saved_at")
    assert saved_at.endswith("Z")
    assert trace == {
        "trace_id": saved[1], "dataset": GOLD, "run": RUN, "columns": ["id"], "condition": None,
        "way": "live", "fidelity": "exact", "reasons": ["reproduced"], "rows": 1,
        "counts": [
            {"hop": 1, "target": GOLD, "source": SILVER, "rows": 3000, "saved": 80},
            {"hop": 1, "target": GOLD, "source": "names", "rows": 1, "saved": 1},
        ],
        "reproduced": True,
    }  # fmt: skip


def test_a_trace_has_the_first_rows_of_each_source(shop: Collector) -> None:
    saved = save(shop)
    found = ask(shop, "record-trace", trace=saved)
    assert (found["trace"]["trace_id"], found["values"]) == (saved, [])
    assert [row["row_index"] for row in found["witnesses"]] == [*range(50), None]
    assert {(row["source"], row["file"]) for row in found["witnesses"]} == {
        (SILVER, FILE),
        ("names", None),
    }
    assert all(row["values"] is None for row in found["witnesses"])
    found = ask(shop, "record-trace", trace=saved, limit=3)
    assert len(found["witnesses"]) == 4
    assert found["trace"]["counts"][0]["rows"] == 3000


def test_saved_values_keep_all_digits(shop: Collector) -> None:
    found = ask(shop, "record-trace", trace=save(shop, values=True))
    assert (found["trace"]["condition"], found["values"]) == ("id = 7", [{"id": 7}])
    assert found["witnesses"][2]["values"] == {"id": 2}
    assert found["witnesses"][-1]["values"] == {"name": "1" + "0" * 20}


def test_items_of_a_run(shop: Collector, tmp_path: Path) -> None:
    halve_items(shop.dsn, RUN, tmp_path)
    found = ask(shop, "record-items", run=RUN, limit=3)
    assert (found["run"], len(found["items"]), found["omitted"]) == (RUN, 3, 5)
    [node] = found["nodes"]
    assert (node["node_id"], node["rows_in"], node["rows_out"]) == ("halve", 8, 3)
    assert (node["outcomes"]["emitted"], node["outcomes"]["dead_lettered"]) == (3, 1)
    found = ask(shop, "record-items", run=RUN[:8], outcome="Dead_Lettered")
    assert found["omitted"] == 0
    assert found["items"] == [
        {
            "correlation_id": records.correlation_id(RUN, "id", 6),
            "outcome": ["error", "dead_lettered"],
            "hops": [
                {
                    "node_id": "halve", "outcome": ["error", "dead_lettered"],
                    "cardinality": "zero", "input_contributor_count": 1,
                    "output_emission_count": 0, "retry_count": 2, "error": "ValueError",
                }
            ],
            "contributors": [],
        }
    ]  # fmt: skip


def test_a_run_without_items_has_none(shop: Collector) -> None:
    nothing = {"nodes": [], "items": [], "omitted": 0}
    assert ask(shop, "record-items", run=EMPTY) == {"run": EMPTY, **nothing}
    assert ask(shop, "record-items", run="etl/sum") == {"run": EMPTY, **nothing}


@pytest.mark.parametrize(
    ("what", "params", "status", "message"),
    [
        ("record-traces", {"dataset": "lost"}, 404, "No dataset is called"),
        ("record-trace", {"trace": "lost"}, 404, "No trace"),
        ("record-trace", {"trace": EMPTY}, 404, "No trace"),
        ("record-trace", {}, 400, "The parameter trace is missing"),
        ("record-items", {"run": "lost"}, 404, "No run has the id"),
        ("record-items", {"run": RUN, "outcome": "lost"}, 400, "outcome is not one of emitted"),
    ],
)
def test_errors_name_the_cause(
    shop: Collector, what: str, params: dict[str, str], status: int, message: str
) -> None:
    answer = get(shop, what, **params)
    assert answer.status_code == status
    assert message in answer.text
