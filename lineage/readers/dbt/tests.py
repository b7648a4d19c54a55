"""Results of dbt's tests as quality facts of the datasets tested."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from lineage.readers.dbt.nodes import compiled_code, dataset_value, job_place
from lineage.readers.dbt.runs import STATES, build_run_event, job_type_facet
from lineage.readers.facets import build_facet

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lineage.readers.dbt.files import Node, Result
    from lineage.readers.dbt.nodes import Project
    from lineage.readers.dbt.runs import Event, Invocation
    from lineage.readers.facets import Facets

_SOURCE = re.compile(r"""source\(\s*['"]([^'"]+)['"]\s*,\s*['"]([^'"]+)['"]\s*\)""")


def quality_events(
    project: Project, invocation: Invocation, jobs: Mapping[str, tuple[str, Facets]]
) -> Iterator[Event]:
    """Yield the runs of all tests that executed.

    ``jobs``: the name and facets of the job of each test with SQL of its own, by node.

    The tests of one dataset are one run, as in openlineage-dbt. It failed if one of them did, for
    which dbt's severity has to be error. A test with SQL of its own is a run as well, because it
    may read several datasets.
    """
    by_dataset: dict[str, list[tuple[Node, Result]]] = {}
    singular = []
    for result in invocation.results.results:
        node = project.artifacts.manifest.nodes.get(result.unique_id)
        if node is None or node.resource_type != "test" or result.status not in STATES:
            continue
        if (tested := find_tested(project, node)) is not None:
            by_dataset.setdefault(tested, []).append((node, result))
        if node.test_metadata is None or tested is None:
            singular.append((node, result))
    for unique_id, results in by_dataset.items():
        yield from _dataset_events(project, invocation, unique_id, results)
    for node, result in singular:
        yield from _singular_events(project, invocation, (node, result), jobs[node.unique_id])


def find_tested(project: Project, test: Node) -> str | None:
    """Return the id of the node that a test is about.

    None if the test reads several and its definition names none of them, and if the node has no
    relation.
    """
    if test.attached_node:
        return test.attached_node if test.attached_node in project.relations else None
    parents = test.parent_node_ids
    if len(parents) > 1 and test.test_metadata:
        match = _SOURCE.search(str(test.test_metadata.kwargs.get("model", "")))
        parents = [
            parent
            for parent in parents
            if match
            and (source := project.artifacts.manifest.sources.get(parent))
            and (source.source_name, source.name) == match.groups()
        ]
    return parents[0] if len(parents) == 1 and parents[0] in project.relations else None


def _dataset_events(
    project: Project, invocation: Invocation, unique_id: str, results: list[tuple[Node, Result]]
) -> Iterator[Event]:
    node = project.find_node(unique_id)
    assert node is not None  # it has a relation
    assertions = [_build_assertion(test, result) for test, result in results]
    facets = build_facet("dataQualityAssertions", "input", assertions=assertions)
    relation = project.relation_in(unique_id, compiled_code(*results[0]))
    parents = {
        name: None
        for test, result in results
        for name in project.parent_relations(test, compiled_code(test, result))
        if name != relation
    }
    tested = dataset_value(relation, inputFacets=facets)
    accesses = {"inputs": [tested, *map(dataset_value, parents)]}
    job = {
        "namespace": invocation.job_namespace,
        "name": f"{job_place(node)}.test",
        "facets": job_type_facet("TEST"),
    }
    times = [invocation.times_of(result) for _, result in results]
    run_id = invocation.node_run_id(f"{unique_id}.test")
    states = {STATES[result.status] for _, result in results}
    run = {"runId": run_id, "facets": invocation.child_facets(project.namespace)}
    yield build_run_event("START", min(start for start, _ in times), run, job, accesses)
    state = "FAIL" if "FAIL" in states else "COMPLETE"
    yield build_run_event(state, max(end for _, end in times), run, job, accesses)


def _singular_events(
    project: Project,
    invocation: Invocation,
    tested: tuple[Node, Result],
    named: tuple[str, Facets],
) -> Iterator[Event]:
    (test, result), (name, facets_of_job) = tested, named
    parents = project.parent_relations(test, compiled_code(test, result))
    accesses = {"inputs": [dataset_value(name) for name in parents]}
    job = {
        "namespace": invocation.job_namespace,
        "name": name,
        "facets": job_type_facet("TEST") | facets_of_job,
    }
    start, end = invocation.times_of(result)
    run_id = invocation.node_run_id(test.unique_id)
    execution = {
        "name": test.unique_id,
        "status": "pass" if result.status == "pass" else "fail",
        "severity": _severity_of(test),
        "type": test.test_metadata.name if test.test_metadata else "singular",
        **_counts_of(test, result),
        **({"description": test.description} if test.description else {}),
    }
    started = {"runId": run_id, "facets": invocation.child_facets(project.namespace)}
    yield build_run_event("START", start, started, job, accesses)
    facets = invocation.child_facets(project.namespace, result)
    facets |= build_facet("test", "run", tests=[execution])
    ended = {"runId": run_id, "facets": facets}
    yield build_run_event(STATES[result.status], end, ended, job, accesses)


def _build_assertion(test: Node, result: Result) -> dict[str, Any]:
    column = test.column_name
    if test.test_metadata:
        column = test.test_metadata.kwargs.get("column_name") or column
    return {
        "assertion": test.test_metadata.name if test.test_metadata else test.name,
        "name": test.name,
        "success": result.status == "pass",
        "severity": _severity_of(test),
        **({"column": column} if isinstance(column, str) else {}),
        **_counts_of(test, result),
    }


def _severity_of(test: Node) -> str:
    return ((test.config and test.config.severity) or "error").lower()


def _counts_of(test: Node, result: Result) -> dict[str, str]:
    """Return how many rows the test selected, and how many it may select."""
    if result.failures is None:
        return {}
    config = test.config
    limit = None
    if config:
        limit = config.warn_if if _severity_of(test) == "warn" else config.error_if
    is_default = limit is None or "".join(limit.split()) == "!=0"
    return {"actual": str(result.failures), "expected": "0" if is_default else str(limit)}
