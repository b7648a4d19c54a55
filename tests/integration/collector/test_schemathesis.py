"""Requests that the OpenAPI document allows or forbids: responses conform to it.

ABUSE_EXAMPLES is their number, which all operations share; ``make test-abuse`` makes many.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import load_all_checks, not_a_server_error
from schemathesis.specs.openapi import checks
from support.events.mutations import GOOD

from lineage.http.serve import openapi
from lineage.ingest.writer import write_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from support.fixtures.collectors import Collector

EXAMPLES = int(os.environ.get("ABUSE_EXAMPLES", "300"))

schemathesis.serializer.alias("application/x-ndjson", "text/plain")
TOKENS = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=9)

load_all_checks()
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
OPERATIONS = [
    each.ok()
    for each in schemathesis.openapi.from_dict(openapi.openapi_document()).get_all_operations()
]


@pytest.fixture
def served(collector: Collector) -> Iterator[Collector]:
    with psycopg.connect(collector.dsn, autocommit=True) as conn:
        write_events(conn, GOOD)
    return collector


def send_to_each(
    operations: list[Any],
    mode: GenerationMode,
    send: Callable[[Any, str], None],
    number: int = EXAMPLES,
) -> None:
    """Send requests that the document allows, or that it forbids, to each operation."""
    share = settings(
        max_examples=max(1, number // len(operations)), suppress_health_check=list(HealthCheck)
    )  # the strategies of schemathesis are slow, and filter much
    for operation in operations:
        share(given(operation.as_strategy(mode), TOKENS)(send))()


def test_what_is_allowed_is_answered_as_declared(served: Collector) -> None:
    def send(case: Any, _: str) -> None:
        case.validate_response(case.call(base_url=served.url, timeout=60), checks=CHECKS)

    send_to_each(OPERATIONS, GenerationMode.POSITIVE, send)


def test_what_is_not_allowed_is_answered_as_declared(served: Collector) -> None:
    def send(case: Any, _: str) -> None:
        case.validate_response(case.call(base_url=served.url, timeout=60), checks=CHECKS)

    # Where only names in a path vary, nothing is forbidden.
    forbidding = [each for each in OPERATIONS if [*each.query, *each.body]]
    send_to_each(forbidding, GenerationMode.NEGATIVE, send)


def test_nobody_without_a_token_gets_in(guarded: Collector) -> None:
    def send(case: Any, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}".strip()}
        answer = case.call(base_url=guarded.url, timeout=60, headers=headers)
        is_open = case.path.startswith(("/health", "/metrics", "/openapi"))
        is_open = is_open or case.method == "DELETE"
        assert answer.status_code < 300 if is_open else answer.status_code == 401

    send_to_each(OPERATIONS, GenerationMode.POSITIVE, send, EXAMPLES // 2)
    with psycopg.connect(guarded.dsn) as conn:
        assert conn.execute("SELECT count(*) FROM lineage.event").fetchone() == (0,)


def test_it_is_well_after_all_that(served: Collector) -> None:
    assert requests.get(f"{served.url}/health/ready", timeout=60).status_code == 204
    assert len(OPERATIONS) > 30
