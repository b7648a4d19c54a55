"""Observations and locations whose values are invalid: they are logged, and the program goes on."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest
from support.services.observed import observe_run

from lineage.hub import (
    Direction,
    FileIo,
    FileOperation,
    HttpIo,
    Rejected,
    RelationalIo,
    RelationalOperation,
    configure,
    encode_document,
)
from lineage.hub.events import Context, Kind, LineageEvent

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHOP = "postgres://db:5432"
EXEC = RelationalOperation.EXEC
GET = Direction.CLIENT, "GET", "https://h/x"


class Clause:
    """A statement of a library: it has a text, and is neither true nor false."""

    def __str__(self) -> str:
        return "INSERT INTO t SELECT * FROM s"

    def __bool__(self) -> bool:
        raise TypeError("Boolean value of this clause is not defined")


def relational(**values: Any) -> RelationalIo:
    return RelationalIo(**{"operation": EXEC, "namespace": SHOP, **values})


INVALID: dict[str, Callable[[Any], None]] = {
    "no namespace": lambda run: run.add_observation(relational(namespace=None, sql="table a")),
    "an empty namespace": lambda run: run.add_observation(relational(namespace="", inputs=("a",))),
    "one name as inputs": lambda run: run.add_observation(relational(inputs="orders")),
    "one name as outputs": lambda run: run.add_observation(relational(outputs="orders")),
    "a name that is no text": lambda run: run.add_observation(relational(inputs=(None,))),
    "the text of an operation": lambda run: run.add_observation(
        relational(operation="EXEC", sql="select 1")),
    "the text of a status": lambda run: run.add_observation(HttpIo(*GET, status="200")),
    "no method": lambda run: run.add_observation(HttpIo(GET[0], None, GET[2], status=200)),
    "no URL": lambda run: run.add_observation(HttpIo(*GET[:2], None, status=200)),
    "no source": lambda run: run.add_observation(FileIo(FileOperation.READ)),
    "no payload": lambda run: run.add_observation(None),
    "no location": lambda run: run.reads(None),
    "several locations": lambda run: run.reads(["/a", "/b"]),
    "a number": lambda run: run.writes(5.5),
}  # fmt: skip


@pytest.mark.parametrize("case", INVALID)
def test_an_invalid_value_is_logged_and_not_recorded(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, case: str
):
    with caplog.at_level(logging.WARNING, "lineage.hub"), observe_run(tmp_path) as observed:
        INVALID[case](observed.run)
        observed.run.reads("/good")
    assert observed.event["eventType"] == "COMPLETE"
    assert (observed.inputs, observed.outputs) == (["/good"], [])
    assert len(caplog.records) == 1


@pytest.mark.parametrize("sql", [b"INSERT INTO t SELECT * FROM s", Clause()])
def test_the_sql_of_a_library_is_read(tmp_path: Path, sql: Any):
    """Of psycopg2 it is bytes, of SQLAlchemy an object."""
    payload = relational(sql=sql, catalog="d", schema="public")
    with observe_run(tmp_path) as observed:
        observed.run.add_observation(payload)
    assert observed.sources(f"{SHOP}|d.public.t") == [f"{SHOP}|d.public.s"]
    event = LineageEvent.create_now(Kind.RELATIONAL_IO, Context(run_id="r"), payload)
    assert b"INSERT INTO t" in encode_document(event)


def test_one_name_as_inputs_of_an_event_is_rejected():
    payload = relational(inputs="orders")
    with pytest.raises(Rejected, match="should be a tuple of names"):
        encode_document(LineageEvent.create_now(Kind.RELATIONAL_IO, Context(), payload))


def test_the_directory_of_the_spool_may_be_a_text(tmp_path: Path):
    try:
        hub = configure({}, enabled=False, spool=str(tmp_path))
        assert hub.settings.spool == tmp_path
    finally:
        configure({}, enabled=False)


def test_a_warning_of_an_invalid_observation_has_no_literals(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    text = "select 1 where pw = 'Pepper42'"
    for names in (text, text.encode()):
        with observe_run(tmp_path) as observed:
            payload: Any = RelationalIo(RelationalOperation.READ, "postgres://h", inputs=names)
            observed.run.add_observation(payload)
    warnings = " ".join(caplog.messages)  # the format of ``text`` may be that of PySpark's logger
    assert "Pepper42" not in warnings
    assert warnings.count('"select ? where pw = ?" is one name') == 2
