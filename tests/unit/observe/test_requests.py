"""Requests of real clients to a real server, as inputs and items of the run."""

from __future__ import annotations

import contextlib
import http.client
import sqlite3
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import aiohttp
import httpx
import pytest
import requests
import urllib3
from support.coroutines import run_coroutine
from support.services.observed import observe_run

import lineage
from lineage.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = "hunter2"


class Server(BaseHTTPRequestHandler):
    """Answers with three bytes; ``/missing`` with 404, ``/moved`` with a redirect."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = {"/missing": 404, "/moved": 302}.get(self.path.partition("?")[0], 200)
        self.send_response(status)
        if status == 302:
            self.send_header("Location", "/users")
        self.send_header("Content-Length", "3")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(b"abc")

    do_GET = do_POST = do_PUT = do_HEAD = answer

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def by_requests(url: str, method: str = "GET", **options: Any) -> None:
    with lineage.observe.http(requests.Session()) as session:
        assert session.request(method, url, **options).content in (b"abc", b"")


def by_httpx(url: str, method: str = "GET", **options: Any) -> None:
    with lineage.observe.http(httpx.Client()) as client:
        assert client.request(method, url, **options).content in (b"abc", b"")


def by_async_httpx(url: str, method: str = "GET", **options: Any) -> None:
    async def send() -> None:
        async with lineage.observe.http(httpx.AsyncClient()) as client:
            assert (await client.request(method, url, **options)).content in (b"abc", b"")

    run_coroutine(send())


def by_aiohttp(url: str, method: str = "GET", **options: Any) -> None:
    async def send() -> None:
        session = lineage.observe.http(lineage.observe.http(aiohttp.ClientSession()))
        async with session, session.request(method, url, **options) as response:
            assert await response.read() in (b"abc", b"")

    run_coroutine(send())


CLIENTS = pytest.mark.parametrize("send", [by_requests, by_httpx, by_async_httpx, by_aiohttp])


@CLIENTS
def test_a_get_that_was_answered_is_an_input(url: str, tmp_path: Path, send: Callable[..., None]):
    address = url.replace("http://", f"http://me:{SECRET}@")
    with observe_run(tmp_path / "spool", "http") as observed:
        send(f"{address}/users?token={SECRET}")
    assert observed.inputs == [f"{url}|/users"]
    assert observed.size(f"{url}|/users") == 3
    [item] = observed.items
    assert (item["method"], item["url"], item["status"]) == ("GET", f"{url}/users", 200)
    assert (item["count"], item["response_bytes"]) == (1, 3)
    assert item["duration_ms"] > 0
    assert SECRET not in str(observed.event)


@CLIENTS
def test_other_requests_state_no_dataset(url: str, tmp_path: Path, send: Callable[..., None]):
    with observe_run(tmp_path / "spool") as observed:
        send(f"{url}/missing")
        body = {"data" if send in (by_requests, by_aiohttp) else "content": b"12345"}
        for _ in range(2):
            send(f"{url}/users", "POST", **body)
    assert (observed.inputs, observed.outputs) == ([], [])
    missing, posted = observed.items
    assert (missing["status"], missing["count"]) == (404, 1)
    assert (posted["method"], posted["status"], posted["count"]) == ("POST", 200, 2)
    assert posted["response_bytes"] == 6


def test_hooks_of_the_program_still_run(url: str, tmp_path: Path):
    called: list[str] = []
    with observe_run(tmp_path / "spool") as observed:
        hooks = {
            "request": [lambda _: called.append("request")],
            "response": [lambda _: called.append("response")],
        }
        client = httpx.Client(event_hooks=hooks)
        with lineage.observe.http(lineage.observe.http(client)):
            client.get(f"{url}/users")
        session = requests.Session()
        session.hooks["response"].append(lambda *_, **__: called.append("requests"))
        with lineage.observe.http(lineage.observe.http(session)):
            session.get(f"{url}/users")
    assert called == ["request", "response", "requests"]
    assert [item["count"] for item in observed.items] == [2]


def test_a_request_with_hooks_of_its_own_is_not_seen(url: str, tmp_path: Path):
    """requests uses the hooks of the request in place of those of the session."""
    with observe_run(tmp_path / "spool") as observed:
        by_requests(f"{url}/users", hooks={"response": lambda *_, **__: None})
    assert (observed.inputs, observed.items) == ([], [])


def test_each_response_of_a_redirect_is_observed(url: str, tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed:
        by_requests(f"{url}/moved")
    assert observed.inputs == [f"{url}|/moved", f"{url}|/users"]
    assert [item["status"] for item in observed.items] == [302, 200]


def test_a_request_that_is_not_answered_is_not_seen(tmp_path: Path):
    with observe_run(tmp_path / "spool") as observed, pytest.raises(requests.ConnectionError):
        by_requests("http://127.0.0.1:1/x")
    assert (observed.inputs, observed.items) == ([], [])


def test_any_other_object_is_an_error():
    with pytest.raises(UsageError, match=r"A builtins\.dict cannot be observed"):
        lineage.observe.http({})


def test_an_error_of_the_observation_does_not_reach_the_program(
    url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    with observe_run(tmp_path / "spool") as observed:
        observed.run.content.add_payload = None
        for send in (by_requests, by_httpx, by_async_httpx, by_aiohttp):
            send(f"{url}/users")
    message = "An access is not recorded: TypeError: 'NoneType' object is not callable"
    assert caplog.messages == [message] * 4


def test_requests_outside_of_runs_change_nothing(url: str):
    by_requests(f"{url}/users")
    by_async_httpx(f"{url}/users")


def by_urllib(url: str) -> None:
    with urllib.request.urlopen(url) as response:
        response.read()


def by_http_client(url: str) -> None:
    connection = http.client.HTTPConnection(url.removeprefix("http://").partition("/")[0])
    connection.request("GET", "/" + url.split("/", 3)[3])
    connection.getresponse().read()
    connection.close()


@pytest.mark.parametrize(
    "send",
    [
        by_urllib,
        by_http_client,
        lambda url: requests.get(url, timeout=20).content,
        lambda url: urllib3.PoolManager().request("GET", url).data,
    ],
    ids=["urllib", "http.client", "requests", "urllib3"],
)
def test_what_the_observer_of_http_sees(url: str, tmp_path: Path, send: Callable[[str], object]):
    """The event precedes the request, so its status is not known: no dataset is stated."""
    with observe_run(tmp_path / "spool", "http") as observed:
        send(f"{url}/users?token={SECRET}")
        send(f"{url}/users?token={SECRET}")
    assert (observed.inputs, observed.outputs) == ([], [])
    assert observed.items == [
        {"kind": "HTTP_IO", "direction": "CLIENT", "method": "GET", "url": f"{url}/users",
         "count": 2},
    ]  # fmt: skip
    assert SECRET not in str(observed.event)


@pytest.mark.parametrize("send", [by_httpx, by_async_httpx, by_aiohttp])
def test_clients_with_sockets_of_their_own_are_not_seen(
    url: str, tmp_path: Path, send: Callable[..., None], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lineage.observe, "http", lambda client: client, raising=False)
    with observe_run(tmp_path / "spool", "http") as observed:
        send(f"{url}/users")
    assert (observed.inputs, observed.items) == ([], [])


def test_sqlite_gives_the_files_of_its_connections(tmp_path: Path):
    with observe_run(tmp_path / "spool", "sqlite") as observed:
        for name in (str(tmp_path / "a.db"), f"file:{tmp_path}/a.db?mode=rw", ":memory:", ""):
            with contextlib.closing(sqlite3.connect(name, uri=True)) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS t (a)")
        gone = tmp_path / "gone.db"
        sqlite3.connect(gone).close()
        gone.unlink()
    assert (observed.inputs, observed.outputs) == ([], [])
    assert observed.items == [
        {"kind": "RELATIONAL_IO", "namespace": "sqlite", "database": str(tmp_path / "a.db"),
         "count": 2},
    ]  # fmt: skip


def test_a_body_is_no_request(url: str, tmp_path: Path):
    body = b"GET /x HTTP/1.1\r\n"
    with observe_run(tmp_path / "spool", "http") as observed:
        requests.post(f"{url}/users", body, timeout=20)
    assert [item["method"] for item in observed.items] == ["POST"]


def test_a_request_by_a_proxy_has_the_url_of_its_target(url: str, tmp_path: Path):
    """The server answers in the place of the proxy."""
    proxies = urllib.request.ProxyHandler({"http": url})
    opener = urllib.request.build_opener(proxies)
    with observe_run(tmp_path / "spool", "http") as observed:
        opener.open("http://api.example.org/users?x=1").close()
    assert [item["url"] for item in observed.items] == ["http://api.example.org/users"]


@pytest.mark.parametrize("as_list", [False, True])
def test_hooks_of_a_session_of_requests_are_kept(tmp_path: Path, url: str, as_list: bool):
    """requests accepts one function in place of a list of them."""
    statuses: list[int] = []

    def check(response: requests.Response, *_: Any, **__: Any) -> None:
        statuses.append(response.status_code)

    with observe_run(tmp_path) as observed, requests.Session() as session:
        session.hooks = {"response": [check] if as_list else check}
        for _ in range(2):
            lineage.observe.http(session)
        session.get(f"{url}/users")
    assert statuses == [200]
    assert [item["count"] for item in observed.items] == [1]
