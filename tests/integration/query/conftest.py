"""A small graph with known results for the tests of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from support.events.builders import dataset, derived, run_event, schema

from lineage.query import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# raw.orders ─ clean ─▶ silver.orders ─┬─ report ─▶ gold.revenue ─ publish ─▶ gold.dashboard
# raw.rates  ─ load ──▶ silver.rates ──┘
# A failed run of "broken" was to write gold.fraud from silver.orders.
#
# Columns:
# raw.orders.price ─▶ silver.orders.price ─┬─▶ gold.revenue.total ─▶ gold.dashboard.headline
#                     silver.rates.rate ───┘
# All of silver.orders depends on raw.orders.status, all of gold.revenue on silver.orders.id.
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY"}
SUM = {"type": "DIRECT", "subtype": "AGGREGATION"}
HASH = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
CLEANED = derived(
    ("id", "raw/orders", "id", HASH),
    ("price", "raw/orders", "price", IDENTITY),
    whole=(("raw/orders", "status", "FILTER"),),
)
REPORTED = derived(
    ("total", "silver/orders", "price", SUM),
    ("total", "silver/rates", "rate", SUM),
    whole=(("silver/orders", "id", "JOIN"),),
)
FRAUD = derived(("score", "silver/orders", "price"))
PUBLISHED = derived(("headline", "gold/revenue", "total"))

EVENTS = [
    run_event("app-1", "START", 0, "app"),
    run_event(
        "clean-1",
        "COMPLETE",
        10,
        "clean",
        (
            dataset(
                "raw/orders",
                tags={"tags": [{"key": "pii", "field": None}, {"key": "tier", "value": "1"}]},
            ),
        ),
        (
            dataset(
                "silver/orders",
                ("shop.orders",),
                storage={"fileFormat": "parquet"},
                columnLineage=CLEANED,
            ),
        ),
        ("app-1", "app"),
    ),
    run_event("load-1", "COMPLETE", 20, "load", ("raw/rates",), ("silver/rates",)),
    run_event("report-1", "START", 30, "report", ("silver/orders", "silver/rates")),
    run_event(
        "report-1",
        "COMPLETE",
        40,
        "report",
        writes=(
            dataset(
                "gold/revenue",
                schema=schema(total="decimal(18,2)", note={"text": "string"}),
                columnLineage=REPORTED,
                lifecycleStateChange={"lifecycleStateChange": "OVERWRITE"},
                outputFacets={"outputStatistics": {"rowCount": 7, "size": 700}},
            ),
        ),
    ),
    run_event("report-2", "COMPLETE", 50, "report", ("silver/orders",), ("gold/revenue",)),
    run_event(
        "broken-1",
        "START",
        60,
        "broken",
        ("silver/orders",),
        (dataset("gold/fraud", columnLineage=FRAUD),),
    ),
    run_event("broken-1", "FAIL", 70, "broken", errorMessage={"message": "no space left"}),
    run_event(
        "publish-1",
        "COMPLETE",
        80,
        "publish",
        ("gold/revenue",),
        (dataset("gold/dashboard", columnLineage=PUBLISHED),),
    ),
]


@pytest.fixture
def given_events(request: pytest.FixtureRequest) -> list[str]:
    """Return the events above for a test of the shop."""
    return EVENTS if "shop" in request.fixturenames else []


@pytest.fixture
def shop(conn: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
    """Return a connection to a database with the events above."""
    return conn


@pytest.fixture
def provenance(shop: psycopg.Connection[Any], dsn: str) -> Iterator[Graph]:
    with Graph(dsn) as answers:
        yield answers


@pytest.fixture
def copy(database: Callable[[str], str], server: Any) -> Iterator[psycopg.Connection[Any]]:
    """Connect to another database with an empty graph."""
    with psycopg.connect(database(server.migrated()), autocommit=True) as connection:
        yield connection
