"""Authorization: missing, wrong, insufficient and removed tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from click.testing import CliRunner, Result
from lineage_cli import main
from support.events.builders import run_event

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector

LINEAGE = "/api/v1/lineage"
EVENT = run_event("r1", "COMPLETE", 1, writes=("a",))  # in the namespace etl


def token(collector: Collector, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["token", *arguments, "--dsn", collector.dsn])


def bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


@pytest.fixture
def secret(guarded: Collector) -> str:
    return token(guarded, "add", "airflow").stdout.strip()


def test_a_token_lets_events_in(guarded: Collector, secret: str) -> None:
    assert guarded.post(LINEAGE, EVENT, **bearer(secret)).status_code == 201


REFUSED = {
    "none": ({}, "has no bearer token"),
    "another scheme": ({"Authorization": "Basic YTpi"}, "has no bearer token"),
    "an empty one": ({"Authorization": "Bearer "}, "has no bearer token"),
    "a wrong one": (bearer("lineage_x"), "is not known"),
}


@pytest.mark.parametrize(("headers", "said"), REFUSED.values(), ids=REFUSED)
def test_without_a_good_token_nothing_gets_in(
    guarded: Collector, headers: dict[str, str], said: str
) -> None:
    answer = guarded.post(LINEAGE, EVENT, **headers)
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert said in answer.json()["error"]["message"]
    assert "lineage token add NAME" in answer.json()["error"]["hint"]


def test_a_token_needs_a_name(guarded: Collector) -> None:
    result = token(guarded, "add", "")
    assert (result.exit_code, result.stdout) == (2, "")


def test_a_token_without_namespaces_covers_all(guarded: Collector) -> None:
    token(guarded, "add", "anything")
    [line] = [x for x in token(guarded, "list").stdout.splitlines() if x.startswith("anything")]
    assert line.split() == ["anything", "write", "all"]


def test_a_token_to_read_does_not_write(guarded: Collector) -> None:
    secret = token(guarded, "add", "grafana", "--scope", "read").stdout.strip()
    answer = guarded.post(LINEAGE, EVENT, **bearer(secret))
    assert answer.status_code == 403
    assert answer.json()["error"]["message"] == 'The token "grafana" has the scope read, not write.'


def test_a_read_token_cannot_be_limited_to_namespaces(guarded: Collector) -> None:
    """It could not read anything: a trace passes through all namespaces."""
    made = token(guarded, "add", "grafana", "--scope", "read", "--namespace", "etl")
    assert (made.exit_code, made.stdout) == (2, "")
    assert "Omit --namespace" in made.stderr
    assert "grafana" not in token(guarded, "list").stdout


@pytest.mark.parametrize(
    ("namespaces", "status"), [(("etl",), 201), (("dbt", "e*"), 201), (("dbt", "etl2"), 403)]
)
def test_a_token_is_good_for_its_namespaces(
    guarded: Collector, namespaces: tuple[str, ...], status: int
) -> None:
    options = [option for name in namespaces for option in ("--namespace", name)]
    secret = token(guarded, "add", "team", *options).stdout.strip()
    assert guarded.post(LINEAGE, EVENT, **bearer(secret)).status_code == status
    report = guarded.post(f"{LINEAGE}/batch", f"[{EVENT}]", **bearer(secret)).json()
    assert report["summary"]["failed"] == (status == 403)


def test_the_secret_of_a_token_is_not_stored(guarded: Collector, secret: str) -> None:
    with psycopg.connect(guarded.dsn) as conn:
        (row,) = conn.execute("SELECT t::text FROM lineage.token t")
    assert secret not in row[0]
    assert "airflow" in token(guarded, "list").stdout
    assert secret not in token(guarded, "list", "--format", "json").stdout


def test_names_of_tokens_are_unique(guarded: Collector, secret: str) -> None:
    result = token(guarded, "add", "airflow")
    assert (result.exit_code, result.stdout) == (2, "")
    assert 'A token with the name "airflow" already exists.' in result.stderr


def test_a_removed_token_is_gone(guarded: Collector, secret: str) -> None:
    assert token(guarded, "remove", "airflow").exit_code == 0
    assert guarded.post(LINEAGE, EVENT, **bearer(secret)).status_code == 401
    result = token(guarded, "remove", "airflow")
    assert (result.exit_code, "no token with the name" in result.stderr) == (2, True)
