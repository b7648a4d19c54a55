"""The identity of a request: version, token and the state of the log."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from support.events.builders import run_event, time

from lineage.http import tokens

if TYPE_CHECKING:
    from conftest import Collector

EVENT = run_event("r1", "COMPLETE", 7, writes=("a",))
EARLIER = run_event("r0", "COMPLETE", 1, writes=("a",))


def whoami(collector: Collector, secret: str | None = None) -> requests.Response:
    headers = {"Authorization": f"Bearer {secret}"} if secret else {}
    return requests.get(f"{collector.url}/api/v1/whoami", headers=headers, timeout=60)


def test_without_required_tokens_there_is_none(collector: Collector) -> None:
    assert whoami(collector).json() == {
        "version": version("lineage-age"),
        "token": None,
        "session": False,
        "newest_event": None,
        "last_event": 0,
        "pending_events": 0,
    }
    assert whoami(collector, "lineage_x").json()["token"] is None


@pytest.mark.parametrize("scope", ["read", "write"])
def test_a_token_of_either_scope_learns_its_name(guarded: Collector, scope: Any) -> None:
    with psycopg.connect(guarded.dsn, autocommit=True) as conn:
        secret = tokens.add_token(conn, "web", scope)
    for _ in range(2):  # the second time the token is cached
        assert whoami(guarded, secret).json()["token"] == {"name": "web", "scope": scope}


def test_without_a_known_token_nothing_is_reported(guarded: Collector) -> None:
    for secret, message in ((None, "has no bearer token"), ("lineage_x", "is not known")):
        response = whoami(guarded, secret)
        assert response.status_code == 401
        assert message in response.json()["error"]["message"]


def test_the_log_is_reported_before_it_is_in_the_graph(collector: Collector) -> None:
    with psycopg.connect(collector.dsn) as conn:
        conn.execute("LOCK TABLE lineage.dataset IN SHARE MODE")  # blocks the projection
        for event in (EVENT, EARLIER):
            assert collector.post("/api/v1/lineage", event).status_code == 201
        found = whoami(collector).json()
        conn.rollback()
    newest = time(7).replace("Z", ".000000Z")
    assert (found["newest_event"], found["pending_events"]) == (newest, 2)
    collector.drawn().close()
    assert whoami(collector).json()["pending_events"] == 0


def test_an_event_of_the_past_changes_the_last_event_too(collector: Collector) -> None:
    found = []
    for event in (EVENT, EARLIER, EARLIER):  # the last is stored already
        assert collector.post("/api/v1/lineage", event).status_code == 201
        found.append(whoami(collector).json()["last_event"])
    assert 0 < found[0] < found[1] == found[2]


def test_the_rights_of_a_writer_are_enough(unprivileged: Collector) -> None:
    assert unprivileged.post("/api/v1/lineage", EVENT).status_code == 201
    assert whoami(unprivileged).status_code == 200
