"""Names of datasets and jobs in canned queries: the same forms as in all other queries."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from support.events.builders import dataset, run_event

from lineage.errors import Ambiguous, NotFound, UsageError
from lineage.ingest.writer import write_events
from lineage.query.cypher import canned
from lineage.query.cypher.canned_parameters import bind_parameters

if TYPE_CHECKING:
    from typing import Any

    import psycopg

    from lineage.query import Graph

EVENTS = [
    run_event(
        "r1", "COMPLETE", 0, "clean", ("raw/a",), (dataset("gold/b", also=("db.turnover",)),)
    ),
    run_event(
        "r2", "COMPLETE", 9, "copy", ("gold/b",), (dataset("gold/b", namespace="s3://other"),)
    ),
]


@pytest.fixture(autouse=True)
def _events(conn: psycopg.Connection[Any]) -> None:
    write_events(conn, EVENTS)


def run(provenance: Graph, query: str, **params: str) -> list[str]:
    found = canned.canned_query(query)
    table = provenance.cypher(found.text, bind_parameters(provenance.session, found, params))
    return [str(row[0]) for row in table.rows]


@pytest.mark.parametrize("name", ["db.turnover", "turnover", "s3://lake/gold/b", "lake/gold/b"])
def test_an_alias_an_ending_and_a_full_name_are_one_dataset(provenance: Graph, name: str) -> None:
    assert run(provenance, "runs_that_wrote", name=name) == ["r1"]


def test_a_namespace_decides_between_two_of_one_name(provenance: Graph) -> None:
    with pytest.raises(Ambiguous):
        run(provenance, "runs_that_wrote", name="gold/b")
    assert run(provenance, "runs_that_wrote", name="gold/b", namespace="s3://lake") == ["r1"]
    assert run(provenance, "runs_that_wrote", name="gold/b", namespace="s3://other") == ["r2"]


def test_two_datasets_and_jobs_too(provenance: Graph) -> None:
    assert run(provenance, "common_inputs", one="turnover", other="s3://other/gold/b") == []
    assert (
        run(provenance, "failed_between", job="clean", since="2026-01-01", until="2027-01-01") == []
    )
    with pytest.raises(NotFound, match="cleen"):
        run(provenance, "failed_between", job="cleen", since="2026-01-01", until="2027-01-01")


def test_a_name_that_nothing_has_is_no_empty_answer(provenance: Graph) -> None:
    with pytest.raises(NotFound, match="Did you mean s3://lake/raw/a"):
        run(provenance, "readers_of", name="s3://lake/raw/aa")


@pytest.mark.parametrize(
    ("query", "params", "said"),
    [
        ("readers_of", {"nme": "x"}, "has no parameter nme. Did you mean name?"),
        ("readers_of", {}, "requires the parameter name."),
        ("counts", {"name": "x"}, "has no parameter name. It takes no parameters."),
    ],
)
def test_parameters_are_those_of_the_query(
    provenance: Graph, query: str, params: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said.replace("?", r"\?")):
        run(provenance, query, **params)


@pytest.mark.parametrize(
    ("text", "params", "said"),
    [
        ("MATCH (d:Dataset) WHERE d.name = $name RETURN d", {"nn": "x"}, "Did you mean name"),
        ("RETURN 1", {"x": 1}, "The query has no parameter"),
        ("RETURN $a, $b", {"a": 1}, "The parameter .b of the query has no value"),
        ("RETURN '$a' // $b", {"a": 1}, "The query has no parameter .a"),
    ],
)
def test_cypher_has_a_value_for_each_of_its_parameters_and_no_other(
    provenance: Graph, text: str, params: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        provenance.cypher(text, params)


def test_a_parameter_may_be_null_and_stand_twice(provenance: Graph) -> None:
    assert provenance.cypher("RETURN $a IS NULL, $a IS NULL", {"a": None}).rows == ((True, True),)


def test_a_time_of_another_zone_is_converted(provenance: Graph) -> None:
    """s3://other is never read, and therefore in the result for any time."""
    [[read_at]] = provenance.cypher(
        "MATCH ()-[i:INPUT_TO]->(r) WHERE r.run_id = 'r2' RETURN i.time"
    ).rows
    moment = datetime.fromisoformat(read_at.replace("Z", "+00:00"))
    elsewhere = timezone(timedelta(hours=2))
    at, later = (each.astimezone(elsewhere) for each in (moment, moment + timedelta(seconds=1)))
    found = canned.canned_query("unused_since")
    for since, is_unused in ((at, False), (later, True)):
        values = bind_parameters(provenance.session, found, {"since": since.isoformat()})
        rows = provenance.cypher(found.text, values).rows
        unused = {(row[0], row[1]) for row in rows}
        assert ("s3://other", "gold/b") in unused
        assert (("s3://lake", "gold/b") in unused) is is_unused


@pytest.mark.parametrize("time", ["abc", "yesterday", "2026-13-01", ""])
def test_what_is_no_time_is_rejected(provenance: Graph, time: str) -> None:
    """Compared as text, it would return a result."""
    with pytest.raises(UsageError, match="time"):
        run(provenance, "unused_since", since=time)
    with pytest.raises(UsageError, match="time"):
        run(provenance, "failed_between", job="copy", since="2026-01-01", until=time)
