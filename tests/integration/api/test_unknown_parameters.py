"""Unknown parameters of an operation: an error, instead of the result without them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import requests

from lineage.http import marquez
from lineage.http.api.operations import OPERATIONS as OWN
from lineage.http.serve.operations import OPERATIONS

if TYPE_CHECKING:
    from support.fixtures.collectors import Collector


def error(collector: Collector, path: str, method: str = "GET") -> tuple[int, str]:
    body = {} if method == "POST" else None
    response = requests.request(method, f"{collector.url}{path}", json=body, timeout=60)
    said = response.json()["error"]
    return response.status_code, f"{said['message']} {said.get('hint', '')}".strip()


def test_each_of_our_operations_refuses_what_it_does_not_know(collector: Collector) -> None:
    for operation in OWN:
        status, said = error(collector, f"{operation.path}?no_such_parameter=1", operation.method)
        assert (status, "'no_such_parameter'" in said) == (400, True), operation.path
        assert all(each.name in said for each in operation.parameters), operation.path


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("dataset-lineage?dataset=x&at=2026-01-01", "The parameter 'at' is unknown."),
        ("dataset-lineage?datset=x", "Did you mean dataset?"),
        ("dataset-lineage?dataset=x&Depth=1", "Did you mean depth?"),
        ("run-lineage?run=x&dpeth=1", "Did you mean depth?"),
        ("dataset-lineage?dataset=x&dataset=y", "dataset has 2 values, and takes one."),
        ("dataset-lineage?dataset=x&depth=1&depth=2", "depth has 2 values, and takes one."),
        ("dataset-lineage?dataset=x&dataset=x", "dataset has 2 values, and takes one."),
        ("dataset-lineage?dataset=x&depth=1&depth=1&depth=1", "depth has 3 values, and takes one."),
        ("dataset-lineage?dataset=x&observed=true&observed=true", "observed has 2 values"),
    ],
)
def test_the_nearest_name_is_named(collector: Collector, path: str, said: str) -> None:
    status, message = error(collector, f"/api/v1/graph/{path}")
    assert status == 400
    assert said in message


def test_an_empty_value_is_an_error(collector: Collector) -> None:
    """An empty ``at=`` would mean today, and ``?observed`` would include declared edges."""
    for operation in OWN:
        for each in operation.parameters:
            if each.required or each.default == "":
                continue
            path = f"{operation.path}?{each.name}="
            status, said = error(collector, path)
            assert status == 400, path
            assert f"{each.name} has no value" in said, path
    assert error(collector, "/api/v1/graph/dataset-lineage?dataset=x&observed")[1] == (
        "observed has no value. Give a value, or omit it."
    )


def test_list_parameters_accept_several_values(collector: Collector) -> None:
    _, said = error(collector, "/api/v1/graph/dataset-lineage?dataset=x&tag=a&tag=b&tag=b")
    assert said.startswith("No dataset is called")


def test_marquez_clients_may_send_what_marquez_ignores(collector: Collector) -> None:
    response = requests.get(f"{collector.url}/api/v1/namespaces?withRuns=true", timeout=60)
    assert response.status_code == 200
    assert {each.path for each in OPERATIONS if each.ignore_unknown} == {
        each.path for each in marquez.OPERATIONS
    }
