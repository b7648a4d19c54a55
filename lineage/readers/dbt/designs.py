"""Designs of earlier imports of a project: those that a manifest leaves as they are, or ends.

A manifest has all nodes of its project for one target of dbt. A node that a newer manifest of the
target lacks was removed from the project, whichever of the two is imported first.
"""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from lineage.database.statements import StatementFile
from lineage.readers.dbt.nodes import Project, job_name
from lineage.readers.facets import build_facet

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import psycopg

    from lineage.readers.dbt.files import Artifacts, Node
    from lineage.readers.facets import Facets


class StoredDesign(NamedTuple):
    """The newest manifest that had the node of a job, as an import recorded it.

    ``time``: normalized. ``checksum``: of the code of the node. ``unchanged``: the event only
    described the job, whose design remained. ``declared``: the design of the job is not empty.
    """

    job: str
    node: str
    time: str
    checksum: str | None
    unchanged: bool
    declared: bool


_SQL = StatementFile(__file__)
_SELECT_DESIGNS = _SQL.statement("select_designs", StoredDesign)


def load_designs(
    conn: psycopg.Connection[Any], artifacts: Artifacts, namespace: str, job_namespace: str
) -> list[StoredDesign]:
    """Return the stored designs of a project, on one server and in one job namespace."""
    project = Project(artifacts, namespace).project_name
    return _SELECT_DESIGNS.fetch(conn, namespace=job_namespace, project=project, server=namespace)


def design_facet(
    project: Project, node: Node, time: str, checksum: str | None, *, unchanged: bool
) -> Facets:
    """Return the facts about the node of a job for later imports."""
    return build_facet(
        "lineage_dbt",
        "job",
        project=project.project_name,
        namespace=project.namespace,
        node=node.unique_id,
        time=time,
        checksum=checksum,
        unchanged=unchanged or None,
    )


def code_checksum(project: Project, node: Node) -> str | None:
    """Return a checksum of the code, and of the names of the relations it refers to.

    None if the manifest has no checksum of the code.
    """
    code = (node.checksum or {}).get("checksum")
    if not isinstance(code, str) or not code:
        return None
    names = sorted("/".join(name) for name in project.parent_relations(node))
    return sha256("\0".join((code, *names)).encode()).hexdigest()


def ended_designs(
    jobs: Mapping[str, str], time: str, designs: Iterable[StoredDesign]
) -> dict[str, str]:
    """Return the jobs of removed nodes, each with the time of the newest manifest that lacks it.

    ``jobs``: those of the imported manifest by node. ``time``: that of the manifest. A manifest of
    another target, whose nodes mostly have other relations, says nothing about these. A node that
    both have was not removed, although targets may share some relations and not others.
    """
    manifests: defaultdict[str, dict[str, StoredDesign]] = defaultdict(dict)
    newest = dict.fromkeys(jobs.values(), time)
    for each in designs:
        manifests[each.time][each.node] = each
        newest[each.job] = max(each.time, newest.get(each.job, ""))
    ended: dict[str, str] = {}
    for other, nodes in manifests.items():
        if other == time or not _is_same_target(jobs, nodes):
            continue
        lacking = (
            [
                each.job
                for each in nodes.values()
                if each.node not in jobs and each.declared and newest[each.job] < time
            ]
            if other < time
            else [job for node, job in jobs.items() if node not in nodes and newest[job] < other]
        )
        for job in lacking:
            ended[job] = max(time, other, ended.get(job, ""))
    return ended


def jobs_by_node(nodes: Sequence[Node]) -> dict[str, str]:
    """Return the names of the jobs of nodes by their ids."""
    return {node.unique_id: job_name(node) for node in nodes}


def _is_same_target(jobs: Mapping[str, str], nodes: Mapping[str, StoredDesign]) -> bool:
    """Return whether most nodes of both manifests have equal jobs, and so equal relations.

    The jobs of exposures, which have no relation, are equal for all targets.
    """
    shared = {node for node in jobs.keys() & nodes.keys() if not node.startswith("exposure.")}
    return 2 * sum(jobs[node] == nodes[node].job for node in shared) > len(shared)
