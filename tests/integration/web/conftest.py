"""A real browser, and pages of a collector whose faults fail the test."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from playwright.sync_api import expect, sync_playwright
from support.cases.airline import airline_events
from support.web.answers import COUNT_REQUESTS

from lineage.http.web.routes import STATIC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, BrowserContext, Page, Request
    from support.fixtures.collectors import Collector

CHROMIUM = shutil.which("chromium")
# Chromium has no sandbox for root; the tests open pages of this machine only.
ARGUMENTS = ["--no-sandbox"]
WATCH = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => {
  violations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`);
});
"""


expect.set_options(timeout=30_000)  # a busy machine must not fail a test


@dataclass
class Faults:
    """What no page may do; ``expected`` are parts of messages that the test provokes."""

    seen: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)

    def unexpected(self) -> list[str]:
        return [each for each in self.seen if not any(part in each for part in self.expected)]


def cannot_run(reason: str) -> NoReturn:
    """Skip the test, or fail where all tests have to run."""
    if os.environ.get("CI") or os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        cannot_run("Chromium is missing: apt-get install chromium")
    if not (STATIC / "index.html").exists():
        cannot_run("The web page is not built: `make setup` says why.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def airline(collector: Collector) -> Collector:
    """Return a collector with ten days of an airline's pipeline."""
    assert collector.post("/api/v1/lineage/batch", f"[{','.join(airline_events())}]").ok
    collector.drawn().close()
    return collector


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def open_context(
    browser: Browser, collector: Collector, faults: Faults
) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens a fresh browser profile on the collector."""
    contexts: list[BrowserContext] = []

    def open_profile(**settings: Any) -> BrowserContext:
        url = settings.pop("base_url", collector.url)
        context = browser.new_context(base_url=url, locale="en", **settings)
        context.set_default_timeout(30_000)
        context.add_init_script(WATCH)
        context.add_init_script(COUNT_REQUESTS)
        context.on("page", lambda page: _watch_page(page, url, faults))
        contexts.append(context)
        return context

    yield open_profile
    for context in contexts:
        for page in context.pages:
            faults.seen += page.evaluate("window.violations ?? []")
        context.close()
    assert not faults.unexpected()


@pytest.fixture
def page(open_context: Callable[..., BrowserContext]) -> Page:
    return open_context().new_page()


def _watch_page(page: Page, url: str, faults: Faults) -> None:
    def check_request(request: Request) -> None:
        if not request.url.startswith((url, "data:", "blob:")):
            faults.seen.append(f"request to {request.url}")

    page.on("request", check_request)
    page.on("pageerror", lambda error: faults.seen.append(f"error {error}"))
    page.on(
        "console",
        lambda message: (
            faults.seen.append(f"console {message.text}")
            if message.type in ("error", "warning")
            else None
        ),
    )
