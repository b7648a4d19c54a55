"""Requests to programs of ASGI and WSGI, each of which is a run."""

from __future__ import annotations

import http.client
import io
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server
from wsgiref.util import FileWrapper, setup_testing_defaults
from wsgiref.validate import validator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from support.coroutines import run_coroutine
from support.services.sinks import MemorySink

import lineage
from lineage.hub import configure, to_openlineage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SECRET = "hunter2"


@contextmanager
def recorded(spool: Path) -> Iterator[list[dict[str, Any]]]:
    sink = MemorySink()
    hub = configure({"memory": lambda: sink}, spool=spool, linger_ms=0)
    events: list[dict[str, Any]] = []
    yield events
    hub.shutdown(20)
    configure({}, enabled=False)
    events += to_openlineage(sink.events)


def write_report(name: str) -> None:
    run = lineage.current_run()
    assert run
    run.writes(f"/data/{name}")


async def report(request: Any) -> PlainTextResponse:
    write_report("asgi")
    return PlainTextResponse("abc", 500 if "fail" in request.query_params else 200)


async def stream(request: Any) -> StreamingResponse:
    async def parts() -> Any:
        yield b"ab"
        write_report("streamed")
        yield b"c"

    return StreamingResponse(parts())


async def broken(request: Any) -> None:
    raise ZeroDivisionError


ROUTES = [Route(f"/{each.__name__}", each, methods=["GET", "POST"])
          for each in (report, stream, broken)]  # fmt: skip


def get(path: str) -> httpx.Response:
    app = lineage.observe.asgi(Starlette(routes=ROUTES), name="shop", namespace="web")

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            return await client.get(path)

    return run_coroutine(send())


def observed_item(event: dict[str, Any]) -> dict[str, Any]:
    [item] = event["run"]["facets"]["lineage_observed"]["items"]
    assert isinstance(item, dict)
    return item


def test_each_request_of_asgi_is_a_run(tmp_path: Path):
    with recorded(tmp_path) as events:
        assert get(f"/report?token={SECRET}").text == "abc"
        assert get("/stream").text == "abc"
    _, first, _, second = events
    assert [each["eventType"] for each in events] == ["START", "COMPLETE"] * 2
    assert (first["job"]["namespace"], first["job"]["name"]) == ("web", "shop")
    assert [each["name"] for each in first["outputs"]] == ["/data/asgi"]
    assert [each["name"] for each in second["outputs"]] == ["/data/streamed"]
    item = observed_item(first)
    assert (item["direction"], item["method"], item["url"], item["status"]) == (
        "SERVER", "GET", "http://shop/report", 200,
    )  # fmt: skip
    assert item["response_bytes"] == 3
    assert observed_item(second)["response_bytes"] == 3
    assert first["inputs"] == [], "a request states no dataset"
    assert SECRET not in str(events)


def test_a_request_of_asgi_that_fails_is_a_failed_run(tmp_path: Path):
    with recorded(tmp_path) as events:
        assert get("/report?fail=1").status_code == 500
        with pytest.raises(ZeroDivisionError):
            get("/broken")
        assert get("/none").status_code == 404
    ends = [each for each in events if each["eventType"] != "START"]
    assert [each["eventType"] for each in ends] == ["FAIL", "FAIL", "COMPLETE"]
    messages = [each["run"]["facets"].get("errorMessage", {}).get("message") for each in ends]
    assert messages == [
        "RequestFailed: The response has the status 500.",
        "ZeroDivisionError: ",
        None,
    ]


def test_other_connections_of_asgi_are_passed_on(tmp_path: Path):
    scopes = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        scopes.append(scope["type"])

    with recorded(tmp_path) as events:
        run_coroutine(lineage.observe.asgi(app)({"type": "lifespan"}, None, None))
    assert scopes == ["lifespan"]
    assert events == []


def list_of_one(environ: Any) -> Any:
    return [b"hello"]


def list_of_two(environ: Any) -> Any:
    return [b"hel", b"lo"]


def generator(environ: Any) -> Any:
    run = lineage.current_run()
    assert run
    yield b"hello"
    assert lineage.current_run() is run


def file_of_the_server(environ: Any) -> Any:
    return environ["wsgi.file_wrapper"](io.BytesIO(b"hello"))


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def response_of_server(app: Any) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return status, headers and body of a request to a server of WSGI."""
    with make_server("127.0.0.1", 0, app, handler_class=QuietHandler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        client = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=20)
        client.request("GET", "/")
        response = client.getresponse()
        headers = [each for each in response.getheaders() if each[0] != "Date"]
        body = response.read()
        client.close()
        thread.join()
        return response.status, headers, body


@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("body", [list_of_one, list_of_two, generator, file_of_the_server])
def test_a_server_of_wsgi_sends_the_same_response(
    tmp_path: Path, body: Callable[[Any], Any], enabled: bool
):
    def app(environ: Any, start_response: Any) -> Any:
        start_response("200 OK", [("Content-Type", "text/plain")])
        return body(environ)

    configure({"memory": MemorySink}, spool=tmp_path, enabled=enabled)
    observed = response_of_server(lineage.observe.wsgi(app, name="shop"))
    configure({}, enabled=False)
    if body is generator:  # which needs the current run
        body = list_of_two
    assert observed == response_of_server(app)
    assert observed[2] == b"hello"


def call_wsgi(app: Any, path: str) -> tuple[str, bytes]:
    """Call an application of WSGI by the rules of PEP 3333, which a validator checks."""
    environ: dict[str, Any] = {
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "HTTP_HOST": "shop",
        "QUERY_STRING": f"token={SECRET}",
    }
    setup_testing_defaults(environ)
    environ["wsgi.input"] = io.BytesIO()
    statuses = []

    def start_response(status: str, headers: Any, error: Any = None) -> Any:
        statuses.append(status)
        return lambda data: None

    parts = validator(lineage.observe.wsgi(validator(app), name="shop"))(environ, start_response)
    try:
        return statuses[0] if statuses else "", b"".join(parts)
    finally:
        parts.close()


def wsgi_app(environ: Any, start_response: Any) -> Any:
    path = environ["PATH_INFO"]
    if path == "/broken":
        raise ZeroDivisionError
    status = "500 Internal Server Error" if path == "/fail" else "200 OK"
    start_response(status, [("Content-Type", "text/plain")])
    write_report("wsgi")
    if path == "/file":
        return FileWrapper(io.BytesIO(b"abc"))
    return write_parts(path)


def write_parts(path: str) -> Iterator[bytes]:
    yield b"ab"
    write_report("streamed")
    if path == "/breaks":
        raise ZeroDivisionError
    yield b"c"


@pytest.mark.parametrize(
    ("path", "end", "outputs"),
    [
        ("/report", "COMPLETE", ["/data/wsgi", "/data/streamed"]),
        ("/file", "COMPLETE", ["/data/wsgi"]),
        ("/fail", "FAIL", ["/data/wsgi", "/data/streamed"]),
    ],
)
def test_each_request_of_wsgi_is_a_run(tmp_path: Path, path: str, end: str, outputs: list[str]):
    with recorded(tmp_path) as events:
        status, body = call_wsgi(wsgi_app, path)
        assert lineage.current_run() is None
    assert body == b"abc"
    assert [each["eventType"] for each in events] == ["START", end]
    assert [each["name"] for each in events[1]["outputs"]] == outputs
    item = observed_item(events[1])
    assert (item["url"], item["status"]) == (f"http://shop{path}", int(status[:3]))
    assert item["response_bytes"] == 3
    assert SECRET not in str(events)


@pytest.mark.parametrize("path", ["/broken", "/breaks"])
def test_an_exception_of_wsgi_goes_on_and_fails_the_run(tmp_path: Path, path: str):
    with recorded(tmp_path) as events, pytest.raises(ZeroDivisionError):
        call_wsgi(wsgi_app, path)
    assert [each["eventType"] for each in events] == ["START", "FAIL"]
