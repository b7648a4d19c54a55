"""The files of the web page, and the command that opens it."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import requests
from support.services.polling import PAUSE

from lineage.http.web import routes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.fixtures.collectors import Collector

SHELL = '<!doctype html><script type="module" src="/ui/app-1.js"></script>'
SCRIPT = "export {};" * 200


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a directory that is served as the built page."""
    monkeypatch.setattr(routes, "STATIC", tmp_path)
    routes._read_files.cache_clear()
    yield tmp_path
    routes._read_files.cache_clear()


@pytest.fixture
def page_files(built: Path) -> Path:
    for name, text in (("index.html", SHELL), ("app-1.js", SCRIPT)):
        (built / name).write_text(text)
        (built / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    (built / "made-from").write_text("secret")
    return built


@pytest.mark.parametrize("path", routes.PAGES)
def test_every_page_has_the_same_document_under_a_strict_policy(
    page_files: Path, guarded: Collector, path: str
):
    answer = requests.get(guarded.url + path, timeout=60)

    assert (answer.status_code, answer.text) == (200, SHELL)
    policy = dict(
        part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; ")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"


def test_a_script_is_immutable_and_compressed(page_files: Path, collector: Collector):
    answer = requests.get(f"{collector.url}/ui/app-1.js", timeout=60)

    assert answer.text == SCRIPT
    assert answer.headers["Content-Encoding"] == "gzip"
    assert int(answer.headers["Content-Length"]) < len(SCRIPT) / 10
    assert "immutable" in answer.headers["Cache-Control"]
    assert answer.headers["Content-Type"].startswith("text/javascript")
    plain = requests.get(
        f"{collector.url}/ui/app-1.js", headers={"Accept-Encoding": "identity"}, timeout=60
    )
    assert plain.text == SCRIPT
    assert "Content-Encoding" not in plain.headers


@pytest.mark.parametrize("name", ["made-from", "index.html", "app-2.js", "%2e%2e%2froutes.py"])
def test_no_other_file_is_served(page_files: Path, collector: Collector, name: str):
    answer = requests.get(f"{collector.url}/ui/{name}", timeout=60)

    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_without_the_built_page_the_error_says_so_and_the_read_api_answers(
    built: Path, collector: Collector
):
    answer = requests.get(f"{collector.url}/", timeout=60)

    assert answer.status_code == 404
    assert "built without the web page" in answer.text
    assert requests.get(f"{collector.url}/api/v1/graph/runs", timeout=60).status_code == 200


def test_a_foreign_host_name_gets_no_page(page_files: Path, collector: Collector):
    answer = requests.get(f"{collector.url}/", headers={"Host": "evil.example"}, timeout=60)

    assert answer.status_code == 421


def test_serve_opens_the_page_in_the_browser(dsn: str, tmp_path: Path):
    opened = tmp_path / "opened"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.new\nmv {opened}.new {opened}\n')
    browser.chmod(0o755)
    command = [Path(sys.executable).parent / "lineage", "serve", "--port", "0", "--open"]
    log = tmp_path / "log"
    with log.open("w") as file:
        environment = {**os.environ, "LINEAGE_DSN": dsn, "BROWSER": str(browser)}
        with subprocess.Popen(command, env=environment, stderr=file) as server:
            while not opened.exists():
                assert server.poll() is None, log.read_text()
                time.sleep(PAUSE)
            server.terminate()
    port = re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text())
    assert port
    assert opened.read_text().strip() == f"http://localhost:{port[1]}/"
