"""Names of runs and artifacts of Metaflow."""

from __future__ import annotations

import pytest

from lineage.metaflow.names import (
    Attempt,
    FlowIdentity,
    changed_artifacts,
    datastore_namespace,
    input_artifacts,
)

FLOW = FlowIdentity("metaflow:///home/ada/.metaflow", "ShopFlow", "12")


@pytest.mark.parametrize(
    ("root", "namespace"),
    [
        ("/home/ada/.metaflow", "metaflow:///home/ada/.metaflow"),
        ("/home/ada/.metaflow/", "metaflow:///home/ada/.metaflow"),
        ("s3://bucket/flows", "metaflow+s3://bucket/flows"),
        ("gs://bucket/flows/", "metaflow+gs://bucket/flows"),
        ("container/flows", "metaflow://container/flows"),
    ],
)
def test_a_datastore_is_a_namespace(root: str, namespace: str):
    assert datastore_namespace(root) == namespace
    local = FLOW._replace(datastore=namespace).local_root
    assert local == ("/home/ada/.metaflow" if root.startswith("/") else None)


def test_runs_are_distinguished_by_all_that_names_them():
    other = FLOW._replace(datastore="metaflow+s3://bucket/flows")
    attempts = [
        Attempt(FLOW, "fetch", "3", 0),
        Attempt(FLOW, "fetch", "3", 1),
        Attempt(FLOW, "fetch", "4", 0),
        Attempt(FLOW, "merge", "3", 0),
        Attempt(FLOW._replace(run="13"), "fetch", "3", 0),
        Attempt(other, "fetch", "3", 0),
    ]
    ids = {FLOW.run_id, other.run_id, *(each.run_id for each in attempts)}
    assert len(ids) == len(attempts) + 2
    # The scheduler and the task name an attempt in separate processes.
    assert Attempt(FLOW, "fetch", "3", 0).run_id == attempts[0].run_id
    assert attempts[0].task_pathspec == "ShopFlow/12/fetch/3"
    assert attempts[0].job.name == "ShopFlow.fetch"


def test_a_join_reads_one_dataset_of_each_step(monkeypatch: pytest.MonkeyPatch):
    tasks = [
        ("fetch", "ShopFlow/12/fetch/3"),
        ("rates", "ShopFlow/11/rates/2"),
        ("fetch", "ShopFlow/12/fetch/4"),
    ]
    fetch, rates = input_artifacts(FLOW, tasks, ["rate"])
    assert (fetch.namespace, fetch.name) == (FLOW.datastore, "ShopFlow/fetch")
    assert fetch.facets["lineage_versions"] == {
        "versions": ["ShopFlow/12/fetch/3", "ShopFlow/12/fetch/4"]
    }
    assert fetch.facets["version"]["datasetVersion"] in fetch.facets["lineage_versions"]["versions"]
    assert rates.facets == {"version": {"datasetVersion": "ShopFlow/11/rates/2"}}


def test_the_first_step_reads_the_parameters_if_there_are_any():
    tasks = [("_parameters", "ShopFlow/12/_parameters/0")]
    [parameters] = input_artifacts(FLOW, tasks, ["rate", "day"])
    assert parameters.name == "ShopFlow/_parameters"
    assert parameters.facets["schema"] == {"fields": [{"name": "day"}, {"name": "rate"}]}
    assert input_artifacts(FLOW, tasks, []) == []


def test_only_artifacts_that_the_task_has_set_are_fields():
    keys = {
        "rate": "a1", "count": "b2", "table": "c3", "copied": "d4",
        "_foreach_stack": "e5", "name": "f6",
    }  # fmt: skip
    types = {
        "rate": "<class 'int'>",
        "count": "<class 'int'>",
        "table": "<class 'pandas.core.frame.DataFrame'>",
    }
    before = [{"rate": "a1", "count": "b1"}, {"copied": "d4"}]
    assert changed_artifacts(keys, types, before) == {
        "count": "int",  # an input has another value of it
        "table": "pandas.core.frame.DataFrame",
    }
    dataset = Attempt(FLOW, "fetch", "3", 0).output_artifacts({"b": "int", "a": ""})
    assert dataset.facets["schema"] == {"fields": [{"name": "a"}, {"name": "b", "type": "int"}]}
    assert dataset.facets["version"] == {"datasetVersion": "ShopFlow/12/fetch/3"}
