"""Readers log in with a token, and see when the page is out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from playwright.sync_api import expect
from support.events.builders import run_event

from lineage.http import tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Faults
    from playwright.sync_api import BrowserContext, Page, Route
    from support.fixtures.collectors import Collector

NO_PERIOD = "setInterval = (ask) => { window.ask = ask; return 0; };"


def add_token(collector: Collector, name: str) -> str:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        return tokens.add_token(conn, name, "read")


def log_in(page: Page, token: str) -> None:
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Log in").click()


@pytest.fixture
def guarded_page(
    guarded: Collector, open_context: Callable[..., BrowserContext], faults: Faults
) -> Page:
    """Return the page of the runs on a collector that requires tokens."""
    faults.expected.append("401")  # the browser logs each
    with psycopg.connect(guarded.dsn, autocommit=True) as conn:
        tokens.add_token(conn, "job", "write")
    page = open_context(base_url=guarded.url).new_page()
    page.goto("/runs")
    return page


def test_a_token_opens_the_page_that_the_address_names(
    guarded: Collector, guarded_page: Page
) -> None:
    log_in(guarded_page, add_token(guarded, "page"))
    expect(guarded_page.get_by_role("heading", name="Runs")).to_be_visible()
    guarded_page.reload()
    expect(guarded_page.get_by_role("heading", name="Runs")).to_be_visible()
    assert guarded_page.evaluate("document.cookie") == ""
    assert guarded_page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_a_wrong_token_is_rejected_with_the_reason(guarded_page: Page) -> None:
    log_in(guarded_page, "wrong")
    expect(guarded_page.get_by_role("alert")).to_contain_text("token")
    expect(guarded_page.get_by_label("Token")).to_be_visible()


def test_log_out_ends_the_session(guarded: Collector, guarded_page: Page) -> None:
    log_in(guarded_page, add_token(guarded, "page"))
    guarded_page.get_by_role("button", name="Log out").click()
    expect(guarded_page.get_by_label("Token")).to_be_visible()
    guarded_page.reload()
    expect(guarded_page.get_by_label("Token")).to_be_visible()


def test_new_events_are_announced_and_loaded_on_request(collector: Collector, page: Page) -> None:
    page.add_init_script(NO_PERIOD)
    with page.expect_response("**/whoami"):
        page.goto("/runs")
    expect(page.get_by_text("No run")).to_be_visible()
    assert (
        collector.post("/api/v1/lineage", run_event("r1", "COMPLETE", 1, "clean")).status_code
        == 201
    )
    collector.drawn().close()
    page.evaluate("() => window.ask()")
    expect(page.get_by_text("New events have arrived")).to_be_visible()
    expect(page.get_by_role("table")).to_have_count(0)
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("table")).to_contain_text("clean")
    expect(page.get_by_text("New events have arrived")).to_have_count(0)


def test_events_that_come_into_the_graph_are_announced(collector: Collector, page: Page) -> None:
    pending = 5

    def answer(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, json={**response.json(), "pending_events": pending})

    page.add_init_script(NO_PERIOD)
    page.route("**/whoami", answer)
    with page.expect_response("**/whoami"):
        page.goto("/runs")
    expect(page.get_by_text("No run")).to_be_visible()
    news = page.get_by_role("status", name="News")
    with page.expect_response("**/whoami"):
        page.evaluate("() => window.ask()")
    expect(news).to_be_empty()
    pending = 0
    page.evaluate("() => window.ask()")
    expect(news).to_contain_text("New events have arrived")
    news.get_by_role("button", name="Show").click()
    expect(news).to_be_empty()


def test_the_error_message_of_the_server_is_displayed(page: Page, faults: Faults) -> None:
    page.add_init_script(NO_PERIOD)
    with page.expect_response("**/whoami"):
        page.goto("/runs")
    faults.expected.append("503")
    error = {"error": {"message": "The database is not available.", "hint": "Try again."}}
    page.route("**/whoami", lambda route: route.fulfill(status=503, json=error))
    page.evaluate("() => window.ask()")
    news = page.get_by_role("status", name="News")
    expect(news).to_have_text("The database is not available. What is shown can be out of date.")
