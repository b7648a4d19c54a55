"""Sessions of browsers: a read token exchanged for a cookie that reads, and nothing else."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
from support.events.builders import run_event

from lineage.http import authentication, sessions, tokens

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

SESSION = "/api/v1/session"
EVENT = run_event("r1", "COMPLETE", 1, writes=("a",))


def add_token(collector: Collector, name: str, scope: Any, *namespaces: str) -> str:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        return tokens.add_token(conn, name, scope, namespaces)


def log_in(collector: Collector, secret: str, **headers: str) -> requests.Session:
    """Return a client as a browser is one: it keeps cookies."""
    client = requests.Session()
    client.post(collector.url + SESSION, json={"token": secret}, headers=headers, timeout=60)
    return client


@pytest.fixture
def browser(guarded: Collector) -> requests.Session:
    return log_in(guarded, add_token(guarded, "page", "read"))


def ask_graph(collector: Collector, client: requests.Session) -> requests.Response:
    return client.get(f"{collector.url}/api/v1/graph/datasets", timeout=60)


def test_a_session_reads_with_the_rights_of_its_token(
    guarded: Collector, browser: requests.Session
) -> None:
    assert ask_graph(guarded, browser).status_code == 200
    identity = browser.get(f"{guarded.url}/api/v1/whoami", timeout=60).json()
    assert identity["token"] == {"name": "page", "scope": "read"}
    assert identity["session"] is True


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(guarded: Collector) -> None:
    secret = add_token(guarded, "page", "read")
    answer = requests.post(guarded.url + SESSION, json={"token": secret}, timeout=60)
    assert answer.status_code == 204
    assert answer.content == b""
    cookie = answer.headers["Set-Cookie"]
    attributes = {each.strip().lower() for each in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/", f"max-age={sessions.SECONDS}"} <= attributes
    assert "secure" not in attributes  # plain HTTP: a browser would drop the cookie
    assert secret not in cookie


def test_the_cookie_is_secure_if_a_proxy_forwards_https(guarded: Collector) -> None:
    secret = add_token(guarded, "page", "read")
    answer = requests.post(
        guarded.url + SESSION,
        json={"token": secret},
        headers={"X-Forwarded-Proto": "https"},
        timeout=60,
    )
    assert "secure" in answer.headers["Set-Cookie"].lower()


@pytest.mark.parametrize(
    ("scope", "namespaces", "status", "reason"),
    [
        (None, (), 401, "is not known"),
        ("write", (), 403, "has the scope write, not read"),
        ("read", ("s3://lake",), 403, "is limited to namespaces"),
    ],
)
def test_only_a_token_that_may_read_all_opens_a_session(
    guarded: Collector, scope: Any, namespaces: tuple[str, ...], status: int, reason: str
) -> None:
    secret = add_token(guarded, "page", scope, *namespaces) if scope else "lineage_x"
    answer = requests.post(guarded.url + SESSION, json={"token": secret}, timeout=60)
    assert answer.status_code == status
    assert reason in answer.json()["error"]["message"]
    assert "Set-Cookie" not in answer.headers
    assert secret not in answer.text


def test_a_session_does_not_write(guarded: Collector, browser: requests.Session) -> None:
    answer = browser.post(f"{guarded.url}/api/v1/lineage", data=EVENT, timeout=60)
    assert answer.status_code == 401


def test_a_header_counts_and_not_the_session(guarded: Collector, browser: requests.Session) -> None:
    browser.headers["Authorization"] = "Bearer lineage_x"
    assert ask_graph(guarded, browser).status_code == 401


def test_after_logging_out_the_cookie_means_nothing(
    guarded: Collector, browser: requests.Session
) -> None:
    kept = dict(browser.cookies)
    assert browser.delete(guarded.url + SESSION, timeout=60).status_code == 204
    assert not browser.cookies
    assert ask_graph(guarded, browser).status_code == 401
    browser.cookies.update(kept)
    assert ask_graph(guarded, browser).status_code == 401


def test_a_removed_token_ends_its_sessions(
    guarded: Collector, browser: requests.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(guarded.dsn, autocommit=True) as conn:
        tokens.remove_token(conn, "page")
    shift_clocks(monkeypatch, 60)
    answer = ask_graph(guarded, browser)
    assert answer.status_code == 401
    assert "is not known" in answer.json()["error"]["message"]


def test_a_session_ends_by_itself(
    guarded: Collector, browser: requests.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    shift_clocks(monkeypatch, sessions.SECONDS + 60)
    assert "has no bearer token" in ask_graph(guarded, browser).json()["error"]["message"]


def shift_clocks(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Move the clocks that sessions and tokens are judged by, and no other clock."""
    for module in (authentication, sessions):
        monkeypatch.setattr(module, "monotonic", lambda: time.monotonic() + seconds)


def test_another_page_cannot_log_anybody_in_or_out(
    guarded: Collector, browser: requests.Session
) -> None:
    foreign = {"Origin": "https://evil.example"}
    secret = add_token(guarded, "other", "read")
    assert not log_in(guarded, secret, **foreign).cookies
    answer = browser.delete(guarded.url + SESSION, headers=foreign, timeout=60)
    assert answer.status_code == 403
    assert ask_graph(guarded, browser).status_code == 200


def test_without_required_tokens_there_is_no_session(collector: Collector) -> None:
    answer = requests.post(collector.url + SESSION, json={"token": "x"}, timeout=60)
    assert answer.status_code == 400
    assert "requires no token" in answer.json()["error"]["message"]
