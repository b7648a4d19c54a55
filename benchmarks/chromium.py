"""Pages in Chromium, and what their main thread does."""

from __future__ import annotations

import json
import shutil
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page

SOURCES = Path(__file__).parent / "page"


@contextmanager
def chromium() -> Iterator[Browser]:
    """Run Chromium without a window; the container is its sandbox."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, address: str) -> Iterator[Page]:
    """Yield a page of a new profile, which has nothing in its cache."""
    context = browser.new_context(base_url=address, viewport={"width": 1280, "height": 800})
    context.add_init_script(path=SOURCES / "measure.js")
    yield context.new_page()
    context.close()


@dataclass
class Tasks:
    """Milliseconds of processor time of each task of a thread."""

    times: list[float] = field(default_factory=list)

    @property
    def longest(self) -> float:
        return max(self.times)

    @property
    def total(self) -> float:
        return sum(self.times)


@contextmanager
def traced(browser: Browser, page: Page, thread: str = "CrRendererMain") -> Iterator[Tasks]:
    """Record the tasks of a thread of a page; the object that is yielded has them at the end.

    Processor time does not depend on what else the machine does.
    """
    tasks = Tasks()
    browser.start_tracing(page=page, categories=["toplevel"])
    yield tasks
    events = json.loads(browser.stop_tracing())["traceEvents"]
    threads: dict[Any, list[float]] = defaultdict(list)
    names = {
        (event["pid"], event["tid"]): event["args"]["name"]
        for event in events
        if event["name"] == "thread_name"
    }
    for event in events:
        which = event["pid"], event["tid"]
        if event["name"].endswith("RunTask") and names.get(which, "").startswith(thread):
            threads[which].append(event.get("tdur", 0) / 1000)
    tasks.times = max(threads.values(), key=sum)


def heap(page: Page) -> float:
    """Return the MB of the JavaScript heap in use after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return float(session.send("Runtime.getHeapUsage")["usedSize"]) / 1e6
