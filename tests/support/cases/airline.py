"""Ten days of an airline's pipeline as events: the graph of the web page's pictures.

bronze/{flights,weather,airlines,airports} -> silver/{flights,weather,fleet} -> gold/{delays,routes}
-> reports. On day 5 delays gets its weather from silver/weather, on day 8 conform_fleet fails, on
day 9 clean_flights takes ten times as long and writes half of the rows.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import NAMESPACE_URL, uuid5

from support.events.builders import dataset, derived, run_event, schema

if TYPE_CHECKING:
    from collections.abc import Iterator

DAYS = 10
BEGIN = datetime(2026, 3, 1, 4, 0, tzinfo=UTC)
FLIGHTS = schema(
    carrier="string", flight="int", origin="string", dest="string", dep_delay="double",
    arr_delay="double", tailnum="string", distance="double", air_time="double", hour="int",
    minute="int", time_hour="timestamp",
)  # fmt: skip
ERROR = {
    "message": "Table silver/fleet is locked by another writer\nCaused by: lease of job compact",
    "programmingLanguage": "JAVA",
}


def run_id(job: str, day: int) -> str:
    """Return the id of the run of a job on a day."""
    return str(uuid5(NAMESPACE_URL, f"{job}/{day}"))


def airline_events() -> Iterator[str]:
    """Yield the events of all runs, by day."""
    for day in range(DAYS):
        for job, minute, minutes, reads, writes in _jobs(day):
            start = BEGIN + timedelta(days=day, minutes=minute)
            state = "FAIL" if (job, day) == ("conform_fleet", 8) else "COMPLETE"
            facets = {"errorMessage": ERROR} if state == "FAIL" else {}
            run = run_id(job, day)
            yield _event(start, run, "START", job, reads, writes)
            end = start + timedelta(minutes=minutes)
            yield _event(end, run, state, job, reads, writes, **facets)


def _event(
    at: datetime, run: str, state: str, job: str, reads: Any, writes: Any, **facets: Any
) -> str:
    event = json.loads(run_event(run, state, 0, job, reads, writes, **facets))
    return json.dumps({**event, "eventTime": at.isoformat()})


def _written(name: str, rows: int, fields: dict[str, Any], **facets: Any) -> dict[str, Any]:
    statistics = {"outputStatistics": {"rowCount": rows, "size": rows * 48}}
    overwrite = {"lifecycleStateChange": {"lifecycleStateChange": "OVERWRITE"}}
    return dataset(name, schema=fields, outputFacets=statistics, **overwrite, **facets)


def _jobs(day: int) -> list[tuple[str, int, float, tuple[Any, ...], tuple[Any, ...]]]:
    """Return job, minute of its start, minutes that it takes, its inputs and its outputs."""
    late = day == 9
    rows = 168_000 if late else 336_000 + 120 * day
    owner = {"ownership": {"owners": [{"name": "team:operations", "type": "MAINTAINER"}]}}
    finance = {"ownership": {"owners": [{"name": "team:finance", "type": "MAINTAINER"}]}}
    pii = {"tags": {"tags": [{"key": "pii"}]}}
    flights = _written(
        "silver/flights", rows, FLIGHTS, **owner, **pii,
        documentation={"description": "One row a flight, without cancelled flights"},
        columnLineage=derived(*((name, "bronze/flights.csv", name) for name in
                                ("carrier", "flight", "origin", "dest", "arr_delay", "tailnum"))),
    )  # fmt: skip
    weather = _written("silver/weather", 26_000 + day, schema(origin="string", wind="double"))
    fleet = _written("silver/fleet", 3_300, schema(tailnum="string", seats="int"), **pii)
    delays = _written(
        "gold/delays", 16, schema(carrier="string", name="string", mean_delay="double"), **finance,
        columnLineage=derived(
            ("carrier", "silver/flights", "carrier"), ("mean_delay", "silver/flights", "arr_delay"),
            ("name", "bronze/airlines.csv", "name"),
            whole=(("silver/flights", "dest", "FILTER"),),
        ),
    )  # fmt: skip
    routes = _written("gold/routes", 220, schema(origin="string", dest="string", flights="long"))
    of_delays: tuple[Any, ...] = ("silver/flights", "bronze/airlines.csv")
    if day >= 5:
        of_delays += ("silver/weather",)
    return [
        ("clean_flights", 0, 80 if late else 8 + day / 4, ("bronze/flights.csv",), (flights,)),
        ("clean_weather", 2, 3, ("bronze/weather.csv",), (weather,)),
        ("conform_fleet", 5, 4, ("bronze/planes.csv", "bronze/airlines.csv"), (fleet,)),
        ("report_delays", 90 if late else 15, 5, of_delays, (delays,)),
        ("report_routes", 92 if late else 16, 6, ("silver/flights", "silver/fleet"), (routes,)),
        ("publish", 100 if late else 25, 2, ("gold/delays", "gold/routes"), ("web/dashboard",)),
    ]
