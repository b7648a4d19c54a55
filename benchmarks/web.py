"""Measure the web page in Chromium on a graph of 100,000 datasets.

python -m benchmarks.web [--wide N] [--narrow N] [--loads N] [--dsn DSN]

The graph is that of ``benchmarks.bulk`` with one run per job; ``lineage serve`` runs in a separate
process. The picture of 10,000 boxes has generated datasets, because the read API returns at most
2,000. Chromium draws without a GPU. For a small graph, use --wide 0 --narrow 3.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import json
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode, urlsplit

from benchmarks import bulk
from benchmarks.chromium import SOURCES, chromium, heap, opened, traced
from benchmarks.collector import serving
from benchmarks.emitter import dsn_of, fresh
from lineage.http.web.routes import STATIC

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.sync_api import Browser, Page, Route

WEB = Path(__file__).parents[1] / "web"
ROOT = f"{bulk.NAMESPACE}/narrow0/l10/j003/t0"
BOXES = 2000
FRAMES = 160
WORDS = ("narrow0/l05", "narrow2", "j003/t1", "raw r4", "l19 t2", "c1", "l1", "r")
WORKER = "DedicatedWorker"
LAST_CHANGE = '[aria-label="Last change"]'


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    whole = bulk.Shape()
    parser.add_argument("--wide", type=int, default=whole.wide, help="domains of 2,500 jobs")
    parser.add_argument("--narrow", type=int, default=whole.narrow, help="domains of 160 jobs")
    parser.add_argument("--loads", type=int, default=15, help="loads of each page")
    parser.add_argument("--dsn")
    options = parser.parse_args()
    print("| | measured | limit |\n|---|---:|---:|", flush=True)
    report_sizes()
    databases = fresh(options.dsn)
    conn = next(databases)
    bulk.load(conn, bulk.Shape(options.wide, options.narrow, runs=1, columns=2))
    with serving(dsn_of(conn)) as (_, (host, port)), chromium() as browser:
        address = f"http://{host}:{port}"
        report_loads(browser, address, options.loads)
        report_search(browser, address)
        report_expansions(browser, address)
        report_large_picture(browser, address)
        report_overview(browser, address)
    databases.close()  # type: ignore[attr-defined]
    report_crossings()


def row(what: str, measured: str, limit: str = "") -> None:
    print(f"| {what} | {measured} | {limit} |", flush=True)


def times(values: Sequence[float]) -> str:
    """Return median and 95th percentile of milliseconds."""
    ordered = sorted(values)
    return f"{statistics.median(ordered):,.0f}, {ordered[int(len(ordered) * 0.95)]:,.0f}"


def report_sizes() -> None:
    def packed(pattern: str) -> str:
        sizes = [len(gzip.compress(file.read_bytes())) for file in STATIC.glob(pattern)]
        return f"{sum(sizes) / 1024:.1f} KB"

    row("JavaScript of the page, gzip", packed("app-*.js"), "60 KB")
    row("JavaScript of the worker, gzip", packed("worker-*.js"))
    row("CSS, gzip", packed("*.css"), "8 KB")


def report_loads(browser: Browser, address: str, count: int) -> None:
    for name, path, usable in (
        ("first page", "/", ".search input"),
        ("graph", f"/graph?root={quote(ROOT)}", ".box.chosen"),
    ):
        loads = [load_page(browser, address, path, usable) for _ in range(count + 1)][1:]
        requests, paints, ready = zip(*loads, strict=True)
        if name == "first page":
            row("requests that the first paint needs", f"{max(requests)}", "4")
        row(f"{name}: first paint, ms: median, p95", times(paints), "300")
        row(f"{name}: usable, ms: median, p95", times(ready), "800")


def load_page(browser: Browser, address: str, path: str, usable: str) -> tuple[int, float, float]:
    """Return the number of requests for document, scripts and styles, and two times."""
    with opened(browser, address) as page:
        page.goto(path)
        ready = page.evaluate("whenPainted", usable)
        paint = page.evaluate("firstPaint")
        needed = page.evaluate(
            "performance.getEntriesByType('resource').filter((each) =>"
            " ['link', 'script', 'css'].includes(each.initiatorType)).length"
        )
        return 1 + needed, paint, ready


def report_search(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        page.goto("/")
        field = page.locator(".search input")
        took: dict[str, list[float]] = {words: [] for words in WORDS}
        for words in WORDS * 4:
            field.fill("")
            page.wait_for_timeout(200)  # the hits of the words before are forgotten after a pause
            start_timer(page, "input", "#hits")
            field.fill(words)
            took[words].append(page.evaluate("timer"))
    every = [each for values in took.values() for each in values]
    slowest = max(took, key=lambda words: statistics.median(took[words]))
    row(f'search: input to shown, ms: median, p95 (the slowest is "{slowest}")',
        times(every), "100")  # fmt: skip


def report_expansions(browser: Browser, address: str) -> None:
    took, moved = [], 0.0
    for layer in range(4, 16):
        with opened(browser, address) as page:
            page.goto(f"/graph?root={quote(f'{bulk.NAMESPACE}/narrow1/l{layer:02}/j002/t1')}")
            page.locator(".box.chosen").wait_for()
            for _ in range(4):
                clicked, far = expand(page)
                took.append(clicked)
                moved = max(moved, far)
    row("`+n`: click to painted, ms: median, p95", times(took), "100")
    row("`+n`: most that a shown box moves, pixels", f"{moved:.0f}", "0")


def expand(page: Page) -> tuple[float, float]:
    """Expand the first box that can be; return its milliseconds and how far boxes moved."""
    page.evaluate("painted()")
    before = page.evaluate("boxPlaces()")
    start_timer(page, "click", LAST_CHANGE, "added")
    page.locator(".box .side").filter(has_text="+").first.dispatch_event("click")
    took = page.evaluate("timer")
    after = page.evaluate("boxPlaces()")
    moves = [
        max(abs(a - b) for a, b in zip(place, after[name], strict=True))
        for name, place in before.items()
        if name in after
    ]
    return took, max(moves)


def start_timer(page: Page, event: str, selector: str, text: str = "") -> None:
    """Start what ``timer`` of the page resolves to: the time from the next event to the paint."""
    page.evaluate("(parameters) => startTimer(...parameters)", [event, selector, text])


def report_large_picture(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        with traced(browser, page) as tasks:
            page.goto(f"/graph?root={quote(ROOT)}#{link_of(BOXES)}")
            ready = page.evaluate("whenPainted", ".list caption")
        what = page.locator(".list caption").inner_text().partition(", sources")[0]
        row(f"{what}: usable, ms", f"{ready:,.0f}")
        row(
            f"{what}: longest task while it opens, ms of processor time",
            f"{tasks.longest:.0f}",
            "50",
        )
        row(f"{what}: JavaScript heap, MB", f"{heap(page):.1f}", "60")
        report_frames(browser, page, f"{what}, readable")
        page.get_by_role("button", name="Fit").click()
        page.evaluate("painted()")
        report_frames(browser, page, f"{what}, overview")
        with traced(browser, page) as tasks:
            first = tidy(page)
        others = [tidy(page) for _ in range(4)]
        row(f"{what}: Tidy, click to painted, ms: the first; median of others",
            f"{first:,.0f}; {statistics.median(others):,.0f}")  # fmt: skip
        row(f"{what}: longest task of Tidy, ms of processor time", f"{tasks.longest:.0f}", "50")


def link_of(count: int) -> str:
    """Return the fragment of a link to datasets of narrow domains, in columns by layer."""
    names = [
        (layer, f"narrow{domain}/l{layer:02}/j{job:03}/t{output}")
        for domain in range(4)
        for layer in range(20)
        for job in range(8)
        for output in range(4)
    ][:count]
    heights = [0] * 20
    places = []
    for layer, name in names:
        places.append(("box", f"{layer},{heights[layer]},0,{bulk.NAMESPACE}/{name}"))
        heights[layer] += 80
    return urlencode(places)


def report_frames(browser: Browser, page: Page, what: str) -> None:
    for kind, name in (("pan", "panning"), ("zoom", "zooming")):
        page.mouse.move(*page.evaluate("freePlace()"))
        page.mouse.down()
        with traced(browser, page) as tasks:
            rate = page.evaluate("([kind, count]) => driveFrames(kind, count)", [kind, FRAMES])
        page.mouse.up()
        row(f"{what}, {name}: frames a second", f"{rate:.0f}", "30")
        row(f"{what}, {name}: processor time of the main thread a frame, ms; longest task",
            f"{tasks.total / FRAMES:.1f}; {tasks.longest:.0f}", "50")  # fmt: skip


def tidy(page: Page) -> float:
    start_timer(page, "click", LAST_CHANGE, "Laid out anew.")
    page.get_by_role("button", name="Tidy").click()
    return float(page.evaluate("timer"))


def report_overview(browser: Browser, address: str) -> None:
    """Measure a picture that has no server behind it, and the worker alone."""
    with tempfile.TemporaryDirectory() as name, opened(browser, address) as page:
        build_overview(Path(name))
        page.route("**/benchmark/*", lambda route: route.fulfill(path=Path(name) / file_of(route)))
        page.goto("/benchmark/index.html?boxes=10000")
        page.locator(".picture").wait_for()
        page.get_by_role("button", name="Fit").click()
        page.evaluate("painted()")
        row("10,000 boxes: JavaScript heap, MB", f"{heap(page):.1f}")
        report_frames(browser, page, "10,000 boxes, overview")
        with traced(browser, page, WORKER) as first:
            started = page.evaluate("timeLayout()")
        with traced(browser, page, WORKER) as second:
            again = page.evaluate("timeLayout()")
        for what, took, tasks in (
            ("the first in a worker", started, first),
            ("the second", again, second),
        ):
            row(f"layout of 2,000 nodes, {what}, ms; processor time of the worker",
                f"{took:,.0f}; {tasks.total:.0f}", "250")  # fmt: skip


def file_of(route: Route) -> str:
    return Path(urlsplit(route.request.url).path).name


def build_overview(directory: Path) -> None:
    build = load_build()
    (worker,) = STATIC.glob("worker-*.js")
    node = build.find_node()
    subprocess.run(
        [node, WEB / "node_modules/esbuild/bin/esbuild", SOURCES / "overview.tsx", *build.ESBUILD,
         "--entry-names=[name]", f"--outdir={directory}", "--log-level=warning",
         f'--define:WORKER_URL="/ui/{worker.name}"'],
        env={"NODE_PATH": str(WEB / "node_modules")}, check=True,
    )  # fmt: skip
    (directory / "index.html").write_text(
        '<!doctype html><link rel="stylesheet" href="overview.css"><link rel="icon" href="data:,">'
        '<body><script type="module" src="overview.js"></script>'
    )


def report_crossings() -> None:
    build = load_build()
    node = build.find_node()
    build.install_packages(node, SOURCES)
    done = subprocess.run([node, SOURCES / "crossings.ts"], check=True, stdout=subprocess.PIPE)
    for each in json.loads(done.stdout):
        graphs = f"{each['count']} graphs of {each['size']:,} nodes"
        row(f"{graphs}: crossings, times those of elkjs: mean, worst",
            f"{each['ratio']:.2f}, {each['worst']:.2f}", "1.1")  # fmt: skip
        row(f"{graphs}: processor time of elkjs, times ours", f"{each['faster']:.0f}")


def load_build() -> Any:
    """Return the module of ``web/build.py``, which is not in a package."""
    spec = importlib.util.spec_from_file_location("web_build", WEB / "build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main()
